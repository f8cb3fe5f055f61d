package satellite

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/etag"
	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/account"
	"tilth/app/satellite/mapview"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/indexmap"
	"tilth/ports"
)

// fileExample is an example of a name in the addresses of pictures and files.
func (p mapProduct) fileExample() string {
	return map[credit.Product]string{
		credit.VegetationIndexMap: "2025-05-12", credit.ZoningMap: fieldmap.ZonesLayer, credit.ElevationMap: "slope", credit.SoilMap: "clay_0_30",
	}[p.code]
}

// mapSheets are the routes that show the dates or the layers of one product of maps.
type mapSheets struct {
	mapProduct
	views *mapview.Views
}

// describeSheets describes the error codes of these routes.
func describeSheets(a *rest.API) {
	a.DescribeCodes(map[string]string{
		"map_layer":        "the map has no such layer; details hold the reason and the existing layers (404)",
		"map_date":         "the map has no such date; details hold the reason, none where nothing was acquired, and the nearest usable dates (404)",
		"map_file_expired": "the file of a date had expired and is being made again; try again as Retry-After says (503)",
		"map_colours":      "a date cannot be shown in the colours of its scenes; details hold the reason, bands or gone, and the bands that are missing (409)",
		"link_expired":     "the signed link has expired (401)",
		"link_invalid":     "the token of a one-time link was used or revoked, has expired, or never existed (400); or a signed link is not valid for this address, or whoever made it may no longer do what it permits (401)",
	})
}

// dated reports whether the product has dates; otherwise it has layers.
func (m mapSheets) dated() bool { return m.code == credit.VegetationIndexMap }

// ask returns what a request is about: a date or a layer, by the parameter of sheetParam.
func (m mapSheets) ask(in form.SharedByID, sheet rest.Values) mapview.Ask {
	ask := mapview.Ask{Product: m.code, Shared: in.Share, ID: in.ID}
	if day, ok := sheet.All()["date"].(member.Date); ok {
		ask.Day = form.TimeOf(&day)
	}
	ask.Layer, _ = sheet.All()["layer"].(string)
	return ask
}

// sheetParam returns the parameter that selects the date or layer.
func (m mapSheets) sheetParam(otherwise string) rest.Param {
	if m.dated() {
		return rest.Param{Name: "date", Type: rest.DateType, Description: "A usable date of the map; default: " + otherwise}
	}
	return rest.Param{Name: "layer", Type: rest.String, Description: "A layer of the map, by its name; default: " + otherwise}
}

// first describes what is shown if nothing else is requested.
func (m mapSheets) first() string {
	if m.dated() {
		return "the last one."
	}
	return "the first one."
}

// register adds the routes that all products have.
func (m mapSheets) register(a *rest.API) {
	m.registerPictures(a)
	m.registerTiles(a)
	m.registerLinks(a)
	m.registerStatistics(a)
	m.registerValue(a)
	m.registerStyle(a)
}

// The parameters of routes that show a date.
var (
	lowParam     = rest.Param{Name: "low", Type: rest.Number, Description: "The value that the first colour stands for; default: that of `style/`. Lower ones have the same colour."}
	highParam    = rest.Param{Name: "high", Type: rest.Number, Description: "The value that the last colour stands for; default: that of `style/`. Higher ones have the same colour."}
	methodParam  = rest.Param{Name: "method", Type: rest.String, Enum: methodNames(), Description: "How classes are divided: with as many pixels in each (quantile, the default), or with equal widths."}
	classesParam = rest.Param{Name: "classes", Type: rest.Integer, Description: "The number of classes, 2 to 9; tied values may leave fewer."}
)

var styleParam = rest.Param{Name: "style", Type: rest.String, Enum: indexmap.CombinationCodes(), Description: "Only for pictures: the colours of the scenes in place of the index."}

func methodNames() []string {
	return form.Each(indexmap.Methods, func(m indexmap.Method) string { return string(m) })
}

// cached is the header for a picture that may be shown again for a while without asking whether it is still the same.
const cached = "private, max-age=300"

type lookInput struct {
	Low  *float64 `query:"low"`
	High *float64 `query:"high"`
}

type classInput struct {
	Method  string `query:"method"`
	Classes *int64 `query:"classes"`
}

// asked returns a number of a query, and 0 if it was left out. An explicit 0 becomes -1, which every rule refuses.
func asked[T int64 | float64](given *T) T {
	if given != nil && *given == 0 {
		return -1
	}
	return form.OrZero(given)
}

// method returns the requested method.
func (in classInput) method() indexmap.Method {
	if in.Method == "" {
		return indexmap.Quantile
	}
	return indexmap.Method(in.Method)
}

// dated answers with a view of a date. It is unchanged as long as the date has the same content and is viewed in the same way.
func dated(c *rest.Call, d mapview.Sheet, media string, write func(io.Writer) error) rest.Raw {
	c.SetHeader("Cache-Control", cached)
	how := c.Here(func(url.Values) {})
	return rest.Raw{ContentType: media, ETag: etag.Of(nil, []byte(d.Key()+"\x00"+d.Title+"\x00"+drawing+"\x00"+how)), Write: write}
}

// drawing changes with the way in which pictures and tiles are drawn.
const drawing = "2"

// route returns a route below an order of a map that a signed link opens, too.
func (p mapProduct) route(path, operation, summary string) rest.Route {
	return rest.Route{
		Method: http.MethodGet, Path: p.path() + "{id}/" + path, OperationID: p.operation + "_" + operation, Summary: summary, Tag: p.tag, Noun: "map",
		Permission: p.access().View.For("retrieve"), Links: true, Faults: []int{http.StatusConflict, http.StatusServiceUnavailable},
	}
}

func (m mapSheets) registerPictures(a *rest.API) {
	route := m.route("maps/{file}/", "picture", "A date of a map as a picture or as GeoTIFF")
	route.Description = "`{file}` is a usable date with an ending: `2025-05-12.png` or `.svg`, a picture for printing, with the outline of the field, the values' colours, a scale and the scenes; or `2025-05-12.tif`, " +
		"a Cloud-Optimized GeoTIFF of 32-bit numbers in the coordinate system of the scenes' tile, with overviews where it is large: band 1 is the index (NaN where nothing was seen), band 2 is how much each pixel counts in the field, 1, or less where the field is small; " +
		"the mean of band 1, weighted by band 2, is that of the profile. Its metadata name index, date, scenes, and whether they are synthetic, as pictures do.\n\n" +
		"A date that the map does not have is 404 `map_date`, with its reason and the nearest usable dates."
	if !m.dated() {
		route.Summary = "A layer of a map as a picture or as GeoTIFF"
		route.Description = "`{file}` is the name of a layer with an ending: `" + m.fileExample() + ".png` or `.svg`, a picture for printing, with the outline of the field, the values' colours, a scale and what it was made from; or `" + m.fileExample() + ".tif`, " +
			"a Cloud-Optimized GeoTIFF of 32-bit numbers in UTM, with overviews where it is large: band 1 has the values (NaN where there is none), band 2 is 1 for the pixels of the field. Its metadata name layer, scenes, and whether they are synthetic, as pictures do.\n\n" +
			"A layer that the map does not have is 404 `map_layer`, with the reason and the existing layers."
	}
	route.Query = []rest.Param{
		form.ShareParam, {Name: "legend", Type: rest.Boolean, Description: "Only for pictures; false: the map alone, without title, legend and sources. Default true."},
		{Name: "thumbnail", Type: rest.Boolean, Description: "Only for pictures; true: the map alone, 320 pixels wide, as shown in lists. Default false."},
		{Name: "bands", Type: rest.Integer, Description: "Only for GeoTIFFs; 1: only the pixels of the field, in one band, for programs that take two bands for colours, such as QGIS. Default 2."},
		lowParam, highParam, methodParam,
		{Name: "classes", Type: rest.Integer, Description: "Only for pictures: the values in this many classes, 2 to 9; default: each in its own shade."},
	}
	if m.dated() {
		route.Description += "\n\n`?style=true-colour` shows a picture of what the scenes of the date saw, including clouds, in red, green and blue (B04, B03, B02); `false-colour` shows the near infrared as red (B08, B04, B03), so that dense crops are bright red. " +
			"Reflectance 0 is black; 0.3, of the near infrared 0.6, is as bright as can be, on every date. Where the scenes lack a band, or the archive no longer has them, it is 409 `map_colours`."
		route.Query = append(route.Query, styleParam)
	}
	route.Description += "\n\nA part of a GeoTIFF can be asked for (`Range`, one range of bytes), as GDAL does."
	route.Also = map[int]string{http.StatusPartialContent: "The bytes of a GeoTIFF that Range asks for."}
	route.Media = form.Media(ports.PNG, ports.SVG, ports.GeoTIFF)
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		lookInput
		classInput
		rest.Values
		File      string `path:"file"`
		Legend    *bool  `query:"legend"`
		Thumbnail bool   `query:"thumbnail"`
		Bands     *int64 `query:"bands"`
	}) (rest.Raw, error) {
		colours, _ := in.All()["style"].(string)
		name, ending, _ := strings.Cut(in.File, ".")
		ask := mapview.Ask{Product: m.code, Shared: in.Share, ID: in.ID, Layer: name}
		if m.dated() {
			day, err := time.Parse(time.DateOnly, name)
			if err != nil {
				ending = ""
			}
			ask.Day, ask.Layer = &day, ""
		}
		if ending != ports.PNG && ending != ports.SVG && ending != ports.GeoTIFF {
			return rest.Raw{}, fault.New(fault.NotFound, "not_found", "The files of a map are named as "+m.fileExample()+".png, .svg or .tif.")
		}
		if ending == ports.GeoTIFF {
			if colours != "" {
				return rest.Raw{}, fault.Field("style", "Colours are only for pictures. Fix: request .png or .svg, or leave style out.")
			}
			bands, err := bandsOf(in.Bands)
			if err != nil {
				return rest.Raw{}, err
			}
			d, write, err := m.views.GeoTIFF(ctx, c.Principal(), ask, bands == 1)
			if err != nil {
				return rest.Raw{}, err
			}
			if m.dated() {
				name = strings.ToLower(d.Order.Index) + "-" + name
			}
			file := form.Download(fmt.Sprintf("map-%d-%s", in.ID, name), ending, nil)
			out := dated(c, d, file.ContentType, write)
			out.Filename, out.Parts = file.Filename, true
			return out, nil
		}
		look := mapview.Look{Low: in.Low, High: in.High, Bare: in.Thumbnail || in.Legend != nil && !*in.Legend, Small: in.Thumbnail, Method: in.method(), Classes: int(asked(in.Classes)), Style: colours}
		d, write, err := m.views.Picture(ctx, c.Principal(), ask, ending, look)
		if err != nil {
			return rest.Raw{}, err
		}
		return dated(c, d, form.Picture(c, ending, nil).ContentType, write), nil
	})
}

// bandsOf returns the requested number of bands of a GeoTIFF. Fault: Invalid (bands).
func bandsOf(given *int64) (int64, error) {
	const both = 2
	if given == nil {
		return both, nil
	}
	if *given < 1 || *given > both {
		return 0, fault.Field("bands", "A file has 1 band, or 2.")
	}
	return *given, nil
}

func (m mapSheets) registerTiles(a *rest.API) {
	route := m.route("tiles/{z}/{x}/{y}/", "tile", "A tile of a map")
	route.Description = "A tile of Web Mercator (EPSG:3857) as map libraries request it, PNG: zoom 0 to 22, column, and row with its ending, as `5.png`; `5@2x.png` has 512 pixels. Pixels of the field in the colours of `style/`, " +
		"transparent everywhere else, also where nothing was seen; a tile outside the field is transparent. Tiles fit together without seams: each pixel has the value of the map's pixel that contains its centre."
	route.Query = []rest.Param{
		form.ShareParam, m.sheetParam(m.first()), lowParam, highParam,
		{Name: "size", Type: rest.Integer, Description: "Pixels each way, 256 (default) or 512."},
		{Name: "resampling", Type: rest.String, Enum: []string{"nearest", "bilinear"}, Description: "bilinear: interpolated between the centres of the map's pixels. Default nearest."},
		{Name: "margin", Type: rest.Boolean, Description: "With true: also the pixels around the field, which do not count. Default false."},
	}
	route.Media = form.Media(ports.PNG)
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		lookInput
		rest.Values
		Z          string `path:"z"`
		X          string `path:"x"`
		Y          string `path:"y"`
		Size       *int64 `query:"size"`
		Resampling string `query:"resampling"`
		Margin     bool   `query:"margin"`
	}) (rest.Raw, error) {
		tile, err := tileOf(in.Z, in.X, in.Y, asked(in.Size))
		if err != nil {
			return rest.Raw{}, err
		}
		d, write, err := m.views.Tile(ctx, c.Principal(), m.ask(in.SharedByID, in.Values), tile,
			indexmap.Sampling{Bilinear: in.Resampling == "bilinear", Margin: in.Margin}, mapview.Look{Low: in.Low, High: in.High})
		if err != nil {
			return rest.Raw{}, err
		}
		return dated(c, d, form.Picture(c, ports.PNG, nil).ContentType, write), nil
	})
}

// tileOf returns the tile of an address. Faults: NotFound if it is not one; Invalid (size).
func tileOf(z, x, y string, size int64) (t indexmap.Tile, err error) {
	row := strings.TrimSuffix(y, ".png")
	t.Size = indexmap.TileSizes[0]
	if double, ok := strings.CutSuffix(row, "@2x"); ok {
		row, t.Size = double, indexmap.TileSizes[1]
	}
	if size != 0 {
		t.Size = int(min(size, 1<<20))
	}
	for _, part := range []struct {
		text string
		into *int
	}{{z, &t.Z}, {x, &t.X}, {row, &t.Y}} {
		n, err := strconv.ParseUint(part.text, 10, 31)
		if err != nil {
			return t, fault.New(fault.NotFound, "not_found", "A tile is named as tiles/14/8190/5447.png: zoom, column, row.")
		}
		*part.into = int(n)
	}
	return t, t.Check()
}

// MapLinkWrite states the lifetime of a signed link.
type MapLinkWrite struct {
	ExpiresIn *int64 `json:"expires_in" required:"false" minimum:"60" maximum:"86400" doc:"Seconds; default 3,600, at most a day."`
}

// MapLink is a signed link to a map.
type MapLink struct {
	Link      string    `json:"link" doc:"The value of ?link= for the addresses of the map's pictures, files, tiles, figures and zones."`
	ExpiresAt time.Time `json:"expires_at" doc:"The time from which the link no longer works."`
	Tiles     string    `json:"tiles" doc:"Template of the addresses of tiles, for map libraries: put in {z}, {x}, {y} and, for another date than the last, &date=, for another layer than the first, &layer=."`
	Pictures  string    `json:"pictures" doc:"Template of the addresses of pictures: put in {date} or {layer}."`
	Files     string    `json:"files" doc:"Template of the addresses of GeoTIFFs: put in {date} or {layer}."`
}

func (m mapSheets) registerLinks(a *rest.API) {
	route := rest.Route{
		Method: http.MethodPost, Path: m.path() + "{id}/links/", OperationID: m.operation + "_link", Summary: "Make a signed link to a map", Tag: m.tag, Noun: "map",
		Description: "Whoever holds the link can read the pictures, files, tiles, figures and zones of this map until it expires, and nothing else: for `<img>` and for map libraries, which cannot send headers. " +
			"It ends with the account, the role or the API key of whoever made it. It is not stored anywhere; the audit trail records that it was made.",
		Permission: m.access().View.For("link"), Query: []rest.Param{form.ShareParam}, Body: rest.Body[MapLinkWrite]().Optional(), Secret: true, Message: "Keep the link to yourself and to those who may see the map.",
	}
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in form.SharedByID) (MapLink, error) {
		body, err := rest.Decode[MapLinkWrite](c)
		if err != nil {
			return MapLink{}, err
		}
		lasts := account.LinkTTL
		if body.ExpiresIn != nil {
			lasts = time.Duration(*body.ExpiresIn) * time.Second
		}
		below := m.path() + strconv.FormatInt(in.ID, 10) + "/"
		text, expires, err := m.views.Share(ctx, c.Principal(), m.ask(in, rest.Values{}), below, lasts)
		address := c.Link(below)
		query := "?link=" + text
		if in.Share {
			query += "&share=true"
		}
		each := "maps/{layer}"
		if m.dated() {
			each = "maps/{date}"
		}
		return MapLink{text, expires, address + "tiles/{z}/{x}/{y}.png" + query, address + each + ".png" + query, address + each + ".tif" + query}, err
	})
}
