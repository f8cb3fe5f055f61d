package cog

import (
	"runtime"

	"tilth/core/vegetation"
)

// block is the unpacked bytes of a block, row by row, still differenced: a field turns only its own
// part of them into pixels.
type block []byte

// decoding bounds the number of blocks unpacked at the same time: more than there are processors
// would only take memory.
var decoding = make(chan struct{}, runtime.NumCPU())

// unpack returns the raw bytes of a block from its stored ones. It unpacks all of them, because the
// checksum of a block, where its codec has one, follows its last row.
func (h *header) unpack(packed []byte, rows int) (block, error) {
	decoding <- struct{}{}
	defer func() { <-decoding }()
	return h.codec.unpack(packed, rows*h.rowBytes())
}

// canvas takes the pixels of one band in a window, which may reach beyond the file.
type canvas struct {
	*header
	window, inside vegetation.Window // inside is the part of the window that lies in the file
	dn             []uint16          // of a plain file
	values         []float64         // of any other; NaN where there is none
	band           int               // counted from 0
	scale          scaling           // of values
}

// paint copies the pixels of a block that lie inside.
func (c *canvas) paint(index int, raw block) {
	_, top, part := c.part(index, c.inside)
	c.paintRows(index, raw[(part.Row-top)*c.rowBytes():], c.rowBytes())
}

// paintRows is paint for the rows of a block that lie inside, each apart bytes after the one before.
func (c *canvas) paintRows(index int, rows []byte, apart int) {
	left, _, part := c.part(index, c.inside)
	from, to := part.Col-left, part.Col-left+part.Width
	var digits []uint16
	var numbers []float64
	if c.values != nil {
		numbers = make([]float64, c.blockW)
	} else {
		digits = make([]uint16, to) // differences add up from the left edge
	}
	for i := range part.Height {
		row, at := rows[i*apart:], (part.Row+i-c.window.Row)*c.window.Width+part.Col-c.window.Col
		if c.values != nil {
			c.row(numbers, row[:c.rowBytes()], c.band, c.scale)
			copy(c.values[at:], numbers[from:to])
		} else {
			c.samples(digits, row)
			copy(c.dn[at:], digits[from:to])
		}
	}
}
