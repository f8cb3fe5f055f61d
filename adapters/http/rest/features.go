package rest

import (
	"encoding/json"
	"io"
)

// GeoJSONType is the content type of GeoJSON (RFC 7946).
const GeoJSONType = "application/geo+json"

// Feature is a GeoJSON Feature whose properties are a record.
type Feature[R any] struct {
	Type       string     `json:"type"`
	ID         int64      `json:"id"`
	BBox       *[]float64 `json:"bbox,omitempty"`
	Geometry   RawObject  `json:"geometry"`
	Properties R          `json:"properties"`
}

// OneFeature answers with a Feature. Its ETag has the version of the record.
func OneFeature[R any](feature Feature[R]) (Raw, error) {
	feature.Type = "Feature"
	text, err := encode(feature)
	if err != nil {
		return Raw{}, err
	}
	return Raw{ContentType: GeoJSONType, ETag: Tag(feature.Properties, text), Write: func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}}, nil
}

// Features answers with a page of a list as a FeatureCollection, streamed; Link and
// X-Total-Count say where in the list it stands.
// Faults: NotFound for a page past the end.
func Features[R any](c *Call, page PageSpec, list Listing[Feature[R]]) (Raw, error) {
	if err := page.within(list.Count); err != nil {
		return Raw{}, err
	}
	c.linkHeader(page, list.Count)
	return Raw{ContentType: GeoJSONType, Write: func(w io.Writer) error {
		between := `{"type":"FeatureCollection","features":[`
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for feature, err := range list.Each {
			if err != nil {
				return err
			}
			if _, err := io.WriteString(w, between); err != nil {
				return err
			}
			feature.Type, between = "Feature", ","
			if err := enc.Encode(feature); err != nil {
				return err
			}
		}
		if between == "," {
			between = ""
		}
		_, err := io.WriteString(w, between+"]}")
		return err
	}}, nil
}
