package inflate

import "encoding/binary"

// adler is the sum of RFC 1950, section 8.2: a is one more than the sum of the bytes, b the sum of all
// values that a takes, both modulo 65521.
type adler struct{ a, b uint64 }

const adlerBase = 65521

func newAdler() adler { return adler{a: 1} }

func (s adler) value() uint32 { return uint32(s.b<<16 | s.a) }

// add adds bytes, four words of eight at a time. These raise a by their sum. They raise b by 32 times the a
// before them, by eight times the bytes of earlier words for each word, and by each byte as often as there
// are bytes from it to the last of its word. A product of four lanes of 16 bits with a constant of four has
// in its top lane the sum of each lane times the opposite one; no lane overflows.
func (s adler) add(p []byte) adler {
	const (
		lanes = 0x00ff00ff00ff00ff
		ones  = 0x0001000100010001
		evens = 0x0008000600040002 // how often the bytes at 0, 2, 4 and 6 of a word count
		odds  = 0x0007000500030001
		step  = 32
		turns = 1 << 15 // after which b is still far below 2⁶⁴
	)
	for len(p) >= step {
		part := p[:min(len(p)/step, turns)*step]
		p = p[len(part):]
		for i := 0; i < len(part); i += step {
			var even, odd, earlier uint64
			for k := i; k < i+step; k += 8 {
				v := binary.LittleEndian.Uint64(part[k : k+8 : k+8])
				earlier += even + odd
				even += v & lanes
				odd += v >> 8 & lanes
			}
			s.b += step*s.a + 8*(earlier*ones>>48) + (even*evens+odd*odds)>>48
			s.a += (even + odd) * ones >> 48
		}
		s.a, s.b = s.a%adlerBase, s.b%adlerBase
	}
	for _, v := range p {
		s.a += uint64(v)
		s.b += s.a
	}
	return adler{s.a % adlerBase, s.b % adlerBase}
}
