package inflate

import (
	"cmp"
	"math/bits"
)

const (
	maxLiterals  = 288 // symbols: bytes, the end of the block, lengths
	maxDistances = 32
	longestCode  = 15

	// Codes of at most that many bits need one lookup; longer ones a second, in a part of the table
	// for all codes with the same prefix.
	literalBits  = 12
	distanceBits = 8

	// A prefix of longer codes is shared by at least two, because codes are complete, and its part
	// of the table has room for the longest.
	literalSize  = 1<<literalBits + maxLiterals/2<<(longestCode-literalBits)
	distanceSize = 1<<distanceBits + maxDistances/2<<(longestCode-distanceBits)
)

// entry is the meaning of the next bits of a stream. From its lowest bit on: 6 bits for their number,
// extra bits included; 2 of kind; 6 for the number of them that are the code; 2 for the number of
// literals; 16 of value.
type entry uint32

// Kinds.
const (
	kindLiteral entry = 1 << 14 // value: the byte
	kindPair    entry = 2 << 14 // value: two bytes, the first one low
	kindCopy    entry = 1 << 7  // value: a distance; or 256 times the excess of a length over the shortest
	// kindLiteral | kindCopy is a byte and then a length.

	kindOther   entry = 1 << 6
	kindPart          = kindOther | kindCopy    // longer codes: the next bits, as many as this has, index from the value on
	kindEnd           = kindOther | kindLiteral // of the block
	kindInvalid       = kindOther
	kinds             = kindOther | kindCopy | kindLiteral | kindPair

	shortestCopy = 3
)

// newEntry returns the entry of a code with no bits yet.
func newEntry(kind entry, value int, extra uint) entry {
	return entry(value)<<16 | kind | entry(extra)
}

// after returns the entry for a code that is that many bits longer.
func (e entry) after(code uint) entry { return e + entry(code)<<8 + entry(code) }

func (e entry) bits() uint    { return uint(e) & 63 }
func (e entry) code() uint    { return uint(e>>8) & 63 }
func (e entry) kind() entry   { return e & kinds }
func (e entry) literals() int { return int(uint16(e) >> 14) } // unless kindOther is set
func (e entry) value() int    { return int(e >> 16) }

// extra returns the value of the extra bits, from the next bits of the stream.
func (e entry) extra(next uint64) int { return int(next & (1<<e.bits() - 1) >> e.code()) }

// part returns the place in the table of the entry of a longer code, from the bits after those looked up.
func (e entry) part(next uint64) int { return e.value() + int(next&(1<<e.bits()-1)) }

// Lengths and distances: the base of a symbol, and the number of extra bits (RFC 1951, 3.2.5).
var (
	lengthBase    = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra   = [29]uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase  = [30]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distanceExtra = [30]uint{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// The meanings of symbols, without the bits of their codes.
var (
	literalMeanings  = meanings(maxLiterals, literalMeaning)
	distanceMeanings = meanings(maxDistances, distanceMeaning)
)

func meanings(n int, of func(symbol int) entry) []entry {
	all := make([]entry, n)
	for symbol := range all {
		all[symbol] = of(symbol)
	}
	return all
}

// literalMeaning is for the alphabet of literals and lengths.
func literalMeaning(symbol int) entry {
	switch {
	case symbol < 256:
		return newEntry(kindLiteral, symbol, 0)
	case symbol == 256:
		return newEntry(kindEnd, 0, 0)
	case symbol-257 < len(lengthBase):
		return newEntry(kindCopy, (lengthBase[symbol-257]-shortestCopy)<<8, lengthExtra[symbol-257])
	default:
		return newEntry(kindInvalid, 0, 0)
	}
}

func distanceMeaning(symbol int) entry {
	if symbol < len(distanceBase) {
		return newEntry(kindCopy, distanceBase[symbol], distanceExtra[symbol])
	}
	return newEntry(kindInvalid, 0, 0)
}

// canonical is a Huffman code whose codes follow from their lengths (RFC 1951, 3.2.2).
type canonical struct {
	symbols [maxLiterals]uint16 // those with the shortest codes first
	count   [longestCode + 1]int

	shortest, longest uint // codes; both 0 where there is none
}

// build fills the table of a canonical code from the lengths of its codes, 0 for symbols without one; one
// lookup finds codes of at most look bits. A code must be complete, except that of a single symbol of one
// bit, and the empty one, which may not be used.
func build(table []entry, look uint, lengths []uint8, meanings []entry) (c canonical, err error) {
	if err := c.sort(lengths); err != nil {
		return c, err
	}
	c.fill(table, look, meanings)
	return c, nil
}

func (c *canonical) sort(lengths []uint8) error {
	for _, l := range lengths {
		c.count[l&15]++
	}
	c.count[0] = 0
	var places [longestCode + 1]int // of the next symbol of each length
	code, place := 0, 0
	for l, count := range c.count {
		places[l], place = place, place+count
		if code = code<<1 + count; code > 1<<l {
			return ErrCorrupt
		}
		if count > 0 {
			c.shortest, c.longest = cmp.Or(c.shortest, uint(l)), uint(l)
		}
	}
	code >>= longestCode - c.longest
	if lone := c.longest == 1 && code == 1; c.longest > 0 && code != 1<<c.longest && !lone {
		return ErrCorrupt
	}
	for symbol, l := range lengths {
		if l > 0 {
			c.symbols[places[l&15]] = uint16(symbol)
			places[l&15]++
		}
	}
	return nil
}

// fill enters the codes, each once: the table begins with one place, and a copy of it is appended for every further bit.
func (c *canonical) fill(table []entry, look uint, meanings []entry) {
	table[0] = kindInvalid
	code, place := 0, 0
	for l := uint(1); l <= look; l++ {
		half := 1 << (l - 1)
		copy(table[half:2*half], table[:half])
		code <<= 1
		for _, symbol := range c.symbols[place : place+c.count[l]] {
			table[reversed(code, l)] = meanings[symbol].after(l)
			code++
		}
		place += c.count[l]
	}
	if c.longest > look {
		c.fillParts(table, look, c.symbols[place:], meanings, code)
	}
}

// fillParts enters the codes that are longer than one lookup, from code on.
func (c *canonical) fillParts(table []entry, look uint, symbols []uint16, meanings []entry, code int) {
	free, depth := 1<<look, c.longest-look
	for l := look + 1; l <= c.longest; l++ {
		code <<= 1
		for _, symbol := range symbols[:c.count[l]] {
			at := reversed(code, l)
			code++
			beginning := &table[at&(1<<look-1)]
			if beginning.kind() != kindPart {
				*beginning = newEntry(kindPart, free, depth)
				free += 1 << depth
			}
			part := table[beginning.value():][:1<<depth]
			for i := at >> look; i < len(part); i += 1 << (l - look) {
				part[i] = meanings[symbol].after(l)
			}
		}
		symbols = symbols[c.count[l]:]
	}
}

// reversed returns a code in the order of its bits in the stream.
func reversed(code int, length uint) int {
	return int(bits.Reverse16(uint16(code)) >> (16 - length))
}

// pair combines a literal with the literal or the length after it wherever both codes fit into one lookup: their bits and
// their kinds add up, and the value of a second literal moves to the second byte, where that of a length is. Only literals
// whose codes leave room for the shortest code are looked at: in noise, such as imagery, these are few.
func (c *canonical) pair(table []entry) {
	if c.shortest == 0 || c.shortest >= literalBits {
		return
	}
	room := literalBits - c.shortest
	var singles [1 << (literalBits - 1)]entry // what may follow a first code
	copy(singles[:1<<room], table)
	code, place := 0, 0
	for l := uint(1); l <= room; l++ {
		code <<= 1
		for _, symbol := range c.symbols[place : place+c.count[l]] {
			if symbol < 256 {
				pairWith(table[reversed(code, l):], l, singles[:1<<(literalBits-l)])
			}
			code++
		}
		place += c.count[l]
	}
}

// pairWith pairs the first literal of a table. Its code has that many bits, and it stands in every place that ends in that code.
func pairWith(table []entry, bits uint, singles []entry) {
	first := table[0]
	for k, second := range singles {
		if second&kindOther == 0 && second.code()+bits <= literalBits {
			table[k<<bits] = first + second&0xffff + second&^0xffff<<(8&^(second>>4))
		}
	}
}
