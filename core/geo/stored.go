package geo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// MarshalJSON writes the geometry as GeoJSON: a Polygon where it has one part, else a MultiPolygon,
// every coordinate in the shortest form that reads back the same.
func (m MultiPolygon) MarshalJSON() ([]byte, error) { return m.CompactJSON() }

// CompactJSON returns the same as json.Marshal, without the second pass that json.Marshal makes over what MarshalJSON wrote.
func (m MultiPolygon) CompactJSON() ([]byte, error) {
	out := make([]byte, 0, 64+40*m.positions())
	if len(m) == 1 {
		out = append(out, `{"type":"`+typePolygon+`","coordinates":`...)
		out, err := appendPolygon(out, m[0])
		return append(out, '}'), err
	}
	return m.appendMulti(out)
}

// MultiJSON returns the geometry as a GeoJSON MultiPolygon even where it has one part, for readers that want one type.
func (m MultiPolygon) MultiJSON() ([]byte, error) {
	return m.appendMulti(make([]byte, 0, 64+40*m.positions()))
}

func (m MultiPolygon) appendMulti(out []byte) ([]byte, error) {
	out = append(out, `{"type":"`+typeMultiPolygon+`","coordinates":`...)
	out, err := appendArray(out, m, appendPolygon)
	return append(out, '}'), err
}

func (m MultiPolygon) positions() (n int) {
	for _, ring := range m.Rings() {
		n += len(ring)
	}
	return n
}

func appendPolygon(out []byte, p Polygon) ([]byte, error) { return appendArray(out, p, appendRing) }

func appendRing(out []byte, r Ring) ([]byte, error) { return appendArray(out, r, appendPosition) }

func appendPosition(out []byte, p Position) ([]byte, error) {
	out, err := appendNumber(append(out, '['), p.X)
	if err != nil {
		return out, err
	}
	out, err = appendNumber(append(out, ','), p.Y)
	return append(out, ']'), err
}

func appendArray[S ~[]T, T any](out []byte, items S, item func([]byte, T) ([]byte, error)) (_ []byte, err error) {
	out = append(out, '[')
	for i, one := range items {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = item(out, one); err != nil {
			return out, err
		}
	}
	return append(out, ']'), nil
}

// appendNumber writes a number as encoding/json does, which uses an exponent only for large and small numbers.
func appendNumber(out []byte, v float64) ([]byte, error) {
	switch size := math.Abs(v); {
	case math.IsInf(v, 0) || math.IsNaN(v):
		return out, fmt.Errorf("geometry: the coordinate %v is not a JSON number", v)
	case size != 0 && (size < 1e-6 || size >= 1e21):
		text, err := json.Marshal(v)
		return append(out, text...), err
	}
	return strconv.AppendFloat(out, v, 'f', -1, 64), nil
}

// UnmarshalJSON reads a GeoJSON Polygon or MultiPolygon from trusted storage: it checks the shape
// of the document, not the geometry. ParseGeoJSON is for input.
func (m *MultiPolygon) UnmarshalJSON(raw []byte) error {
	if m.readCompact(raw) {
		return nil
	}
	var head geoObject
	if err := json.Unmarshal(raw, &head); err != nil {
		return fmt.Errorf("stored geometry: %w", err)
	}
	if head.Type != typePolygon && head.Type != typeMultiPolygon {
		return fmt.Errorf("stored geometry: type %q is neither Polygon nor MultiPolygon", head.Type)
	}
	r := coordinateReader{raw: head.Coordinates, maxPositions: math.MaxInt, trusted: true}
	out, err := r.geometry(head.Type)
	if err != nil {
		return fmt.Errorf("stored geometry: %w", err)
	}
	*m = out
	return nil
}

// readCompact reads what [MultiPolygon.CompactJSON] wrote, in one pass, and reports whether raw has that form.
func (m *MultiPolygon) readCompact(raw []byte) bool {
	for _, typ := range []string{typePolygon, typeMultiPolygon} {
		coordinates, found := bytes.CutPrefix(raw, []byte(`{"type":"`+typ+`","coordinates":`))
		if !found {
			continue
		}
		r := coordinateReader{raw: coordinates, maxPositions: math.MaxInt, trusted: true}
		out, err := r.geometry(typ)
		if err != nil || string(r.raw[r.at:]) != "}" {
			return false
		}
		*m = out
		return true
	}
	return false
}
