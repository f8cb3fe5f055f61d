package satellite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"tilth/core/fault"
	"tilth/core/vegetation"
	"tilth/ports"
)

// passWork is the work on one pass; it is for one goroutine.
type passWork struct {
	imagery     ports.Imagery
	request     SeriesRequest
	mask        vegetation.Mask
	pass        vegetation.Pass
	fingerprint string // of the pass's day
	ground      *ground
	// merged is told of what the scenes gave, with their ids, before it is judged; may be nil.
	merged func(c *vegetation.Composite, items []string)
}

// reading is what has been read of one scene.
type reading struct {
	scene     vegetation.Scene
	footprint vegetation.Footprint // on the scene's own red grid
	layer     vegetation.Layer     // the bands stay nil until they are needed
}

// outcome reads and judges the pass.
func (w *passWork) outcome(ctx context.Context) (vegetation.Outcome, error) {
	readings, out, err := w.judge(ctx)
	if err != nil {
		if !unreadable(err) {
			return vegetation.Outcome{}, err
		}
		pixels := 0
		if len(readings) > 0 {
			pixels = len(readings[0].footprint.Cells)
		}
		out = vegetation.Unreadable(w.pass, pixels, err.Error())
	}
	out.Fingerprint = w.fingerprint
	for _, s := range w.pass.Scenes {
		out.NoSCL = out.NoSCL || (s.Broken == "" && !s.Bands[vegetation.SCL])
		out.Synthetic = out.Synthetic || s.Synthetic
	}
	for _, r := range readings {
		out.SmallField = out.SmallField || r.footprint.Small
	}
	return out, nil
}

// judge merges the scenes of the pass. It gives the readings also beside an error.
func (w *passWork) judge(ctx context.Context) (readings []*reading, out vegetation.Outcome, err error) {
	screenable := true
	for _, s := range w.pass.Scenes {
		r, err := w.begin(ctx, s)
		if err != nil {
			return readings, out, fmt.Errorf("scene %s: %w", s.ID, err)
		}
		readings = append(readings, r)
		screenable = screenable && r.layer.SCL != nil
	}
	order, err := w.order(ctx, readings)
	if err != nil {
		return readings, out, err
	}
	composite := vegetation.NewComposite(readings[order[0]].footprint, w.request.Index, w.mask)
	if screenable {
		for _, r := range readings {
			if err := composite.Screen(*r.layer.SCL); err != nil {
				return readings, out, fmt.Errorf("scene %s: %w", r.scene.ID, err)
			}
		}
		if rejection := composite.Screened(w.pass); rejection != nil {
			return readings, vegetation.Outcome{Rejection: rejection}, nil
		}
	}
	var items []string
	var offsets []vegetation.AppliedOffset
	for _, i := range order {
		used, err := w.merge(ctx, composite, readings[i])
		if err != nil {
			return readings, out, fmt.Errorf("scene %s: %w", readings[i].scene.ID, err)
		}
		if used {
			id, first := readings[i].scene.ID, w.request.Index.Bands()[0]
			items = append(items, id)
			offsets = append(offsets, readings[i].layer.Bands[first].Applied(id))
		}
	}
	if w.merged != nil {
		w.merged(composite, items)
	}
	out = composite.Result(w.pass, items)
	if out.Observation != nil {
		out.Observation.Offsets = offsets
	}
	return readings, out, nil
}

// begin reads what decides whether a scene is of any use: its grid and its classification.
func (w *passWork) begin(ctx context.Context, s vegetation.Scene) (*reading, error) {
	if s.Broken != "" {
		return nil, fault.New(fault.Invalid, "imagery_item", s.Broken)
	}
	for _, b := range w.request.Index.Bands() {
		if !s.Bands[b] {
			return nil, fault.Newf(fault.Invalid, "missing_band", "The scene has no band %s.", b)
		}
	}
	work := vegetation.B04 // the red band's grid is the one to work on
	if !s.Bands[work] {
		work = w.request.Index.Bands()[0]
	}
	grid, err := w.imagery.Grid(ctx, s, work)
	if err != nil {
		return nil, err
	}
	r := &reading{scene: s}
	if r.footprint, err = w.ground.on(grid); err != nil {
		return nil, err
	}
	if s.Bands[vegetation.SCL] {
		scl, err := w.read(ctx, r, vegetation.SCL)
		if err != nil {
			return nil, err
		}
		r.layer.SCL = &scl
	}
	return r, nil
}

// order returns the scenes' order of merging, the larger coverage first.
func (w *passWork) order(ctx context.Context, readings []*reading) ([]int, error) {
	coverage := make([]float64, len(readings))
	if len(readings) > 1 {
		for i, r := range readings {
			own := vegetation.NewComposite(r.footprint, w.request.Index, w.mask)
			var err error
			if r.layer.SCL != nil {
				err = own.Screen(*r.layer.SCL)
			} else {
				_, err = w.merge(ctx, own, r)
			}
			if err != nil {
				return nil, fmt.Errorf("scene %s: %w", r.scene.ID, err)
			}
			coverage[i] = own.ClearCoverage()
		}
	}
	return w.pass.ByCoverage(coverage), nil
}

// merge adds a scene to a composite, and reads its bands first if that is any use.
func (w *passWork) merge(ctx context.Context, composite *vegetation.Composite, r *reading) (used bool, err error) {
	wanted, err := composite.Needs(r.layer.SCL)
	if err != nil || !wanted {
		return false, err
	}
	if r.layer.Bands == nil {
		if r.layer.Bands, err = w.readBands(ctx, r); err != nil {
			return false, err
		}
	}
	return composite.Add(r.layer)
}

// readBands reads the bands of the index at the same time: each is a file of its own, and
// waiting for them in turn would cost the sum. Of several errors the first band's counts.
func (w *passWork) readBands(ctx context.Context, r *reading) (map[vegetation.Band]vegetation.Raster, error) {
	bands := w.request.Index.Bands()
	rasters, errs := make([]vegetation.Raster, len(bands)), make([]error, len(bands))
	var readers sync.WaitGroup
	for i, b := range bands {
		readers.Go(func() { rasters[i], errs[i] = w.read(ctx, r, b) })
	}
	readers.Wait()
	out := make(map[vegetation.Band]vegetation.Raster, len(bands))
	for i, b := range bands {
		if errs[i] != nil {
			return nil, errs[i]
		}
		out[b] = rasters[i]
	}
	return out, nil
}

// read reads the window of a band that the field needs: its box with enough of a margin that
// the pixels of another scene's grid, which are not quite the same, find theirs in it.
// Where the file holds nothing of the field, nothing is read.
func (w *passWork) read(ctx context.Context, r *reading, band vegetation.Band) (vegetation.Raster, error) {
	grid, err := w.imagery.Grid(ctx, r.scene, band)
	if err != nil {
		return vegetation.Raster{}, err
	}
	if err := grid.Check(); err != nil {
		return vegetation.Raster{}, err
	}
	boundary, err := w.ground.in(grid.EPSG)
	if err != nil {
		return vegetation.Raster{}, err
	}
	margin := 1 + int(math.Ceil(r.footprint.Grid.PixelX/grid.PixelX))
	window := grid.Window(boundary.Bounds(), margin)
	if window.Empty() {
		return vegetation.Raster{Grid: window.Of(grid)}, nil
	}
	return w.imagery.Read(ctx, r.scene, band, window)
}

// unreadable reports whether an error is the scene's own, so that another try would not help: its file is gone
// or cannot be understood.
func unreadable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid)
}
