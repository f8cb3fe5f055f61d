package vegetation

// OffsetBasis names what decided the offset that turns digital numbers into reflectance. A wrong
// offset is the largest silent error of this field, so every value keeps the basis of its offset.
type OffsetBasis string

// The bases of an offset.
const (
	// OffsetByItem: the catalog's item states it for the band's file.
	OffsetByItem OffsetBasis = "item"
	// OffsetByBaseline: the item states none; ESA's rule by processing baseline applies.
	OffsetByBaseline OffsetBasis = "baseline"
	// OffsetByPixels: the item's statements contradict each other; its dark pixels decide.
	OffsetByPixels OffsetBasis = "pixels"
	// OffsetByFlag: they contradict each other; the item's statement about the file's processing decides.
	OffsetByFlag OffsetBasis = "flag"
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
