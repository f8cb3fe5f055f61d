package synthetic

import "tilth/core/geo"

// WalkField is the parcel without a field in the demo, for a reader of the README to draw and
// order.
const WalkField = "Walk field"

// plotted is the parcel smaller than a tenth of a hectare. Its crop grows 20 m beyond its boundary,
// so that its mean does not depend on how partly covered pixels count.
const plotted = "Kitchen plot"

// parcels are drawn in degrees with six decimals (0.1 m) and are exact at that precision. No centre
// of a 10 m pixel lies within 1 cm of an edge, so that programs with slightly different projections
// count the same pixels.
func parcels() []Parcel {
	return []Parcel{
		{
			Name: WalkField, Crop: "winter_wheat", Note: "kept free for the first walk through the demo",
			Curve:    Curve{Base: 0.18, Peak: 0.88, Green: 70, Rise: 0.07, Ripe: 165, Fall: 0.10},
			Boundary: one(ring(-4.2243, 41.7794, -4.2206, 41.7794, -4.2206, 41.7822, -4.2243, 41.7822)),
		},
		{
			Name: "North pivot", Crop: "maize_grain", Note: "a circle under irrigation",
			Curve: Curve{Base: 0.16, Peak: 0.86, Green: 165, Rise: 0.08, Ripe: 255, Fall: 0.09},
			Boundary: one(ring(-4.184252, 41.78317, -4.184384, 41.783845, -4.184744, 41.784471, -4.185308, 41.785006,
				-4.186038, 41.785414, -4.186885, 41.785666, -4.18779, 41.785745, -4.188691, 41.785647, -4.189528, 41.785378,
				-4.190243, 41.784955, -4.190787, 41.784408, -4.191124, 41.783775, -4.19123, 41.783098, -4.191099, 41.782423,
				-4.190739, 41.781797, -4.190174, 41.781262, -4.189444, 41.780854, -4.188598, 41.780602, -4.187693, 41.780522,
				-4.186792, 41.780621, -4.185955, 41.78089, -4.18524, 41.781313, -4.184696, 41.781859, -4.184359, 41.782493)),
		},
		{
			Name: "Border field", Crop: "sugar_beet", Note: "lies across the edge of the two tiles",
			Curve:    Curve{Base: 0.15, Peak: 0.87, Green: 155, Rise: 0.07, Ripe: 300, Fall: 0.05},
			Boundary: one(ring(-4.207574, 41.775632, -4.196499, 41.775297, -4.195966, 41.778996, -4.201754, 41.779656, -4.207039, 41.77915)),
		},
		{
			Name: "Pond meadow", Crop: "permanent_grassland", Note: "has a hole: the pond is not part of it",
			Curve: Curve{Base: 0.35, Peak: 0.72, Green: 85, Rise: 0.05, Ripe: 200, Fall: 0.03},
			Boundary: one(
				ring(-4.216819, 41.768239, -4.209952, 41.767771, -4.208934, 41.771204, -4.212207, 41.772521, -4.216404, 41.771756),
				ring(-4.212083, 41.769797, -4.212366, 41.76958, -4.212755, 41.769498, -4.213147, 41.769572, -4.213438, 41.769783,
					-4.213548, 41.770075, -4.213449, 41.770368, -4.213167, 41.770586, -4.212777, 41.770668, -4.212385, 41.770594,
					-4.212094, 41.770383, -4.211984, 41.770091)),
		},
		{
			Name: plotted, Crop: "potato", Note: "under a tenth of a hectare: fewer than ten pixels",
			Curve:    Curve{Base: 0.16, Peak: 0.85, Green: 150, Rise: 0.10, Ripe: 235, Fall: 0.10},
			Boundary: one(ring(-4.219301, 41.784785, -4.21894, 41.784789, -4.218945, 41.785059, -4.219306, 41.785055)),
		},
		{
			Name: "Long acre", Crop: "sunflower", Note: "a narrow strip, all of it near an edge",
			Curve:    Curve{Base: 0.15, Peak: 0.80, Green: 160, Rise: 0.09, Ripe: 220, Fall: 0.08},
			Boundary: one(ring(-4.191535, 41.767243, -4.190569, 41.767073, -4.18856, 41.77556, -4.189526, 41.77573)),
		},
		{
			Name: "Mill fallow", Crop: "fallow", Note: "hardly grows: bright dry soil",
			Curve:    Curve{Base: 0.14, Peak: 0.24, Green: 100, Rise: 0.05, Ripe: 190, Fall: 0.05},
			Boundary: one(ring(-4.228538, 41.771446, -4.222876, 41.771056, -4.222229, 41.775026, -4.227897, 41.775686)),
		},
		{
			Name: "Terrace", Crop: "spring_barley", Note: "an L",
			Curve:    Curve{Base: 0.17, Peak: 0.84, Green: 95, Rise: 0.10, Ripe: 165, Fall: 0.11},
			Boundary: one(ring(-4.184348, 41.768758, -4.176529, 41.768838, -4.176575, 41.77136, -4.180545, 41.771319, -4.180605, 41.774561, -4.184454, 41.774521)),
		},
		{
			Name: "Twin fields", Crop: "winter_rapeseed", Note: "two parts with a track between them",
			Curve: Curve{Base: 0.20, Peak: 0.82, Green: 60, Rise: 0.06, Ripe: 160, Fall: 0.09},
			Boundary: geo.MultiPolygon{
				{ring(-4.216222, 41.781395, -4.211766, 41.781172, -4.211464, 41.784327, -4.215919, 41.78446)},
				{ring(-4.211032, 41.781179, -4.2079, 41.781032, -4.207716, 41.784006, -4.210728, 41.784245)},
			},
		},
		{
			Name: "River field", Crop: "alfalfa", Note: "green almost all season",
			Curve:    Curve{Base: 0.35, Peak: 0.80, Green: 80, Rise: 0.07, Ripe: 290, Fall: 0.04},
			Boundary: one(ring(-4.183528, 41.776512, -4.177506, 41.776214, -4.17526, 41.778399, -4.177806, 41.779453, -4.183335, 41.779126)),
		},
	}
}

// one returns a boundary of one part: its outer ring, then its holes.
func one(rings ...geo.Ring) geo.MultiPolygon { return geo.MultiPolygon{rings} }

// ring closes a list of longitudes and latitudes.
func ring(lonlat ...float64) geo.Ring {
	var r geo.Ring
	for i := 0; i < len(lonlat); i += 2 {
		r = append(r, geo.Position{X: lonlat[i], Y: lonlat[i+1]})
	}
	return append(r, r[0])
}

// parcelCollection is parcels.geojson.
type parcelCollection struct {
	Type      string          `json:"type"`
	Title     string          `json:"title"`
	Synthetic bool            `json:"synthetic"`
	Features  []parcelFeature `json:"features"`
}

type parcelFeature struct {
	Type       string           `json:"type"`
	Properties parcelProperties `json:"properties"`
	Geometry   geo.MultiPolygon `json:"geometry"`
}

type parcelProperties struct {
	Name      string `json:"name"`
	Crop      string `json:"crop"`
	Note      string `json:"note"`
	Synthetic bool   `json:"synthetic"`
	Curve     Curve  `json:"curve"`
}

func encodeParcels(parcels []Parcel) parcelCollection {
	c := parcelCollection{Type: "FeatureCollection", Title: title, Synthetic: true}
	for _, p := range parcels {
		c.Features = append(c.Features, parcelFeature{
			Type: "Feature", Geometry: p.Boundary,
			Properties: parcelProperties{Name: p.Name, Crop: p.Crop, Note: p.Note, Synthetic: true, Curve: p.Curve},
		})
	}
	return c
}

func (c parcelCollection) parcels() []Parcel {
	var out []Parcel
	for _, f := range c.Features {
		p := f.Properties
		out = append(out, Parcel{Name: p.Name, Crop: p.Crop, Note: p.Note, Curve: p.Curve, Boundary: f.Geometry})
	}
	return out
}
