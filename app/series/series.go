// Package series computes the vegetation-index series of a field: it searches the imagery,
// reads the scenes of every pass and hands them to the rules of core/vegetation. It keeps
// nothing: no order, no credit, no database. The orders of profiles and the command line
// use it alike.
package series

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
)

// Request says which series is wanted.
type Request struct {
	Boundary geo.MultiPolygon // WGS84, valid (geo.Boundary.Geometry)
	From, To time.Time        // civil dates (UTC midnight), both inclusive, in solar days of the field
	Index    vegetation.Index
	Mask     vegetation.Mask // empty: the standard mask
}

// Computer computes series. It is safe for concurrent use.
type Computer struct {
	Imagery ports.Imagery
}

// Compute gives the series of a field. Passes are worked on at the same time, as many as
// there are processors; the result does not depend on their order.
//
// A scene that cannot be read (its file is broken or gone, or lacks a band of the index)
// rejects its pass, not the series. Faults: Invalid for an impossible request; Unavailable
// when the imagery source is out, and then nothing of what was computed is given, for a
// series with holes would look complete.
func (c *Computer) Compute(ctx context.Context, req Request) (vegetation.Series, error) {
	mask, err := req.check()
	if err != nil {
		return vegetation.Series{}, err
	}
	longitude := middleLongitude(req.Boundary)
	offset := vegetation.SolarOffset(longitude)
	scenes, err := c.Imagery.Search(ctx, req.Boundary, req.From.Add(-offset), req.To.Add(24*time.Hour-offset))
	if err != nil {
		return vegetation.Series{}, fmt.Errorf("search for imagery: %w", err)
	}
	passes := vegetation.Passes(scenes, longitude)
	place := newGround(req.Boundary)
	outcomes, err := eachPass(ctx, passes, func(ctx context.Context, p vegetation.Pass) (vegetation.Outcome, error) {
		w := &passWork{imagery: c.Imagery, request: req, mask: mask, pass: p, ground: place}
		return w.outcome(ctx)
	})
	if err != nil {
		return vegetation.Series{}, err
	}
	return vegetation.Assemble(req.Index.Code, outcomes), nil
}

// eachPass works on the passes at the same time, as many as there are processors, and
// gives their outcomes in order. The first error stops the rest.
func eachPass(ctx context.Context, passes []vegetation.Pass,
	work func(context.Context, vegetation.Pass) (vegetation.Outcome, error),
) ([]vegetation.Outcome, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	outcomes := make([]vegetation.Outcome, len(passes))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i, p := range passes {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		workers.Go(func() {
			defer func() { <-slots }()
			outcome, err := work(ctx, p)
			if err != nil {
				stop(err)
			}
			outcomes[i] = outcome
		})
	}
	workers.Wait()
	return outcomes, context.Cause(ctx)
}

// check refuses an impossible request and gives the mask to use.
func (r Request) check() (vegetation.Mask, error) {
	fields := fault.Fields{}
	if len(r.Boundary) == 0 {
		fields.Add(geo.BoundaryField, "The field has no boundary.")
	}
	if r.Index.IsZero() {
		fields.Add("index_code", "No index is given.")
	}
	if r.From.IsZero() || r.To.IsZero() {
		fields.Add("from", "Both dates are needed.")
	} else if r.To.Before(r.From) {
		fields.Add("to", "The last day lies before the first.")
	}
	mask, err := vegetation.ParseMask(string(r.Mask))
	if f, ok := fault.As(err); ok {
		fields.Merge(f.Fields)
	}
	return mask, fields.Err()
}

// middleLongitude gives the longitude that decides the field's solar day.
func middleLongitude(m geo.MultiPolygon) float64 {
	b := m.Bounds()
	return b.MinX + (b.MaxX-b.MinX)/2
}
