// Package inflate unpacks zlib streams (RFC 1950, RFC 1951) that are wholly in memory and whose unpacked
// size is known, such as the blocks of imagery. It reads eight bytes at a time, looks up two symbols at
// once, and writes the bytes to their final place. It packs nothing, and supports no preset
// dictionaries.
//
// Sources: RFC 1950, RFC 1951; filling the accumulator eight bytes at a time is variant 4 of
// F. Giesen, "Reading bits in far too many ways, part 2" (2018).
package inflate

import (
	"encoding/binary"
	"errors"
	"io"
)

// Errors of streams. A stream that ends too early is io.ErrUnexpectedEOF.
var (
	ErrCorrupt  = errors.New("the zlib stream is corrupt")
	ErrChecksum = errors.New("the checksum of the zlib stream does not match")
	ErrTooLong  = errors.New("the zlib stream holds more bytes than it may")
)

const (
	window  = 32 << 10 // how far back a copy may reach
	fresh   = 64 << 10 // bytes of a rest that are unpacked at once
	longest = 258      // of a copy
	// slack is how far an entry may be written beyond where out is full: two literals, the longest
	// copy, and the rest of its last eight bytes.
	slack = 2 + longest + 8
)

// phase is the next part of the stream.
type phase uint8

const (
	atBlock  phase = iota // the header of a block
	inStored              // bytes as they are
	inCodes               // symbols
	atEnd                 // of the last block
)

// Reader unpacks streams, one after the other. It is not safe for concurrent use.
type Reader struct {
	in  []byte
	at  int    // of the next byte of in that has not gone to acc
	acc uint64 // the next bits, the first one lowest
	n   uint   // number of valid bits of acc; those above are the next bits of in

	phase  phase
	last   bool // this is the last block
	stored int  // bytes to come of a stored block

	lengths   [maxLiterals + maxDistances]uint8
	literals  [literalSize]entry
	distances [distanceSize]entry

	out []byte // full when only slack is left of it
	end int    // of what is unpacked in out; copies may refer to bytes before it
	sum adler  // of what has been unpacked before out

	passing []byte // what is unpacked and discarded
	err     error
}

// Unpack returns the first size bytes of a stream. The stream must have them, and may have at most
// rest more, which only count for the checksum.
func (r *Reader) Unpack(packed []byte, size, rest int) ([]byte, error) {
	r.in, r.at, r.acc, r.n = packed, 0, 0, 0
	r.phase, r.last, r.stored = atBlock, false, 0
	r.out, r.end, r.sum, r.err = make([]byte, size+slack), 0, newAdler(), nil
	defer func() { r.in, r.out = nil, nil }()
	r.header()
	r.unpack(0)
	out, got := r.out[:size:size], r.end
	for r.err == nil && r.phase != atEnd {
		if got > size+rest {
			return nil, ErrTooLong
		}
		got += r.skip()
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case got < size:
		return nil, io.ErrUnexpectedEOF
	case got > size+rest:
		return nil, ErrTooLong
	}
	return out, r.checksum()
}

// header checks the header of the stream (RFC 1950, 2.2): method 8, a window of at most 32 KiB, a check
// of both bytes, no dictionary.
func (r *Reader) header() {
	if len(r.in) < 2 {
		r.err = io.ErrUnexpectedEOF
		return
	}
	method, flags := r.in[0], r.in[1]
	if method&15 != 8 || method>>4 > 7 || (int(method)<<8|int(flags))%31 != 0 || flags&0x20 != 0 {
		r.err = ErrCorrupt
	}
	r.at = 2
}

// full reports whether out is full. When it is filled exactly, it is not: the end of the block, which writes nothing, may follow.
func (r *Reader) full() bool { return r.end > len(r.out)-slack }

// unpack continues until out is full, the stream ends, or it fails, and adds the bytes of out from a place
// on to the checksum.
func (r *Reader) unpack(from int) {
	for r.err == nil && r.phase != atEnd && !r.full() {
		switch r.phase {
		case atBlock:
			r.block()
		case inStored:
			r.copyStored()
		default:
			r.codes()
		}
	}
	r.sum = r.sum.add(r.out[from:r.end])
}

// skip unpacks the next bytes and discards them, except those that copies may still refer to. It
// returns their number.
func (r *Reader) skip() int {
	if r.passing == nil {
		r.passing = make([]byte, window+fresh+slack)
	}
	back := copy(r.passing, r.out[max(0, r.end-window):r.end]) // out may be passing itself
	r.out, r.end = r.passing, back
	r.unpack(back)
	return r.end - back
}

// fill loads at least 56 bits into acc, or all that are left.
func (r *Reader) fill() {
	if r.at+8 <= len(r.in) {
		r.acc |= binary.LittleEndian.Uint64(r.in[r.at:]) << r.n
		r.at += int((63 - r.n) >> 3)
		r.n |= 56
		return
	}
	for r.n < 56 && r.at < len(r.in) {
		r.acc |= uint64(r.in[r.at]) << r.n
		r.at++
		r.n += 8
	}
}

// fail keeps an error, unless there is one already.
func (r *Reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// bits reads a number of k bits, at most 32; 0 where there are fewer.
func (r *Reader) bits(k uint) int {
	if r.n < k {
		r.fill()
	}
	if r.n < k {
		r.fail(io.ErrUnexpectedEOF)
		return 0
	}
	v := int(r.acc & (1<<k - 1))
	r.drop(k)
	return v
}

func (r *Reader) drop(k uint) {
	r.acc >>= k
	r.n -= k
}

// align continues at the next whole byte and returns the bytes of acc to in.
func (r *Reader) align() {
	r.at -= int(r.n >> 3)
	r.acc, r.n = 0, 0
}

// block reads the header of a block (RFC 1951, 3.2.3), or moves to the end after the last.
func (r *Reader) block() {
	if r.last {
		r.phase = atEnd
		return
	}
	v := r.bits(3)
	r.last, r.phase = v&1 == 1, inCodes
	switch v >> 1 {
	case 0:
		r.beginStored()
	case 1:
		copy(r.lengths[:], fixedLengths)
		r.tables(maxLiterals, maxDistances)
	case 2:
		r.dynamicCodes()
	default:
		r.fail(ErrCorrupt)
	}
}

// beginStored reads the length of a stored block and its complement (RFC 1951, 3.2.4).
func (r *Reader) beginStored() {
	r.align()
	if r.at+4 > len(r.in) {
		r.fail(io.ErrUnexpectedEOF)
		return
	}
	n, not := binary.LittleEndian.Uint16(r.in[r.at:]), binary.LittleEndian.Uint16(r.in[r.at+2:])
	if n != ^not {
		r.fail(ErrCorrupt)
		return
	}
	r.at += 4
	r.phase, r.stored = inStored, int(n)
}

func (r *Reader) copyStored() {
	n := copy(r.out[r.end:min(r.end+r.stored, len(r.out))], r.in[r.at:])
	r.at += n
	r.end += n
	r.stored -= n
	switch {
	case r.stored == 0:
		r.phase = atBlock
	case r.at == len(r.in):
		r.err = io.ErrUnexpectedEOF
	}
}

// checksum compares the Adler-32 sum after the last block (RFC 1950, 2.2).
func (r *Reader) checksum() error {
	r.align()
	switch {
	case r.at+4 > len(r.in):
		return io.ErrUnexpectedEOF
	case binary.BigEndian.Uint32(r.in[r.at:]) != r.sum.value():
		return ErrChecksum
	default:
		return nil
	}
}
