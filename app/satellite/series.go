package satellite

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

// SeriesRequest says which series is wanted.
type SeriesRequest struct {
	Boundary geo.MultiPolygon // WGS84, valid (geo.Boundary.Geometry)
	From, To time.Time        // civil dates (UTC midnight), both inclusive, in solar days of the field
	Index    vegetation.Index
	Mask     vegetation.Mask // empty: the standard mask
}

// Computer computes series. It is safe for concurrent use.
type Computer struct {
	Imagery ports.Imagery
}

// Compute returns the series of a field. Passes are worked on at the same time, as many as
// there are processors; the result does not depend on their order.
//
// A scene that cannot be read (its file is broken or gone, or lacks a band of the index)
// rejects its pass, not the series. Faults: Invalid for an impossible request; Unavailable
// when the imagery source is out, and then nothing of what was computed is given, for a
// series with holes would look complete.
func (c *Computer) Compute(ctx context.Context, req SeriesRequest) (vegetation.Series, error) {
	mask, err := req.check()
	if err != nil {
		return vegetation.Series{}, err
	}
	passes, err := c.search(ctx, req)
	if err != nil {
		return vegetation.Series{}, err
	}
	return c.assemble(ctx, req, mask, passes, newGround(req.Boundary), vegetation.Series{})
}

// search finds the passes over the field.
func (c *Computer) search(ctx context.Context, req SeriesRequest) ([]vegetation.Pass, error) {
	longitude := middleLongitude(req.Boundary)
	offset := vegetation.SolarOffset(longitude)
	scenes, err := c.Imagery.Search(ctx, req.Boundary, req.From.Add(-offset), req.To.Add(24*time.Hour-offset))
	if err != nil {
		return nil, fmt.Errorf("search for imagery: %w", err)
	}
	return vegetation.Passes(scenes, longitude), nil
}

// assemble makes the series of the passes: what is known of unchanged days is taken over,
// the others are worked on.
func (c *Computer) assemble(ctx context.Context, req SeriesRequest, mask vegetation.Mask, passes []vegetation.Pass, place *ground,
	known vegetation.Series,
) (vegetation.Series, error) {
	recipe := vegetation.Recipe{Boundary: req.Boundary, Index: req.Index.Code, Mask: mask}
	outcomes, fresh := known.Unchanged(recipe.Days(passes))
	var work []passWork
	for _, d := range fresh {
		for _, p := range d.Passes {
			work = append(work, passWork{imagery: c.Imagery, request: req, mask: mask, pass: p, fingerprint: d.Fingerprint, ground: place})
		}
	}
	made, err := eachPass(ctx, work)
	if err != nil {
		return vegetation.Series{}, err
	}
	return vegetation.Assemble(req.Index.Code, append(outcomes, made...)), nil
}

// eachPass works on the passes at the same time, as many as there are processors, and
// gives their outcomes in order. The first error stops the rest.
func eachPass(ctx context.Context, work []passWork) ([]vegetation.Outcome, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	outcomes := make([]vegetation.Outcome, len(work))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	for i := range work {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		workers.Go(func() {
			defer func() { <-slots }()
			outcome, err := work[i].outcome(ctx)
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
func (r SeriesRequest) check() (vegetation.Mask, error) {
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

// middleLongitude returns the longitude that decides the field's solar day.
func middleLongitude(m geo.MultiPolygon) float64 {
	b := m.Bounds()
	return b.MinX + (b.MaxX-b.MinX)/2
}
