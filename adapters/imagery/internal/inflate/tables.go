package inflate

import "math/bits"

const (
	maxLiterals  = 288 // symbols: bytes, the end of the block, lengths
	maxDistances = 32
	longestCode  = 15

	// Codes of at most that many bits need one lookup; longer ones a second, in a part of the table
	// for all codes with the same prefix.
	literalBits  = 11
	distanceBits = 8

	// A prefix of longer codes is shared by at least two, because codes are complete, and its part
	// of the table has room for the longest.
	literalSize  = 1<<literalBits + maxLiterals/2<<(longestCode-literalBits)
	distanceSize = 1<<distanceBits + maxDistances/2<<(longestCode-distanceBits)
)

// entry is the meaning of a code: 16 bits of value, 8 bits of kind, 8 bits for the length of the
// code in bits (of both codes, for a pair).
type entry uint32

// Kinds. Those of lengths and distances carry the number of extra bits that follow the code.
const (
	kindPair    = 0 // two literals, the first in the low byte of the value
	kindLiteral = 1
	kindExtra   = 0x20 // + number of extra bits: a length or distance, without these
	kindEnd     = 0x40 // of the block
	kindMore    = 0x60 // + number of further bits, which index from the value on
	kindInvalid = 0x80
)

func newEntry(value int, kind, length uint) entry {
	return entry(uint(value)<<16 | kind<<8 | length)
}

func (e entry) value() int   { return int(e >> 16) }
func (e entry) kind() uint   { return uint(e>>8) & 0xff }
func (e entry) length() uint { return uint(e) & 0xff }

// Lengths and distances: the base of a symbol, and the number of extra bits (RFC 1951, 3.2.5).
var (
	lengthBase    = [29]int{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra   = [29]uint{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase  = [30]int{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distanceExtra = [30]uint{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// literalMeaning returns value and kind of a symbol of the alphabet of literals and lengths.
func literalMeaning(symbol int) (int, uint) {
	switch {
	case symbol < 256:
		return symbol, kindLiteral
	case symbol == 256:
		return 0, kindEnd
	case symbol-257 < len(lengthBase):
		return lengthBase[symbol-257], kindExtra + lengthExtra[symbol-257]
	default:
		return 0, kindInvalid
	}
}

func distanceMeaning(symbol int) (int, uint) {
	if symbol < len(distanceBase) {
		return distanceBase[symbol], kindExtra + distanceExtra[symbol]
	}
	return 0, kindInvalid
}

// build fills the table of a canonical Huffman code (RFC 1951, 3.2.2) from the lengths of its
// codes, 0 for symbols without one; one lookup finds codes of at most look bits. A code must be
// complete, except that of a single symbol of one bit, and the empty one, which may not be used.
func build(table []entry, look uint, lengths []uint8, meaning func(int) (int, uint)) error {
	var count [longestCode + 1]int
	for _, l := range lengths {
		count[l]++
	}
	count[0] = 0
	var next [longestCode + 2]int // the next code of each length
	code, longest := 0, 0
	for l := 1; l <= longestCode; l++ {
		code <<= 1
		next[l] = code
		code += count[l]
		if code > 1<<l {
			return ErrCorrupt
		}
		if count[l] > 0 {
			longest = l
		}
	}
	code >>= longestCode - longest
	lone := longest == 1 && code == 1
	if longest > 0 && code != 1<<longest && !lone {
		return ErrCorrupt
	}
	if longest == 0 || lone {
		for i := range table[:1<<look] {
			table[i] = newEntry(0, kindInvalid, 0)
		}
	}
	var parts [1 << literalBits]int // the part of each prefix in the table; 0: none yet
	free := 1 << look
	for symbol, l := range lengths {
		if l == 0 {
			continue
		}
		value, kind := meaning(symbol)
		e := newEntry(value, kind, uint(l))
		c := reversed(next[l], l)
		next[l]++
		if uint(l) <= look {
			for i := c; i < 1<<look; i += 1 << l {
				table[i] = e
			}
			continue
		}
		beginning := c & (1<<look - 1)
		depth := uint(longest) - look
		if parts[beginning] == 0 {
			parts[beginning] = free
			table[beginning] = newEntry(free, kindMore+depth, look)
			free += 1 << depth
		}
		part := table[parts[beginning]:][:1<<depth]
		for i := c >> look; i < len(part); i += 1 << (uint(l) - look) {
			part[i] = e
		}
	}
	return nil
}

// reversed returns a code in the order of its bits in the stream.
func reversed(code int, length uint8) int {
	return int(bits.Reverse16(uint16(code)) >> (16 - length))
}

// pair combines two literals in one entry wherever both codes fit into one lookup.
func pair(table *[literalSize]entry) {
	// From the top down: the entry of the second code is lower and still single.
	for i := 1<<literalBits - 1; i >= 0; i-- {
		first := table[i]
		if first.kind() != kindLiteral {
			continue
		}
		second := table[i>>first.length()]
		if length := first.length() + second.length(); second.kind() == kindLiteral && length <= literalBits {
			table[i] = newEntry(first.value()|second.value()<<8, kindPair, length)
		}
	}
}
