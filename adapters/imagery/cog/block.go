package cog

import (
	"runtime"

	"tilth/core/vegetation"
)

// block is the unpacked bytes of a block, row by row, still differenced: a field turns only its own
// part of them into pixels.
type block []byte

// decoding bounds the blocks that are unpacked at a time: more than there are processors would only
// take memory.
var decoding = make(chan struct{}, runtime.NumCPU())

// unpack returns the raw bytes of a block from its stored ones. It unpacks all of them, because the
// checksum of a block, where its codec has one, stands behind its last row.
func (h *header) unpack(packed []byte, rows int) (block, error) {
	decoding <- struct{}{}
	defer func() { <-decoding }()
	u, err := h.codec.unpacker(packed)
	if err != nil {
		return nil, err
	}
	defer u.release()
	raw := make(block, rows*h.rowBytes())
	if err := u.all(raw); err != nil {
		return nil, err
	}
	return raw, nil
}

// copyBlock copies the pixels of a block that lie in a window inside the file. out has the pixels of
// the window w.
func (h *header) copyBlock(out []uint16, w, inside vegetation.Window, index int, raw block) {
	_, top, part := h.part(index, inside)
	h.copyRows(out, w, inside, index, raw[(part.Row-top)*h.rowBytes():], h.rowBytes())
}

// copyRows is copyBlock from the rows of a block that lie in the window, each so many bytes after the
// one before.
func (h *header) copyRows(out []uint16, w, inside vegetation.Window, index int, rows []byte, apart int) {
	left, _, part := h.part(index, inside)
	line := make([]uint16, part.Col-left+part.Width) // differences add up from the left edge
	for i := range part.Height {
		h.samples(line, rows[i*apart:])
		copy(out[(part.Row+i-w.Row)*w.Width+part.Col-w.Col:][:part.Width], line[part.Col-left:])
	}
}
