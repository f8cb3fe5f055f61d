// Package inflate unpacks zlib streams (RFC 1950, RFC 1951) that are wholly in memory, as the blocks
// of imagery are: it reads eight bytes at a time and unpacks two literals a step, where readers of
// streams go byte by byte. Unpacking may stop at any point and continue later. It packs nothing, and
// supports no preset dictionaries.
//
// Sources: RFC 1950, RFC 1951; filling the accumulator eight bytes at a time is variant 4 of
// F. Giesen, "Reading bits in far too many ways, part 2" (2018).
package inflate

import (
	"encoding/binary"
	"errors"
	"hash"
	"hash/adler32"
	"io"
)

// Errors of streams. One that ends too early is io.ErrUnexpectedEOF.
var (
	ErrCorrupt  = errors.New("the zlib stream is corrupt")
	ErrChecksum = errors.New("the checksum of the zlib stream does not hold")
)

const (
	window  = 32 << 10 // how far back a copy may reach
	fresh   = 64 << 10 // bytes unpacked before they are returned
	longest = 258      // of a copy
	// slack is how far one round of the fast loop may write beyond its bytes: three pairs of
	// literals, the longest copy, and the rest of its last eight bytes.
	slack = 6 + longest + 8
)

// phase is the next part of the stream.
type phase uint8

const (
	atBlock  phase = iota // the header of a block
	inStored              // bytes as they are
	inCodes               // symbols
	atEnd                 // the checksum has been compared
)

// Reader unpacks one stream; Reset prepares it for another. It is not safe for concurrent use. It
// holds some 130 KB beside the packed bytes.
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

	out        [window + fresh + slack]byte
	start, end int // out[start:end] is to be returned; copies may refer to bytes before
	sum        hash.Hash32
	err        error // after out[start:end]
}

// Reset prepares the reader to unpack a stream. Its bytes must not change until the stream is
// unpacked.
func (r *Reader) Reset(packed []byte) {
	r.in, r.at, r.acc, r.n = packed, 0, 0, 0
	r.phase, r.last, r.stored = atBlock, false, 0
	r.start, r.end, r.err = 0, 0, nil
	if r.sum == nil {
		r.sum = adler32.New()
	}
	r.sum.Reset()
	if len(packed) < 2 {
		r.err = io.ErrUnexpectedEOF
		return
	}
	// RFC 1950, 2.2: method 8, a window of at most 32 KiB, a check of both bytes, no dictionary.
	method, flags := packed[0], packed[1]
	if method&15 != 8 || method>>4 > 7 || (int(method)<<8|int(flags))%31 != 0 || flags&0x20 != 0 {
		r.err = ErrCorrupt
		return
	}
	r.at = 2
}

// Read unpacks the next bytes, as io.Reader. At the end of the stream it compares the checksum and
// returns io.EOF when that matches. It returns the bytes before an error.
func (r *Reader) Read(p []byte) (int, error) {
	got := 0
	for got < len(p) {
		if r.start < r.end {
			n := copy(p[got:], r.out[r.start:r.end])
			got += n
			r.start += n
			continue
		}
		if r.err != nil {
			return got, r.err
		}
		r.more()
	}
	return got, nil
}

// more unpacks until out is full, the stream ends, or it fails.
func (r *Reader) more() {
	if r.end > window {
		copy(r.out[:window], r.out[r.end-window:r.end])
		r.end = window
	}
	r.start = r.end
	for r.err == nil && r.end < window+fresh {
		switch r.phase {
		case atBlock:
			r.block()
		case inStored:
			r.copyStored()
		case inCodes:
			r.codes()
		case atEnd:
			_, _ = r.sum.Write(r.out[r.start:r.end])
			r.checksum()
			return
		}
	}
	_, _ = r.sum.Write(r.out[r.start:r.end])
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
	n := copy(r.out[r.end:min(r.end+r.stored, window+fresh)], r.in[r.at:])
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
func (r *Reader) checksum() {
	r.align()
	switch {
	case r.at+4 > len(r.in):
		r.err = io.ErrUnexpectedEOF
	case binary.BigEndian.Uint32(r.in[r.at:]) != r.sum.Sum32():
		r.err = ErrChecksum
	default:
		r.err = io.EOF
	}
}
