package flatgeobuf

import (
	"encoding/binary"
	"errors"
	"math"
)

var errBroken = errors.New("its offsets lead out of it")

// buffer is a FlatBuffer that a stranger sends. The library reads buffers without bounds checks, so they are read here: what
// lies outside reads as zero, and sets broken.
type buffer struct {
	bytes  []byte
	broken bool
}

func (b *buffer) at(place, size int) []byte {
	if place < 0 || size < 0 || place > len(b.bytes)-size {
		b.broken = true
		return make([]byte, max(0, min(size, 8)))
	}
	return b.bytes[place : place+size]
}

func (b *buffer) u16(place int) int { return int(binary.LittleEndian.Uint16(b.at(place, 2))) }
func (b *buffer) u32(place int) int { return int(binary.LittleEndian.Uint32(b.at(place, 4))) }

func (b *buffer) root() table { return table{b, b.u32(0)} }

// table is a table of a buffer, at a place.
type table struct {
	*buffer
	place int
}

// member returns the place of a member; 0: it is missing.
func (t table) member(number int) int {
	names := t.place - int(int32(t.u32(t.place)))
	if 4+2*number+2 > t.u16(names) {
		return 0
	}
	if offset := t.u16(names + 4 + 2*number); offset != 0 && !t.broken {
		return t.place + offset
	}
	return 0
}

func (t table) byte(number int) byte {
	if place := t.member(number); place != 0 {
		return t.at(place, 1)[0]
	}
	return 0
}

// follow returns where the offset at a place leads.
func (b *buffer) follow(place int) int { return place + b.u32(place) }

// vector returns where the items of a vector begin, and how many there are.
func (t table) vector(number, size int) (place, n int) {
	place = t.member(number)
	if place == 0 {
		return 0, 0
	}
	place = t.follow(place)
	if n = t.u32(place); n > (len(t.bytes)-place-4)/size {
		t.broken = true
		return 0, 0
	}
	return place + 4, n
}

func (t table) text(number int) string {
	place, n := t.vector(number, 1)
	return string(t.at(place, n))
}

func (b *buffer) float(place int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(b.at(place, 8)))
}
