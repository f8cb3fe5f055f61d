// Package fieldlayers makes the layers of the maps that have no dates: of zones, relief and soil. Orders belong to package satellite;
// layers are defined in core/fieldmap.
package fieldlayers

import (
	"context"
	"fmt"

	"tilth/app/satellite"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
	"tilth/core/vegetation"
	"tilth/ports"
)

// PeakSource reads the peaks of an index on the cells of a frame.
type PeakSource interface {
	Peaks(ctx context.Context, req satellite.CellRequest) (satellite.CellPeaks, error)
}

// Zoning makes the layers of zoning maps.
type Zoning struct {
	Imagery PeakSource
	Clock   ports.Clock
}

// edgeMask is the number of cells along the outline that the clustering leaves out: they are mixed with what lies beside the field.
const edgeMask = 1

// Make implements satellite.LayerMaker: it reads the season of the order and the same days of earlier years, and divides the field by the
// peaks of the usable ones. Faults: as Computer.Peaks.
func (z *Zoning) Make(ctx context.Context, order vegetation.OrderState) ([]fieldmap.Made, string, error) {
	f, err := frame.New(effort.Of(ctx, 0), []geo.MultiPolygon{order.Boundary}, frame.Options{EdgeMask: edgeMask})
	if why, ok := fault.Refusal(err); ok {
		return nil, why, nil
	}
	if err != nil {
		return nil, "", err
	}
	seasons, err := z.seasons(ctx, &f, order)
	if err != nil {
		return nil, "", err
	}
	made, err := fieldmap.MakeZones(ctx, fieldmap.Zoned{Index: order.Index, Field: order.Boundary, Frame: &f, Seasons: seasons, Classes: order.Map.Classes})
	if why, ok := fault.Refusal(err); ok {
		return nil, why, nil
	}
	return made, "", err
}

// seasons returns the season of an order and those earlier ones for which the archive has anything, newest first.
func (z *Zoning) seasons(ctx context.Context, f *frame.Frame, order vegetation.OrderState) (out []fieldmap.Peak, err error) {
	now, used := z.Clock.Now(), 0
	for back := 0; used < fieldmap.MaxSeasons; back++ {
		p := fieldmap.Peak{}
		if p.Start, p.End = fieldmap.Earlier(order.StartDate, order.EndDate, back); p.End.Year() < layer.FirstYear {
			break
		}
		if now.Before(p.End.AddDate(0, 0, 1)) {
			p.Reason = "The season has not ended: its peak may be yet to come."
			out = append(out, p)
			continue
		}
		passes, err := z.season(ctx, f, order, &p)
		if err != nil {
			return nil, err
		}
		if p.Used {
			used++
		}
		if back == 0 || passes > 0 {
			out = append(out, p)
		}
	}
	return out, nil
}

// season reads the peaks of a season, and returns the number of passes over the field in it.
func (z *Zoning) season(ctx context.Context, f *frame.Frame, order vegetation.OrderState, p *fieldmap.Peak) (passes int, err error) {
	index, err := vegetation.ParseIndex(order.Index)
	if err != nil {
		return 0, err
	}
	grid, cells := f.Grid()
	seen, err := z.Imagery.Peaks(ctx, satellite.CellRequest{
		Boundary: order.Boundary, Grid: grid, Cells: cells, Index: index, Mask: order.Mask, Dataset: order.Dataset, From: p.Start, To: p.End,
	})
	if err != nil {
		return 0, err
	}
	p.Dates, p.Values, p.Scenes, p.Synthetic = seen.Dates, seen.Values, seen.Scenes, seen.Synthetic
	switch {
	case seen.Passes < layer.MinDates:
		p.Reason = fmt.Sprintf("The archive has %d acquisitions of the field; a peak needs %d.", seen.Passes, layer.MinDates)
	case seen.Dates < layer.MinDates:
		p.Reason = fmt.Sprintf("The field can be seen on %d dates; a peak needs %d.", seen.Dates, layer.MinDates)
	default:
		p.Used = true
	}
	return seen.Passes, nil
}

var _ satellite.LayerMaker = (*Zoning)(nil)
