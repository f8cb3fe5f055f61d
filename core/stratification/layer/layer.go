// Package layer holds the covariates on the cells of a frame: sampled from rasters, derived from
// elevation models and NDVI, read from tables of cells, and prepared for an order.
package layer

import (
	"encoding/binary"
	"hash"

	"tilth/core/stratification/internal/digest"
)

// Layer is one covariate on the cells of a frame.
type Layer struct {
	Name   string
	Values []float64 // one for each cell of the frame, in its order; NaN where missing
	Source string    // where the values come from, for people
	// Coarse: the source's grid is far coarser than the frame's, like that of soil maps. Such a layer
	// is dropped when it hardly varies over the area.
	Coarse bool
	// Classes: the values name classes, which have no mean.
	Classes bool
}

// Digest hashes the name and the values.
func (l Layer) Digest(h hash.Hash) {
	digest.WriteText(h, l.Name)
	raw := make([]byte, 0, 8*len(l.Values))
	for _, v := range l.Values {
		raw = binary.BigEndian.AppendUint64(raw, uint64(digest.Bits(v)))
	}
	_, _ = h.Write(raw)
}
