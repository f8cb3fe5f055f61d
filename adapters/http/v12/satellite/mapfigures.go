package satellite

import (
	"context"
	"encoding/json"
	"io"
	"math"

	"tilth/adapters/http/etag"
	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/satellite/mapview"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

// MapStyle states how the values of an index are coloured.
type MapStyle struct {
	IndexCode string      `json:"index_code" doc:"The vegetation index, as NDVI."`
	Family    string      `json:"family" doc:"The colour ramp, which indices of one kind share."`
	Low       float64     `json:"low" doc:"The value of the first colour, which lower ones have too."`
	High      float64     `json:"high" doc:"The value of the last colour, which higher ones have too."`
	Stops     []StyleStop `json:"stops" doc:"Eleven values at equal distances with their colours, from the lowest, for legends and map libraries: between them the colours change evenly."`
	Colors    []string    `json:"colors" doc:"All colours of the ramp, from low to high at equal distances."`
	Unseen    string      `json:"unseen" doc:"The colour of pixels of the field without a value in pictures, which hatch them too; tiles leave them transparent."`
	About     string      `json:"about" doc:"How the ramp is made, for people."`
}

// StyleStop is a value and its colour.
type StyleStop struct {
	Value float64 `json:"value" doc:"A value of the index."`
	Color string  `json:"color" doc:"Its colour in sRGB, as #rrggbb."`
}

const aboutStyle = "From light to dark at even steps along a Bézier curve through OKLab (Ottosson 2020; after Wijffelaars et al. 2008): equal differences of the index are equal differences of colour, " +
	"lightness falls all the way, and the colours are told apart with protanopia, deuteranopia and tritanopia."

func showStyle(s indexmap.Style) MapStyle {
	return MapStyle{
		string(s.Index), s.Family, s.Low, s.High,
		form.Each(s.Stops(11), func(stop indexmap.Stop) StyleStop { return StyleStop{stop.Value, stop.Color.Hex()} }),
		form.Each(s.Colors[:], indexmap.Color.Hex), indexmap.Unseen.Hex(), aboutStyle,
	}
}

// MapClass is a class of the values of a date.
type MapClass struct {
	Number int      `json:"number" doc:"From 1, the lowest values."`
	Low    float64  `json:"low" doc:"The lowest value of the class."`
	High   float64  `json:"high" doc:"Where the next class begins; for the last class the highest value, which it includes."`
	Pixels int      `json:"pixels" doc:"Number of pixels of the field in the class."`
	Share  float64  `json:"share" doc:"Share of the field's pixels with a value, 0 to 1."`
	Mean   *float64 `json:"mean" doc:"Mean of its pixels; null where it has none."`
	Color  string   `json:"color" doc:"How pictures show it, as #rrggbb."`
}

// MapFigures are the statistics of a date.
type MapFigures struct {
	Date        member.Date     `json:"date" doc:"Day of the scenes, in solar time at the field."`
	Items       []string        `json:"items" doc:"Ids of the scenes."`
	Synthetic   bool            `json:"synthetic" doc:"The scenes were made up for a demonstration."`
	NValid      int             `json:"n_valid" doc:"Pixels with a value."`
	NPolygon    int             `json:"n_polygon" doc:"Pixels of the field."`
	Coverage    float64         `json:"coverage" doc:"Valid pixels / pixels in the field."`
	Mean        *float64        `json:"mean" doc:"Arithmetic mean over the valid pixels: the value that a profile has on the same pixels."`
	Std         *float64        `json:"std" doc:"Population standard deviation."`
	Min         *float64        `json:"min" doc:"Smallest value."`
	Max         *float64        `json:"max" doc:"Largest value."`
	Percentiles []MapPercentile `json:"percentiles" doc:"Percentiles, interpolated linearly between the values."`
	Histogram   []HistogramBin  `json:"histogram" doc:"The bins of 0.05 that are not empty."`
	Classes     *[]MapClass     `json:"classes,omitempty" doc:"With ?classes=: the classes, from the lowest."`
	Notes       *[]string       `json:"notes,omitempty" doc:"With ?classes=: what differs from the request, such as fewer classes where values are tied."`
}

// MapPercentile is the value below which a given percentage of the pixels lies.
type MapPercentile struct {
	Percent int     `json:"percent" doc:"The percentage of the pixels that lie below the value."`
	Value   float64 `json:"value" doc:"The value."`
}

// MapStatistics are the figures of the dates of a map.
type MapStatistics struct {
	OrderID   int64        `json:"order_id" doc:"Id of the order."`
	IndexCode string       `json:"index_code" doc:"Vegetation index, as NDVI."`
	Method    string       `json:"method" doc:"How the values of pixels are worked out, the same way for all dates."`
	Dates     []MapFigures `json:"dates" doc:"The usable dates, oldest first; one with ?date=."`
}

func known(v float64) *float64 { return form.If(!math.IsNaN(v), v) }

func showClasses(c indexmap.Classes, color func(indexmap.Class) indexmap.Color) []MapClass {
	return form.Each(c.Each, func(k indexmap.Class) MapClass {
		return MapClass{k.Number, k.Low, k.High, k.Pixels, k.Share, known(k.Mean), color(k).Hex()}
	})
}

// ofClass returns the colours of classes.
func ofClass(c *indexmap.Classes, style indexmap.Style) func(indexmap.Class) indexmap.Color {
	return func(k indexmap.Class) indexmap.Color { return style.OfClass(k.Number, len(c.Each)) }
}

func showFigures(f mapview.Figures, style indexmap.Style) MapFigures {
	out := MapFigures{
		member.DateOf(f.Day), append([]string{}, f.Scenes...), f.Synthetic, f.Valid, f.Pixels, f.Coverage, known(f.Mean), known(f.Std), known(f.Min), known(f.Max),
		form.Each(f.Percentiles, func(p indexmap.Percentile) MapPercentile { return MapPercentile{p.Percent, p.Value} }),
		form.Each(f.Histogram, func(b vegetation.Bin) HistogramBin {
			low, high, share := b.Range()
			return HistogramBin{low, high, share}
		}), nil, nil,
	}
	if f.Classes != nil {
		out.Classes, out.Notes = new(showClasses(*f.Classes, ofClass(f.Classes, style))), new(append([]string{}, f.Classes.Notes...))
	}
	return out
}

// MapValues are the values of one pixel of a map.
type MapValues struct {
	OrderID   int64      `json:"order_id" doc:"Id of the order."`
	IndexCode string     `json:"index_code" doc:"Vegetation index, as NDVI."`
	Method    string     `json:"method" doc:"How the values of pixels are worked out, the same way for all dates."`
	Lon       float64    `json:"lon" doc:"The requested longitude, degrees."`
	Lat       float64    `json:"lat" doc:"The requested latitude, degrees."`
	Values    []MapValue `json:"values" doc:"The usable dates, oldest first."`
}

// MapValue is what a pixel holds on a date.
type MapValue struct {
	Date      member.Date `json:"date" doc:"Day of the scenes, in solar time at the field."`
	Items     []string    `json:"items" doc:"Ids of the scenes."`
	Synthetic bool        `json:"synthetic" doc:"The scenes were made up for a demonstration."`
	Value     *float64    `json:"value" doc:"The index of the pixel that contains the place; null where nothing was seen."`
	InField   bool        `json:"in_field" doc:"Whether the pixel counts as part of the field; otherwise it is only shown."`
	Col       int         `json:"col" doc:"Column of the pixel in the GeoTIFF of the date, from 0."`
	Row       int         `json:"row" doc:"Row of the pixel in the GeoTIFF of the date, from 0."`
}

func (m mapSheets) registerStatistics(a *rest.API) {
	route := m.route("statistics/", "statistics", "The figures of a map")
	route.Query = []rest.Param{form.ShareParam, m.sheetParam("all of them."), methodParam, classesParam}
	type input struct {
		form.SharedByID
		classInput
		rest.Values
	}
	if !m.dated() {
		route.Description = "For each layer, over the pixels of the field that have a value. For directions there is only the circular mean, and for numbers that name zones or classes, how many pixels have each. With `?classes=` and `?method=` also the shares of classes of measures."
		rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in input) (FieldMapStatistics, error) {
			order, found, err := m.views.Statistics(ctx, c.Principal(), m.ask(in.SharedByID, in.Values), in.method(), int(asked(in.Classes)))
			return FieldMapStatistics{order.ID, form.Each(found, showLayerFigures)}, err
		})
		return
	}
	route.Description = "Over the pixels of the field that have a value, by the rules of profiles: means agree with those of the profile on the same pixels. With `?classes=` and `?method=` also the shares of classes."
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in input) (MapStatistics, error) {
		order, found, err := m.views.Statistics(ctx, c.Principal(), m.ask(in.SharedByID, in.Values), in.method(), int(asked(in.Classes)))
		style := indexmap.StyleOf(vegetation.IndexCode(order.Index))
		return MapStatistics{order.ID, order.Index, order.Reading().Method(), form.Each(found, func(f mapview.Figures) MapFigures { return showFigures(f, style) })}, err
	})
}

func (m mapSheets) registerValue(a *rest.API) {
	route := m.route("value/", "value", "The values of a map at a place")
	route.Query = []rest.Param{
		form.ShareParam, {Name: "lon", Type: rest.Number, Required: true, Description: "Longitude, degrees (WGS 84)."}, {Name: "lat", Type: rest.Number, Required: true, Description: "Latitude, degrees (WGS 84)."},
	}
	type input struct {
		form.SharedByID
		Lon float64 `query:"lon"`
		Lat float64 `query:"lat"`
	}
	if !m.dated() {
		route.Description = "The value of each layer at the pixel that contains a place. A place for which no layer has a pixel is 400."
		rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in input) (FieldMapValues, error) {
			order, found, err := m.views.At(ctx, c.Principal(), m.ask(in.SharedByID, rest.Values{}), geo.Position{X: in.Lon, Y: in.Lat})
			return FieldMapValues{order.ID, in.Lon, in.Lat, form.Each(found, func(v mapview.Value) FieldMapValue {
				return FieldMapValue{v.Subject.Name, v.Subject.Title, form.OrNull(v.Subject.Unit), append([]string{}, v.Scenes...), v.Synthetic, v.Method, known(v.Value), v.Inside, v.Col, v.Row}
			})}, err
		})
		return
	}
	route.Description = "The series of the pixel that contains a place, date by date. A place for which no date has a pixel is 400."
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in input) (MapValues, error) {
		order, found, err := m.views.At(ctx, c.Principal(), m.ask(in.SharedByID, rest.Values{}), geo.Position{X: in.Lon, Y: in.Lat})
		return MapValues{order.ID, order.Index, order.Reading().Method(), in.Lon, in.Lat, form.Each(found, func(v mapview.Value) MapValue {
			return MapValue{member.DateOf(v.Day), append([]string{}, v.Scenes...), v.Synthetic, known(v.Value), v.Inside, v.Col, v.Row}
		})}, err
	})
}

func (m mapSheets) registerStyle(a *rest.API) {
	route := m.route("style/", "style", "How a map is coloured")
	route.Description = "The table of colours that pictures, tiles and legends share: perceptually even, and readable with all kinds of colour vision."
	route.Query = []rest.Param{form.ShareParam, lowParam, highParam}
	type input struct {
		form.SharedByID
		lookInput
		rest.Values
	}
	if !m.dated() {
		route.Query = append(route.Query, m.sheetParam(m.first()))
		rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in input) (FieldMapStyle, error) {
			sheet, style, err := m.views.Style(ctx, c.Principal(), m.ask(in.SharedByID, in.Values), mapview.Look{Low: in.Low, High: in.High})
			if err != nil {
				return FieldMapStyle{}, err
			}
			return showLayerStyle(sheet.Layer.Subject, style), nil
		})
		return
	}
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in input) (MapStyle, error) {
		_, s, err := m.views.Style(ctx, c.Principal(), m.ask(in.SharedByID, rest.Values{}), mapview.Look{Low: in.Low, High: in.High})
		if err != nil {
			return MapStyle{}, err
		}
		return showStyle(s), nil
	})
}

// zoneProperties are the properties of a zone of a date.
type zoneProperties struct {
	Class     *int     `json:"class"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Mean      *float64 `json:"mean"`
	Pixels    *int     `json:"pixels"`
	Share     *float64 `json:"share"`
	AreaHa    float64  `json:"area_ha"`
	Color     string   `json:"color"`
	Date      string   `json:"date"`
	IndexCode string   `json:"index_code"`
	Items     []string `json:"items"`
	Synthetic bool     `json:"synthetic"`
}

type zoneFeature struct {
	Type       string         `json:"type"`
	Properties zoneProperties `json:"properties"`
	Geometry   multiPolygon   `json:"geometry"`
}

// multiPolygon is written as a MultiPolygon even if it has only one part, so that programs find the same type everywhere.
type multiPolygon geo.MultiPolygon

// MarshalJSON implements json.Marshaler.
func (m multiPolygon) MarshalJSON() ([]byte, error) { return geo.MultiPolygon(m).MultiJSON() }

func (m mapSheets) registerClasses(a *rest.API) {
	route := m.route("zones/", "zones", "The classes of a date as areas")
	route.Description = "A GeoJSON FeatureCollection with a feature for each class that covers any part of the field, from the lowest values, and one without a class (`class` null) where nothing was seen. Together they are the field, without gaps and overlaps. " +
		"Properties: `class`, `low`, `high`, `mean`, `pixels`, `share` (of the pixels with a value), `area_ha`, `color`, `date`, `index_code`, `items` (the scenes), `synthetic`. What differs from the request, such as fewer classes where values are tied, is in `notes`; `method` says how the values were worked out."
	classes := classesParam
	classes.Description += " Default: as many as were ordered, or 5."
	route.Query = []rest.Param{form.ShareParam, m.sheetParam(m.first()), methodParam, classes}
	route.Media = []string{rest.GeoJSONType}
	rest.Handle(a, route, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		classInput
		rest.Values
	}) (rest.Raw, error) {
		found, err := m.views.Zones(ctx, c.Principal(), m.ask(in.SharedByID, in.Values), in.method(), int(asked(in.Classes)))
		if err != nil {
			return rest.Raw{}, err
		}
		text, err := json.Marshal(struct {
			Type     string        `json:"type"`
			Features []zoneFeature `json:"features"`
			Notes    []string      `json:"notes"`
			Method   string        `json:"method"`
		}{"FeatureCollection", form.Each(found.Each, func(z indexmap.Zone) zoneFeature { return showZone(found, z) }), append([]string{}, found.Classes.Notes...), found.Layer.Method})
		return rest.Raw{ContentType: rest.GeoJSONType, ETag: etag.Of(nil, text), Write: func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}}, err
	})
}

func showZone(of mapview.Zones, z indexmap.Zone) zoneFeature {
	p := zoneProperties{AreaHa: geo.RoundHa(z.Ha), Color: indexmap.Unseen.Hex(), Date: member.DateOf(of.Layer.Day).String(), IndexCode: of.Order.Index, Items: append([]string{}, of.Layer.Scenes...), Synthetic: of.Layer.Synthetic}
	if k := z.Class; k != nil {
		p.Class, p.Low, p.High, p.Mean, p.Pixels, p.Share = &k.Number, &k.Low, &k.High, known(k.Mean), &k.Pixels, &k.Share
		p.Color = of.Style.OfClass(k.Number, len(of.Classes.Each)).Hex()
	}
	return zoneFeature{"Feature", p, multiPolygon(z.Area)}
}
