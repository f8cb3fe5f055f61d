package farm

import (
	"math"
	"time"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
)

// BoundaryCategories and BoundaryMethods use the terms of ISO 11783 field data.
var (
	BoundaryCategories = []string{"conceptual", "operational", "economic", "administrative", "other"}
	BoundaryMethods    = []string{"manual", "surveyed", "driven", "auto_operation", "auto_imagery", "unknown"}
)

// Field is a piece of land of a farm. Without a boundary it can be farmed and assessed, but not observed by satellite.
type Field struct {
	record.Meta
	UUID               string
	Name               string
	Farm               record.Ref
	Boundary           *geo.Boundary // nil: no boundary
	DeclaredAreaHa     *float64
	BoundaryCategory   string
	BoundaryMethod     string
	BoundaryObservedOn *time.Time // civil date
	SoilType           string
	Irrigated          *bool
	Tenure             string
	ActiveFrom         *time.Time // civil date
	ActiveTo           *time.Time // civil date
	Notes              string
	record.External

	// Lineage belongs to the record and is stored apart from it; Reshaped reports whether there is any.
	Lineage  Lineage
	Reshaped bool `audit:"-"`
	// Overlaps is a warning in the answer, kept apart from the record.
	Overlaps Overlaps `audit:"-"`
	// Astray is a doubt about where the field lies, also a part of the answer only; nil where there is none.
	Astray *Astray `audit:"-"`
}

// Home is a farm as a field of it shows it.
type Home struct{ Name, Company string }

// Weight returns the approximate number of bytes that a field takes, for callers that hold many.
func (r *Field) Weight() int {
	if r.Boundary == nil {
		return 0
	}
	return positionBytes * r.Boundary.Vertices()
}

// positionBytes is the approximate size of a vertex in bytes, in memory and as text.
const positionBytes = 64

// Check returns what is wrong with the record itself; the boundary is valid by construction.
func (r *Field) Check() fault.Fields {
	f := fault.Fields{}
	f.RequiredText("name", r.Name, 255)
	if r.Farm.ID <= 0 {
		f.Add("farm_id", "This field is required.")
	}
	above0(f, "declared_area_ha", r.DeclaredAreaHa, 100_000, "An area in hectares, above 0 and at most 100000.")
	choice(f, "boundary_category", r.BoundaryCategory, BoundaryCategories)
	choice(f, "boundary_method", r.BoundaryMethod, BoundaryMethods)
	f.Text("soil_type", r.SoilType, 255)
	f.Text("tenure", r.Tenure, 64)
	f.Text("notes", r.Notes, 4000)
	if r.ActiveFrom != nil && r.ActiveTo != nil && r.ActiveTo.Before(*r.ActiveFrom) {
		f.Add("active_to", "active_to must not be before active_from.")
	}
	r.External.Check(f)
	return f
}

// AreaM2 returns the area of the boundary in whole square metres (hectares to four decimals, the
// figure that is displayed and charged); 0 without a boundary.
func (r *Field) AreaM2() int64 {
	if r.Boundary == nil {
		return 0
	}
	return int64(math.Round(r.Boundary.AreaHa() * 10_000))
}
