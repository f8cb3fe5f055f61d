package soil

import (
	"encoding/json"

	"tilth/adapters/http/rest"
)

// feature is one GeoJSON feature of a record's geometry.
type feature struct {
	Type       string         `json:"type"`
	Geometry   any            `json:"geometry"`
	Properties map[string]any `json:"properties"`
}

func newFeature(geometry any, properties map[string]any) feature {
	return feature{"Feature", geometry, properties}
}

// collection returns features as a GeoJSON FeatureCollection (RFC 7946).
func collection(features []feature) *rest.RawObject {
	raw, err := json.Marshal(struct {
		Type     string    `json:"type"`
		Features []feature `json:"features"`
	}{"FeatureCollection", append([]feature{}, features...)})
	if err != nil {
		return nil // finite coordinates always marshal
	}
	out := rest.RawObject(raw)
	return &out
}
