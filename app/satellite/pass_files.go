package satellite

// The parts of its scenes' files that a pass reads: headers, the bands its mask judges by, and those of its index.

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"tilth/core/vegetation"
)

// locate reads the headers of a scene's files that the pass may read, all at once.
func (w *passWork) locate(ctx context.Context, s vegetation.Scene, work vegetation.Band) map[vegetation.Band]located {
	bands := append([]vegetation.Band{work}, w.files(s)...)
	bands = append(bands, w.screens(s)...)
	slices.Sort(bands)
	bands = slices.Compact(bands)
	found := make([]located, len(bands))
	_, _ = together(len(bands), func(i int) error {
		found[i].grid, found[i].err = w.imagery.Grid(ctx, s, bands[i])
		return nil
	})
	out := make(map[vegetation.Band]located, len(bands))
	for i, b := range bands {
		out[b] = found[i]
	}
	return out
}

// screens returns the bands of a scene by which the mask judges its pixels.
func (w *passWork) screens(s vegetation.Scene) (bands []vegetation.Band) {
	if s.Bands[vegetation.SCL] {
		bands = append(bands, vegetation.SCL)
	}
	if w.request.Mask.NeedsProbability() {
		bands = append(bands, vegetation.CLP)
	}
	return bands
}

// view reads what the scene shows of the ground; nil if it has no band to judge by.
func (w *passWork) view(ctx context.Context, r *reading) (*vegetation.Raster, error) {
	bands := w.screens(r.scene)
	rasters := make([]vegetation.Raster, len(bands))
	if _, err := together(len(bands), func(i int) (err error) {
		rasters[i], err = w.read(ctx, r, bands[i])
		return err
	}); err != nil {
		return nil, err
	}
	var sight vegetation.Sight
	for i, b := range bands {
		if b == vegetation.SCL {
			sight.Classes = &rasters[i]
		} else {
			sight.Probability = &rasters[i]
		}
	}
	return w.request.Mask.View(sight)
}

// readAll reads the bands of scenes at once.
func (w *passWork) readAll(ctx context.Context, readings []*reading) error {
	failed, err := together(len(readings), func(i int) (err error) {
		readings[i].layer.Bands, err = w.readBands(ctx, readings[i])
		return err
	})
	if err != nil {
		return fmt.Errorf("scene %s: %w", readings[failed].scene.ID, err)
	}
	return nil
}

// readBands reads the bands of the index at once.
func (w *passWork) readBands(ctx context.Context, r *reading) (map[vegetation.Band]vegetation.Raster, error) {
	files := w.files(r.scene)
	rasters := make([]vegetation.Raster, len(files))
	_, err := together(len(files), func(i int) (err error) {
		rasters[i], err = w.read(ctx, r, files[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make(map[vegetation.Band]vegetation.Raster, len(files))
	for i, b := range w.request.Index.Bands() {
		out[b] = rasters[i]
	}
	return out, nil
}

// together does n things concurrently. Of several errors it returns that of the lowest index.
func together(n int, do func(i int) error) (failed int, err error) {
	errs := make([]error, n)
	var doing sync.WaitGroup
	for i := range n {
		doing.Go(func() { errs[i] = do(i) })
	}
	doing.Wait()
	for i, err := range errs {
		if err != nil {
			return i, err
		}
	}
	return 0, nil
}

// read reads the window of a band that the field needs: its box with a margin, so that the pixels
// of another scene's grid, which are not quite the same, find theirs in it. If the file contains
// nothing of the field, nothing is read.
func (w *passWork) read(ctx context.Context, r *reading, band vegetation.Band) (vegetation.Raster, error) {
	grid, err := r.grids[band].grid, r.grids[band].err
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
	if band == vegetation.SCL || band == vegetation.CLP { // a cloud beside the field may grow into it
		margin += w.request.Mask.Dilation()
	}
	window := grid.Window(boundary.Bounds(), margin)
	if window.Empty() {
		return vegetation.Raster{Grid: window.Of(grid)}, nil
	}
	return w.imagery.Read(ctx, r.scene, band, window)
}
