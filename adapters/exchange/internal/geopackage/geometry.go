package geopackage

import (
	"encoding/binary"
	"errors"
	"math"

	"tilth/core/geo"
)

// wgs84 is the EPSG code of longitude and latitude, in which all layers are.
const wgs84 = 4326

// The flags of a geometry's header (GeoPackage 1.3, clause 2.1.3).
const (
	littleEndian  = 1 << 0
	envelopeXY    = 1 << 1
	emptyGeometry = 1 << 4
	envelopeMask  = 7
)

// The types of geometries in well-known binary (OGC 06-103r4, clause 8.2.3).
const (
	wkbPoint        = 1
	wkbLine         = 2
	wkbPolygon      = 3
	wkbMultiPolygon = 6
	wkbDimensions   = 1000 // 1001 is a point with Z
)

// blob builds a geometry: its header, with the box it lies in unless it is a point, and well-known binary.
type blob []byte

func newBlob(box *geo.Box) blob {
	b := blob{'G', 'P', 0, littleEndian}
	if box != nil {
		b[3] |= envelopeXY
	}
	b = binary.LittleEndian.AppendUint32(b, wgs84)
	if box != nil {
		b = b.numbers(box.MinX, box.MaxX, box.MinY, box.MaxY)
	}
	return b
}

func (b blob) numbers(values ...float64) blob {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func (b blob) count(n int) blob { return binary.LittleEndian.AppendUint32(b, uint32(n)) }

func (b blob) kind(of uint32) blob { return binary.LittleEndian.AppendUint32(append(b, 1), of) }

func (b blob) positions(of []geo.Position) blob {
	b = b.count(len(of))
	for _, p := range of {
		b = b.numbers(p.X, p.Y)
	}
	return b
}

// Point returns the geometry of a point.
func Point(at geo.Position) []byte { return newBlob(nil).kind(wkbPoint).numbers(at.X, at.Y) }

// Line returns the geometry of a line.
func Line(of []geo.Position) []byte {
	box := geo.MultiPolygon{{of}}.Bounds()
	return newBlob(&box).kind(wkbLine).positions(of)
}

// Area returns the geometry of an area, which always has parts.
func Area(of geo.MultiPolygon) []byte {
	box := of.Bounds()
	b := newBlob(&box).kind(wkbMultiPolygon).count(len(of))
	for _, polygon := range of {
		b = b.kind(wkbPolygon).count(len(polygon))
		for _, ring := range polygon {
			b = b.positions(ring)
		}
	}
	return b
}

var errNoHeader = errors.New("its header is not that of a GeoPackage")

// header reads the header of a geometry: the number of its reference system, and the well-known binary after it, which is nil
// where the geometry is empty.
func header(b []byte) (system int32, rest []byte, err error) {
	if len(b) < 8 || b[0] != 'G' || b[1] != 'P' || b[2] != 0 {
		return 0, nil, errNoHeader
	}
	flags := b[3]
	envelopes := []int{0, 32, 48, 48, 64}
	kind := int(flags >> 1 & envelopeMask)
	if kind >= len(envelopes) || len(b) < 8+envelopes[kind] {
		return 0, nil, errNoHeader
	}
	system = int32(byteOrder(flags).Uint32(b[4:]))
	if flags&emptyGeometry != 0 {
		return system, nil, nil
	}
	return system, b[8+envelopes[kind]:], nil
}

var errNoPoint = errors.New("it is not a point in longitude and latitude (EPSG:4326)")

// ReadPoint returns the place of a point; nil where it is empty.
func ReadPoint(b []byte) (*geo.Position, error) {
	if len(b) == 0 {
		return nil, nil
	}
	system, b, err := header(b)
	if err != nil || system != wgs84 {
		return nil, errNoPoint
	}
	if b == nil {
		return nil, nil
	}
	if len(b) < 5+16 || b[0] > 1 {
		return nil, errNoPoint
	}
	order := byteOrder(b[0])
	if of := order.Uint32(b[1:]); of%wkbDimensions != wkbPoint || of > 3*wkbDimensions+wkbPoint {
		return nil, errNoPoint
	}
	at := geo.Position{X: math.Float64frombits(order.Uint64(b[5:])), Y: math.Float64frombits(order.Uint64(b[13:]))}
	switch {
	case math.IsNaN(at.X) && math.IsNaN(at.Y):
		return nil, nil // an empty point
	case !(math.Abs(at.X) <= 180 && math.Abs(at.Y) <= 90):
		return nil, errNoPoint
	}
	return &at, nil
}

func byteOrder(flags byte) binary.ByteOrder {
	if flags&littleEndian != 0 {
		return binary.LittleEndian
	}
	return binary.BigEndian
}
