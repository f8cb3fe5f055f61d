package item

import (
	"context"
	"math"
	"strconv"
	"time"

	"tilth/adapters/imagery/cog"
	"tilth/core/vegetation"
)

const (
	boaOffset     = -0.1 // reflectance, of ESA's digital numbers since baseline 04.00
	offsetSince   = 4.0
	sampleWhole   = 1 << 22 // pixels up to which a whole band is examined where the metadata contradict themselves
	sampleSmall   = 1 << 18 // and where they do not
	sampleSide    = 512     // otherwise nine windows of this side
	samplesAcross = 3
)

// recentFrom is when ESA began to deliver baseline 04.00.
var recentFrom = time.Date(2022, 1, 25, 0, 0, 0, 0, time.UTC)

// claim returns what the metadata say about the offset of a band, which is added to DN × scale.
//
//   - The items of Earth Search from baseline 04.00 on state the offset beside a flag that it was
//     applied already, and either may be wrong. The flag counts.
//   - Otherwise the offset of the asset counts, then that of the file's own tags, and where there is
//     none, ESA's rule by baseline.
func (it *Item) claim(band vegetation.Band, file *cog.File) vegetation.OffsetClaim {
	asset := it.Assets[band]
	c := vegetation.OffsetClaim{Scale: it.scale(asset, file)}
	baseline, err := strconv.ParseFloat(it.scene.Baseline, 64)
	since := err == nil && baseline >= offsetSince
	c.Recent = it.dataset.OffsetByBaseline && (since || err != nil && !it.scene.SensedAt.Before(recentFrom))
	_, tagged := file.Scaling()
	switch {
	case it.applied != nil && c.Recent:
		c.Basis = vegetation.OffsetByFlag
		if !*it.applied {
			c.Offset, c.Doubtful = boaOffset, true
		}
	case !math.IsNaN(asset.Offset):
		c.Offset, c.Basis = asset.Offset, vegetation.OffsetByItem
	case tagged != nil:
		c.Offset, c.Basis = *tagged, vegetation.OffsetByFile
	case !it.dataset.OffsetByBaseline:
		c.Offset, c.Basis = it.dataset.Offset, vegetation.OffsetByDataset
	default:
		c.Basis = vegetation.OffsetByBaseline
		if since {
			c.Offset = boaOffset
		}
	}
	return c
}

// scale returns the scale that the item states, or else the file's own tags, or else the data set;
// a file of floating point numbers without a statement holds reflectance itself.
func (it *Item) scale(a Asset, file *cog.File) float64 {
	stated, _ := file.Scaling()
	switch {
	case !math.IsNaN(a.Scale):
		return a.Scale
	case stated != nil:
		return *stated
	case file.Floating():
		return 1
	default:
		return it.dataset.Scale
	}
}

// offset returns the offset of a reflectance band, and what decided it: the metadata, unless the
// pixels of the whole scene contradict them. A decision is made once for a claim and kept.
func (it *Item) offset(ctx context.Context, band vegetation.Band, file *cog.File, files Reader) (float64, vegetation.OffsetBasis, error) {
	c := it.claim(band, file)
	if !it.dataset.OffsetByBaseline || !c.Added() && !c.None() {
		return c.Offset, c.Basis, nil
	}
	it.mu.Lock()
	defer it.mu.Unlock()
	if d, known := it.decided[c]; known {
		return d.offset, d.basis, nil
	}
	var d decision
	var err error
	d.offset, d.basis, err = c.Examine(func(band vegetation.Band) (vegetation.Levels, bool, error) {
		return it.levels(ctx, band, files, c.Doubtful)
	})
	if err != nil {
		return 0, "", err
	}
	if it.decided == nil {
		it.decided = map[vegetation.OffsetClaim]decision{}
	}
	it.decided[c] = d
	return d.offset, d.basis, nil
}

// decision is the offset of a scene under a claim.
type decision struct {
	offset float64
	basis  vegetation.OffsetBasis
}

// levels counts the pixels of a band over the whole scene: of its coarsest overview, or of a small
// file itself. Without either, reading costs too much for an unfounded doubt; only where the
// metadata contradict themselves, parts of the band are read.
func (it *Item) levels(ctx context.Context, band vegetation.Band, files Reader, doubtful bool) (vegetation.Levels, bool, error) {
	if _, ok := it.Assets[band]; !ok {
		return vegetation.Levels{}, false, nil
	}
	file, err := files.open(ctx, it, band)
	if err != nil {
		return vegetation.Levels{}, false, err
	}
	small := file.Grid().Width*file.Grid().Height <= sampleSmall
	if coarse, ok := file.Coarse(); ok && !small {
		file, small = coarse, true
	}
	if !small && !doubtful {
		return vegetation.Levels{}, false, nil
	}
	g := file.Grid()
	l := vegetation.Levels{Band: band, PixelArea: g.PixelX * g.PixelY}
	for _, w := range sample(g) {
		raster, err := file.Read(ctx, w)
		if err != nil {
			return l, false, err
		}
		l.Count(raster)
	}
	return l, true, nil
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
