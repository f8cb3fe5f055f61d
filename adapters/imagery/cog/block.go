package cog

import (
	"sync"
	"sync/atomic"
)

const (
	// stopFrom is the raw size, in bytes, from which a block is unpacked only as far as needed. The
	// rest of a smaller one costs less time and memory than keeping its unpacker.
	stopFrom = 4 * stateBytes

	// chunk is about how many raw bytes are unpacked before they become pixels: few enough to stay
	// in the processor's cache.
	chunk = 64 << 10
)

// block is a block of a file, unpacked from its top row down as far as it was needed: a packed
// stream cannot be entered in the middle, but it can be left early. The rest stays packed, so that
// a field further down needs no second fetch and continues the work. The checksum at a stream's end
// is compared when the end is reached.
//
// Safe for concurrent use: one caller unpacks, and unpacked rows never change.
type block struct {
	header *header
	all    int          // rows in the block
	held   atomic.Int64 // bytes of memory

	mu     sync.Mutex
	rest   *unpacker // nil when nothing is left
	pixels []uint16  // blockW × the rows so far, in row order
	failed error     // why unpacking ended before all rows
}

// newBlock unpacks at least the first rows of a block from its stored bytes, which may change
// afterwards. Rows that do not unpack are an error of upTo, not of newBlock: other callers of the
// block may need fewer.
func (h *header) newBlock(packed []byte, index, rows int) (*block, error) {
	rest, err := h.codec.unpacker(packed)
	if err != nil {
		return nil, err
	}
	b := &block{header: h, all: h.rows(index), rest: rest}
	if h.codec == codecZSTD || b.all*h.rowBytes() < stopFrom {
		rows = b.all // (the state of a ZSTD frame may be as large as its block)
	}
	b.unpack(rows)
	if b.rest != nil {
		b.rest.detach()
	}
	b.weigh()
	return b, nil
}

// upTo returns the pixels of at least the first rows. more reports that the size of the block
// changed.
func (b *block) upTo(rows int) (pixels []uint16, more bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pixels) < rows*b.header.blockW && b.failed == nil {
		b.unpack(rows)
		b.weigh()
		more = true
	}
	if len(b.pixels) < rows*b.header.blockW {
		return nil, more, b.failed
	}
	return b.pixels, more, nil
}

// unpack unpacks up to the number of rows, or as many as the stream has before it fails; their
// number does not depend on earlier calls.
func (b *block) unpack(rows int) {
	h := b.header
	have := len(b.pixels) / h.blockW
	b.reserve(rows)
	buffer := scratch.Get().(*[]byte)
	defer scratch.Put(buffer)
	atOnce := max(chunk/h.rowBytes(), 1)
	for have < rows && b.failed == nil {
		raw := sized(buffer, min(atOnce, rows-have)*h.rowBytes())
		n, err := b.rest.next(raw)
		for raw = raw[:n]; len(raw) >= h.rowBytes(); raw = raw[h.rowBytes():] {
			at := len(b.pixels)
			b.pixels = b.pixels[:at+h.blockW]
			h.samples(b.pixels[at:], raw)
			have++
		}
		b.failed = err
	}
	if have == b.all && b.failed == nil {
		b.failed = b.rest.checksum()
		if b.failed != nil { // without its last row the block fails where that is read
			b.pixels = b.pixels[:(b.all-1)*h.blockW]
		}
	}
	if have == b.all || b.failed != nil {
		b.rest.release()
		b.rest = nil
	}
}

// reserve makes room for the rows: exactly that at first, then twice the present, so that many
// fields in a column do not copy the block as often.
func (b *block) reserve(rows int) {
	w := b.header.blockW
	if cap(b.pixels) >= rows*w {
		return
	}
	room := min(max(rows, 2*len(b.pixels)/w), b.all)
	grown := make([]uint16, len(b.pixels), room*w)
	copy(grown, b.pixels)
	b.pixels = grown
}

func (b *block) weigh() {
	held := 2 * int64(cap(b.pixels))
	if b.rest != nil {
		held += b.rest.held()
	}
	b.held.Store(held)
}

func (b *block) cost() int64 { return b.held.Load() }
