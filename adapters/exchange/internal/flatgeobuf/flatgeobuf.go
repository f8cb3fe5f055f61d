// Package flatgeobuf reads and writes FlatGeobuf (version 3): a header and features one after another, each a FlatBuffer.
package flatgeobuf

// Magic is how a file begins: what follows is the number of a patch.
const Magic = "fgb\x03fgb"

// Type is the type of a column.
type Type byte

// The types of columns (header.fbs).
const (
	Byte Type = iota
	UByte
	Bool
	Short
	UShort
	Int
	UInt
	Long
	ULong
	Float
	Double
	String
	JSON
	DateTime
	Binary
)

// Column is an attribute of the features of a file.
type Column struct {
	Name string
	Type Type
}

// The types of geometries (header.fbs).
const (
	unknown      = 0
	point        = 1
	polygon      = 3
	multiPolygon = 6
)

// words are the types of geometries by their numbers.
var words = []string{
	"", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection", "CircularString", "CompoundCurve",
	"CurvePolygon", "MultiCurve", "MultiSurface", "Curve", "Surface", "PolyhedralSurface", "TIN", "Triangle",
}

// The places of members in their tables.
const (
	headerEnvelope = 1
	headerType     = 2
	headerColumns  = 7
	headerCount    = 8
	headerNodeSize = 9
	headerCRS      = 10

	crsOrg  = 0
	crsCode = 1
	crsWKT  = 4

	columnName = 0
	columnType = 1

	featureGeometry   = 0
	featureProperties = 1
	featureColumns    = 2

	geometryEnds  = 0
	geometryXY    = 1
	geometryType  = 6
	geometryParts = 7
)
