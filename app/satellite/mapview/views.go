// Package mapview shows the dates and the layers of maps: as pictures, tiles and files, by their statistics and zones, and pixel by pixel.
// Orders are in package satellite.
package mapview

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/fieldmap"
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

// Views is the use cases that show dates and layers of maps.
type Views struct {
	app.Deps
	Layers    ports.MapLayers
	Pictures  ports.LayerPictures
	Files     ports.LayerFiles
	ZoneFiles ports.ZoneFiles
	Links     Links
	Orders    Orders
	Imagery   ports.Imagery // of pictures in the colours of the scenes
}

// Orders has files made again that have expired.
type Orders interface {
	// Remake queues what makes the files of an order again, at no charge.
	Remake(ctx context.Context, order vegetation.OrderState) error
}

// Ask names an order, and a date or a layer of it.
type Ask struct {
	Product credit.Product
	Shared  bool // among what is shared with the caller
	ID      int64
	Day     *time.Time // nil: the last one that is usable
	Layer   string     // of a map without dates; empty: its first one
}

// need returns the permission to look.
func (a Ask) need() access.Permission { return satellite.MapAccess(a.Product).View }

// dated reports whether the map has dates; otherwise it has layers.
func (a Ask) dated() bool { return a.Product == credit.VegetationIndexMap }

// found is an order with its dates or layers.
type found struct {
	order  vegetation.OrderState
	dates  vegetation.Series
	files  []indexmap.File // of the accepted dates, in their order
	layers []fieldmap.Layer
	field  string // its name; empty where the caller may not see it, and of an outline
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
		err = fault.Newf(fault.Conflict, "order_state", "The order is %s: its map is not there.", out.order.Status).With("status", string(out.order.Status)).With("reason", out.order.Reason)
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

// sheet returns the date or layer that is asked for. Faults: NotFound (map_date, map_layer).
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

// Sheet is a date or a layer of a map.
type Sheet struct {
	Order vegetation.OrderState
	File  indexmap.File
	Layer *fieldmap.Layer // nil: a date
	Title string
	style indexmap.Style
}

// Key names what the sheet holds: another content has another.
func (s *Sheet) Key() string { return s.File.Object }

// find finds a date or a layer.
func (v *Views) find(ctx context.Context, who access.Principal, ask Ask) (Sheet, error) {
	f, err := v.open(ctx, who, ask)
	if err != nil {
		return Sheet{}, err
	}
	return f.sheet(ask)
}

// layer returns the pixels of a sheet. Fault: Unavailable (map_file_expired) where its file is being made again.
func (v *Views) layer(ctx context.Context, s Sheet) (*indexmap.Layer, error) {
	l, err := v.Layers.Layer(ctx, s.File.Object)
	if !fault.Is(err, fault.NotFound) {
		return l, err
	}
	if err := v.Orders.Remake(ctx, s.Order); err != nil && !fault.Is(err, fault.Conflict) { // limit_reached: the next one who looks asks again
		return nil, err
	}
	return nil, fault.New(fault.Unavailable, "map_file_expired", "The file of this map had expired and is being made again, at no charge. Fix: ask again in some seconds.")
}

// shown finds a sheet for a tile: as find, but of a date that is there nothing else is read.
func (v *Views) shown(ctx context.Context, who access.Principal, ask Ask) (Sheet, error) {
	if !ask.dated() {
		return v.find(ctx, who, ask)
	}
	got, err := app.Read(ports.Loosely(ctx), v.Deps, who, ask.need(), func(ctx context.Context, tx ports.Repos) (out Sheet, err error) {
		out.Order, out.File, err = tx.Maps.Of(ask.Product).File(ctx, who.Scope(ask.Shared), ask.ID, ask.Day)
		return out, err
	})
	if fault.Is(err, fault.NotFound) {
		return v.find(ctx, who, ask) // which says why
	}
	got.style = indexmap.StyleOf(vegetation.IndexCode(got.Order.Index))
	return got, err
}

// Look is how pictures and tiles show a date.
type Look struct {
	Low, High *float64 // values at the ends of the colours; nil: those of the style
	Bare      bool     // of a picture: without title and legend
	Method    indexmap.Method
	Classes   int    // of a picture; 0: each value in its own shade
	Style     string // of a picture of a date: a code of indexmap.Combinations; empty: the index
}

// style returns a style as it is asked for. Fault: Invalid (low, high).
func (l Look) style(s indexmap.Style) (indexmap.Style, error) {
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

// Picture returns a sheet to be drawn, as SVG or PNG. Faults: NotFound, also map_date and map_layer; Conflict (order_state, and of
// colours map_colours); Invalid (low, method, classes, style).
func (v *Views) Picture(ctx context.Context, who access.Principal, ask Ask, format string, look Look) (Sheet, func(w io.Writer) error, error) {
	s, err := v.find(ctx, who, ask)
	if err != nil {
		return s, nil, err
	}
	colours, err := look.combination()
	if err != nil {
		return s, nil, err
	}
	shown := ports.ShownLayer{Field: ports.ShownField{Name: s.Title, Outline: s.Order.Boundary}, Bare: look.Bare, About: s.Layer}
	if shown.Style, err = look.style(s.style); err != nil {
		return s, nil, err
	}
	if look.Classes != 0 {
		if err := s.classable(look.Method, look.Classes); err != nil {
			return s, nil, err
		}
	}
	return s, func(w io.Writer) error {
		if shown.Layer, err = v.layer(ctx, s); err != nil {
			return err
		}
		if colours != nil {
			if shown.Photo, err = v.photo(ctx, s, shown.Layer, *colours); err != nil {
				return err
			}
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

// classable refuses classes that a sheet cannot be divided into. Fault: Invalid (method, classes).
func (s *Sheet) classable(method indexmap.Method, n int) error {
	if s.Layer != nil && s.Layer.Kind != indexmap.Measure {
		return fault.Field("classes", fmt.Sprintf("The values of %s are no measure that could be divided into classes. Fix: leave classes out.", s.Layer.Name))
	}
	return indexmap.CheckClasses(method, n)
}

// Tile returns a tile of a sheet to be drawn as PNG. Faults: as of Picture; Invalid (z, x, y, size).
func (v *Views) Tile(ctx context.Context, who access.Principal, ask Ask, tile indexmap.Tile, how indexmap.Sampling, look Look) (Sheet, func(w io.Writer) error, error) {
	if err := tile.Check(); err != nil {
		return Sheet{}, nil, err
	}
	s, err := v.shown(ctx, who, ask)
	if err != nil {
		return s, nil, err
	}
	style, err := look.style(s.style)
	if err != nil {
		return s, nil, err
	}
	if s.Layer != nil && s.Layer.Kind != indexmap.Measure {
		how.Bilinear = false // there is nothing between two zones, nor between 359° and 1°
	}
	return s, func(w io.Writer) error {
		layer, err := v.layer(ctx, s)
		if err != nil {
			return err
		}
		return v.Pictures.DrawTile(w, ports.ShownTile{Layer: layer, Style: style, Tile: tile, How: how})
	}, nil
}

// GeoTIFF returns a sheet to be written as Cloud-Optimized GeoTIFF. Faults: as of Picture.
func (v *Views) GeoTIFF(ctx context.Context, who access.Principal, ask Ask) (Sheet, func(w io.Writer) error, error) {
	s, err := v.find(ctx, who, ask)
	return s, func(w io.Writer) error {
		layer, err := v.layer(ctx, s)
		if err != nil {
			return err
		}
		return v.Files.WriteGeoTIFF(w, *layer)
	}, err
}

// Style returns how the sheets of an order are shown: all dates of an index alike. Faults: NotFound, also map_layer; Conflict
// (order_state) of layers; Invalid (low).
func (v *Views) Style(ctx context.Context, who access.Principal, ask Ask, look Look) (Sheet, indexmap.Style, error) {
	s, err := Sheet{}, error(nil)
	if ask.dated() {
		s.Order, err = v.order(ctx, who, ask)
		s.style = indexmap.StyleOf(vegetation.IndexCode(s.Order.Index))
	} else {
		s, err = v.find(ctx, who, ask)
	}
	if err != nil {
		return s, indexmap.Style{}, err
	}
	style, err := look.style(s.style)
	return s, style, err
}

// order returns an order, whatever its state. Faults: NotFound.
func (v *Views) order(ctx context.Context, who access.Principal, ask Ask) (vegetation.OrderState, error) {
	return app.Read(ports.Loosely(ctx), v.Deps, who, ask.need(), func(ctx context.Context, tx ports.Repos) (vegetation.OrderState, error) {
		return tx.Maps.Of(ask.Product).Get(ctx, who.Scope(ask.Shared), ask.ID)
	})
}

// issueLink is the action of making a signed link to a map.
const issueLink audit.Action = "issue_link"

// link is what the trail records of a signed link.
type link struct{ ExpiresAt time.Time }

// Share makes a signed link to what lies below the path of an order. Faults: NotFound.
func (v *Views) Share(ctx context.Context, who access.Principal, ask Ask, below string, lasts time.Duration) (text string, expires time.Time, err error) {
	order, err := v.order(ctx, who, ask)
	if err != nil {
		return "", time.Time{}, err
	}
	if text, expires, err = v.Links.IssueLink(ctx, who, below, ask.need(), lasts); err != nil {
		return "", time.Time{}, err
	}
	err = app.Do(ctx, v.Deps, who, ask.need(), func(ctx context.Context, tx ports.Repos) error {
		return tx.Audit.Add(ctx, audit.By(who, v.Clock.Now()).Of(issueLink, satellite.MapAccess(ask.Product).Name, order.ID, audit.Diff(nil, &link{expires})))
	})
	return text, expires, err
}
