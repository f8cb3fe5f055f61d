// Package pcg is the random number generator of zones and plans: the same seed yields the same
// numbers on every machine and with every version of Go.
package pcg

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

// Stream is a generator of random numbers: PCG XSH RR 64/32 of O'Neill, "PCG: A Family of Simple
// Fast Space-Efficient Statistically Good Algorithms for Random Number Generation", Harvey Mudd
// College HMC-CS-2014-0905 (2014), section 6.3. The standard library's generator may change.
type Stream struct{ state, increment uint64 }

// The multiplier of the 64 bit generator (O'Neill, section 6.3).
const pcgMultiplier = 6364136223846793005

// New returns the stream of a named stage, so that the draws of one stage do not affect another.
func New(seed uint64, stage string) *Stream {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], seed)
	sum := sha256.Sum256(append(raw[:], stage...))
	return seeded(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))
}

// seeded starts a generator at a state on one of 2^63 sequences.
func seeded(state, sequence uint64) *Stream {
	s := &Stream{increment: sequence<<1 | 1}
	s.next()
	s.state += state
	s.next()
	return s
}

func (s *Stream) next() uint32 {
	old := s.state
	s.state = old*pcgMultiplier + s.increment
	return bits.RotateLeft32(uint32((old>>18^old)>>27), -int(old>>59))
}

// Below returns a uniform whole number from 0 to n-1; n is 1 to 2^32-1. Lemire, "Fast Random
// Integer Generation in an Interval", ACM TOMACS 29 (2019), algorithm 5.
func (s *Stream) Below(n int) int {
	m := uint64(s.next()) * uint64(n)
	if uint32(m) < uint32(n) {
		for lower := -uint32(n) % uint32(n); uint32(m) < lower; {
			m = uint64(s.next()) * uint64(n)
		}
	}
	return int(m >> 32)
}

// Unit returns a number in [0, 1) with 53 random bits.
func (s *Stream) Unit() float64 {
	high := uint64(s.next())
	return float64((high<<32|uint64(s.next()))>>11) / (1 << 53)
}

// Shuffle permutes n things at random by Fisher and Yates.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.Below(i+1))
	}
}
