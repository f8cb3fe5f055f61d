package telemetry

import (
	"context"
	"errors"
	"time"

	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/core/webhook"
	"tilth/ports"
)

// Imagery returns the same source, followed. One that holds elevation models still does.
func (t *Telemetry) Imagery(of ports.Imagery) ports.Imagery {
	followed := source{of, t.figures}
	if models, ok := of.(ports.Elevations); ok {
		return sourceWithModels{followed, models}
	}
	return followed
}

// source is an imagery source that is followed.
type source struct {
	ports.Imagery
	observer ports.Observer
}

// read follows one call to the source.
func read[T any](ctx context.Context, observer ports.Observer, name string, call func(ctx context.Context) (T, error)) (T, error) {
	traffic := new(ports.Traffic)
	ctx, end := observer.Begin(ports.WithTraffic(ctx, traffic), ports.Activity{Kind: ports.ActImagery, Name: name})
	out, err := call(ctx)
	end(ports.Ending{Err: err, Traffic: traffic})
	return out, err
}

// Search implements ports.Imagery.
func (s source) Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	return read(ctx, s.observer, "search", func(ctx context.Context) ([]vegetation.Scene, error) {
		return s.Imagery.Search(ctx, boundary, from, to)
	})
}

// Grid implements ports.Imagery.
func (s source) Grid(ctx context.Context, scene vegetation.Scene, band vegetation.Band) (vegetation.Grid, error) {
	return read(ctx, s.observer, "grid", func(ctx context.Context) (vegetation.Grid, error) {
		return s.Imagery.Grid(ctx, scene, band)
	})
}

// Read implements ports.Imagery.
func (s source) Read(ctx context.Context, scene vegetation.Scene, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error) {
	return read(ctx, s.observer, "read", func(ctx context.Context) (vegetation.Raster, error) {
		return s.Imagery.Read(ctx, scene, band, window)
	})
}

type sourceWithModels struct {
	source
	models ports.Elevations
}

// Elevation implements ports.Elevations.
func (s sourceWithModels) Elevation(ctx context.Context, area geo.MultiPolygon) ([]ports.ElevationModel, error) {
	return read(ctx, s.observer, "elevation", func(ctx context.Context) ([]ports.ElevationModel, error) {
		return s.models.Elevation(ctx, area)
	})
}

// Hooks returns the same sender, followed.
func (t *Telemetry) Hooks(of ports.WebhookSender) ports.WebhookSender { return sender{of, t.figures} }

type sender struct {
	ports.WebhookSender
	observer ports.Observer
}

var errUndelivered = errors.New("not delivered")

// Send implements ports.WebhookSender.
func (s sender) Send(ctx context.Context, p ports.Parcel) webhook.Outcome {
	ctx, end := s.observer.Begin(ctx, ports.Activity{Kind: ports.ActHook, Name: "post"})
	out := s.WebhookSender.Send(ctx, p)
	ending := ports.Ending{Status: out.StatusCode}
	if !out.Delivered() {
		ending.Err = errUndelivered
	}
	end(ending)
	return out
}
