package farm

import (
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
)

// Point is a GeoJSON Point: longitude, latitude.
type Point struct {
	Type        string    `json:"type" enum:"Point" doc:"The type of GeoJSON."`
	Coordinates []float64 `json:"coordinates" minItems:"2" maxItems:"3" doc:"Longitude, latitude; a height is dropped."`
	_           struct{}  `additionalProperties:"true"` // as RFC 7946, section 6.1, allows
}

func pointOf(p geo.Position) Point { return Point{Type: "Point", Coordinates: []float64{p.X, p.Y}} }

func (p Point) position() geo.Position { return geo.Position{X: p.Coordinates[0], Y: p.Coordinates[1]} }

// BaseYear is the year with which later inventories of a farm are compared, and the rule for recalculating it.
type BaseYear struct {
	Year         int     `json:"year" minimum:"1980" maximum:"2100" doc:"The year whose inventory is the base."`
	ThresholdPct float64 `json:"threshold_pct" minimum:"0.1" maximum:"100" doc:"The change in the base year's emissions, in per cent, from which they are recalculated."`
	Policy       string  `json:"policy" required:"false" maxLength:"4000" doc:"The rule in the company's words."`
}

func baseYearOf(b farm.BaseYear) BaseYear { return BaseYear{b.Year, b.ThresholdPct, b.Policy} }

func (b BaseYear) record() farm.BaseYear {
	return farm.BaseYear{Year: b.Year, ThresholdPct: b.ThresholdPct, Policy: b.Policy}
}

// FarmWrite is the writable form of a farm.
type FarmWrite struct {
	form.OfCompany
	Name        string    `json:"name" minLength:"1" maxLength:"255" doc:"Name of the farm; several may have the same."`
	Description string    `json:"description" required:"false" maxLength:"4000" doc:"What is worth knowing about the farm, for people; no rule reads it."`
	Country     *string   `json:"country" required:"false" maxLength:"64" doc:"Country key in snake_case, as spain or united_states."`
	Region      string    `json:"region" required:"false" maxLength:"255" doc:"State, province or district."`
	City        string    `json:"city" required:"false" maxLength:"255" doc:"City or village of the address."`
	Address     string    `json:"address" required:"false" maxLength:"500" doc:"Street and number."`
	PostalCode  string    `json:"postal_code" required:"false" maxLength:"32" doc:"Postal code, in the country's own form."`
	Location    *Point    `json:"location" required:"false" doc:"Where the farm is, for example its yard; there is a warning about outlines far from it. null: not known."`
	Timezone    *string   `json:"timezone" required:"false" maxLength:"64" doc:"IANA name, as Europe/Madrid."`
	UnitSystem  *string   `json:"unit_system" required:"false" enum:"metric,imperial" doc:"Units in which the farm wants figures shown; all figures of this interface keep theirs. null: not stated."`
	OwnerName   string    `json:"owner_name" required:"false" maxLength:"255" doc:"Who owns or runs the farm."`
	Phone       string    `json:"phone" required:"false" maxLength:"64" doc:"Phone number, as it was entered."`
	Email       string    `json:"email" required:"false" maxLength:"254" doc:"E-mail address, as it was entered; nothing is sent to it."`
	BusinessID  string    `json:"business_id" required:"false" maxLength:"64" doc:"Number of the business in an official register."`
	BaseYear    *BaseYear `json:"base_year" required:"false" doc:"What later inventories are compared with; null where none is stated."`
	form.External
}

// Farm is a farm in answers.
type Farm struct {
	form.Meta
	FarmWrite
	TotalAreaHa float64 `json:"total_area_ha" doc:"Area of the live fields, hectares."`
	FieldCount  int64   `json:"field_count" doc:"Live fields."`
}

func registerFarms(a *rest.API, records *farmapp.Records[farm.Farm]) {
	write := func(r farm.Farm) FarmWrite {
		return FarmWrite{
			OfCompany: form.CompanyOf(r.Meta), Name: r.Name, Description: r.Description, Country: form.OrNull(r.Country),
			Region: r.Region, City: r.City, Address: r.Address, PostalCode: r.PostalCode, Location: form.Pointed(r.Location, pointOf),
			Timezone: form.OrNull(r.Timezone), UnitSystem: form.OrNull(r.UnitSystem), OwnerName: r.OwnerName, Phone: r.Phone,
			Email: r.Email, BusinessID: r.BusinessID, BaseYear: form.Pointed(r.BaseYear, baseYearOf), External: form.ExternalOf(r.External),
		}
	}
	registerRecords(a, records, rest.Resource[FarmWrite, Farm]{
		Plural: "farms", Shareable: true,
		Description: "A farm is a holding that contains fields.",
		Filters:     form.WithExternalID(form.ListParams("A part of the name, whatever its case.", "name")),
	}, form.Mapping[farm.Farm, FarmWrite, Farm]{
		Apply: func(_ *effort.Budget, b FarmWrite, r *farm.Farm) fault.Fields {
			b.Apply(&r.Meta)
			r.Name, r.Description, r.Country, r.Region, r.City = b.Name, b.Description, form.OrZero(b.Country), b.Region, b.City
			r.Address, r.PostalCode, r.Location = b.Address, b.PostalCode, form.Pointed(b.Location, Point.position)
			r.Timezone, r.UnitSystem, r.OwnerName = form.OrZero(b.Timezone), form.OrZero(b.UnitSystem), b.OwnerName
			r.Phone, r.Email, r.BusinessID, r.External = b.Phone, b.Email, b.BusinessID, b.External.Record()
			r.BaseYear = form.Pointed(b.BaseYear, BaseYear.record)
			return nil
		},
		Write: write,
		Show: func(r farm.Farm) Farm {
			return Farm{form.MetaOf(r.Meta), write(r), r.TotalAreaHa, r.FieldCount}
		},
	})
}
