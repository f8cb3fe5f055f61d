package geo

import (
	"encoding/json"

	"tilth/core/effort"
)

// ParseGeoJSON reads a field boundary: a GeoJSON Polygon, MultiPolygon, or a Feature of one (RFC
// 7946). Numbers of a position after longitude and latitude are dropped; unknown members are
// ignored. Every refusal is an Invalid fault of the field "boundary". Positions are counted while
// they are read, so that a hostile document costs one pass over its bytes.
func ParseGeoJSON(budget *effort.Budget, raw []byte, limits Limits) (Boundary, error) {
	typ, coordinates, err := geometryOf(raw)
	if err != nil {
		return Boundary{}, err
	}
	r := coordinateReader{raw: coordinates, maxPositions: limits.MaxVertices}
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
		return "", nil, refuse("The boundary is not a GeoJSON object: it has no type.")
	default:
		return "", nil, refuse("The type is %.40q; a boundary must be a Polygon, a MultiPolygon or a Feature of one.", o.Type)
	}
	if len(o.Coordinates) == 0 || string(o.Coordinates) == "null" {
		return "", nil, refuse("The %s has no coordinates.", o.Type)
	}
	return o.Type, o.Coordinates, nil
}

func decodeObject(raw []byte) (geoObject, error) {
	var o geoObject
	if err := json.Unmarshal(raw, &o); err != nil {
		return geoObject{}, refuse("The boundary is not a GeoJSON object: %v.", err)
	}
	return o, nil
}
