package ogc

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/member"
	"tilth/adapters/http/ogc/parameter"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/features"
	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// STACItems are a page of items.
type STACItems struct {
	Type     string     `json:"type" enum:"FeatureCollection" doc:"The type of the object."`
	Features []STACItem `json:"features" doc:"In the order of ids."`
	Links    []Link     `json:"links" doc:"Links to related resources."`
	Matched  *int64     `json:"numberMatched,omitempty" doc:"Items of all pages; left out where they are not counted, such as dates of maps that fill more than a page, and with bbox or datetime."`
	Returned int        `json:"numberReturned" doc:"Items on this page."`
}

// STACItem is a finished profile or map, or a date of one.
type STACItem struct {
	Type       string               `json:"type" enum:"Feature" doc:"The type of the object."`
	Version    string               `json:"stac_version" doc:"Version of the STAC specification."`
	Extensions []string             `json:"stac_extensions" format:"uri" doc:"Empty: none are used."`
	ID         string               `json:"id" doc:"Id of the order; for a date, followed by that date, as 12-2025-05-12."`
	Collection string               `json:"collection" doc:"Name of the collection."`
	Geometry   member.Geometry      `json:"geometry" doc:"The outline that it covers."`
	BBox       []float64            `json:"bbox" doc:"The box around it: west, south, east, north in degrees."`
	Properties STACProperties       `json:"properties" doc:"Its properties."`
	Links      []Link               `json:"links" doc:"Links to related resources."`
	Assets     map[string]STACAsset `json:"assets" doc:"Its files by their names. The addresses work for 24 hours without another credential."`
}

// STACProperties are the properties of an item.
type STACProperties struct {
	Title     string     `json:"title" doc:"A title for people."`
	Datetime  *time.Time `json:"datetime" doc:"Always null: start_datetime and end_datetime give the time."`
	Start     time.Time  `json:"start_datetime" doc:"The beginning of the first day: of the dates that it is made from, or of the order where it has no time."`
	End       time.Time  `json:"end_datetime" doc:"The end of the last day."`
	Created   time.Time  `json:"created" doc:"When the order was placed."`
	Updated   time.Time  `json:"updated" doc:"When the order was last written."`
	Expires   time.Time  `json:"tilth:links_expire_at" doc:"The time from which the addresses of the files no longer work. Request the item again for new ones."`
	OrderID   int64      `json:"tilth:order_id" doc:"Id of the order."`
	UUID      string     `json:"tilth:uuid" doc:"Uuid of the profile or map."`
	FieldID   *int64     `json:"tilth:field_id" doc:"Id of the field; null for an outline that is not a field."`
	FieldUUID *string    `json:"tilth:field_uuid" doc:"Uuid of the field; null for an outline that is not a field."`
	SeasonID  *int64     `json:"tilth:season_id" doc:"Id of the season; null where there is none."`
	IndexCode *string    `json:"tilth:index_code" doc:"The vegetation index, as NDVI; null where there is none."`
	Scenes    []string   `json:"tilth:scenes" doc:"Ids of the scenes or elevation models that it was made from; for profiles they are in the table."`
	Synthetic bool       `json:"tilth:synthetic" doc:"It was made up for a demonstration, not measured."`
	Mean      *float64   `json:"tilth:mean" doc:"For a date: mean of the index over the field's pixels with a value."`
	Coverage  *float64   `json:"tilth:coverage" doc:"For a date: valid pixels / pixels in the field."`
}

// STACAsset is a file of an item.
type STACAsset struct {
	Href  string   `json:"href" format:"uri" doc:"Its address, with a signed link."`
	Type  string   `json:"type" doc:"Content type."`
	Title string   `json:"title" doc:"A title for people."`
	Roles []string `json:"roles" doc:"Its purpose: data, overview, thumbnail or metadata."`
}

// stacProduct is the collection of one product.
type stacProduct struct {
	stacRoutes
	id, title, description string
	orders                 string // path of the orders
	of                     *features.Collection[vegetation.OrderState, features.Finished]
	files                  func(features.Finished) stacFiles
}

// stacFiles are the files of an item.
type stacFiles []stacFile

type stacFile struct {
	name string
	path string // below the order
	STACAsset
}

// stacFarm filters items by farm.
var stacFarm = whole(rest.FarmParam, "", "Id of a farm; selects the items of its fields.")

func (p stacProduct) path() string { return stacCollectionsPath + "/" + p.id }

func (p stacProduct) route(below, operation, action, summary string) rest.Route {
	return rest.Route{
		Method: http.MethodGet, Path: p.path() + below, OperationID: "stac_" + strings.ReplaceAll(p.id, "-", "_") + "_" + operation, Summary: summary, Tag: stacTag,
		Keys: rest.KeyInQuery, Permission: p.of.Need().For(action), Noun: "item",
	}
}

func (p stacProduct) register() {
	rest.Handle(p.api, p.route("", "collection", "retrieve", "Describe the collection "+p.id),
		func(ctx context.Context, c *rest.Call, _ struct{}) (rest.Bare[STACCollection], error) {
			if err := p.of.Require(ctx, c.Principal()); err != nil {
				return rest.Bare[STACCollection]{}, err
			}
			shown, err := p.describe(ctx, c)
			return rest.Bare[STACCollection]{Data: shown}, err
		})
	items := p.route("/items", "items", "list", "Items of "+p.id)
	items.BareAs, items.Query = mediaGeoJSON, append(pageParams("the days of the items"), stacFarm.Param)
	items.Inapplicable = []string{collectionsParam} // pystac-client also sends the collection of the address
	items.Description = p.description + " In the order of ids. `next` and `prev` among the links lead to the neighbouring pages; they remain valid."
	rest.Handle(p.api, items, p.items)
	item := p.route("/items/{featureId}", "item", "retrieve", "An item of "+p.id)
	item.BareAs = mediaGeoJSON
	rest.Handle(p.api, item, func(ctx context.Context, c *rest.Call, in struct {
		ID string `path:"featureId"`
	}) (rest.Bare[STACItem], error) {
		id, ok := p.parseID(in.ID)
		if !ok {
			return rest.Bare[STACItem]{}, fault.Missing("item")
		}
		found, err := p.of.Get(ctx, c.Principal(), id)
		if err != nil {
			return rest.Bare[STACItem]{}, err
		}
		shown, err := p.item(ctx, c, p.signed(c), found)
		return rest.Bare[STACItem]{Data: shown}, err
	})
}

func (p stacProduct) items(ctx context.Context, c *rest.Call, given rest.Values) (rest.Bare[STACItems], error) {
	q, err := queryOf(given.All(), []filter{stacFarm})
	if err != nil {
		return rest.Bare[STACItems]{}, err
	}
	page, err := p.of.Page(ctx, c.Principal(), q)
	if err != nil {
		return rest.Bare[STACItems]{}, err
	}
	out := STACItems{Type: "FeatureCollection", Matched: page.Matched, Returned: len(page.Features), Links: []Link{
		self(c, mediaGeoJSON), {c.Link(stacWord), "root", mediaJSON, "Start"}, {c.Link(p.path()), "collection", mediaJSON, p.title},
	}}
	out.Links = append(out.Links, beside(c, "next", afterParam, page.Next)...)
	out.Links = append(out.Links, beside(c, "prev", beforeParam, page.Previous)...)
	if page.Next == nil && q.After == nil && q.Before == nil { // this page has all
		out.Matched = new(int64(len(page.Features)))
	}
	out.Features, err = p.shown(ctx, c, page.Features)
	return rest.Bare[STACItems]{Data: out}, err
}

// shown shows features as items.
func (p stacProduct) shown(ctx context.Context, c *rest.Call, found []features.Feature[features.Finished]) ([]STACItem, error) {
	out, links := []STACItem{}, p.signed(c)
	for _, f := range found {
		shown, err := p.item(ctx, c, links, f)
		if err != nil {
			return nil, err
		}
		out = append(out, shown)
	}
	return out, nil
}

func (p stacProduct) signed(c *rest.Call) *stacLinks {
	return &stacLinks{issue: p.links, who: c.Principal(), need: p.of.Need(), links: map[string]string{}}
}

// item shows a feature as an item.
func (p stacProduct) item(ctx context.Context, c *rest.Call, links *stacLinks, f features.Feature[features.Finished]) (STACItem, error) {
	order := strconv.FormatInt(f.ID.Record, 10)
	below := p.orders + order + "/"
	link, err := links.of(ctx, below)
	if err != nil {
		return STACItem{}, err
	}
	assets := map[string]STACAsset{}
	for _, file := range p.files(f.Of) {
		mark := "?"
		if strings.Contains(file.path, mark) {
			mark = "&"
		}
		file.Href = c.Link(below) + file.path + mark + "link=" + link
		assets[file.name] = file.STACAsset
	}
	id := stacID(f.ID)
	return STACItem{
		Type: "Feature", Version: stacVersion, Extensions: []string{}, ID: id, Collection: p.id, Geometry: geometryOf(f.Outline, nil), BBox: corners(f.Outline.Bounds()),
		Properties: p.properties(f, links.expires), Assets: assets, Links: []Link{
			{c.Link(p.path() + "/items/" + id), "self", mediaGeoJSON, "This item"}, {c.Link(stacWord), "root", mediaJSON, "Start"},
			{c.Link(p.path()), "parent", mediaJSON, p.title}, {c.Link(p.path()), "collection", mediaJSON, p.title}, {c.Link(below), "alternate", mediaJSON, "The order"},
		},
	}, nil
}

func (p stacProduct) properties(f features.Feature[features.Finished], expires time.Time) STACProperties {
	of := f.Of
	out := STACProperties{
		Title: p.title + ": " + of.Field, Start: *f.When.From, End: *f.When.To, Created: of.CreatedAt, Updated: of.UpdatedAt, Expires: expires,
		OrderID: of.ID, UUID: of.UUID, IndexCode: form.OrNull(of.Index), FieldUUID: form.OrNull(of.FieldUUID), Scenes: []string{}, Synthetic: of.Synthetic,
	}
	if of.Field == "" {
		out.Title = p.title + ": order " + strconv.FormatInt(of.ID, 10)
	}
	if of.FieldID != 0 {
		out.FieldID = &of.FieldID
	}
	if of.SeasonID != 0 {
		out.SeasonID = &of.SeasonID
	}
	if o := of.Date; o != nil {
		out.Title += ", " + of.Index + " on " + o.Date.Format(time.DateOnly)
		out.Scenes, out.Mean, out.Coverage = append(out.Scenes, o.Items...), &o.Value, &o.Coverage
	}
	for _, l := range of.Layers {
		out.Scenes = append(out.Scenes, l.Scenes...)
		out.Synthetic = out.Synthetic || l.Synthetic
	}
	slices.Sort(out.Scenes)
	out.Scenes = slices.Compact(out.Scenes)
	return out
}

// stacID returns the id of an item as it is written.
func stacID(id features.ID) string {
	text := strconv.FormatInt(id.Record, 10)
	if id.Part > 0 {
		text += "-" + features.DateOf(id.Part).Format(time.DateOnly)
	}
	return text
}

// parseID reads the id of an item; ok is false if the text is not one.
func (p stacProduct) parseID(text string) (id features.ID, ok bool) {
	record, date, dated := strings.Cut(text, "-")
	if id, ok = parameter.ParseID(record); !ok || id.Part > 0 || !dated {
		return id, ok && id.Part == 0
	}
	day, err := time.Parse(time.DateOnly, date)
	id.Part = features.PartOf(day)
	return id, err == nil && id.Part > 0
}

const (
	stacGeoTIFF = "image/tiff; application=geotiff; profile=cloud-optimized"
	stacPNG     = "image/png"
)

func raster(name, file, title string) stacFiles {
	return stacFiles{
		{name, "maps/" + file + ".tif?bands=1", STACAsset{"", stacGeoTIFF, title, []string{"data"}}},
		{name + "-picture", "maps/" + file + ".png", STACAsset{"", stacPNG, title + ", as a picture", []string{"overview"}}},
	}
}

// thumbnail returns the small picture that is shown beside an item in lists, such as that of QGIS's panel.
func thumbnail(file string) stacFile {
	return stacFile{"thumbnail", "maps/" + file + ".png?thumbnail=true", STACAsset{"", stacPNG, "A small picture", []string{"thumbnail"}}}
}

func profileAssets(features.Finished) stacFiles {
	return stacFiles{
		{"table", "export.csv", STACAsset{"", "text/csv", "The dates with their figures", []string{"data"}}},
		{"chart", "chart.png", STACAsset{"", stacPNG, "The profile as a picture", []string{"overview", "thumbnail"}}},
	}
}

func dateAssets(of features.Finished) stacFiles {
	day := of.Date.Date.Format(time.DateOnly)
	return append(raster("index", day, of.Index+" on "+day), thumbnail(day),
		stacFile{"statistics", "statistics/?date=" + day, STACAsset{"", mediaJSON, "Figures of the date", []string{"metadata"}}})
}

func zoneAssets(of features.Finished) stacFiles {
	return append(layerAssets(of), stacFile{"areas", "zones/?format=" + ports.GeoJSON, STACAsset{"", mediaGeoJSON, "The zones as areas", []string{"data"}}})
}

func layerAssets(of features.Finished) (out stacFiles) {
	for i, l := range of.Layers {
		if out = append(out, raster(l.Name, l.Name, l.Title)...); i == 0 {
			out = append(out, thumbnail(l.Name))
		}
	}
	return out
}
