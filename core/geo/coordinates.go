package geo

import (
	"math"
	"strconv"
)

// coordinateReader reads nested arrays of coordinates. Boundaries are the larger part of what
// requests and lists of fields hold, and encoding/json takes twice as long for them.
type coordinateReader struct {
	raw          []byte // well-formed JSON
	at           int
	maxPositions int
	trusted      bool // from storage: only the nesting is checked
	positions    int  // read so far, without the closing position of each ring
}

func (r *coordinateReader) geometry(typ string) (MultiPolygon, error) {
	if typ == typePolygon {
		p, err := r.polygon()
		return MultiPolygon{p}, err
	}
	return array(r, "coordinates", r.polygon)
}

func (r *coordinateReader) polygon() (Polygon, error) {
	p, err := array(r, "a polygon", r.ring)
	if err == nil && len(p) == 0 && !r.trusted {
		err = refuse("A polygon has no rings.")
	}
	return p, err
}

func (r *coordinateReader) ring() (Ring, error) {
	r.positions--
	ring, err := array(r, "a ring", func() (Position, error) {
		if r.positions++; r.positions > r.maxPositions {
			return Position{}, tooManyVertices(r.maxPositions)
		}
		return r.position()
	})
	if err == nil && len(ring) < 3 && !r.trusted {
		err = refuse("A ring has %d positions; it needs at least 4, the last equal to the first.", len(ring))
	}
	return ring, err
}

// maxOrdinates of a position: longitude, latitude, height, and the measure that some tools add.
const maxOrdinates = 4

func (r *coordinateReader) position() (Position, error) {
	var numbers [maxOrdinates]float64
	have := 0
	if err := r.open("a position"); err != nil {
		return Position{}, err
	}
	for ; r.next() != ']'; have++ {
		if have == maxOrdinates {
			return Position{}, refuse("A position has more than %d numbers.", maxOrdinates)
		}
		var err error
		if numbers[have], err = r.number(); err != nil {
			return Position{}, err
		}
	}
	r.at++
	if have < 2 {
		return Position{}, refuse("A position needs longitude and latitude; it has %d numbers.", have)
	}
	return Position{X: numbers[0], Y: numbers[1]}, nil
}

func (r *coordinateReader) number() (float64, error) {
	if c := r.next(); c != '-' && (c < '0' || c > '9') {
		return 0, refuse("The coordinates hold %s where a number should be.", valueName(c))
	}
	begin := r.at
	for r.at < len(r.raw) && r.raw[r.at] > ' ' && r.raw[r.at] != ',' && r.raw[r.at] != ']' {
		r.at++
	}
	v, err := strconv.ParseFloat(string(r.raw[begin:r.at]), 64) // the compiler does not copy a string that does not escape
	if err != nil || math.IsInf(v, 0) {
		return 0, refuse("The coordinate %.30s is out of range.", r.raw[begin:r.at])
	}
	return v, nil
}

// array reads one array, each element by item. The result is never nil without an error.
func array[T any](r *coordinateReader, what string, item func() (T, error)) ([]T, error) {
	if err := r.open(what); err != nil {
		return nil, err
	}
	out := []T{}
	for r.next() != ']' {
		v, err := item()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	r.at++
	return out, nil
}

// open consumes the bracket that begins an array.
func (r *coordinateReader) open(what string) error {
	if c := r.next(); c != '[' {
		return refuse("The coordinates are nested wrongly: %s should be an array, not %s.", what, valueName(c))
	}
	r.at++
	return nil
}

// next returns the next byte that is neither white space nor a comma; 0 at the end.
func (r *coordinateReader) next() byte {
	for ; r.at < len(r.raw); r.at++ {
		if c := r.raw[r.at]; c > ' ' && c != ',' {
			return c
		}
	}
	return 0
}

// valueName names the kind of JSON value that begins with a byte.
func valueName(first byte) string {
	switch first {
	case '[':
		return "an array"
	case '{':
		return "an object"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	case 0:
		return "nothing"
	}
	return "a number"
}
