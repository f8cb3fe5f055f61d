package vegetation

// OffsetBasis says what decided the offset that turns digital numbers into reflectance. A
// wrong offset is the largest silent error of this field, so the decision is kept with every
// value that rests on it.
type OffsetBasis string

// What may decide.
const (
	// OffsetByItem: the catalog's item states it of the band's file.
	OffsetByItem OffsetBasis = "item"
	// OffsetByBaseline: the item is silent; ESA's rule by processing baseline.
	OffsetByBaseline OffsetBasis = "baseline"
	// OffsetByPixels: the item's statements contradict each other; its dark pixels decided.
	OffsetByPixels OffsetBasis = "pixels"
	// OffsetByFlag: they contradict each other, and what the item says was done to the file
	// is believed.
	OffsetByFlag OffsetBasis = "flag"
)

// AppliedOffset is the offset of one scene of an observation, in reflectance: that of the
// first band of the index (ESA adds the same to all bands).
type AppliedOffset struct {
	Item   string // the scene
	Offset float64
	Basis  OffsetBasis
}

// Applied returns the offset of a scene from one of its rasters.
func (r Raster) Applied(item string) AppliedOffset {
	return AppliedOffset{Item: item, Offset: r.Offset, Basis: r.OffsetBasis}
}
