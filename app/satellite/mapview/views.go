// Package mapview shows the dates of maps of vegetation indices: as pictures, tiles and files, by their statistics and zones, and
// pixel by pixel. Orders are in package satellite.
package mapview

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Links makes signed links.
type Links interface {
	// IssueLink returns a link with which whoever holds it reads what lies below a path and a permission lets its maker see.
	IssueLink(ctx context.Context, who access.Principal, below string, need access.Permission, lasts time.Duration) (text string, expires time.Time, err error)
}

// Views is the use cases that show dates of maps of vegetation indices.
type Views struct {
	app.Deps
	Layers   ports.MapLayers
	Pictures ports.LayerPictures
	Files    ports.LayerFiles
	Links    Links
	Orders   Orders
}

// Orders has files made again that have expired.
type Orders interface {
	// Remake queues what makes the files of an order again, at no charge.
	Remake(ctx context.Context, order vegetation.OrderState) error
}

// Ask names an order, and a date of it.
type Ask struct {
	Shared bool // among what is shared with the caller
	ID     int64
	Day    *time.Time // nil: the last one that is usable
}

// found is an order with its dates.
type found struct {
	order vegetation.OrderState
	dates vegetation.Series
	files []indexmap.File // of the accepted dates, in their order
	field string          // its name; empty where the caller may not see it, and of an outline
}

// open returns an order with its dates. Faults: NotFound; Conflict (order_state) where it has none yet.
func (v *Views) open(ctx context.Context, who access.Principal, shared bool, id int64) (found, error) {
	scope := who.Scope(shared)
	out, err := app.Read(ports.Loosely(ctx), v.Deps, who, access.VIMaps.View, func(ctx context.Context, tx ports.Repos) (out found, err error) {
		orders := tx.Maps.Of(credit.VegetationIndexMap)
		if out.order, err = orders.Get(ctx, scope, id); err != nil {
			return out, err
		}
		if out.dates, out.files, err = orders.Dates(ctx, scope, id); err != nil || out.order.FieldID == 0 {
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
		err = fault.Newf(fault.Conflict, "order_state", "The order is %s: its map is not there.", out.order.Status).With("status", string(out.order.Status)).With("reason", out.order.Reason)
	}
	return out, err
}

// maxNear is how many usable dates are named in place of one that is not.
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

// title names the map in pictures.
func (f *found) title() string {
	if f.field != "" {
		return f.field
	}
	return fmt.Sprintf("Map %d", f.order.ID)
}

// Date is a date of a map.
type Date struct {
	Order vegetation.OrderState
	File  indexmap.File
	Title string
	layer func(ctx context.Context) (*indexmap.Layer, error)
}

// Key names what the date holds: another content has another.
func (d *Date) Key() string { return d.File.Object }

// date finds a date.
func (v *Views) date(ctx context.Context, who access.Principal, ask Ask) (Date, error) {
	f, err := v.open(ctx, who, ask.Shared, ask.ID)
	if err != nil {
		return Date{}, err
	}
	file, err := f.file(ask.Day)
	return Date{f.order, file, f.title(), func(ctx context.Context) (*indexmap.Layer, error) { return v.layer(ctx, f.order, file) }}, err
}

// layer returns the pixels of a date. Fault: Unavailable (map_file_expired) where its file is being made again.
func (v *Views) layer(ctx context.Context, order vegetation.OrderState, file indexmap.File) (*indexmap.Layer, error) {
	l, err := v.Layers.Layer(ctx, file.Object)
	if !fault.Is(err, fault.NotFound) {
		return l, err
	}
	if err := v.Orders.Remake(ctx, order); err != nil && !fault.Is(err, fault.Conflict) { // limit_reached: the next one who looks asks again
		return nil, err
	}
	return nil, fault.New(fault.Unavailable, "map_file_expired", "The file of this date had expired and is being made again, at no charge. Fix: ask again in some seconds.")
}

// shownDate finds a date for a tile: as date, but where it is there nothing else is read.
func (v *Views) shownDate(ctx context.Context, who access.Principal, ask Ask) (Date, error) {
	type one struct {
		order vegetation.OrderState
		file  indexmap.File
	}
	got, err := app.Read(ports.Loosely(ctx), v.Deps, who, access.VIMaps.View, func(ctx context.Context, tx ports.Repos) (out one, err error) {
		out.order, out.file, err = tx.Maps.Of(credit.VegetationIndexMap).File(ctx, who.Scope(ask.Shared), ask.ID, ask.Day)
		return out, err
	})
	if fault.Is(err, fault.NotFound) {
		return v.date(ctx, who, ask) // which says why
	}
	return Date{got.order, got.file, "", func(ctx context.Context) (*indexmap.Layer, error) { return v.layer(ctx, got.order, got.file) }}, err
}

// Look is how pictures and tiles show a date.
type Look struct {
	Low, High *float64 // values at the ends of the colours; nil: those of the style
	Bare      bool     // of a picture: without title and legend
	Method    indexmap.Method
	Classes   int // of a picture; 0: each value in its own shade
}

// style returns the style of an index as it is asked for. Fault: Invalid (low, high).
func (l Look) style(index vegetation.IndexCode) (indexmap.Style, error) {
	s := indexmap.StyleOf(index)
	if l.Low != nil {
		s.Low = *l.Low
	}
	if l.High != nil {
		s.High = *l.High
	}
	if !(s.Low < s.High) || s.High-s.Low > 1e6 {
		return s, fault.Field("low", fmt.Sprintf("The lowest value must lie below the highest; they are %g and %g.", s.Low, s.High))
	}
	return s, nil
}

// Picture returns a date to be drawn, as SVG or PNG. Faults: NotFound, also map_date; Conflict (order_state); Invalid
// (low, method, classes).
func (v *Views) Picture(ctx context.Context, who access.Principal, ask Ask, format string, look Look) (Date, func(w io.Writer) error, error) {
	d, err := v.date(ctx, who, ask)
	if err != nil {
		return d, nil, err
	}
	shown := ports.ShownLayer{Field: ports.ShownField{Name: d.Title, Outline: d.Order.Boundary}, Bare: look.Bare}
	if shown.Style, err = look.style(vegetation.IndexCode(d.Order.Index)); err != nil {
		return d, nil, err
	}
	if look.Classes != 0 {
		if err := indexmap.CheckClasses(look.Method, look.Classes); err != nil {
			return d, nil, err
		}
	}
	return d, func(w io.Writer) error {
		if shown.Layer, err = d.layer(ctx); err != nil {
			return err
		}
		if look.Classes != 0 {
			classes, err := shown.Layer.Classify(look.Method, look.Classes)
			if err != nil {
				return err
			}
			if shown.Classes = &classes; len(classes.Each) == 0 {
				shown.Classes = nil // nothing was seen
			}
		}
		return v.Pictures.DrawLayer(ctx, w, format, shown)
	}, nil
}

// Tile returns a tile of a date to be drawn as PNG. Faults: as of Picture; Invalid (z, x, y, size).
func (v *Views) Tile(ctx context.Context, who access.Principal, ask Ask, tile indexmap.Tile, how indexmap.Sampling, look Look) (Date, func(w io.Writer) error, error) {
	if err := tile.Check(); err != nil {
		return Date{}, nil, err
	}
	d, err := v.shownDate(ctx, who, ask)
	if err != nil {
		return d, nil, err
	}
	style, err := look.style(vegetation.IndexCode(d.Order.Index))
	if err != nil {
		return d, nil, err
	}
	return d, func(w io.Writer) error {
		layer, err := d.layer(ctx)
		if err != nil {
			return err
		}
		return v.Pictures.DrawTile(w, ports.ShownTile{Layer: layer, Style: style, Tile: tile, How: how})
	}, nil
}

// GeoTIFF returns a date to be written as Cloud-Optimized GeoTIFF. Faults: as of Picture.
func (v *Views) GeoTIFF(ctx context.Context, who access.Principal, ask Ask) (Date, func(w io.Writer) error, error) {
	d, err := v.date(ctx, who, ask)
	return d, func(w io.Writer) error {
		layer, err := d.layer(ctx)
		if err != nil {
			return err
		}
		return v.Files.WriteGeoTIFF(w, *layer)
	}, err
}

// Style returns how the index of an order is shown. Faults: NotFound; Invalid (low).
func (v *Views) Style(ctx context.Context, who access.Principal, shared bool, id int64, look Look) (indexmap.Style, error) {
	order, err := app.Read(ports.Loosely(ctx), v.Deps, who, access.VIMaps.View, func(ctx context.Context, tx ports.Repos) (vegetation.OrderState, error) {
		return tx.Maps.Of(credit.VegetationIndexMap).Get(ctx, who.Scope(shared), id)
	})
	if err != nil {
		return indexmap.Style{}, err
	}
	return look.style(vegetation.IndexCode(order.Index))
}

// issueLink is the action of making a signed link to a map.
const issueLink audit.Action = "issue_link"

// link is what the trail records of a signed link.
type link struct{ ExpiresAt time.Time }

// Share makes a signed link to what lies below the path of an order. Faults: NotFound.
func (v *Views) Share(ctx context.Context, who access.Principal, shared bool, id int64, below string, lasts time.Duration) (text string, expires time.Time, err error) {
	order, err := app.Read(ctx, v.Deps, who, access.VIMaps.View, func(ctx context.Context, tx ports.Repos) (vegetation.OrderState, error) {
		return tx.Maps.Of(credit.VegetationIndexMap).Get(ctx, who.Scope(shared), id)
	})
	if err != nil {
		return "", time.Time{}, err
	}
	if text, expires, err = v.Links.IssueLink(ctx, who, below, access.VIMaps.View, lasts); err != nil {
		return "", time.Time{}, err
	}
	err = app.Do(ctx, v.Deps, who, access.VIMaps.View, func(ctx context.Context, tx ports.Repos) error {
		return tx.Audit.Add(ctx, audit.By(who, v.Clock.Now()).Of(issueLink, access.VIMaps.Name, order.ID, audit.Diff(nil, &link{expires})))
	})
	return text, expires, err
}
