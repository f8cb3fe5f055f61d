package item

import (
	"context"
	"math"
	"strconv"

	"tilth/core/vegetation"
)

// Since processing baseline 04.00 ESA adds 1000 to the digital numbers, so that
// reflectances just below zero survive: reflectance = DN × 0.0001 − 0.1
// (BOA_ADD_OFFSET of the product's metadata).
const (
	boaOffset     = -0.1
	boaOffsetDN   = 1000
	offsetSince   = 4.0
	appliedShare  = 0.01    // of valid pixels below 1000: more are impossible where the offset is still in
	sampleWhole   = 1 << 22 // pixels up to which a whole band is examined
	sampleSide    = 512     // otherwise nine windows of this side
	samplesAcross = 3
)

// offset returns the offset of a reflectance band, which is added to DN × Scale.
//
//   - Without the flag of old Earth Search, the offset of the asset counts, and where it has none,
//     ESA's rule by baseline (Planetary Computer).
//   - The items of old Earth Search from baseline 04.00 on state the offset beside a flag that it was
//     applied already, and either may be wrong. The flag "applied" means 0 whatever the pixels: dark
//     ones confirm it, and without them it is believed. Pixels overrule the flag "not applied": more
//     than 1 % of the valid ones of the darkest visible band below 1000 are impossible where 1000 was
//     added to all.
//
// A decision from pixels is made once and kept.
func (it *Item) offset(ctx context.Context, asset Asset, read readBand) (decision, error) {
	sinceOffset := baselineNumber(it.scene.Baseline) >= offsetSince
	if it.applied == nil || !sinceOffset {
		if !math.IsNaN(asset.Offset) {
			return decision{asset.Offset, vegetation.OffsetByItem}, nil
		}
		if sinceOffset {
			return decision{boaOffset, vegetation.OffsetByBaseline}, nil
		}
		return decision{0, vegetation.OffsetByBaseline}, nil
	}
	if *it.applied {
		return decision{0, vegetation.OffsetByFlag}, nil
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	if it.decided == nil {
		applied, err := it.pixelsSayApplied(ctx, read)
		if err != nil {
			return decision{}, err
		}
		it.decided = &decision{boaOffset, vegetation.OffsetByFlag}
		if applied {
			it.decided = &decision{0, vegetation.OffsetByPixels}
		}
	}
	return *it.decided, nil
}

// decision is an offset and its basis.
type decision struct {
	offset float64
	basis  vegetation.OffsetBasis
}

func baselineNumber(baseline string) float64 {
	v, err := strconv.ParseFloat(baseline, 64)
	if err != nil {
		return 0
	}
	return v
}

// readBand reads pixels of one of the item's bands, and its grid.
type readBand interface {
	grid(ctx context.Context, band vegetation.Band) (vegetation.Grid, error)
	pixels(ctx context.Context, band vegetation.Band, w vegetation.Window) (vegetation.Raster, error)
}

// pixelsSayApplied examines the visible bands, usually darkest first. The darkest is the one with
// the largest share of dark pixels, so any band above the threshold decides.
func (it *Item) pixelsSayApplied(ctx context.Context, read readBand) (bool, error) {
	for _, band := range []vegetation.Band{vegetation.B02, vegetation.B04, vegetation.B03} {
		if _, ok := it.Assets[band]; !ok {
			continue
		}
		grid, err := read.grid(ctx, band)
		if err != nil {
			return false, err
		}
		dark, valid := 0, 0
		for _, w := range sample(grid) {
			raster, err := read.pixels(ctx, band, w)
			if err != nil {
				return false, err
			}
			for _, dn := range raster.DN {
				if dn == 0 || (raster.HasNoData && dn == raster.NoData) {
					continue
				}
				valid++
				if dn < boaOffsetDN {
					dark++
				}
			}
		}
		if float64(dark) > appliedShare*float64(valid) {
			return true, nil
		}
	}
	return false, nil
}

// sample returns the windows to examine: the whole of a small file, else nine windows spread
// evenly, always the same.
func sample(g vegetation.Grid) []vegetation.Window {
	if g.Width*g.Height <= sampleWhole {
		return []vegetation.Window{{Width: g.Width, Height: g.Height}}
	}
	side := func(length int) (n int, at [samplesAcross]int) {
		n = min(sampleSide, length)
		for i := range at {
			at[i] = (length - n) * (2*i + 1) / (2 * samplesAcross)
		}
		return n, at
	}
	width, cols := side(g.Width)
	height, rows := side(g.Height)
	var out []vegetation.Window
	for _, row := range rows {
		for _, col := range cols {
			out = append(out, vegetation.Window{Col: col, Row: row, Width: width, Height: height})
		}
	}
	return out
}
