package satellite

import (
	"strconv"

	"tilth/adapters/http/v12/form"
	"tilth/app/satellite/mapview"
	"tilth/core/indexmap"
)

// FieldMapStyle states how the values of a layer are coloured.
type FieldMapStyle struct {
	Layer  string      `json:"layer" doc:"Name of the layer."`
	Title  string      `json:"title" doc:"What its values are, for people."`
	Unit   *string     `json:"unit" doc:"Unit of the values; null where they have none."`
	Kind   string      `json:"kind" enum:"measure,direction,numbers" doc:"measure: a quantity. direction: degrees clockwise from north. numbers: they name zones or classes."`
	Family string      `json:"family" doc:"The colour ramp, which layers of one kind share."`
	Low    float64     `json:"low" doc:"The value of the first colour, which lower ones have too."`
	High   float64     `json:"high" doc:"The value of the last colour, which higher ones have too."`
	Stops  []StyleStop `json:"stops" doc:"Eleven values at equal distances with their colours, from the lowest, for legends and map libraries: between them the colours change evenly."`
	Colors []string    `json:"colors" doc:"All colours of the ramp, from low to high at equal distances."`
	Unseen string      `json:"unseen" doc:"The colour of pixels of the field without a value in pictures, which hatch them too; tiles leave them transparent."`
	About  string      `json:"about" doc:"How the ramp is made, for people."`
}

const aboutCompass = "Directions end as they begin: the south is light and the north dark, the east blue and the west orange, so that they are told apart with all kinds of colour vision."

func showLayerStyle(of indexmap.Subject, s indexmap.Style) FieldMapStyle {
	shown, about := showStyle(s), aboutStyle
	if of.Kind == indexmap.Direction {
		about = aboutCompass
	}
	return FieldMapStyle{of.Name, of.Title, form.OrNull(of.Unit), string(of.Kind), shown.Family, shown.Low, shown.High, shown.Stops, shown.Colors, shown.Unseen, about}
}

// FieldMapFigures are the statistics of a layer.
type FieldMapFigures struct {
	Layer       string          `json:"layer" doc:"Name of the layer."`
	Title       string          `json:"title" doc:"What its values are, for people."`
	Unit        *string         `json:"unit" doc:"Unit of the values; null where they have none."`
	Kind        string          `json:"kind" enum:"measure,direction,numbers" doc:"measure: a quantity. direction: degrees clockwise from north. numbers: they name zones or classes."`
	Items       []string        `json:"items" doc:"Ids of the scenes or of the elevation models."`
	Synthetic   bool            `json:"synthetic" doc:"It was made up for a demonstration."`
	Method      string          `json:"method" doc:"How the values were worked out."`
	NValid      int             `json:"n_valid" doc:"Pixels with a value."`
	NPolygon    int             `json:"n_polygon" doc:"Pixels of the field."`
	Coverage    float64         `json:"coverage" doc:"Valid pixels / pixels in the field."`
	Mean        *float64        `json:"mean" doc:"Arithmetic mean over the valid pixels, for directions the circular mean; null for numbers."`
	Std         *float64        `json:"std" doc:"Population standard deviation; only for measures."`
	Min         *float64        `json:"min" doc:"Smallest value; only for measures."`
	Max         *float64        `json:"max" doc:"Largest value; only for measures."`
	Percentiles []MapPercentile `json:"percentiles" doc:"Percentiles, interpolated linearly between the values; only for measures."`
	Histogram   []HistogramBin  `json:"histogram" doc:"Twenty bins between the smallest and the largest value; only for measures."`
	Classes     *[]MapClass     `json:"classes,omitempty" doc:"For numbers: how many pixels have each. For measures with ?classes=: the classes, from the lowest."`
	Notes       *[]string       `json:"notes,omitempty" doc:"With classes: what differs from the request, such as fewer classes where values are tied."`
}

// FieldMapStatistics are the figures of the layers of a map.
type FieldMapStatistics struct {
	OrderID int64             `json:"order_id" doc:"Id of the order."`
	Layers  []FieldMapFigures `json:"layers" doc:"The layers that have pixels; one with ?layer=."`
}

func showLayerFigures(f mapview.Figures) FieldMapFigures {
	of, style := f.Subject, indexmap.StyleOfSubject(f.Subject)
	out := FieldMapFigures{
		of.Name, of.Title, form.OrNull(of.Unit), string(of.Kind), append([]string{}, f.Scenes...), f.Synthetic, f.Method, f.Valid, f.Pixels, f.Coverage, known(f.Mean), known(f.Std), known(f.Min), known(f.Max),
		form.Each(f.Percentiles, func(p indexmap.Percentile) MapPercentile { return MapPercentile{p.Percent, p.Value} }),
		form.Each(f.Bars, func(b indexmap.Bar) HistogramBin { return HistogramBin{b.Low, b.High, b.Share} }), nil, nil,
	}
	if f.Classes == nil {
		return out
	}
	color := ofClass(f.Classes, style)
	if of.Kind == indexmap.Numbers {
		color = func(k indexmap.Class) indexmap.Color {
			shade, _ := style.Shade(k.Low)
			return style.Colors[shade]
		}
	}
	classes := showClasses(*f.Classes, color)
	out.Classes, out.Notes = &classes, new(append([]string{}, f.Classes.Notes...))
	return out
}

// FieldMapValues are the values of a map at a place.
type FieldMapValues struct {
	OrderID int64           `json:"order_id" doc:"Id of the order."`
	Lon     float64         `json:"lon" doc:"The requested longitude, degrees."`
	Lat     float64         `json:"lat" doc:"The requested latitude, degrees."`
	Values  []FieldMapValue `json:"values" doc:"The value of each layer there."`
}

// FieldMapValue is what a layer has at a place.
type FieldMapValue struct {
	Layer     string   `json:"layer" doc:"Name of the layer."`
	Title     string   `json:"title" doc:"What its values are, for people."`
	Unit      *string  `json:"unit" doc:"Unit of the value; null where it has none."`
	Items     []string `json:"items" doc:"Ids of the scenes or of the elevation models."`
	Synthetic bool     `json:"synthetic" doc:"It was made up for a demonstration."`
	Method    string   `json:"method" doc:"How the value was worked out."`
	Value     *float64 `json:"value" doc:"The value of the pixel that contains the place; null where there is none."`
	InField   bool     `json:"in_field" doc:"Whether the pixel counts as part of the field; otherwise it is only shown."`
	Col       int      `json:"col" doc:"Column of the pixel in the GeoTIFF of the layer, from 0."`
	Row       int      `json:"row" doc:"Row of the pixel in the GeoTIFF of the layer, from 0."`
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
