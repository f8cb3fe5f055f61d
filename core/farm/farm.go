package farm

import (
	"math"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
)

// UnitSystems are the unit systems in which a farm may show its figures.
var UnitSystems = []string{"metric", "imperial"}

// Farm is a holding that contains fields.
type Farm struct {
	record.Meta
	Name        string
	Description string
	Country     string // snake_case country key of the assessments
	Region      string
	City        string
	Address     string
	PostalCode  string
	Location    *geo.Position // longitude, latitude; nil where unknown
	Timezone    string        // IANA name
	UnitSystem  string
	OwnerName   string
	Phone       string
	Email       string
	BusinessID  string
	BaseYear    *BaseYear // nil: not stated
	record.External

	// Read-only figures over the farm's live fields.
	TotalAreaHa float64 `audit:"-"`
	FieldCount  int64   `audit:"-"`
}

// Check returns what is wrong with the record itself. The use case checks country key and time zone, whose lists it has.
func (r *Farm) Check() fault.Fields {
	f := fault.Fields{}
	f.RequiredText("name", r.Name, 255)
	f.Text("description", r.Description, 4000)
	f.Text("country", r.Country, 64)
	f.Text("region", r.Region, 255)
	f.Text("city", r.City, 255)
	f.Text("address", r.Address, 500)
	f.Text("postal_code", r.PostalCode, 32)
	f.Text("timezone", r.Timezone, 64)
	f.Text("owner_name", r.OwnerName, 255)
	f.Text("phone", r.Phone, 64)
	f.Text("email", r.Email, 254)
	f.Text("business_id", r.BusinessID, 64)
	choice(f, "unit_system", r.UnitSystem, UnitSystems)
	r.External.Check(f)
	if p := r.Location; p != nil && !(math.Abs(p.X) <= 180 && math.Abs(p.Y) <= 90) {
		f.Add("location", "The point must be [longitude, latitude] in degrees: longitude from -180 to 180, latitude from -90 to 90.")
	}
	if r.BaseYear != nil {
		f.Nest("base_year", r.BaseYear.check())
	}
	return f
}
