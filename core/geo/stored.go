package geo

import (
	"encoding/json"
	"fmt"
	"math"

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
