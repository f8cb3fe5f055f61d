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
func (it *Item) offset(ctx context.Context, band vegetation.Band, files Reader) (float64, vegetation.OffsetBasis, error) {
	baseline, err := strconv.ParseFloat(it.scene.Baseline, 64)
	since, stated := err == nil && baseline >= offsetSince, it.Assets[band].Offset
	switch {
	case (it.applied == nil || !since) && !math.IsNaN(stated):
		return stated, vegetation.OffsetByItem, nil
	case !since:
		return 0, vegetation.OffsetByBaseline, nil
	case it.applied == nil:
		return boaOffset, vegetation.OffsetByBaseline, nil
	case *it.applied:
		return 0, vegetation.OffsetByFlag, nil
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	if it.pixelsSay == nil {
		applied, err := it.pixelsSayApplied(ctx, files)
		if err != nil {
			return 0, "", err
		}
		it.pixelsSay = &applied
	}
	if *it.pixelsSay {
		return 0, vegetation.OffsetByPixels, nil
	}
	return boaOffset, vegetation.OffsetByFlag, nil
}

// pixelsSayApplied examines the visible bands, usually darkest first. The darkest is the one with
// the largest share of dark pixels, so any band above the threshold decides.
func (it *Item) pixelsSayApplied(ctx context.Context, files Reader) (bool, error) {
	for _, band := range []vegetation.Band{vegetation.B02, vegetation.B04, vegetation.B03} {
		if _, ok := it.Assets[band]; !ok {
			continue
		}
		file, err := files.open(ctx, it, band)
		if err != nil {
			return false, err
		}
		dark, valid := 0, 0
		for _, w := range sample(file.Grid()) {
			raster, err := file.Read(ctx, w)
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
