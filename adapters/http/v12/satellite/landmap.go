package satellite

import (
	"context"
	"encoding/json"
	"io"

	"tilth/adapters/http/etag"
	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// LandMapOrderWrite is an order of a map of the land itself: of relief or soil.
type LandMapOrderWrite struct {
	FieldUUID      *string        `json:"field_uuid" required:"false" format:"uuid" doc:"A field with a boundary: of your company, or shared with it by a grant that permits ordering such maps. Either this or field_boundary."`
	FieldBoundary  member.Outline `json:"field_boundary" required:"false" doc:"An outline instead of a field: GeoJSON Polygon or MultiPolygon, longitude first. Outlines with the same content count as one field. No field is created from it."`
	OutputDataType *string        `json:"output_data_type" required:"false" enum:"geotiff,png,geojson" doc:"What the map is wanted as. It is stored with the order; every type is available for every map."`
	IsBackground   *bool          `json:"is_background" required:"false" doc:"Default true: the answer comes at once. false: it comes when the map is computed, after at most 30 seconds; a map that takes longer is answered as processing."`
	form.External
}

func (in LandMapOrderWrite) request() (satellite.MapRequest, *string, member.Outline, *bool, error) {
	return satellite.MapRequest{Terms: vegetation.MapTerms{Output: form.OrZero(in.OutputDataType)}, External: in.External.Record()}, in.FieldUUID, in.FieldBoundary, in.IsBackground, nil
}

// LandMap is an order of a map of the land with its layers.
type LandMap struct {
	LandMapOrder
	Refreshing bool            `json:"refreshing" doc:"The map is being made again, or files that had expired are being made again: a later retrieve may show more."`
	Layers     []FieldMapLayer `json:"layers" doc:"The layers of the map; those that could not be made say why in reason."`
}

func showLandMap(m satellite.Map) LandMap {
	return LandMap{showLandOrder(m.Order), m.Refreshing, form.Each(m.Layers, showLayer)}
}

// landFilters are the filters of lists of orders that have neither a season nor an index.
func landFilters() (out []rest.Param) {
	for _, p := range orderFilters("map") {
		if p.Name != "index_code" && p.Name != "season" {
			out = append(out, p)
		}
	}
	return out
}

const onceForLand = "\n\nIt takes no season, no date and no index. A field is charged once, on its first successful order of a profile or a map, whichever comes first. " +
	"A company has one order for a field or outline. One that is not ready yet is answered as it is; once it is active, a new order is 409 with `details.map_uuid` and `details.order_id`, and costs nothing."

const keptForLand = " Files are kept for 90 days and made again, at no charge, when an expired one is requested."

func landMapRoutes(of mapProduct, d Deps, orders, shows string) mapRoutes[LandMapOrderWrite, LandMapOrder, LandMap] {
	return mapRoutes[LandMapOrderWrite, LandMapOrder, LandMap]{
		mapProduct: of, maps: d.Maps, limits: d.Limits, filters: landFilters(), order: showLandOrder, whole: showLandMap,
		orders: orders + onceForLand, shows: shows + keptForLand,
	}
}

func registerElevationMaps(a *rest.API, d Deps) {
	a.DescribeTag(elevationTag, "Height, slope, aspect, wetness and contours of a field.")
	landMapRoutes(elevationMap, d,
		"Orders the relief of a field: height, slope, the direction that the land faces, and topographic wetness, from the raster that the operator registered as elevation, or else from the elevation model of the imagery source. Where there is neither, the order fails with the reason and nothing is charged.",
		"With its layers: `elevation`, `slope`, `aspect` and `twi`.").register(a)
	sheets := mapSheets{elevationMap, d.Views}
	sheets.register(a)
	sheets.registerContours(a)
}

func registerSoilMaps(a *rest.API, d Deps) {
	a.DescribeTag(soilTag, "What registered rasters of the soil say about a field.")
	landMapRoutes(soilMap, d,
		"Orders what the rasters that the operator registered for your company, or for all, say about a field: its statistics and pixels, one layer per raster. Where no raster covers the field, the order fails with the reason and nothing is charged.",
		"With a layer for each registered raster, or the reason why it has no values in the field. A raster that was registered later is shown after a recompute.").register(a)
	mapSheets{soilMap, d.Views}.register(a)
}

// contourFeature is a contour as GeoJSON.
type contourFeature struct {
	Type       string `json:"type"`
	Properties struct {
		Height    float64  `json:"height"`
		Items     []string `json:"items"`
		Synthetic bool     `json:"synthetic"`
	} `json:"properties"`
	Geometry struct {
		Type        string         `json:"type"`
		Coordinates [][][2]float64 `json:"coordinates"`
	} `json:"geometry"`
}

func showContour(c fieldmap.Contour, of *indexmap.Layer) (f contourFeature) {
	f.Type, f.Geometry.Type = "Feature", "MultiLineString"
	f.Properties.Height, f.Properties.Items, f.Properties.Synthetic = c.Height, append([]string{}, of.Scenes...), of.Synthetic
	for _, line := range c.Lines {
		f.Geometry.Coordinates = append(f.Geometry.Coordinates, form.Each(line, func(p geo.Position) [2]float64 { return [2]float64{p.X, p.Y} }))
	}
	return f
}

func (m mapSheets) registerContours(a *rest.API) {
	route := m.route("contours/", "contours", "The contours of a field")
	route.Description = "A GeoJSON FeatureCollection with a MultiLineString for each height, only within the field; the higher land lies on the left of each line. Properties: `height` (m), `items` (the elevation models) and `synthetic`. In addition to the features, `interval` is the one that was used, and `method` says how heights and contours were worked out."
	route.Query = []rest.Param{form.ShareParam, {Name: "interval", Type: rest.Number, Description: "Metres between two contours, from 0.1; default: about eight contours at round heights."}}
	route.Media = form.Media(ports.GeoJSON)
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		Interval *float64 `query:"interval"`
	}) (rest.Raw, error) {
		found, err := m.views.Contours(ctx, c.Principal(), m.ask(in.SharedByID, rest.Values{}), asked(in.Interval))
		if err != nil {
			return rest.Raw{}, err
		}
		text, err := json.Marshal(struct {
			Type     string           `json:"type"`
			Features []contourFeature `json:"features"`
			Interval float64          `json:"interval"`
			Method   string           `json:"method"`
		}{"FeatureCollection", form.Each(found.Each, func(c fieldmap.Contour) contourFeature { return showContour(c, found.Layer) }), found.Interval, found.Layer.Method})
		return rest.Raw{ContentType: rest.GeoJSONType, ETag: etag.Of(nil, text), Write: func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}}, err
	})
}
