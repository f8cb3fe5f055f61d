package farm

import (
	"reflect"
	"time"

	"tilth/core/geo"
	"tilth/core/record"
)

// BoundaryVersion is a boundary that a field has, or has had.
type BoundaryVersion struct {
	ID        int64
	FieldID   int64
	Boundary  geo.MultiPolygon
	AreaM2    int64
	ValidFrom time.Time
	ValidTo   *time.Time  // nil: it is in force
	ChangedBy *record.Ref // nil where that user is gone
}

// Weight returns the approximate number of bytes that a boundary takes.
func (v *BoundaryVersion) Weight() (bytes int) {
	for _, ring := range v.Boundary.Rings() {
		bytes += positionBytes * len(ring)
	}
	return bytes
}

// SameBoundary reports whether two fields have the same boundary, to the last digit.
func (r *Field) SameBoundary(o *Field) bool {
	if r.Boundary == nil || o.Boundary == nil {
		return r.Boundary == o.Boundary
	}
	return reflect.DeepEqual(r.Boundary.Geometry(), o.Boundary.Geometry())
}

// KnownAreaHa returns the area of the boundary, or else the declared one; nil where neither is known.
func (r *Field) KnownAreaHa() *float64 {
	if r.Boundary == nil {
		return r.DeclaredAreaHa
	}
	area := r.Boundary.AreaHa()
	return &area
}
