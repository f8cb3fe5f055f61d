package geo

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"tilth/core/list"
)

// MarshalJSON writes the geometry as GeoJSON: a Polygon where it has one part, else a MultiPolygon,
// every coordinate in the shortest form that reads back the same.
func (m MultiPolygon) MarshalJSON() ([]byte, error) {
	parts := list.Map(m, func(polygon Polygon) [][][2]float64 {
		return list.Map(polygon, func(ring Ring) [][2]float64 {
			return list.Map(ring, func(p Position) [2]float64 { return [2]float64{p.X, p.Y} })
		})
	})
	document := struct {
		Type        string `json:"type"`
		Coordinates any    `json:"coordinates"`
	}{typeMultiPolygon, parts}
	if len(m) == 1 {
		document.Type, document.Coordinates = typePolygon, parts[0]
	}
	return json.Marshal(document)
}

// UnmarshalJSON reads a GeoJSON Polygon or MultiPolygon from trusted storage: it checks the shape
// of the document, not the geometry. ParseGeoJSON is for input.
func (m *MultiPolygon) UnmarshalJSON(raw []byte) error {
	var head geoObject
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("stored geometry: %w", err)
	}
	coordinates := storedReader{raw: head.Coordinates}
	out, err := coordinates.geometry(head.Type)
	if err != nil {
		return fmt.Errorf("stored geometry: %w", err)
	}
	*m = out
	return nil
}

// storedReader reads nested arrays of numbers. Boundaries are most of what lists of fields
// read, and encoding/json takes five times as long for them.
type storedReader struct {
	raw []byte // well-formed JSON
	at  int
}

func (r *storedReader) geometry(typ string) (MultiPolygon, error) {
	switch typ {
	case typePolygon:
		p, err := r.polygon()
		return MultiPolygon{p}, err
	case typeMultiPolygon:
		return storedArray(r, r.polygon)
	}
	return nil, fmt.Errorf("type %q is neither Polygon nor MultiPolygon", typ)
}

func (r *storedReader) polygon() (Polygon, error) { return storedArray(r, r.ring) }
func (r *storedReader) ring() (Ring, error)       { return storedArray(r, r.position) }

func (r *storedReader) position() (out Position, err error) {
	have := 0
	_, err = storedArray(r, func() (none struct{}, err error) {
		v, err := r.number()
		switch have {
		case 0:
			out.X = v
		case 1:
			out.Y = v
		}
		have++
		return none, err
	})
	if err == nil && have < 2 {
		err = fmt.Errorf("a position has %d numbers", have)
	}
	return out, err
}

func (r *storedReader) number() (float64, error) {
	begin := r.at
	for r.at < len(r.raw) && r.raw[r.at] != ',' && r.raw[r.at] != ']' && r.raw[r.at] > ' ' {
		r.at++
	}
	return strconv.ParseFloat(string(r.raw[begin:r.at]), 64)
}

// next returns the next byte that is neither white space nor a comma; 0 at the end.
func (r *storedReader) next() byte {
	for ; r.at < len(r.raw); r.at++ {
		if c := r.raw[r.at]; c > ' ' && c != ',' {
			return c
		}
	}
	return 0
}

// storedArray reads one array, each element by item. It is never nil without an error.
func storedArray[T any](r *storedReader, item func() (T, error)) ([]T, error) {
	if r.next() != '[' {
		return nil, errors.New("the coordinates are nested wrongly")
	}
	out := []T{}
	for r.at++; r.next() != ']'; {
		v, err := item()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	r.at++
	return out, nil
}
