package vegetation

import "math"

// OffsetBasis names what decided the offset that turns digital numbers into reflectance. A wrong
// offset is the largest silent error in this field, so every value keeps the basis of its offset.
type OffsetBasis string

// The bases of an offset.
const (
	// OffsetByItem: the catalog's item states it for the band's file.
	OffsetByItem OffsetBasis = "item"
	// OffsetByFile: the item states none, the tags of the file do.
	OffsetByFile OffsetBasis = "file"
	// OffsetByBaseline: neither states one; ESA's rule by processing baseline applies.
	OffsetByBaseline OffsetBasis = "baseline"
	// OffsetByDataset: neither states one; the data set has one offset for all its files.
	OffsetByDataset OffsetBasis = "dataset"
	// OffsetByFlag: the item's flag says whether the offset was applied to the file already.
	OffsetByFlag OffsetBasis = "flag"
	// OffsetByPixels: the pixels contradict what the metadata say, and decide.
	OffsetByPixels OffsetBasis = "pixels"
)

// AppliedOffset is the offset of one scene of an observation, in reflectance: that of the first band
// of the index (ESA adds the same to all bands).
type AppliedOffset struct {
	Item   string      `json:"item"` // the scene
	Offset float64     `json:"offset"`
	Basis  OffsetBasis `json:"basis"`
}

// Applied returns the offset of a scene from one of its rasters.
func (r Raster) Applied(item string) AppliedOffset {
	return AppliedOffset{Item: item, Offset: r.Offset, Basis: r.OffsetBasis}
}

// Since processing baseline 04.00 ESA adds 1000 to the digital numbers of Sentinel-2 L2A, so that
// reflectances just below zero survive (BOA_ADD_OFFSET of the product's metadata). What the pixels of
// a scene say about it:
const (
	addedDN    = 1000
	farBelowDN = 800  // reflectance −0.02 where 1000 was added: Sen2Cor rarely goes below
	floorDN    = 1600 // reflectance 0.06 where 1000 was added, 0.16 where not
	darkShare  = 0.01 // of valid pixels: more below 1000 are unlikely where 1000 was added
	farShare   = 0.02 // and more far below are not believable
	floorShare = 0.2  // of valid pixels: vegetation, water and shadow of a scene that is not all cloud
	minGround  = 1e6  // m² of valid pixels that show whether any are dark
	// Without the blue band, in which bare soil is dark too.
	minGroundWithoutBlue = 25e6
)

// Levels counts the valid pixels of a visible band, over the whole scene, by their digital numbers.
type Levels struct {
	Band                              Band
	PixelArea                         float64 // m²
	valid, farBelow, below, nearFloor int
}

// Count adds the pixels of a raster of the band. The number 0 is nodata in every product of ESA.
func (l *Levels) Count(r Raster) {
	for i := range r.Grid.Width * r.Grid.Height {
		dn, ok := r.At(i%r.Grid.Width, i/r.Grid.Width)
		if !ok || dn == 0 {
			continue
		}
		l.valid++
		switch {
		case dn < farBelowDN:
			l.farBelow++
		case dn < addedDN:
			l.below++
		case dn < floorDN:
			l.nearFloor++
		}
	}
}

// Dark reports whether too many pixels lie below 1000 for 1000 to have been added: far below, or
// any below where the metadata contradict themselves.
func (l Levels) Dark(far bool) bool {
	if far {
		return float64(l.farBelow) > farShare*float64(l.valid)
	}
	return float64(l.farBelow+l.below) > darkShare*float64(l.valid)
}

// Raised reports whether the pixels end just above 1000, as only those do to which 1000 was added: many lie there, none
// (but for noise) below, and the ground is large enough to contain something dark.
func (l Levels) Raised() bool {
	ground := minGroundWithoutBlue
	if l.Band == B02 {
		ground = minGround
	}
	return !l.Dark(false) && float64(l.nearFloor) > floorShare*float64(l.valid) && float64(l.valid)*l.PixelArea >= ground
}

// OffsetClaim is what the metadata of a scene say about its offset.
type OffsetClaim struct {
	Offset float64 // reflectance = DN × Scale + Offset
	Scale  float64
	Basis  OffsetBasis
	// Doubtful: the metadata contradict themselves, so that weaker evidence suffices.
	Doubtful bool
	// Recent: the product is of a baseline since 04.00, whose numbers originally had 1000 added.
	Recent bool
}

// Added reports whether the claim is that 1000 was added to the digital numbers; None reports whether it is that
// nothing was, or that it was subtracted again, where that can be wrong. The pixels can refute only these two claims.
func (c OffsetClaim) Added() bool { return math.Abs(c.Offset+addedDN*c.Scale) < c.Scale/2 }

// None is described at Added.
func (c OffsetClaim) None() bool { return c.Offset == 0 && c.Recent }

// Examine looks at the visible bands, in turn as far as needed, and returns the offset that agrees
// with them: that of the claim, unless they refute it. levels returns false for a band that the scene
// does not have or that cannot be examined.
func (c OffsetClaim) Examine(levels func(Band) (Levels, bool, error)) (float64, OffsetBasis, error) {
	raised := false
	for _, band := range []Band{B04, B02, B03} {
		l, ok, err := levels(band)
		switch {
		case err != nil:
			return 0, "", err
		case !ok:
		case c.Added() && l.Dark(!c.Doubtful):
			return 0, OffsetByPixels, nil
		case c.Added() && l.Raised(), c.None() && l.Dark(false):
			return c.Offset, c.Basis, nil // as claimed
		case l.Raised():
			raised = true
		}
	}
	if c.None() && raised {
		return -addedDN * c.Scale, OffsetByPixels, nil
	}
	return c.Offset, c.Basis, nil
}
