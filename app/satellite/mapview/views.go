// Package mapview shows the dates and the layers of maps: as pictures, tiles and files, by their statistics and zones, and pixel by pixel.
// Orders belong to package satellite.
package mapview

import (
	"context"
	"fmt"
	"io"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Links makes signed links.
type Links interface {
	// IssueLink returns a link whose holder can read what lies below a path and what a permission lets its maker see.
	IssueLink(ctx context.Context, who access.Principal, below string, need access.Permission, lasts time.Duration) (text string, expires time.Time, err error)
}

// Views holds the use cases that show dates and layers of maps.
type Views struct {
	app.Deps
	Layers    ports.MapLayers
	Pictures  ports.LayerPictures
	Files     ports.LayerFiles
	ZoneFiles ports.ZoneFiles
	Links     Links
	Orders    Orders
	Imagery   ports.Imagery // for pictures in the colours of the scenes
}

// Orders remakes files that have expired.
type Orders interface {
	// Remake queues the remaking of an order's files, at no charge.
	Remake(ctx context.Context, order vegetation.OrderState) error
}

// Look defines how pictures and tiles show a date.
type Look struct {
	Low, High *float64 // values at the ends of the colours; nil: those of the style
	Bare      bool     // for a picture: without title and legend
	Small     bool     // for a bare picture: as lists show it
	Method    indexmap.Method
	Classes   int    // for a picture; 0: each value in its own shade
	Style     string // for a picture of a date: a code of indexmap.Combinations; empty: the index
}

// style returns the requested style. Fault: Invalid (low, high).
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

// Picture returns a function that draws a sheet as SVG or PNG. Faults: NotFound, also map_date and map_layer; Conflict
// (order_state, and for colours map_colours); Invalid (low, method, classes, style).
func (v *Views) Picture(ctx context.Context, who access.Principal, ask Ask, format string, look Look) (Sheet, func(w io.Writer) error, error) {
	s, err := v.find(ctx, who, ask)
	if err != nil {
		return s, nil, err
	}
	colours, err := look.combination()
	if err != nil {
		return s, nil, err
	}
	shown := ports.ShownLayer{Field: ports.ShownField{Name: s.Title, Outline: s.Order.Boundary}, Bare: look.Bare, Small: look.Small, About: s.Layer}
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
				shown.Classes = nil // no pixel was seen
			}
		}
		return v.Pictures.DrawLayer(ctx, w, format, shown)
	}, nil
}

// classable refuses classes that a sheet cannot be divided into. Fault: Invalid (method, classes).
func (s *Sheet) classable(method indexmap.Method, n int) error {
	if s.Layer != nil && s.Layer.Kind != indexmap.Measure {
		return fault.Field("classes", fmt.Sprintf("The values of %s are not a measure that can be divided into classes. Fix: leave classes out.", s.Layer.Name))
	}
	return indexmap.CheckClasses(method, n)
}

// Tile returns a function that draws a tile of a sheet as PNG. Faults: those of Picture; Invalid (z, x, y, size).
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
		how.Bilinear = false // nothing lies between two zones, nor between 359° and 1°
	}
	return s, func(w io.Writer) error {
		layer, err := v.layer(ctx, s)
		if err != nil {
			return err
		}
		return v.Pictures.DrawTile(w, ports.ShownTile{Layer: layer, Style: style, Tile: tile, How: how})
	}, nil
}

// GeoTIFF returns a function that writes a sheet as Cloud-Optimized GeoTIFF; alone: the pixels of the field in one band. Faults: those of Picture.
func (v *Views) GeoTIFF(ctx context.Context, who access.Principal, ask Ask, alone bool) (Sheet, func(w io.Writer) error, error) {
	s, err := v.find(ctx, who, ask)
	writing := v.Files.WriteGeoTIFF
	if alone {
		writing = v.Files.WriteFieldGeoTIFF
	}
	return s, func(w io.Writer) error {
		layer, err := v.layer(ctx, s)
		if err != nil {
			return err
		}
		return writing(w, *layer)
	}, err
}

// Style returns how the sheets of an order are shown: all dates of an index alike. Faults: NotFound, also map_layer; Conflict
// (order_state) for layers; Invalid (low).
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

// link is what the trail records about a signed link.
type link struct{ ExpiresAt time.Time }

// Share makes a signed link to everything below the path of an order. Faults: NotFound.
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
