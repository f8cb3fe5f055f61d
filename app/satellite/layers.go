package satellite

import (
	"context"
	"fmt"
	"math"

	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

// mapMargin is the number of pixels that a map shows beside a field. The part of a scene that is read for a profile contains as many.
const mapMargin = 2

// mapPixels is the factor by which a pass of a map needs more memory than one of a profile.
const mapPixels = 4

// LayerRequest specifies which dates of a map are wanted.
type LayerRequest struct {
	SeriesRequest
	// Known is what is known from earlier: unchanged dates are kept, and none of their pixels are read.
	Known vegetation.Series
}

// Layers returns the series of a field as Compute does, and passes to keep the pixels of each pass that is accepted and not
// known. It calls keep concurrently, in no particular order, and for a day with several passes also with those that the series
// leaves out. It reads no more of a scene than a profile needs.
//
// Faults: those of Compute and of keep; Unavailable if dates are known and the archive no longer has any scene of the field.
func (c *Computer) Layers(ctx context.Context, req LayerRequest, keep func(ctx context.Context, layer indexmap.Layer) error) (vegetation.Series, error) {
	if err := req.check(); err != nil {
		return vegetation.Series{}, err
	}
	passes, err := c.search(ctx, req.SeriesRequest)
	if err != nil {
		return vegetation.Series{}, err
	}
	if len(passes) == 0 && len(req.Known.Observations)+len(req.Known.Rejected) > 0 {
		return vegetation.Series{}, noneLeft()
	}
	return c.assemble(ctx, assembly{SeriesRequest: req.SeriesRequest, place: newGround(req.Boundary), known: req.Known, keep: keep}, passes)
}

// layer returns the pixels of an accepted pass: those of the field as they were judged, and those beside it from the same scenes.
func (w *passWork) layer(out vegetation.Outcome) (indexmap.Layer, error) {
	field := w.merged.composite.Footprint()
	cells, window := field.Widened(mapMargin)
	wide := vegetation.NewComposite(vegetation.Footprint{Grid: field.Grid, Cells: cells}, w.request.Index, w.request.Mask)
	for _, r := range w.merged.used {
		if _, err := wide.Add(r.layer); err != nil {
			return indexmap.Layer{}, fmt.Errorf("scene %s: %w", r.scene.ID, err)
		}
	}
	n := window.Width * window.Height
	l := indexmap.Layer{
		Day: w.pass.Day, Index: w.request.Index.Code, Grid: window.Of(field.Grid), Cols: window.Width, Rows: window.Height,
		Values: make([]float64, n), Inside: make([]bool, n), Scenes: out.Observation.Items, Synthetic: out.Synthetic,
	}
	if field.Small {
		l.Weights = make([]float64, n)
	}
	for i := range l.Values {
		l.Values[i] = math.NaN()
	}
	at := func(c vegetation.Cell) int { return (c.Row-window.Row)*window.Width + c.Col - window.Col }
	for i, v := range wide.Values() {
		l.Values[at(cells[i])] = v
	}
	for i, v := range w.merged.composite.Values() {
		to := at(field.Cells[i])
		l.Values[to], l.Inside[to] = v, true
		if l.Weights != nil {
			l.Weights[to] = field.Cells[i].Weight
		}
	}
	return l, nil
}
