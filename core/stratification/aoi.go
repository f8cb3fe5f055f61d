// Package stratification holds areas of interest and the orders for their layers. The steps of a
// stratification are the packages below: frame (the grid), layer (covariates on its cells),
// zoning (zones of like cells), plan (where to sample), sample (results and estimates) and carbon (their map).
package stratification

import (
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/record"
	"tilth/core/stratification/frame"
)

// The bounds of an area of interest.
const (
	MaxFields     = 500
	maxName       = 255  // characters
	maxDescribing = 4000 // characters
)

// AOI is an area of interest: fields of one company that are divided into zones together.
type AOI struct {
	record.Meta
	UUID        string
	Name        string
	Description string
	record.External
	// Fields covered, in the order given; of a stored record, only those that are not deleted.
	Fields []AOIField

	// Read-only figures.
	MapRequested bool  `audit:"-"` // an order exists, whatever its state
	SavedMaps    int64 `audit:"-"`
	SavedPlans   int64 `audit:"-"`
}

// AOIField is a field of an area of interest.
type AOIField struct {
	ID   int64
	UUID string
}

// AuditValue implements audit.Summary: it returns the UUID by which the interface names the field.
func (f AOIField) AuditValue() any { return f.UUID }

// FieldUUIDs returns the uuids of the fields, in their order.
func (a *AOI) FieldUUIDs() []string {
	return list.Map(a.Fields, func(f AOIField) string { return f.UUID })
}

// FieldIDs returns the ids of the fields, in their order.
func (a *AOI) FieldIDs() []int64 {
	return list.Map(a.Fields, func(f AOIField) int64 { return f.ID })
}

// Check returns what is wrong with the record itself, under the names of the interface.
func (a *AOI) Check() fault.Fields {
	f := fault.Fields{}
	f.Text("name", a.Name, maxName)
	f.Text("description", a.Description, maxDescribing)
	a.External.Check(f)
	if n := len(a.Fields); n < 1 || n > MaxFields {
		f.Addf("field_uuids", "An area of interest covers 1 to %d fields; these are %d.", MaxFields, n)
	}
	seen := map[string]bool{}
	for _, field := range a.Fields {
		f.AddIf(seen[field.UUID], "field_uuids", "The field %s is listed twice.", field.UUID)
		seen[field.UUID] = true
	}
	return f
}

// Land is a field as an area of interest covers it.
type Land struct {
	FieldID   int64            `json:"field_id"`
	FieldUUID string           `json:"field_uuid"`
	Geometry  geo.MultiPolygon `json:"geometry"` // WGS84, valid
}

// CheckReach refuses, by name, the fields whose centroid lies more than 100 km from the centroid of all of them.
func CheckReach(land []Land) fault.Fields {
	f := fault.Fields{}
	_, far := frame.Centroid(Geometries(land))
	for i, l := range land {
		f.AddIf(far[i] != "", "field_uuids", "The field %s %s", l.FieldUUID, far[i])
	}
	return f
}

// AreaM2 returns the area of the union of the fields on the ellipsoid in whole square metres
// (hectares to four decimals, the figure that is displayed and charged). Fault: Invalid; the
// budget's error when the budget ends.
func AreaM2(budget *effort.Budget, land []Land) (int64, error) {
	whole, err := geo.Union(budget, Geometries(land)...)
	if err := budget.Err(); err != nil {
		return 0, err
	}
	if err != nil {
		return 0, fault.New(fault.Invalid, "fields_overlay", "The fields' boundaries cannot be combined.").Because(err)
	}
	return int64(geo.AreaM2(whole) + 0.5), nil
}

// Geometries returns the outlines of land, in its order.
func Geometries(land []Land) []geo.MultiPolygon {
	return list.Map(land, func(l Land) geo.MultiPolygon { return l.Geometry })
}
