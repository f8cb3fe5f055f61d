package soil

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/ports"
)

const (
	zonesText = "The zones of a map, candidate or saved, for other programs: longitude and latitude (WGS84), seven decimals. `geojson`, `kml` and `shp` (a zipped " +
		"shapefile) contain their outlines with area, share, cells, parts, seed, and mean and standard deviation of each layer; `csv` and `xlsx` contain only these figures. " +
		"In a shapefile the layers are numbered: m1_… and s1_… are mean and standard deviation of the first."
	pointsText = "The points of a plan, candidate or saved, in the order of the way through all fields, reserve points last: id, field, zone, lon, lat, easting, northing, epsg, role, " +
		"field_order (of the field on the way), walk (of the point in its field) and, except in CSV and workbooks, seed. GPX has one waypoint per point, named like the point, and a route through the samples. " +
		"`pdf` is the field sheet: maps, coordinates, depths and labels of the samples of a `round`, boxes to tick and to sign, on `paper`; its code opens the plan for whoever holds it, " +
		"read-only, for 90 days. `labels` is a sheet of labels (PDF), one for each point and depth of a `round`, in the order of the way: 21 of 63.5 × 38.1 mm on A4, 30 of 2 5/8 × 1 inch " +
		"on Letter. The code of a label opens only that sample, without a password, for 24 months. These links are listed and revoked below `" + stratificationPath + "links/`. " +
		"`qfield` is a package for the crew of a `round` (zip): a project for QField and QGIS (`.qgs`), a GeoPackage with the points and samples to take, the way, fields and zones, " +
		"forms, and a folder for photos (`DCIM`). `" + samplesPath + "import/crew/` reads it back."
	previewText = "Zones from low to high in colours that colour-blind people tell apart, with scale, north and areas. Fields far from each other are drawn in panels of their own."
)

// background is the parameter of pictures and field sheets.
var background = rest.Param{Name: "background", Type: rest.Boolean, Description: "For pictures and field sheets: draws an image of the fields behind the map, " +
	"the newest clear one of the five years before the map was made; at most 40 fields."}

// layoutParam is the parameter of pictures.
var layoutParam = rest.Param{Name: "layout", Type: rest.String, Enum: []string{ports.Desktop, ports.Phone}, Description: "Default desktop: 1400 pixels wide, with the explanations next to the map. " +
	"phone: 390 CSS pixels wide, with the explanations below the map, no letters under 11 pixels; PNG has 780 pixels, for screens with two or more pixels per CSS pixel."}

// fileRoutes are the routes of files of maps of zones, or of sample plans: exports and pictures.
type fileRoutes struct {
	routes                 rest.Routes
	need                   access.Permission
	summary, text, picture string // of the export, and of the pictures
	formats, papers        []string
	file                   func(ctx context.Context, who access.Principal, uuid string, choice soil.PlanChoice) (soil.MapFile, error)
}

func registerStratificationFiles(a *rest.API, files *soil.MapFiles) {
	fileRoutes{
		routes: rest.Routes{Base: stratificationPath + "maps/{map_uuid}/", Operation: "stratification_map", Tag: stratificationTag, Noun: "map"},
		need:   access.StratificationMaps.View.For("export"), summary: "Export a map of zones as a file", text: zonesText, picture: "A map of zones as a picture, ",
		formats: []string{ports.GeoJSON, ports.CSV, ports.XLSX, ports.KML, ports.SHP},
		file:    files.MapFile,
	}.register(a)
	fileRoutes{
		routes: rest.Routes{Base: plansPath + "{map_uuid}/", Operation: "sample_plan", Tag: stratificationTag, Noun: "plan"},
		need:   access.SamplePlans.View.For("export"), summary: "Export a sample plan as a file, or as a field sheet", text: pointsText,
		picture: "A sample plan as a picture, ", formats: []string{ports.GeoJSON, ports.CSV, ports.XLSX, ports.KML, ports.GPX, ports.SHP, ports.PDF, ports.Labels, ports.QField},
		papers: []string{ports.PaperA4, ports.PaperLetter}, file: files.PlanFile,
	}.register(a)
}

func (f fileRoutes) register(a *rest.API) {
	export := f.routes.Route(http.MethodGet, "export/", f.need, f.summary)
	export.Description, export.Media = f.text, form.Media(f.formats...)
	export.Query = []rest.Param{form.FormatParam(f.formats...)}
	if f.papers != nil {
		export.Faults = []int{http.StatusConflict}
		export.Query = append(export.Query, rest.Param{Name: "paper", Type: rest.String, Enum: f.papers, Description: "For a field sheet, and for labels; default A4."},
			rest.Param{Name: "round", Type: rest.Integer, Description: "Round of the samples that a field sheet, labels and a package for crews include; default 1."}, background)
	}
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		rest.Values
		form.Formatted
	}) (rest.Raw, error) {
		paper, _ := in.All()["paper"].(string)
		round, _ := in.All()["round"].(int64)
		behind, _ := in.All()[background.Name].(bool)
		choice := soil.PlanChoice{
			Format: in.Among(c, f.formats...), Paper: cmp.Or(paper, ports.PaperA4), Round: cmp.Or(round, 1), Background: behind,
			Link: func(token string) string { return c.Link(linkBase + token + "/") },
		}
		file, err := f.file(ctx, c.Principal(), in.MapUUID, choice)
		return form.Download(file.Stem, choice.Format, file.Write), err
	})
	for _, format := range []string{ports.SVG, ports.PNG} {
		preview := f.routes.Route(http.MethodGet, "preview."+format, f.need, f.picture+strings.ToUpper(format))
		preview.OperationID, preview.Description, preview.Media = f.routes.Operation+"_preview_"+format, previewText, form.Media(format)
		preview.Query, preview.Faults = []rest.Param{background, layoutParam}, []int{http.StatusServiceUnavailable}
		rest.Handle(a, preview, func(ctx context.Context, c *rest.Call, in struct {
			mapPath
			rest.Values
		}) (rest.Raw, error) {
			behind, _ := in.All()[background.Name].(bool)
			layout, _ := in.All()[layoutParam.Name].(string)
			file, err := f.file(ctx, c.Principal(), in.MapUUID, soil.PlanChoice{Format: format, Layout: layout, Background: behind})
			return form.Picture(c, format, file.Write), err
		})
	}
}
