package mapview

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"time"

	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Figures are the statistics of a date or a layer, with its classes if requested.
type Figures struct {
	Day       time.Time
	Subject   indexmap.Subject // for a layer
	Scenes    []string
	Synthetic bool
	Method    string
	indexmap.Statistics
	Classes *indexmap.Classes // always set for layers of kind Numbers: how many pixels have each number
}

// Statistics returns the figures of the usable dates or the layers of a map, or of one of them. Faults: those of Picture.
func (v *Views) Statistics(ctx context.Context, who access.Principal, ask Ask, method indexmap.Method, classes int) (vegetation.OrderState, []Figures, error) {
	f, err := v.open(ctx, who, ask)
	if err != nil {
		return f.order, nil, err
	}
	if classes != 0 {
		if err := indexmap.CheckClasses(method, classes); err != nil {
			return f.order, nil, err
		}
	}
	sheets := f.sheets()
	if ask.Day != nil || ask.Layer != "" {
		one, err := f.sheet(ask)
		if err != nil {
			return f.order, nil, err
		}
		sheets = []Sheet{one}
	}
	out := make([]Figures, 0, len(sheets))
	for _, s := range sheets {
		l, err := v.layer(ctx, s)
		if err != nil {
			return f.order, nil, err
		}
		figures := Figures{Day: l.Day, Subject: l.Subject, Scenes: l.Scenes, Synthetic: l.Synthetic, Method: l.Method, Statistics: l.Figures()}
		switch {
		case l.Subject.Kind == indexmap.Numbers:
			figures.Classes = new(l.Numbered())
		case classes != 0 && l.Subject.Kind != indexmap.Direction:
			c, err := l.Classify(method, classes)
			if err != nil {
				return f.order, nil, err
			}
			figures.Classes = &c
		}
		out = append(out, figures)
	}
	return f.order, out, nil
}

// Value is the value of a map at a place on a date, or in a layer.
type Value struct {
	Day       time.Time
	Subject   indexmap.Subject
	Scenes    []string
	Synthetic bool
	Method    string
	indexmap.Pixel
}

// At returns the series of the pixel at a place (longitude, latitude), or its value in each layer. Faults: those of Picture; Invalid
// (lon, lat) if nothing has a pixel at the place.
func (v *Views) At(ctx context.Context, who access.Principal, ask Ask, at geo.Position) (vegetation.OrderState, []Value, error) {
	wrong := fault.Fields{}
	wrong.AddIf(!(at.X >= -180 && at.X <= 180), "lon", "A longitude is -180 to 180 degrees.")
	wrong.AddIf(!(at.Y >= -90 && at.Y <= 90), "lat", "A latitude is -90 to 90 degrees.")
	if err := wrong.Err(); err != nil {
		return vegetation.OrderState{}, nil, err
	}
	f, err := v.open(ctx, who, ask)
	if err != nil {
		return f.order, nil, err
	}
	sheets := f.sheets()
	out := make([]Value, 0, len(sheets))
	holds := len(sheets) == 0
	for _, s := range sheets {
		l, err := v.layer(ctx, s)
		if err != nil {
			return f.order, nil, err
		}
		p, err := l.At(at)
		if err != nil {
			return f.order, nil, err
		}
		holds = holds || p.Inside || !math.IsNaN(p.Value)
		out = append(out, Value{l.Day, l.Subject, l.Scenes, l.Synthetic, l.Method, p})
	}
	if !holds {
		return f.order, nil, fault.Field("lon", "The place lies outside the map, which has no pixel there.")
	}
	return f.order, out, nil
}

// Zones are the areas of the classes of a date.
type Zones struct {
	Order   vegetation.OrderState
	Layer   *indexmap.Layer
	Classes indexmap.Classes
	Each    []indexmap.Zone
	Style   indexmap.Style
}

// Zones returns the areas of the classes of a date: together they form the field. classes 0: as many as were ordered. Faults:
// those of Picture.
func (v *Views) Zones(ctx context.Context, who access.Principal, ask Ask, method indexmap.Method, classes int) (out Zones, err error) {
	if err := indexmap.CheckClasses(method, cmp.Or(classes, indexmap.DefaultClasses)); err != nil {
		return out, err
	}
	d, err := v.find(ctx, who, ask)
	if err != nil {
		return out, err
	}
	out.Order, out.Style = d.Order, indexmap.StyleOf(vegetation.IndexCode(d.Order.Index))
	if out.Layer, err = v.layer(ctx, d); err != nil {
		return out, err
	}
	if out.Classes, err = out.Layer.Classify(method, cmp.Or(classes, d.Order.Map.Classes, indexmap.DefaultClasses)); err != nil {
		return out, err
	}
	out.Each, err = out.Layer.Zones(effort.Of(ctx, 0), d.Order.Boundary, out.Classes)
	return out, err
}

// ZoneFile returns a function that writes the zones of a zoning map in a format (ports.ZoneFiles); rates and unit state how much is to be
// applied in each, see [fieldmap.NewPrescription]. Faults: those of Picture; Invalid (rates, unit).
func (v *Views) ZoneFile(ctx context.Context, who access.Principal, ask Ask, format, rates, unit string) (Sheet, func(w io.Writer) error, error) {
	ask.Layer = fieldmap.ZonesLayer
	s, err := v.find(ctx, who, ask)
	if err != nil {
		return s, nil, err
	}
	shown := ports.ShownZones{
		Stem: fmt.Sprintf("zones-%d", s.Order.ID), Name: s.Title, FieldID: cmp.Or(s.Order.FieldID, s.Order.ID), Outline: s.Order.Boundary, AreaM2: s.Order.AreaM2, Layer: *s.Layer,
	}
	if shown.Prescription, err = fieldmap.NewPrescription(rates, unit, len(s.Layer.Zones)); err != nil {
		return s, nil, err
	}
	return s, func(w io.Writer) error {
		if shown.Pixels, err = v.layer(ctx, s); err != nil {
			return err
		}
		if shown.Areas, err = shown.Pixels.Areas(effort.Of(ctx, 0), s.Order.Boundary, len(s.Layer.Zones)); err != nil {
			return err
		}
		return v.ZoneFiles.WriteMapZones(ctx, w, format, shown)
	}, nil
}

// Contours are the contours of an elevation map.
type Contours struct {
	Layer    *indexmap.Layer // of the heights; its method includes that of the contours
	Each     []fieldmap.Contour
	Interval float64 // metres
}

// Contours returns the contours of an elevation map within its field at a height interval, 0: about eight of them. Faults: those of Picture;
// Invalid (interval).
func (v *Views) Contours(ctx context.Context, who access.Principal, ask Ask, interval float64) (out Contours, err error) {
	ask.Layer = layer.Elevation
	s, err := v.find(ctx, who, ask)
	if err != nil {
		return out, err
	}
	if out.Layer, err = v.layer(ctx, s); err != nil {
		return out, err
	}
	out.Layer.Method += "; " + fieldmap.ContourMethod
	out.Each, out.Interval, err = fieldmap.Contours(effort.Of(ctx, 0), out.Layer, s.Order.Boundary, interval)
	return out, err
}
