package geo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// ParseGeoJSON reads a field boundary: a GeoJSON Polygon, MultiPolygon, or a Feature of one (RFC
// 7946). Of a position, numbers after longitude and latitude are dropped; unknown members are
// ignored. Every refusal is an Invalid fault with one message for the field "boundary". Positions
// are counted while they are read, so that a hostile document costs one pass over its bytes.
func ParseGeoJSON(raw []byte, limits Limits) (Boundary, error) {
	typ, coordinates, err := geometryOf(raw)
	if err != nil {
		return Boundary{}, err
	}
	r := coordinateReader{dec: json.NewDecoder(bytes.NewReader(coordinates)), limits: limits}
	r.dec.UseNumber() // so that a number out of range is an error that names it, not a lost digit
	m, err := r.geometry(typ)
	if err != nil {
		return Boundary{}, err
	}
	return NewBoundary(m, limits)
}

type geoObject struct {
	Type        string          `json:"type"`
	Coordinates json.RawMessage `json:"coordinates"`
	Geometry    json.RawMessage `json:"geometry"`
}

const (
	typePolygon      = "Polygon"
	typeMultiPolygon = "MultiPolygon"
)

// geometryOf finds the type and the coordinates of the one geometry of a document.
func geometryOf(raw []byte) (typ string, coordinates json.RawMessage, err error) {
	o, err := decodeObject(raw)
	if err != nil {
		return "", nil, err
	}
	if o.Type == "Feature" {
		if len(o.Geometry) == 0 || string(o.Geometry) == "null" {
			return "", nil, refuse("The Feature has no geometry.")
		}
		if o, err = decodeObject(o.Geometry); err != nil {
			return "", nil, err
		}
	}
	switch o.Type {
	case typePolygon, typeMultiPolygon:
	case "FeatureCollection":
		return "", nil, refuse("A FeatureCollection is not a boundary; send one Polygon, MultiPolygon or Feature " +
			"(the import takes collections).")
	case "":
		return "", nil, refuse("The boundary is no GeoJSON object: it has no type.")
	default:
		return "", nil, refuse("The type is %.40q; a boundary is a Polygon, a MultiPolygon or a Feature of one.", o.Type)
	}
	if len(o.Coordinates) == 0 || string(o.Coordinates) == "null" {
		return "", nil, refuse("The %s has no coordinates.", o.Type)
	}
	return o.Type, o.Coordinates, nil
}

func decodeObject(raw []byte) (geoObject, error) {
	var o geoObject
	if err := json.Unmarshal(raw, &o); err != nil {
		return geoObject{}, refuse("The boundary is no GeoJSON object: %v.", err)
	}
	return o, nil
}

// coordinateReader reads nested coordinate arrays from the tokens of well-formed JSON.
type coordinateReader struct {
	dec       *json.Decoder
	limits    Limits
	positions int // read so far, without the closing position of each ring
	numbers   []float64
}

func (r *coordinateReader) geometry(typ string) (MultiPolygon, error) {
	var m MultiPolygon
	part := func() error {
		p, err := r.polygon()
		m = append(m, p)
		return err
	}
	if typ == typePolygon {
		err := part()
		return m, err
	}
	err := r.array("coordinates", part)
	return m, err
}

func (r *coordinateReader) polygon() (Polygon, error) {
	var p Polygon
	err := r.array("a polygon", func() error {
		ring, err := r.ring()
		p = append(p, ring)
		return err
	})
	if err == nil && len(p) == 0 {
		err = refuse("A polygon has no rings.")
	}
	return p, err
}

func (r *coordinateReader) ring() (Ring, error) {
	var ring Ring
	r.positions--
	err := r.array("a ring", func() error {
		if r.positions++; r.positions > r.limits.MaxVertices {
			return tooManyVertices(r.limits)
		}
		p, err := r.position()
		ring = append(ring, p)
		return err
	})
	if err == nil && len(ring) < 3 {
		err = refuse("A ring has %d positions; it needs at least 4, the last equal to the first.", len(ring))
	}
	return ring, err
}

// maxOrdinates bounds the numbers of a position: longitude, latitude, height, and the measure that
// some tools add.
const maxOrdinates = 4

func (r *coordinateReader) position() (Position, error) {
	r.numbers = r.numbers[:0]
	err := r.array("a position", func() error {
		v, err := r.number()
		if err == nil && len(r.numbers) == maxOrdinates {
			err = refuse("A position has more than %d numbers.", maxOrdinates)
		}
		r.numbers = append(r.numbers, v)
		return err
	})
	if err != nil {
		return Position{}, err
	}
	if len(r.numbers) < 2 {
		return Position{}, refuse("A position needs longitude and latitude; it has %d numbers.", len(r.numbers))
	}
	return Position{X: r.numbers[0], Y: r.numbers[1]}, nil
}

func (r *coordinateReader) number() (float64, error) {
	token, err := r.dec.Token()
	if err != nil {
		return 0, refuse("The coordinates cannot be read: %v.", err)
	}
	n, ok := token.(json.Number)
	if !ok {
		return 0, refuse("The coordinates hold %s where a number should be.", tokenName(token))
	}
	v, err := strconv.ParseFloat(string(n), 64)
	if err != nil {
		return 0, refuse("The coordinate %.30s is out of range.", string(n))
	}
	return v, nil
}

// array reads one JSON array and calls item at the start of each element.
func (r *coordinateReader) array(what string, item func() error) error {
	token, err := r.dec.Token()
	if err != nil {
		return refuse("The coordinates cannot be read: %v.", err)
	}
	if token != json.Delim('[') {
		return refuse("The coordinates are nested wrongly: %s should be an array, not %s.", what, tokenName(token))
	}
	for r.dec.More() {
		if err := item(); err != nil {
			return err
		}
	}
	if _, err := r.dec.Token(); err != nil {
		return refuse("The coordinates cannot be read: %v.", err)
	}
	return nil
}

func tokenName(token json.Token) string {
	switch t := token.(type) {
	case json.Delim:
		if t == '[' {
			return "an array"
		}
		return "an object"
	case json.Number:
		return "a number"
	case string:
		return "a string"
	case bool:
		return "true or false"
	default:
		return "null"
	}
}

// MarshalJSON writes the geometry as GeoJSON: a Polygon where it has one part, else a MultiPolygon,
// every coordinate in the shortest form that reads back the same.
func (m MultiPolygon) MarshalJSON() ([]byte, error) {
	parts := make([][][][2]float64, len(m))
	for i, polygon := range m {
		parts[i] = make([][][2]float64, len(polygon))
		for j, ring := range polygon {
			parts[i][j] = make([][2]float64, len(ring))
			for k, p := range ring {
				parts[i][j][k] = [2]float64{p.X, p.Y}
			}
		}
	}
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
	var parts [][][][]float64
	switch head.Type {
	case typePolygon:
		parts = make([][][][]float64, 1)
		if err := json.Unmarshal(head.Coordinates, &parts[0]); err != nil {
			return fmt.Errorf("stored polygon: %w", err)
		}
	case typeMultiPolygon:
		if err := json.Unmarshal(head.Coordinates, &parts); err != nil {
			return fmt.Errorf("stored multipolygon: %w", err)
		}
	default:
		return fmt.Errorf("stored geometry: type %q is neither Polygon nor MultiPolygon", head.Type)
	}
	out := make(MultiPolygon, len(parts))
	for i, rings := range parts {
		out[i] = make(Polygon, len(rings))
		for j, positions := range rings {
			out[i][j] = make(Ring, len(positions))
			for k, p := range positions {
				if len(p) < 2 {
					return fmt.Errorf("stored geometry: a position has %d numbers", len(p))
				}
				out[i][j][k] = Position{X: p[0], Y: p[1]}
			}
		}
	}
	*m = out
	return nil
}
