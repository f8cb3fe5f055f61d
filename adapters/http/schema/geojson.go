package schema

import "github.com/danielgtaylor/huma/v2"

// GeoJSONMedia is the content type of GeoJSON (RFC 7946).
const GeoJSONMedia = "application/geo+json"

// Names of the schemas of GeoJSON (RFC 7946), which [DefineGeoJSON] adds.
const (
	Outline           = "GeoJSONOutline"           // a Polygon or MultiPolygon, or a Feature of one
	FeatureCollection = "GeoJSONFeatureCollection" // of any features
	Geometry          = "GeoJSONGeometry"          // a Point, MultiLineString, Polygon or MultiPolygon
	Feature           = "GeoJSONFeature"
	Line              = "GeoJSONLineString"
)

// DefineGeoJSON adds the schemas of GeoJSON.
func (s *Set) DefineGeoJSON() {
	position := s.Named("GeoJSONPosition", &huma.Schema{
		Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeNumber, Format: "double"}, MinItems: new(2), MaxItems: new(3),
		Description: "Longitude and latitude in degrees (WGS 84), and a height that is ignored.",
	})
	ring := List(position)
	ring.MinItems, ring.Description = new(4), "A ring: its last position is its first."
	line := List(position)
	line.MinItems = new(2)
	s.shape("LineString", line, "The positions of the line, in order.")
	polygon := s.shape("Polygon", List(ring), "The first ring is the outline, the others are holes.")
	many := s.shape("MultiPolygon", List(List(ring)), "Polygons that do not overlap.")
	outline := []*huma.Schema{polygon, many, s.feature("GeoJSONOutlineFeature", &huma.Schema{OneOf: []*huma.Schema{polygon, many}}, "A Feature of one outline.")}
	s.Named(Outline, &huma.Schema{OneOf: outline, Description: "A Polygon, a MultiPolygon, or a Feature of one (RFC 7946)."})

	lines := s.shape("MultiLineString", List(line), "Lines, such as the pieces of a contour.")
	geometry := []*huma.Schema{polygon, many, s.shape("Point", position, "A position."), lines}
	s.Named(Geometry, &huma.Schema{OneOf: geometry, Description: "A Point, a MultiLineString, a Polygon or a MultiPolygon (RFC 7946)."})
	feature := s.feature(Feature, &huma.Schema{OneOf: append(geometry, &huma.Schema{Type: "null"})}, "A geometry and the properties of its record.")
	s.Named(FeatureCollection, Described(Object(map[string]*huma.Schema{
		"type": Described(Word("FeatureCollection"), "The type of the object."), "features": Described(List(feature), "In the order of the list."),
	}, "type", "features"), "Features (RFC 7946)."))
}

func (s *Set) shape(kind string, coordinates *huma.Schema, description string) *huma.Schema {
	return s.Named("GeoJSON"+kind, Object(map[string]*huma.Schema{
		"type": Described(Word(kind), "The type of the object."), "coordinates": Described(coordinates, description),
	}, "type", "coordinates"))
}

func (s *Set) feature(name string, geometry *huma.Schema, description string) *huma.Schema {
	return s.Named(name, Described(Object(map[string]*huma.Schema{
		"type": Described(Word("Feature"), "The type of the object."), "geometry": Described(geometry, "The geometry."),
		"id":         {OneOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeNumber}}, Description: "Id of the record."},
		"properties": {Type: huma.TypeObject, AdditionalProperties: true, Nullable: true, Description: "Members of the record by name."},
	}, "type", "geometry", "properties"), description))
}

// Box is the corners of a box: four numbers, or six with heights.
func Box() *huma.Schema {
	s := List(&huma.Schema{Type: huma.TypeNumber, Format: "double"})
	s.OneOf = []*huma.Schema{{MinItems: new(4), MaxItems: new(4)}, {MinItems: new(6), MaxItems: new(6)}}
	return s
}
