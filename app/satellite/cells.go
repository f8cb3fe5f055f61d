package satellite

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"tilth/core/geo"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
)

// blockCells is the width of the squares of cells that are read together, which bounds the memory
// of a pass: fields of one area may lie far apart.
const blockCells = 512

// CellRequest specifies which index is wanted on which cells.
type CellRequest struct {
	Boundary geo.MultiPolygon // WGS84: the area that contains the cells, for the search
	Grid     vegetation.Grid  // that the cells belong to
	Cells    []vegetation.Cell
	From, To time.Time // as in SeriesRequest
	Index    vegetation.Index
	Mask     vegetation.Mask
	Dataset  vegetation.DatasetCode
}

// CellDate is the result of an accepted pass: at least the mask's minimum coverage of the cells have a value.
type CellDate struct {
	Day       time.Time
	Values    []float64 // one per cell, in the order of the request; NaN if there is none
	Scenes    []string  // ids of those that contributed values
	Synthetic bool
}

// CellReader reads the index of cells, pass by pass.
type CellReader struct {
	computer *Computer
	request  CellRequest
	passes   []vegetation.Pass
	blocks   []block
}

// block is a square of cells that are read together.
type block struct {
	cells  []int // indices into the request's cells
	ground *ground
}

// Cells searches the imagery for the passes over cells. Faults: as Compute.
func (c *Computer) Cells(ctx context.Context, req CellRequest) (*CellReader, error) {
	whole := SeriesRequest{Boundary: req.Boundary, From: req.From, To: req.To, Index: req.Index, Mask: req.Mask, Dataset: req.Dataset}
	if err := whole.check(); err != nil {
		return nil, err
	}
	passes, err := c.search(ctx, whole)
	if err != nil {
		return nil, err
	}
	blocks, err := blocksOf(req)
	return &CellReader{c, req, passes, blocks}, err
}

// blocksOf divides the cells into blocks, in the order in which their first cells come.
func blocksOf(req CellRequest) ([]block, error) {
	utm, err := geo.NewUTM(req.Grid.EPSG)
	if err != nil {
		return nil, err
	}
	var out []block
	at := map[[2]int]int{}
	for i, c := range req.Cells {
		key := [2]int{c.Row / blockCells, c.Col / blockCells}
		if _, ok := at[key]; !ok {
			at[key] = len(out)
			out = append(out, block{})
		}
		out[at[key]].cells = append(out[at[key]].cells, i)
	}
	for i := range out {
		footprint := vegetation.Footprint{Grid: req.Grid}
		for _, j := range out[i].cells {
			footprint.Cells = append(footprint.Cells, req.Cells[j])
		}
		out[i].ground = newGround(utm.Unproject(boxOf(footprint)))
		out[i].ground.fixed = &footprint
	}
	return out, nil
}

// boxOf returns the box around the cells of a footprint, in its plane.
func boxOf(f vegetation.Footprint) geo.MultiPolygon {
	col0, row0, col1, row1 := math.MaxInt, math.MaxInt, math.MinInt, math.MinInt
	for _, c := range f.Cells {
		col0, row0, col1, row1 = min(col0, c.Col), min(row0, c.Row), max(col1, c.Col), max(row1, c.Row)
	}
	nw, se := f.Grid.Centre(col0, row0), f.Grid.Centre(col1, row1)
	west, north := nw.X-f.Grid.PixelX/2, nw.Y+f.Grid.PixelY/2
	east, south := se.X+f.Grid.PixelX/2, se.Y-f.Grid.PixelY/2
	return geo.MultiPolygon{{{{X: west, Y: south}, {X: east, Y: south}, {X: east, Y: north}, {X: west, Y: north}, {X: west, Y: south}}}}
}

// Passes returns the number of passes.
func (r *CellReader) Passes() int { return len(r.passes) }

// Each hands the accepted passes to take, one at a time, in no particular order. Faults: as Computer.Compute.
func (r *CellReader) Each(ctx context.Context, take func(CellDate)) error {
	var taking sync.Mutex
	return atOnce(ctx, passesAtOnce(float64(len(r.request.Cells))), len(r.passes), func(ctx context.Context, i int) error {
		date, accepted, err := r.date(ctx, r.passes[i])
		if err == nil && accepted {
			taking.Lock()
			defer taking.Unlock()
			take(date)
		}
		return err
	})
}

// CellPeaks holds the peak of each cell over the accepted dates of a span of days, as [layer.Peaks] defines it.
type CellPeaks struct {
	Values    []float64 // nil where there are fewer passes than [layer.MinDates]: they are not worth reading
	Passes    int
	Dates     int // different days that were accepted
	Scenes    []string
	Synthetic bool
}

// Peaks returns the peaks of cells. Faults: as Cells.
func (c *Computer) Peaks(ctx context.Context, req CellRequest) (out CellPeaks, err error) {
	reader, err := c.Cells(ctx, req)
	if err != nil {
		return out, err
	}
	if out.Passes = reader.Passes(); out.Passes < layer.MinDates {
		return out, nil
	}
	peaks, days := layer.NewPeaks(len(req.Cells), out.Passes), map[time.Time]bool{}
	err = reader.Each(ctx, func(d CellDate) {
		peaks.Add(d.Values)
		days[d.Day] = true
		out.Scenes = append(out.Scenes, d.Scenes...)
		out.Synthetic = out.Synthetic || d.Synthetic
	})
	slices.Sort(out.Scenes)
	out.Values, out.Dates, out.Scenes = peaks.Values(), len(days), slices.Compact(out.Scenes)
	return out, err
}

// date reads one pass, block by block. No band is read for a block that is not clear. A scene that
// cannot be read rejects the pass, as it does for a profile.
func (r *CellReader) date(ctx context.Context, pass vegetation.Pass) (CellDate, bool, error) {
	out := CellDate{Day: pass.Day, Values: make([]float64, len(r.request.Cells))}
	for i := range out.Values {
		out.Values[i] = math.NaN()
	}
	valid := 0
	for _, b := range r.blocks {
		work := passWork{
			imagery: r.computer.Imagery, pass: pass, ground: b.ground, request: SeriesRequest{Index: r.request.Index, Mask: r.request.Mask},
		}
		outcome, err := work.outcome(ctx)
		if err != nil {
			return out, false, err
		}
		if seen := work.merged; seen != nil {
			for i, v := range seen.composite.Values() {
				if out.Values[b.cells[i]] = v; !math.IsNaN(v) {
					valid++
				}
			}
			out.Scenes = append(out.Scenes, seen.items()...)
		}
		if outcome.Rejection != nil && outcome.Rejection.Reason == vegetation.ReasonError {
			return out, false, nil
		}
		out.Synthetic = outcome.Synthetic
	}
	slices.Sort(out.Scenes)
	out.Scenes = slices.Compact(out.Scenes)
	return out, float64(valid) >= r.request.Mask.MinCoverage()*float64(len(out.Values)), nil
}
