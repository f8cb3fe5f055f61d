package mapview

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Ask identifies an order, and a date or a layer of it.
type Ask struct {
	Product credit.Product
	Shared  bool // look among orders shared with the caller
	ID      int64
	Day     *time.Time // nil: the last usable one
	Layer   string     // for a map without dates; empty: its first layer
}

// need returns the permission required to look.
func (a Ask) need() access.Permission { return satellite.MapAccess(a.Product).View }

// dated reports whether the map has dates; otherwise it has layers.
func (a Ask) dated() bool { return a.Product == credit.VegetationIndexMap }

// found is an order with its dates or layers.
type found struct {
	order  vegetation.OrderState
	dates  vegetation.Series
	files  []indexmap.File // for the accepted dates, in their order
	layers []fieldmap.Layer
	field  string // its name; empty if the caller may not see it, and for an outline
}

// open returns an order with its dates or layers. Faults: NotFound; Conflict (order_state) where it has none yet.
func (v *Views) open(ctx context.Context, who access.Principal, ask Ask) (found, error) {
	scope := who.Scope(ask.Shared)
	out, err := app.Read(ports.Loosely(ctx), v.Deps, who, ask.need(), func(ctx context.Context, tx ports.Repos) (out found, err error) {
		orders := tx.Maps.Of(ask.Product)
		if out.order, err = orders.Get(ctx, scope, ask.ID); err != nil {
			return out, err
		}
		if ask.dated() {
			out.dates, out.files, err = orders.Dates(ctx, scope, ask.ID)
		} else {
			out.layers, err = orders.Layers(ctx, scope, ask.ID)
		}
		if err != nil || out.order.FieldID == 0 {
			return out, err
		}
		field, err := tx.Fields.Get(ctx, scope, out.order.FieldID)
		if fault.Is(err, fault.NotFound) {
			err = nil
		}
		out.field = field.Name
		return out, err
	})
	if err == nil && len(out.files) == 0 && out.order.Status != vegetation.Active {
		err = fault.Newf(fault.Conflict, "order_state", "The order is %s: its map does not exist.", out.order.Status).With("status", string(out.order.Status)).With("reason", out.order.Reason)
	}
	return out, err
}

// sheets returns all dates or layers that have pixels.
func (f *found) sheets() (out []Sheet) {
	for _, file := range f.files {
		out = append(out, Sheet{Order: f.order, File: file, Title: f.title(), style: indexmap.StyleOf(vegetation.IndexCode(f.order.Index))})
	}
	for i := range f.layers {
		if l := &f.layers[i]; l.Object != "" {
			out = append(out, Sheet{Order: f.order, File: indexmap.File{Object: l.Object, Bytes: l.Bytes}, Layer: l, Title: f.title(), style: indexmap.StyleOfSubject(l.Subject)})
		}
	}
	return out
}

// sheet returns the requested date or layer. Faults: NotFound (map_date, map_layer).
func (f *found) sheet(ask Ask) (Sheet, error) {
	if ask.dated() {
		file, err := f.file(ask.Day)
		return Sheet{Order: f.order, File: file, Title: f.title(), style: indexmap.StyleOf(vegetation.IndexCode(f.order.Index))}, err
	}
	all := f.sheets()
	for _, s := range all {
		if ask.Layer == "" || s.Layer.Name == ask.Layer {
			return s, nil
		}
	}
	names := list.Map(all, func(s Sheet) string { return s.Layer.Name })
	text, reason := fmt.Sprintf("The map has no layer %.40q.", ask.Layer), "none"
	for _, l := range f.layers {
		if l.Name == ask.Layer {
			text, reason = text+" "+l.Reason, l.Reason
		}
	}
	return Sheet{}, fault.New(fault.NotFound, "map_layer", text+" Fix: take one of "+strings.Join(names, ", ")+".").With("reason", reason).With("layers", names)
}

// maxNear is the number of usable dates named in place of one that is not usable.
const maxNear = 4

// file returns the file of a date. Faults: NotFound (map_date) with the reason and the nearest dates.
func (f *found) file(day *time.Time) (indexmap.File, error) {
	if day == nil {
		if n := len(f.files); n > 0 {
			return f.files[n-1], nil
		}
		return indexmap.File{}, fault.New(fault.NotFound, "map_date", "The map has no usable date. "+f.dates.Empty()).With("nearest", []string{})
	}
	for _, file := range f.files {
		if file.Day.Equal(*day) {
			return file, nil
		}
	}
	reason, why := "none", "Nothing was acquired on that day"
	for _, r := range f.dates.Rejected {
		if r.Date.Equal(*day) {
			reason, why = string(r.Reason), fmt.Sprintf("What was acquired on that day cannot be used (%s)", r.Reason)
			if r.Note != "" {
				why += ": " + strings.TrimSuffix(r.Note, ".")
			}
		}
	}
	near := list.Map(f.dates.Nearest(*day, maxNear), func(o vegetation.Observation) string { return o.Date.Format(time.DateOnly) })
	slices.Sort(near)
	text := fmt.Sprintf("There is no map of %s. %s.", day.Format(time.DateOnly), why)
	if len(near) > 0 {
		text += " Fix: take one of the nearest usable dates, " + strings.Join(near, ", ") + "."
	}
	return indexmap.File{}, fault.New(fault.NotFound, "map_date", text).With("reason", reason).With("nearest", near)
}

// title returns the title of the map in pictures.
func (f *found) title() string {
	if f.field != "" {
		return f.field
	}
	return fmt.Sprintf("Map %d", f.order.ID)
}

// Sheet is a date or a layer of a map.
type Sheet struct {
	Order vegetation.OrderState
	File  indexmap.File
	Layer *fieldmap.Layer // nil: a date
	Title string
	style indexmap.Style
}

// Key identifies the content of the sheet: different content has a different key.
func (s *Sheet) Key() string { return s.File.Object }

// find finds a date or a layer.
func (v *Views) find(ctx context.Context, who access.Principal, ask Ask) (Sheet, error) {
	f, err := v.open(ctx, who, ask)
	if err != nil {
		return Sheet{}, err
	}
	return f.sheet(ask)
}

// method describes how the values of the sheet were computed.
func (s *Sheet) method() string {
	if s.Layer != nil {
		return s.Layer.Method
	}
	return s.Order.Reading().Method()
}

// layer returns the pixels of a sheet, and how they were computed. Fault: Unavailable (map_file_expired) if its file is being remade.
func (v *Views) layer(ctx context.Context, s Sheet) (*indexmap.Layer, error) {
	l, err := v.Layers.Layer(ctx, s.File.Object)
	if err == nil {
		own := *l // the cached layer is shared
		own.Method = s.method()
		return &own, nil
	}
	if !fault.Is(err, fault.NotFound) {
		return nil, err
	}
	if err := v.Orders.Remake(ctx, s.Order); err != nil && !fault.Is(err, fault.Conflict) { // limit_reached: the next caller who looks asks again
		return nil, err
	}
	return nil, fault.New(fault.Unavailable, "map_file_expired", "The file of this map had expired and is being made again, at no charge. Fix: ask again in some seconds.")
}

// shown finds a sheet for a tile, as find does, except that it reads nothing else for an existing date.
func (v *Views) shown(ctx context.Context, who access.Principal, ask Ask) (Sheet, error) {
	if !ask.dated() {
		return v.find(ctx, who, ask)
	}
	got, err := app.Read(ports.Loosely(ctx), v.Deps, who, ask.need(), func(ctx context.Context, tx ports.Repos) (out Sheet, err error) {
		out.Order, out.File, err = tx.Maps.Of(ask.Product).File(ctx, who.Scope(ask.Shared), ask.ID, ask.Day)
		return out, err
	})
	if fault.Is(err, fault.NotFound) {
		return v.find(ctx, who, ask) // its fault states the reason
	}
	got.style = indexmap.StyleOf(vegetation.IndexCode(got.Order.Index))
	return got, err
}
