package cogwrite

import (
	"fmt"
	"math"

	"tilth/core/vegetation"
)

// Heights is the content of a file: Width × Height metres in row order.
type Heights struct {
	Grid   vegetation.Grid
	Metres []float32
}

// missing marks a pixel without height.
const missing = "-9999"

// EncodeHeights returns the bytes of a file of 32-bit floating point numbers. It fails for heights
// that do not match their grid.
func EncodeHeights(h Heights) ([]byte, error) {
	g := h.Grid
	if g.Width < 1 || g.Height < 1 || len(h.Metres) != g.Width*g.Height {
		return nil, fmt.Errorf("cannot write %d heights as %d × %d", len(h.Metres), g.Width, g.Height)
	}
	tiles, err := packTiles(g, h.rawTile)
	if err != nil {
		return nil, err
	}
	fields := fieldsOf(Image{Grid: g, Bits: 8}, len(tiles)) // the predictor of 8 bits is none
	for i, f := range fields {
		switch f.tag {
		case 258:
			fields[i] = shorts(258, 32)
		case 339:
			fields[i] = shorts(339, 3) // floating point
		case 42113:
			fields[i] = ascii(42113, missing)
		}
	}
	return assemble(fields, tiles), nil
}

// rawTile returns the bytes of one tile, 0 beyond the heights.
func (h Heights) rawTile(left, top int) []byte {
	raw := make([]byte, 0, tileSide*tileSide*4)
	for row := top; row < top+tileSide; row++ {
		for col := left; col < left+tileSide; col++ {
			metres := float32(0)
			if row < h.Grid.Height && col < h.Grid.Width {
				metres = h.Metres[row*h.Grid.Width+col]
			}
			raw = le.AppendUint32(raw, math.Float32bits(metres))
		}
	}
	return raw
}
