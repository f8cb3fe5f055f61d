package inflate

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// order is that of the lengths of the code for code lengths (RFC 1951, 3.2.7).
var order = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// fixedLengths are those of RFC 1951, 3.2.6: of literals, then of distances.
var fixedLengths = slices.Concat(bytes.Repeat([]byte{8}, 144), bytes.Repeat([]byte{9}, 112), bytes.Repeat([]byte{7}, 24),
	bytes.Repeat([]byte{8}, 8), bytes.Repeat([]byte{5}, maxDistances))

// tables builds both tables from the lengths of their codes.
func (r *Reader) tables(literals, distances int) {
	r.fail(build(r.literals[:], literalBits, r.lengths[:literals], literalMeaning))
	if r.err == nil {
		pair(&r.literals)
		r.fail(build(r.distances[:], distanceBits, r.lengths[literals:literals+distances], distanceMeaning))
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
	r.fail(build(r.distances[:], 7, own[:], func(symbol int) (int, uint) { return symbol, kindLiteral }))
	for i := 0; i < literals+distances && r.err == nil; {
		i += r.codeLengths(i, literals+distances)
	}
	if r.err == nil {
		r.tables(literals, distances)
	}
}

// codeLengths reads the length at place i of n, or its repetitions, and returns their number.
func (r *Reader) codeLengths(i, n int) int {
	r.fill()
	e := r.distances[r.acc&(1<<7-1)]
	switch {
	case e.kind() == kindInvalid:
		r.fail(ErrCorrupt)
		return 0
	case e.length() > r.n:
		r.fail(io.ErrUnexpectedEOF)
		return 0
	}
	r.drop(e.length())
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

// codes unpacks symbols until the block ends, out is full, or the packed bytes run short: then one
// symbol at a time, checking each.
func (r *Reader) codes() {
	r.fail(r.quick())
	if r.err == nil && r.phase == inCodes && r.end < window+fresh {
		r.symbol()
	}
}

// quick unpacks symbols while out is not full and 16 packed bytes remain, which is more than a
// round consumes; a round writes at most slack bytes beyond that.
//
// Bits per round: a refill leaves 56, of which three lookups take at most 33; the second refill
// leaves 56 again, of which a length (15 + 5) and a distance (15 + 13) take at most 48.
func (r *Reader) quick() (err error) {
	in, at, acc, n, end := r.in, r.at, r.acc, r.n, r.end
	literals, out := &r.literals, &r.out
turns:
	for at+16 <= len(in) && end < window+fresh {
		acc |= binary.LittleEndian.Uint64(in[at:]) << (n & 63)
		at += int((63 - n) >> 3)
		n |= 56
		e := literals[acc&(1<<literalBits-1)]
		if e.kind() <= kindLiteral {
			for range 2 {
				binary.LittleEndian.PutUint16(out[end:], uint16(e.value()))
				end += 2 - int(e.kind())
				acc >>= e.length() & 63
				n -= e.length()
				if e = literals[acc&(1<<literalBits-1)]; e.kind() > kindLiteral {
					break
				}
			}
			if e.kind() <= kindLiteral {
				binary.LittleEndian.PutUint16(out[end:], uint16(e.value()))
				end += 2 - int(e.kind())
				acc >>= e.length() & 63
				n -= e.length()
				continue
			}
			acc |= binary.LittleEndian.Uint64(in[at:]) << (n & 63)
			at += int((63 - n) >> 3)
			n |= 56
		}
		if e.kind()&0xe0 == kindMore {
			e = literals[e.value()+int(acc>>literalBits&(1<<(e.kind()&15)-1))]
		}
		acc >>= e.length() & 63
		n -= e.length()
		switch {
		case e.kind() == kindLiteral:
			out[end] = byte(e.value())
			end++
			continue
		case e.kind() == kindEnd:
			r.phase = atBlock
			break turns
		case e.kind() == kindInvalid:
			err = ErrCorrupt
			break turns
		}
		length := e.value() + int(acc&(1<<(e.kind()&15)-1))
		acc >>= e.kind() & 15
		n -= e.kind() & 15

		d := r.distances[acc&(1<<distanceBits-1)]
		if d.kind()&0xe0 == kindMore {
			d = r.distances[d.value()+int(acc>>distanceBits&(1<<(d.kind()&15)-1))]
		}
		acc >>= d.length() & 63
		distance := d.value() + int(acc&(1<<(d.kind()&15)-1))
		acc >>= d.kind() & 15
		n -= d.length() + d.kind()&15
		if d.kind()&0xe0 != kindExtra || distance > end {
			err = ErrCorrupt
			break
		}
		repeatEights(out, end, distance, length)
		end += length
	}
	r.at, r.acc, r.n, r.end = at, acc, n, end
	return err
}

// repeatEights copies length bytes from distance before end to end, eight at a time where that
// reads no byte yet to be written. It may write seven bytes too many.
func repeatEights(out *[window + fresh + slack]byte, end, distance, length int) {
	from := end - distance
	if distance >= 8 {
		for i := 0; i < length; i += 8 {
			binary.LittleEndian.PutUint64(out[end+i:], binary.LittleEndian.Uint64(out[from+i:]))
		}
		return
	}
	for i := range length {
		out[end+i] = out[from+i]
	}
}

// symbol unpacks one symbol, or a pair, from the last bytes of a stream.
func (r *Reader) symbol() {
	e := r.code(r.literals[:], literalBits)
	switch {
	case r.err != nil:
		return
	case e.kind() <= kindLiteral:
		binary.LittleEndian.PutUint16(r.out[r.end:], uint16(e.value()))
		r.end += 2 - int(e.kind())
		return
	case e.kind() == kindEnd:
		r.phase = atBlock
		return
	case e.kind() == kindInvalid:
		r.fail(ErrCorrupt)
		return
	}
	length := e.value() + r.bits(e.kind()&15)
	d := r.code(r.distances[:], distanceBits)
	if d.kind()&0xe0 != kindExtra {
		r.fail(ErrCorrupt)
	}
	distance := d.value() + r.bits(d.kind()&15)
	if distance > r.end {
		r.fail(ErrCorrupt)
	}
	if r.err == nil {
		repeatEights(&r.out, r.end, distance, length)
		r.end += length
	}
}

// code reads a code by its table.
func (r *Reader) code(table []entry, look uint) entry {
	r.fill()
	e := table[r.acc&(1<<look-1)]
	if e.kind()&0xe0 == kindMore {
		e = table[e.value()+int(r.acc>>look&(1<<(e.kind()&15)-1))]
	}
	if e.length() > r.n {
		r.fail(io.ErrUnexpectedEOF)
		return e
	}
	r.drop(e.length())
	return e
}
