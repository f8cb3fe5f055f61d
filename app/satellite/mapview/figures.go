package mapview

import (
	"cmp"
	"context"
	"math"
	"time"

	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

// Figures are the statistics of a date, with its classes where they are asked for.
type Figures struct {
	Day       time.Time
	Scenes    []string
	Synthetic bool
	indexmap.Statistics
	Classes *indexmap.Classes
}

// Statistics returns the figures of the usable dates of a map, or of one of them. Faults: as of Picture.
func (v *Views) Statistics(ctx context.Context, who access.Principal, ask Ask, method indexmap.Method, classes int) (vegetation.OrderState, []Figures, error) {
	f, err := v.open(ctx, who, ask.Shared, ask.ID)
	if err != nil {
		return f.order, nil, err
	}
	if classes != 0 {
		if err := indexmap.CheckClasses(method, classes); err != nil {
			return f.order, nil, err
		}
	}
	files := f.files
	if ask.Day != nil {
		one, err := f.file(ask.Day)
		if err != nil {
			return f.order, nil, err
		}
		files = []indexmap.File{one}
	}
	out := make([]Figures, 0, len(files))
	for _, file := range files {
		l, err := v.layer(ctx, f.order, file)
		if err != nil {
			return f.order, nil, err
		}
		figures := Figures{Day: l.Day, Scenes: l.Scenes, Synthetic: l.Synthetic, Statistics: l.Describe()}
		if classes != 0 {
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

// Value is what a map shows at a place on a date.
type Value struct {
	Day time.Time
	indexmap.Pixel
}

// At returns the series of the pixel at a place (longitude, latitude). Faults: as of Picture; Invalid (lon, lat) of a place
// that no date has a pixel for.
func (v *Views) At(ctx context.Context, who access.Principal, shared bool, id int64, at geo.Position) (vegetation.OrderState, []Value, error) {
	wrong := fault.Fields{}
	wrong.AddIf(!(at.X >= -180 && at.X <= 180), "lon", "A longitude is -180 to 180 degrees.")
	wrong.AddIf(!(at.Y >= -90 && at.Y <= 90), "lat", "A latitude is -90 to 90 degrees.")
	if err := wrong.Err(); err != nil {
		return vegetation.OrderState{}, nil, err
	}
	f, err := v.open(ctx, who, shared, id)
	if err != nil {
		return f.order, nil, err
	}
	out := make([]Value, 0, len(f.files))
	holds := len(f.files) == 0
	for _, file := range f.files {
		l, err := v.layer(ctx, f.order, file)
		if err != nil {
			return f.order, nil, err
		}
		p, err := l.At(at)
		if err != nil {
			return f.order, nil, err
		}
		holds = holds || p.Inside || !math.IsNaN(p.Value)
		out = append(out, Value{l.Day, p})
	}
	if !holds {
		return f.order, nil, fault.Field("lon", "The place lies beside the map: no date has a pixel there.")
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

// Zones returns the areas of the classes of a date: together they are the field. classes 0: as many as were ordered. Faults: as of
// Picture.
func (v *Views) Zones(ctx context.Context, who access.Principal, ask Ask, method indexmap.Method, classes int) (out Zones, err error) {
	if err := indexmap.CheckClasses(method, cmp.Or(classes, indexmap.DefaultClasses)); err != nil {
		return out, err
	}
	d, err := v.date(ctx, who, ask)
	if err != nil {
		return out, err
	}
	out.Order, out.Style = d.Order, indexmap.StyleOf(vegetation.IndexCode(d.Order.Index))
	if out.Layer, err = d.layer(ctx); err != nil {
		return out, err
	}
	if out.Classes, err = out.Layer.Classify(method, cmp.Or(classes, d.Order.Map.Classes, indexmap.DefaultClasses)); err != nil {
		return out, err
	}
	out.Each, err = out.Layer.Zones(effort.Of(ctx, 0), d.Order.Boundary, out.Classes)
	return out, err
}
