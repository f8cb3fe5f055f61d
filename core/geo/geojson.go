package geo

import (
	"bytes"
	"encoding/json"
	"strconv"

	"tilth/core/effort"
)

// ParseGeoJSON reads a field boundary: a GeoJSON Polygon, MultiPolygon, or a Feature of one (RFC
// 7946). Of a position, numbers after longitude and latitude are dropped; unknown members are
// ignored. Every refusal is an Invalid fault of the field "boundary". Positions are counted while
// they are read, so that a hostile document costs one pass over its bytes.
func ParseGeoJSON(budget *effort.Budget, raw []byte, limits Limits) (Boundary, error) {
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
	return NewBoundary(budget, m, limits)
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
	if err == nil && len(p) == 0 {
		err = refuse("A polygon has no rings.")
	}
	return p, err
}

func (r *coordinateReader) ring() (Ring, error) {
	r.positions--
	ring, err := array(r, "a ring", func() (Position, error) {
		if r.positions++; r.positions > r.limits.MaxVertices {
			return Position{}, tooManyVertices(r.limits)
		}
		return r.position()
	})
	if err == nil && len(ring) < 3 {
		err = refuse("A ring has %d positions; it needs at least 4, the last equal to the first.", len(ring))
	}
	return ring, err
}

// maxOrdinates of a position: longitude, latitude, height, and the measure that some tools add.
const maxOrdinates = 4

func (r *coordinateReader) position() (Position, error) {
	have := 0
	numbers, err := array(r, "a position", func() (float64, error) {
		v, err := r.number()
		if have++; err == nil && have > maxOrdinates {
			err = refuse("A position has more than %d numbers.", maxOrdinates)
		}
		return v, err
	})
	if err != nil {
		return Position{}, err
	}
	if have < 2 {
		return Position{}, refuse("A position needs longitude and latitude; it has %d numbers.", have)
	}
	return Position{X: numbers[0], Y: numbers[1]}, nil
}

func (r *coordinateReader) number() (float64, error) {
	token, err := r.token()
	if err != nil {
		return 0, err
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

// array reads one JSON array, each element by item.
func array[T any](r *coordinateReader, what string, item func() (T, error)) (out []T, err error) {
	token, err := r.token()
	if err != nil {
		return nil, err
	}
	if token != json.Delim('[') {
		return nil, refuse("The coordinates are nested wrongly: %s should be an array, not %s.", what, tokenName(token))
	}
	for r.dec.More() {
		v, err := item()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	_, err = r.token()
	return out, err
}

func (r *coordinateReader) token() (json.Token, error) {
	token, err := r.dec.Token()
	if err != nil {
		return nil, refuse("The coordinates cannot be read: %v.", err)
	}
	return token, nil
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
