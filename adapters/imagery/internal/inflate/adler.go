package inflate

import "encoding/binary"

// adler is the sum of RFC 1950, section 8.2: a is one more than the sum of the bytes, b the sum of all
// values that a takes, both modulo 65521.
type adler struct{ a, b uint64 }

const adlerBase = 65521

func newAdler() adler { return adler{a: 1} }

func (s adler) value() uint32 { return uint32(s.b<<16 | s.a) }

// add adds bytes, eight words of eight at a time. These raise a by their sum. They raise b by 64 times the a
// before them; for each word, by eight times the bytes of the earlier words; and by each byte times the number of
// bytes from it to the end of its word. The last is counted in pairs of bytes: both as often as the first, minus
// the second once. The product of four lanes of 16 bits and a constant of four lanes has in its top lane the sum
// of each lane times the opposite one; no lane overflows.
func (s adler) add(p []byte) adler {
	const (
		lanes  = 0x00ff00ff00ff00ff
		ones   = 0x0001000100010001
		halves = 0x0004000300020001 // half of how often the first byte of each pair of a word counts
		step   = 64
		turns  = 1 << 14 // after which b is still far below 2⁶⁴
	)
	for len(p) >= step {
		part := p[:min(len(p)/step, turns)*step]
		p = p[len(part):]
		for i := 0; i < len(part); i += step {
			var pairs, seconds, earlier uint64
			for k := i; k < i+step; k += 8 {
				v := binary.LittleEndian.Uint64(part[k : k+8 : k+8])
				second := v >> 8 & lanes
				earlier += pairs
				seconds += second
				pairs += v&lanes + second
			}
			s.b += step*s.a + 8*(earlier*ones>>48) + 2*(pairs*halves>>48) - (seconds*ones)>>48
			s.a += pairs * ones >> 48
		}
		s.a, s.b = s.a%adlerBase, s.b%adlerBase
	}
	for _, v := range p {
		s.a += uint64(v)
		s.b += s.a
	}
	return adler{s.a % adlerBase, s.b % adlerBase}
}
