// Package mapview shows the dates and the layers of maps: as pictures, tiles and files, by their statistics and zones, and pixel by pixel.
// Orders are in package satellite.
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

// Look is how pictures and tiles show a date.
type Look struct {
	Low, High *float64 // values at the ends of the colours; nil: those of the style
	Bare      bool     // of a picture: without title and legend
	Small     bool     // of a bare picture: as lists show it
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

// GeoTIFF returns a sheet to be written as Cloud-Optimized GeoTIFF; alone: the pixels of the field in one band. Faults: as of Picture.
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
