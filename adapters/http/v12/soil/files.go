package soil

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/ports"
)

// stratificationFormats are the content types and endings of the files of maps and plans.
var stratificationFormats = map[string]struct{ media, ending string }{
	ports.GeoJSON: {"application/geo+json", "geojson"},
	ports.CSV:     {form.MediaCSV, "csv"},
	ports.KML:     {"application/vnd.google-earth.kml+xml", "kml"},
	ports.GPX:     {"application/gpx+xml", "gpx"},
	ports.SHP:     {"application/zip", "zip"},
	ports.PDF:     {"application/pdf", "pdf"},
}

// pictureMedia are the content types of previews.
var pictureMedia = map[string]string{ports.SVG: "image/svg+xml", ports.PNG: "image/png"}

const (
	zonesText = "The zones of a map, candidate or saved, for other programs: longitude and latitude (WGS84), seven decimals. `geojson`, `kml` and `shp` (a zipped " +
		"shapefile) hold their outlines with area, share, cells, parts, seed, and mean and standard deviation of each layer; `csv` holds these figures alone. " +
		"In a shapefile the layers are numbered: m1_… and s1_… are mean and standard deviation of the first."
	pointsText = "The points of a plan, candidate or saved, in the order of the walk, reserve points last: id, field, zone, lon, lat, easting, northing, epsg, role " +
		"and, but for CSV, seed. GPX has a waypoint a point, named as the point; `pdf` is the field sheet: maps, coordinates and boxes to tick, on `paper`."
	previewText = "Zones from low to high in colours that colour-blind people tell apart, with scale, north and areas. Fields far from each other are drawn in panels of their own."
)

func registerStratificationFiles(a *rest.API, files *soil.MapFiles) {
	registerMapFiles(a, files)
	registerPlanFiles(a, files)
}

func registerMapFiles(a *rest.API, files *soil.MapFiles) {
	route := func(path, operation, summary, text string) rest.Route {
		return rest.Route{
			Method: http.MethodGet, Path: stratificationPath + "maps/{map_uuid}/" + path, OperationID: "stratification_map_" + operation,
			Summary: summary, Description: text, Tag: stratificationTag, Noun: "map", Permission: access.StratificationMaps.View.For("export"),
		}
	}
	export := route("export/", "export", "Export a map of zones as a file", zonesText)
	formats := []string{ports.GeoJSON, ports.CSV, ports.KML, ports.SHP}
	export.Query, export.Media = []rest.Param{formatParam(formats)}, mediaOf(formats)
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		Format string `query:"format"`
	}) (rest.Raw, error) {
		format := cmp.Or(in.Format, ports.GeoJSON)
		file, err := files.MapFile(ctx, c.Principal(), in.MapUUID, format)
		return download(file, format), err
	})
	for _, format := range slices.Sorted(maps.Keys(pictureMedia)) {
		preview := route("preview."+format, "preview_"+format, "A map of zones as a picture, "+strings.ToUpper(format), previewText)
		preview.Media = []string{pictureMedia[format]}
		rest.Handle(a, preview, func(ctx context.Context, c *rest.Call, in mapPath) (rest.Raw, error) {
			file, err := files.MapFile(ctx, c.Principal(), in.MapUUID, format)
			return pictured(c, file, format), err
		})
	}
}

func registerPlanFiles(a *rest.API, files *soil.MapFiles) {
	route := func(path, operation, summary, text string) rest.Route {
		return rest.Route{
			Method: http.MethodGet, Path: plansPath + "{map_uuid}/" + path, OperationID: "sample_plan_" + operation,
			Summary: summary, Description: text, Tag: stratificationTag, Noun: "plan", Permission: access.SamplePlans.View.For("export"),
		}
	}
	export := route("export/", "export", "Export a sample plan as a file, or as a field sheet", pointsText)
	formats := []string{ports.GeoJSON, ports.CSV, ports.KML, ports.GPX, ports.SHP, ports.PDF}
	papers := []string{ports.PaperA4, ports.PaperLetter}
	export.Query = []rest.Param{formatParam(formats), {Name: "paper", Type: rest.String, Enum: papers, Description: "Of a field sheet; default A4."}}
	export.Media = mediaOf(formats)
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		mapPath
		Format string `query:"format"`
		Paper  string `query:"paper"`
	}) (rest.Raw, error) {
		choice := soil.PlanChoice{
			Format: cmp.Or(in.Format, ports.GeoJSON), Paper: cmp.Or(in.Paper, ports.PaperA4), Address: c.Link(plansPath + in.MapUUID + "/export/"),
		}
		file, err := files.PlanFile(ctx, c.Principal(), in.MapUUID, choice)
		return download(file, choice.Format), err
	})
	for _, format := range slices.Sorted(maps.Keys(pictureMedia)) {
		preview := route("preview."+format, "preview_"+format, "A sample plan as a picture, "+strings.ToUpper(format), previewText)
		preview.Media = []string{pictureMedia[format]}
		rest.Handle(a, preview, func(ctx context.Context, c *rest.Call, in mapPath) (rest.Raw, error) {
			file, err := files.PlanFile(ctx, c.Principal(), in.MapUUID, soil.PlanChoice{Format: format})
			return pictured(c, file, format), err
		})
	}
}

func formatParam(formats []string) rest.Param {
	return rest.Param{Name: "format", Type: rest.String, Enum: formats, Description: "Default geojson."}
}

func mediaOf(formats []string) []string {
	out := make([]string, len(formats))
	for i, format := range formats {
		out[i], _, _ = strings.Cut(stratificationFormats[format].media, ";")
	}
	return out
}

func download(file soil.MapFile, format string) rest.Raw {
	of := stratificationFormats[format]
	return rest.Raw{ContentType: of.media, Filename: file.Stem + "." + of.ending, Write: file.Write}
}

func pictured(c *rest.Call, file soil.MapFile, format string) rest.Raw {
	if format == ports.SVG {
		c.SetHeader("Content-Security-Policy", form.DrawingPolicy)
	}
	return rest.Raw{ContentType: pictureMedia[format], Write: file.Write}
}
