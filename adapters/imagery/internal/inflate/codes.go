package inflate

import (
	"encoding/binary"
	"io"
)

// order is that of the lengths of the code for code lengths (RFC 1951, 3.2.7).
var order = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// fixedCodes builds the tables of RFC 1951, 3.2.6.
func (r *Reader) fixedCodes() error {
	for i := range maxLiterals {
		switch {
		case i < 144:
			r.lengths[i] = 8
		case i < 256:
			r.lengths[i] = 9
		case i < 280:
			r.lengths[i] = 7
		default:
			r.lengths[i] = 8
		}
	}
	for i := range maxDistances {
		r.lengths[maxLiterals+i] = 5
	}
	return r.tables(maxLiterals, maxDistances)
}

// tables builds both tables from the lengths of their codes.
func (r *Reader) tables(literals, distances int) error {
	if err := build(r.literals[:], literalBits, r.lengths[:literals], literalMeaning); err != nil {
		return err
	}
	pair(&r.literals)
	return build(r.distances[:], distanceBits, r.lengths[literals:literals+distances], distanceMeaning)
}

// dynamicCodes reads the codes of a block (RFC 1951, 3.2.7).
func (r *Reader) dynamicCodes() error {
	var counts [3]int
	for i, k := range [3]uint{5, 5, 4} {
		v, err := r.bits(k)
		if err != nil {
			return err
		}
		counts[i] = v
	}
	literals, distances, given := 257+counts[0], 1+counts[1], 4+counts[2]
	if literals > 286 || distances > 30 {
		return ErrCorrupt
	}
	var own [19]uint8 // lengths of the code for code lengths
	for _, symbol := range order[:given] {
		v, err := r.bits(3)
		if err != nil {
			return err
		}
		own[symbol] = uint8(v)
	}
	// Codes of at most 7 bits use the table of the distances until those are known.
	if err := build(r.distances[:], 7, own[:], func(symbol int) (int, uint) { return symbol, kindLiteral }); err != nil {
		return err
	}
	if err := r.codeLengths(literals + distances); err != nil {
		return err
	}
	return r.tables(literals, distances)
}

// codeLengths reads n lengths, literally or as repetitions.
func (r *Reader) codeLengths(n int) error {
	for i := 0; i < n; {
		r.fill()
		e := r.distances[r.acc&(1<<7-1)]
		switch {
		case e.kind() == kindInvalid:
			return ErrCorrupt
		case e.length() > r.n:
			return io.ErrUnexpectedEOF
		}
		r.drop(e.length())
		if e.value() < 16 {
			r.lengths[i] = uint8(e.value())
			i++
			continue
		}
		repeat, length, err := r.repetition(e.value(), i)
		if err != nil {
			return err
		}
		if i+repeat > n {
			return ErrCorrupt
		}
		for range repeat {
			r.lengths[i] = length
			i++
		}
	}
	return nil
}

// repetition reads how often the length before place i, or 0, is repeated.
func (r *Reader) repetition(symbol, i int) (repeat int, length uint8, err error) {
	switch symbol {
	case 16:
		if i == 0 {
			return 0, 0, ErrCorrupt
		}
		repeat, err = r.bits(2)
		return 3 + repeat, r.lengths[i-1], err
	case 17:
		repeat, err = r.bits(3)
		return 3 + repeat, 0, err
	default:
		repeat, err = r.bits(7)
		return 11 + repeat, 0, err
	}
}

// codes unpacks symbols until the block ends, out is full, or the packed bytes run short: then one
// symbol at a time, checking each.
func (r *Reader) codes() error {
	if err := r.quick(); err != nil || r.phase != inCodes || r.end >= window+fresh {
		return err
	}
	return r.symbol()
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
func (r *Reader) symbol() error {
	r.fill()
	e := r.literals[r.acc&(1<<literalBits-1)]
	if e.kind()&0xe0 == kindMore {
		e = r.literals[e.value()+int(r.acc>>literalBits&(1<<(e.kind()&15)-1))]
	}
	if e.length() > r.n {
		return io.ErrUnexpectedEOF
	}
	r.drop(e.length())
	switch e.kind() {
	case kindPair, kindLiteral:
		binary.LittleEndian.PutUint16(r.out[r.end:], uint16(e.value()))
		r.end += 2 - int(e.kind())
		return nil
	case kindEnd:
		r.phase = atBlock
		return nil
	case kindInvalid:
		return ErrCorrupt
	}
	more, err := r.bits(e.kind() & 15)
	if err != nil {
		return err
	}
	distance, err := r.distance()
	if err != nil {
		return err
	}
	length := e.value() + more
	repeatEights(&r.out, r.end, distance, length)
	r.end += length
	return nil
}

// distance reads how far back a copy reaches.
func (r *Reader) distance() (int, error) {
	r.fill()
	d := r.distances[r.acc&(1<<distanceBits-1)]
	if d.kind()&0xe0 == kindMore {
		d = r.distances[d.value()+int(r.acc>>distanceBits&(1<<(d.kind()&15)-1))]
	}
	switch {
	case d.kind()&0xe0 != kindExtra:
		return 0, ErrCorrupt
	case d.length() > r.n:
		return 0, io.ErrUnexpectedEOF
	}
	r.drop(d.length())
	more, err := r.bits(d.kind() & 15)
	if err != nil {
		return 0, err
	}
	if distance := d.value() + more; distance <= r.end {
		return distance, nil
	}
	return 0, ErrCorrupt
}
