package satellite

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
)

// SeriesRequest specifies which series is wanted.
type SeriesRequest struct {
	Boundary geo.MultiPolygon // WGS84, valid (geo.Boundary.Geometry)
	From, To time.Time        // civil dates (UTC midnight), both inclusive, in solar days of the field
	Index    vegetation.Index
	Mask     vegetation.Mask
	Dataset  vegetation.DatasetCode
}

func (r SeriesRequest) reading() vegetation.Reading {
	return vegetation.Reading{Index: r.Index.Code, Mask: r.Mask, Dataset: r.Dataset}
}

// passes returns the passes over the field made by the scenes that the reading uses.
func (r SeriesRequest) passes(scenes []vegetation.Scene) []vegetation.Pass {
	return r.reading().Passes(scenes, r.Boundary.MiddleLongitude())
}

// Computer computes series. It is safe for concurrent use.
type Computer struct {
	Imagery ports.Imagery
}

// Compute returns the series of a field. Passes are processed concurrently, as reading spends more time
// waiting than working; the result does not depend on their order.
//
// A scene that cannot be read (its file is broken, gone or not delivered, or lacks a band of the index)
// rejects its pass, not the series. Faults: Invalid for an impossible request; Unavailable when the imagery
// source is unavailable: it cannot be searched, or delivers no file of any pass.
func (c *Computer) Compute(ctx context.Context, req SeriesRequest) (vegetation.Series, error) {
	if err := req.check(); err != nil {
		return vegetation.Series{}, err
	}
	passes, err := c.search(ctx, req)
	if err != nil {
		return vegetation.Series{}, err
	}
	return c.assemble(ctx, assembly{SeriesRequest: req, place: newGround(req.Boundary)}, passes)
}

// CountScenes implements Archive. Faults: as ports.Imagery.
func (c *Computer) CountScenes(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) (int, error) {
	scenes, err := c.scenes(ctx, boundary, from, to)
	return len(scenes), err
}

// search finds the passes over the field.
func (c *Computer) search(ctx context.Context, req SeriesRequest) ([]vegetation.Pass, error) {
	scenes, err := c.scenes(ctx, req.Boundary, req.From, req.To)
	if err != nil {
		return nil, fmt.Errorf("search for imagery: %w", err)
	}
	return req.passes(scenes), nil
}

// scenes searches the field's solar days between from and to, both inclusive.
func (c *Computer) scenes(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	offset := vegetation.SolarOffset(boundary.MiddleLongitude())
	return c.Imagery.Search(ctx, boundary, from.Add(-offset), to.Add(24*time.Hour-offset))
}

// assembly defines how a series is made from passes.
type assembly struct {
	SeriesRequest
	place *ground
	known vegetation.Series
	keep  func(ctx context.Context, layer indexmap.Layer) error // for a map: takes the pixels; may be nil
}

// assemble makes the series from the passes: known results of unchanged days are kept, the other days are processed.
func (c *Computer) assemble(ctx context.Context, req assembly, passes []vegetation.Pass) (vegetation.Series, error) {
	recipe := vegetation.Recipe{Boundary: req.Boundary, Reading: req.reading()}
	outcomes, fresh := req.known.Unchanged(recipe.Days(passes))
	var work []passWork
	for _, d := range fresh {
		for _, p := range d.Passes {
			work = append(work, passWork{
				imagery: c.Imagery, request: req.SeriesRequest, pass: p, fingerprint: d.Fingerprint, ground: req.place, lenient: true, keep: req.keep,
			})
		}
	}
	made, err := eachPass(ctx, work, len(outcomes) > 0)
	if err != nil {
		return vegetation.Series{}, err
	}
	return vegetation.Assemble(req.reading(), append(outcomes, made...)), nil
}

// eachPass processes the passes concurrently, and returns their outcomes in order. One bad file costs one date; if
// the source delivers nothing for any pass, and nothing is known either, the source is unavailable.
func eachPass(ctx context.Context, work []passWork, known bool) ([]vegetation.Outcome, error) {
	outcomes := make([]vegetation.Outcome, len(work))
	if len(work) == 0 {
		return outcomes, nil
	}
	pixels := pixelsIn(work[0].request.Boundary)
	if work[0].keep != nil {
		pixels *= mapPixels
	}
	err := atOnce(ctx, passesAtOnce(pixels), len(work), func(ctx context.Context, i int) (err error) {
		outcomes[i], err = work[i].outcome(ctx)
		return err
	})
	delivered := func(w passWork) bool { return w.undelivered == nil }
	if err == nil && !known && len(work) > 0 && !slices.ContainsFunc(work, delivered) {
		err = work[0].undelivered
	}
	return outcomes, err
}

// Limits on the passes processed concurrently: enough to keep a source busy, and no more than fit into memory.
const (
	maxPasses = 32
	maxPixels = 1 << 25 // in their windows together
)

// passesAtOnce returns the number of passes over so many pixels that are processed concurrently.
func passesAtOnce(pixels float64) int {
	return int(min(max(maxPixels/max(pixels, 1), float64(runtime.GOMAXPROCS(0))), maxPasses))
}

// pixelsIn returns the approximate number of 10 m pixels in the box around a boundary.
func pixelsIn(boundary geo.MultiPolygon) float64 { return boundary.BoxArea() / (10 * 10) }

// atOnce does n things, up to upper of them concurrently. The first error stops the rest.
func atOnce(ctx context.Context, upper, n int, do func(ctx context.Context, i int) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	slots := make(chan struct{}, upper)
	var workers sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		workers.Go(func() {
			defer func() { <-slots }()
			if err := do(ctx, i); err != nil {
				stop(err)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// check refuses an impossible request.
func (r SeriesRequest) check() error {
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
	return fields.Err()
}

// Refresh brings series of one field up to date, after one search for all of them: known results of unchanged
// days are kept, and none of their pixels are read; days that the archive no longer has are dropped. The result
// is what Compute would return now. The reading of req is ignored: each series has its own.
//
// Faults: those of Compute; Unavailable if the archive no longer has any scene of the field, but dates are known.
// Archives lose and replace scenes, but one that has none left is being moved or refilled, and a profile is not
// emptied for that.
func (c *Computer) Refresh(ctx context.Context, req SeriesRequest, known []vegetation.Series) ([]vegetation.Series, error) {
	var scenes []vegetation.Scene
	place := newGround(req.Boundary)
	out := make([]vegetation.Series, len(known))
	for i, old := range known {
		var err error
		if req.Index, err = vegetation.ParseIndex(string(old.Index)); err != nil {
			return nil, err
		}
		req.Mask, req.Dataset = old.Mask, old.Dataset
		if err := req.check(); err != nil {
			return nil, err
		}
		if i == 0 {
			if scenes, err = c.scenes(ctx, req.Boundary, req.From, req.To); err != nil {
				return nil, fmt.Errorf("search for imagery: %w", err)
			}
		}
		if len(scenes) == 0 && len(old.Observations)+len(old.Rejected) > 0 {
			return nil, noneLeft()
		}
		if out[i], err = c.assemble(ctx, assembly{SeriesRequest: req, place: place, known: old}, req.passes(scenes)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func noneLeft() error {
	return fault.New(fault.Unavailable, "imagery_unavailable", "The imagery source no longer has a scene of the field.")
}

// ground is a field on the grids of the imagery: what is the same for every date, computed once for
// all passes of a series. It is safe for concurrent use.
type ground struct {
	boundary geo.MultiPolygon // WGS84
	// fixed holds the pixels to work on, whatever the grid of the imagery; nil: the field's pixels on that grid.
	fixed *vegetation.Footprint

	mu         sync.Mutex
	projected  map[int]geo.MultiPolygon // by EPSG
	footprints map[bufferedGrid]vegetation.Footprint
}

// bufferedGrid is a grid with the number of metres along the outline that do not count.
type bufferedGrid struct {
	vegetation.Grid
	buffer float64
}

func newGround(boundary geo.MultiPolygon) *ground {
	return &ground{
		boundary: boundary, projected: map[int]geo.MultiPolygon{}, footprints: map[bufferedGrid]vegetation.Footprint{},
	}
}

// in returns the boundary in a UTM zone. Invalid if there is no such zone.
func (g *ground) in(epsg int) (geo.MultiPolygon, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.project(epsg)
}

func (g *ground) project(epsg int) (geo.MultiPolygon, error) {
	if have, ok := g.projected[epsg]; ok {
		return have, nil
	}
	utm, err := geo.NewPlane(epsg)
	if err != nil {
		return nil, err
	}
	g.projected[epsg] = utm.Project(g.boundary)
	return g.projected[epsg], nil
}

// on returns the field's pixels on a grid that count with a buffer; they are shared, and read-only. The faults of
// vegetation.Cover.
func (g *ground) on(grid vegetation.Grid, buffer float64) (vegetation.Footprint, error) {
	if g.fixed != nil {
		return *g.fixed, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if have, ok := g.footprints[bufferedGrid{grid, buffer}]; ok {
		return have, nil
	}
	boundary, err := g.project(grid.EPSG)
	if err != nil {
		return vegetation.Footprint{}, err
	}
	f, err := vegetation.CoverWithin(boundary, grid, buffer)
	if err == nil {
		g.footprints[bufferedGrid{grid, buffer}] = f
	}
	return f, err
}
