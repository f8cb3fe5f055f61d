package inflate

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// order is the order in which the lengths of the code for code lengths are stored (RFC 1951, 3.2.7).
var order = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// fixedLengths are those of RFC 1951, 3.2.6: of literals, then of distances.
var fixedLengths = slices.Concat(bytes.Repeat([]byte{8}, 144), bytes.Repeat([]byte{9}, 112), bytes.Repeat([]byte{7}, 24),
	bytes.Repeat([]byte{8}, 8), bytes.Repeat([]byte{5}, maxDistances))

// tables builds both tables from the lengths of their codes.
func (r *Reader) tables(literals, distances int) {
	code, err := build(r.literals[:], literalBits, r.lengths[:literals], literalMeanings)
	if r.fail(err); r.err == nil {
		code.pair(r.literals[:])
		_, err = build(r.distances[:], distanceBits, r.lengths[literals:literals+distances], distanceMeanings)
		r.fail(err)
	}
}

// dynamicCodes reads the codes of a block (RFC 1951, 3.2.7).
func (r *Reader) dynamicCodes() {
	literals, distances, given := 257+r.bits(5), 1+r.bits(5), 4+r.bits(4)
	if literals > 286 || distances > 30 {
		r.fail(ErrCorrupt)
		return
	}
	var own [19]uint8 // lengths of the code for code lengths
	for _, symbol := range order[:given] {
		own[symbol] = uint8(r.bits(3))
	}
	// Codes of at most 7 bits use the table of the distances until those are known.
	_, err := build(r.distances[:], 7, own[:], literalMeanings)
	r.fail(err)
	for i := 0; i < literals+distances && r.err == nil; {
		i += r.codeLengths(i, literals+distances)
	}
	if r.err == nil {
		r.tables(literals, distances)
	}
}

// codeLengths reads the length at place i of n, or its repetitions, and returns their number.
func (r *Reader) codeLengths(i, n int) int {
	e := r.code(r.distances[:], 7)
	if e.kind() == kindInvalid {
		r.fail(ErrCorrupt)
		return 0
	}
	repeat, length := 1, uint8(e.value())
	switch e.value() {
	case 16:
		if i == 0 {
			r.fail(ErrCorrupt)
			return 0
		}
		repeat, length = 3+r.bits(2), r.lengths[i-1]
	case 17:
		repeat, length = 3+r.bits(3), 0
	case 18:
		repeat, length = 11+r.bits(7), 0
	}
	if i+repeat > n {
		r.fail(ErrCorrupt)
		return 0
	}
	for k := range repeat {
		r.lengths[i+k] = length
	}
	return repeat
}

// codes unpacks symbols until the block ends, out is full, or the packed bytes run short. In that
// case it unpacks one entry, with all checks.
func (r *Reader) codes() {
	r.fail(r.quick())
	if r.err == nil && r.phase == inCodes && !r.full() {
		r.entry()
	}
}

// quick unpacks symbols while out is not full and 8 packed bytes remain. A round takes a copy, with the literal before
// it, or else up to four literals. Of the 56 bits that a refill leaves, a length takes at most 20 (15 + 5) and a distance
// at most 28 (15 + 13).
//
// What makes it quick: most copies in imagery come after one literal or none, which no processor can predict, so both take
// the same path. Extra bits are taken from the previous value of acc, so that the next lookup does not wait for them. The
// third index of a slice saves a bounds check. Only the lowest six bits of n count, so that entries need no mask.
func (r *Reader) quick() error {
	in, at, acc, n := r.in, r.at, r.acc, r.n
	out, end, limit := r.out, r.end, len(r.out)-slack
	var err error
	for at+8 <= len(in) && end <= limit {
		acc |= binary.LittleEndian.Uint64(in[at:at+8:at+8]) << (n & 63)
		at += int(^n >> 3 & 7)
		n |= 56

		e := r.literals[acc&(1<<literalBits-1)]
		if e&kindOther != 0 {
			if e.kind() == kindPart {
				e = r.literals[e.part(acc>>literalBits)]
			}
			if e.kind() == kindEnd {
				r.phase = atBlock
				acc >>= e.bits()
				n -= uint(e)
				break
			}
			if e.kind() == kindInvalid {
				err = ErrCorrupt
				break
			}
		}
		binary.LittleEndian.PutUint16(out[end:end+2:end+2], uint16(e.value()))
		end += e.literals()
		next := acc
		acc >>= e.bits()
		n -= uint(e)
		if e&kindCopy == 0 {
			if e = r.literals[acc&(1<<literalBits-1)]; e&(kindCopy|kindOther) == 0 {
				binary.LittleEndian.PutUint16(out[end:end+2:end+2], uint16(e.value()))
				end += e.literals()
				acc >>= e.bits()
				n -= uint(e)
			}
			continue
		}
		length := shortestCopy + e.value()>>8 + e.extra(next)

		d := r.distances[acc&(1<<distanceBits-1)]
		if d&kindOther != 0 {
			if d.kind() == kindInvalid {
				err = ErrCorrupt
				break
			}
			d = r.distances[d.part(acc>>distanceBits)]
		}
		distance := d.value() + d.extra(acc)
		acc >>= d.bits()
		n -= uint(d)
		if distance > end {
			err = ErrCorrupt
			break
		}
		if from := end - distance; length <= 8 && distance >= 8 {
			binary.LittleEndian.PutUint64(out[end:end+8:end+8], binary.LittleEndian.Uint64(out[from:from+8:from+8]))
		} else {
			repeat(out, end, distance, length)
		}
		end += length
	}
	r.at, r.acc, r.n, r.end = at, acc, n&63, end
	return err
}

// repeat copies length bytes from distance before end to end, eight at a time, and may write seven
// bytes too many. Where the copy reads what it writes, it goes byte by byte until eight are repeated.
//
//go:noinline // The registers of quick are few.
func repeat(out []byte, end, distance, length int) {
	to, stop := end, end+length
	if distance < 8 {
		for ; to < end+8; to++ {
			out[to] = out[to-distance]
		}
		distance *= (7 + distance) / distance
	}
	for ; to < stop; to += 8 {
		from := to - distance
		binary.LittleEndian.PutUint64(out[to:to+8:to+8], binary.LittleEndian.Uint64(out[from:from+8:from+8]))
	}
}

// entry unpacks one entry from the last bytes of a stream.
func (r *Reader) entry() {
	e := r.code(r.literals[:], literalBits)
	switch {
	case r.err != nil:
		return
	case e.kind() == kindEnd:
		r.phase = atBlock
		return
	case e.kind() == kindInvalid:
		r.fail(ErrCorrupt)
		return
	}
	binary.LittleEndian.PutUint16(r.out[r.end:], uint16(e.value()))
	r.end += e.literals()
	if e&kindCopy == 0 {
		return
	}
	length := shortestCopy + e.value()>>8 + r.bits(e.bits()-e.code())
	d := r.code(r.distances[:], distanceBits)
	distance := d.value() + r.bits(d.bits()-d.code())
	if d.kind() != kindCopy || distance > r.end {
		r.fail(ErrCorrupt)
	}
	if r.err == nil {
		repeat(r.out, r.end, distance, length)
		r.end += length
	}
}

// code reads a code by its table, but not its extra bits.
func (r *Reader) code(table []entry, look uint) entry {
	r.fill()
	e := table[r.acc&(1<<look-1)]
	if e.kind() == kindPart {
		e = table[e.part(r.acc>>look)]
	}
	if e.code() > r.n {
		r.fail(io.ErrUnexpectedEOF)
		return e
	}
	r.drop(e.code())
	return e
}
