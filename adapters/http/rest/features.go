package rest

import (
	"io"

	"tilth/adapters/http/etag"
	"tilth/adapters/http/member"
	"tilth/adapters/http/schema"
	"tilth/adapters/http/transfer"
)

// GeoJSONType is the content type of GeoJSON (RFC 7946).
const GeoJSONType = schema.GeoJSONMedia

// Feature is a GeoJSON Feature whose properties are a record.
type Feature[R any] struct {
	Type       string           `json:"type"`
	ID         int64            `json:"id"`
	BBox       *[]float64       `json:"bbox,omitempty"`
	Geometry   member.RawObject `json:"geometry"`
	Properties R                `json:"properties"`
}

// OneFeature answers with a Feature. Its ETag has the version of the record.
func OneFeature[R any](feature Feature[R]) (Raw, error) {
	feature.Type = "Feature"
	text, err := encode(feature)
	return Raw{ContentType: GeoJSONType, ETag: etag.Of(feature.Properties, text), Write: transfer.Text(text)}, err
}

// Features answers with a page of a list as a FeatureCollection, streamed; Link and
// X-Total-Count say where in the list it stands.
// Faults: NotFound for a page past the end.
func Features[R any](c *Call, page PageSpec, list Listing[Feature[R]]) (Raw, error) {
	if err := page.Within(list.Count); err != nil {
		return Raw{}, err
	}
	c.linkHeader(page, list.Count, list.Next)
	typed := Map(list, func(f Feature[R]) Feature[R] { f.Type = "Feature"; return f })
	return Raw{ContentType: GeoJSONType, Write: func(w io.Writer) error {
		return writeRecords(w, `{"type":"FeatureCollection","features":[`, "]}", typed)
	}}, nil
}
