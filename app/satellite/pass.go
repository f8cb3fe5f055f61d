package satellite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/list"
	"tilth/core/vegetation"
	"tilth/ports"
)

// passWork is the work on one pass; only one goroutine may use it.
type passWork struct {
	imagery     ports.Imagery
	request     SeriesRequest
	pass        vegetation.Pass
	fingerprint string // of the pass's day
	ground      *ground
	// lenient rejects the pass if the source does not deliver one of its files, and keeps the reason in
	// undelivered; otherwise that is an error.
	lenient     bool
	undelivered error
	// keep is passed the pixels of the pass if it is accepted; may be nil.
	keep func(ctx context.Context, layer indexmap.Layer) error
	// merged holds the contributions of the scenes before they were judged; nil if they were not merged.
	merged *merged
}

// merged is the composite of a pass's scenes, with those that contributed values, in the order of merging.
type merged struct {
	composite *vegetation.Composite
	used      []*reading
}

// items returns the ids of the scenes that contributed values.
func (m merged) items() []string {
	return list.Map(m.used, func(r *reading) string { return r.scene.ID })
}

// reading is what has been read from one scene.
type reading struct {
	scene     vegetation.Scene
	grids     map[vegetation.Band]located
	footprint vegetation.Footprint // on the scene's own red grid
	layer     vegetation.Layer     // the bands stay nil until they are needed
	sensor    *vegetation.Sensor   // for harmonised readings
}

// located is the grid of a band's file, or the reason why it is not known, which matters only if the band is read.
type located struct {
	grid vegetation.Grid
	err  error
}

// outcome reads and judges the pass.
func (w *passWork) outcome(ctx context.Context) (vegetation.Outcome, error) {
	readings, out, err := w.judge(ctx)
	if err != nil {
		if w.lenient && ctx.Err() == nil && fault.Is(err, fault.Unavailable) {
			w.undelivered = err
		} else if !unreadable(err) {
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
		out.NoSCL = out.NoSCL || (s.Broken == "" && !s.Bands[vegetation.SCL] && !w.request.Mask.NeedsProbability())
		out.Synthetic = out.Synthetic || s.Synthetic
	}
	for _, r := range readings {
		out.SmallField = out.SmallField || r.footprint.Small
	}
	if w.keep == nil || out.Observation == nil {
		return out, nil
	}
	layer, err := w.layer(out)
	if err == nil {
		err = w.keep(ctx, layer)
	}
	return out, err
}

// judge merges the scenes of the pass. It returns the readings even with an error. Requests that do not depend on
// an answer are made together, so that a pass waits three times for its source: for the headers of all files, for
// the classifications, and for the bands.
func (w *passWork) judge(ctx context.Context) (readings []*reading, out vegetation.Outcome, err error) {
	readings, err = w.beginAll(ctx)
	if err != nil {
		return readings, out, err
	}
	screenable := true
	for _, r := range readings {
		screenable = screenable && r.layer.View != nil
	}
	if !screenable {
		if err := w.readAll(ctx, readings); err != nil {
			return readings, out, err
		}
	}
	order, err := w.order(ctx, readings)
	if err != nil {
		return readings, out, err
	}
	composite := vegetation.NewComposite(readings[order[0]].footprint, w.request.Index, w.request.Mask)
	if screenable {
		for _, r := range readings {
			if err := composite.Screen(*r.layer.View); err != nil {
				return readings, out, fmt.Errorf("scene %s: %w", r.scene.ID, err)
			}
		}
		if rejection := composite.Screened(w.pass); rejection != nil {
			return readings, vegetation.Outcome{Rejection: rejection}, nil
		}
		wanted, err := w.wanted(readings, order)
		if err == nil {
			err = w.readAll(ctx, wanted)
		}
		if err != nil {
			return readings, out, err
		}
	}
	seen := merged{composite: composite}
	var offsets []vegetation.AppliedOffset
	var sensor *vegetation.Sensor // of the first scene; the scenes of a pass belong to one data set and platform
	for _, i := range order {
		used, err := w.merge(ctx, composite, readings[i])
		if err != nil {
			return readings, out, fmt.Errorf("scene %s: %w", readings[i].scene.ID, err)
		}
		if used {
			id, first := readings[i].scene.ID, w.request.Index.Bands()[0]
			if len(seen.used) == 0 {
				sensor = readings[i].sensor
			}
			seen.used = append(seen.used, readings[i])
			offsets = append(offsets, readings[i].layer.Bands[first].Applied(id))
		}
	}
	w.merged = &seen
	out = composite.Result(w.pass, seen.items())
	if out.Observation != nil {
		out.Observation.Offsets, out.Observation.Sensor = offsets, sensor
	}
	return readings, out, nil
}

// files returns the bands of a scene that are read for those of the index.
func (w *passWork) files(s vegetation.Scene) []vegetation.Band {
	return w.request.reading().Files(s, w.request.Index)
}

// begin reads what decides whether a scene is usable: its grid and its classification.
func (w *passWork) begin(ctx context.Context, s vegetation.Scene) (*reading, error) {
	if s.Broken != "" {
		return nil, fault.New(fault.Invalid, "imagery_item", s.Broken)
	}
	for _, b := range w.files(s) {
		if !s.Bands[b] {
			return nil, fault.Newf(fault.Invalid, "missing_band", "The scene has the bands %s, and not %s.", strings.Join(list.Map(slices.Sorted(maps.Keys(s.Bands)), func(b vegetation.Band) string { return string(b) }), ", "), b)
		}
	}
	if w.request.Mask.NeedsProbability() && !s.Bands[vegetation.CLP] {
		return nil, fault.New(fault.Invalid, "missing_band", "The scene has no cloud probability (an asset cld, cloud or clp), which the mask needs.")
	}
	work := vegetation.B04 // the red band's grid is the working grid
	if !s.Bands[work] {
		work = w.request.Index.Bands()[0]
	}
	r := &reading{scene: s, grids: w.locate(ctx, s, work)}
	if err := r.grids[work].err; err != nil {
		return nil, err
	}
	var err error
	if r.footprint, err = w.ground.on(r.grids[work].grid, w.request.Mask.Buffer()); err != nil {
		return nil, err
	}
	if w.request.Dataset == vegetation.Harmonised {
		r.sensor = new(vegetation.Harmonise(s, w.request.Index))
		r.layer.Adjusted = r.sensor.Adjusted
	}
	r.layer.View, err = w.view(ctx, r)
	return r, err
}

// beginAll begins all scenes of the pass at once. It returns those before the first failure.
func (w *passWork) beginAll(ctx context.Context) ([]*reading, error) {
	scenes := w.pass.Scenes
	readings := make([]*reading, len(scenes))
	failed, err := together(len(scenes), func(i int) (err error) {
		readings[i], err = w.begin(ctx, scenes[i])
		return err
	})
	if err != nil {
		return readings[:failed], fmt.Errorf("scene %s: %w", scenes[failed].ID, err)
	}
	return readings, nil
}

// order returns the order in which the scenes are merged, the larger coverage first.
func (w *passWork) order(ctx context.Context, readings []*reading) ([]int, error) {
	coverage := make([]float64, len(readings))
	if len(readings) > 1 {
		for i, r := range readings {
			own := vegetation.NewComposite(r.footprint, w.request.Index, w.request.Mask)
			var err error
			if r.layer.View != nil {
				err = own.Screen(*r.layer.View)
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

// merge adds a scene to a composite, and reads its bands first if that is useful.
func (w *passWork) merge(ctx context.Context, composite *vegetation.Composite, r *reading) (used bool, err error) {
	wanted, err := composite.Needs(r.layer.View)
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

// wanted returns the scenes that show a clear pixel which none before them shows, in the order of merging:
// their bands are read whatever the bands of the others contain.
func (w *passWork) wanted(readings []*reading, order []int) (out []*reading, err error) {
	shown, before := vegetation.NewComposite(readings[order[0]].footprint, w.request.Index, w.request.Mask), 0.0
	for _, i := range order {
		if err := shown.Screen(*readings[i].layer.View); err != nil {
			return nil, fmt.Errorf("scene %s: %w", readings[i].scene.ID, err)
		}
		if clear := shown.ClearCoverage(); clear > before {
			out, before = append(out, readings[i]), clear
		}
	}
	return out, nil
}

// unreadable reports whether an error is the scene's own, so that a retry would not help: its file is gone or
// cannot be understood.
func unreadable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	return fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid)
}
