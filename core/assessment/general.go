package assessment

import (
	"math"
	"slices"
	"strings"

	"tilth/core/assessment/conversion"
	"tilth/core/country"
	"tilth/core/fault"
)

// Bounds of the general part, which a submission enforces.
const (
	firstYear       = 1980
	maxAreaHa       = 1e6
	minCelsius      = -30.0
	maxCelsius      = 45.0
	yearsOfTheDraft = 9999 // a draft may hold any year that has four digits
)

// General members, as the interface names them.
const (
	keyYear        = "assessment_year"
	keyArea        = "growing_area"
	keyTemperature = "average_temperature"
	keyClimate     = "climate_region"
	keyCountry     = "farm_country"
	keyQuality     = "submitted_data_quality"
)

func generalSection(v values) Section {
	temperature := amount(keyTemperature, "Mean annual temperature", v.of(secGeneral, "average_temperature.unit"), math.MaxFloat64).must()
	lower := -math.MaxFloat64
	temperature.Min, temperature.Help = &lower, "From -30 to 45 °C."
	return Section{
		Key: secGeneral, Title: "General", Shape: Object, Group: "general", Weight: 10, Role: Mandatory,
		Fields: []Field{
			integer(keyYear, "Assessment year", "", firstYear, yearsOfTheDraft).must().about("Next year at the latest."),
			amount(keyArea, "Growing area", v.of(secGeneral, "growing_area.unit"), math.MaxFloat64).above0().must().about("At most 1000000 ha."),
			temperature,
			choice(keyClimate, "Climate zone", ClimateRegions).must(),
			choice(keyCountry, "Country", country.Keys()).must(),
			choice(keyQuality, "Quality of the data", DataQualities).must(),
		},
	}
}

// CheckGeneral checks the general part and converts the words of the climate zone and of the country to their keys. The
// contents of growing_area and average_temperature are checked when the assessment is submitted.
func (a *Assessment) CheckGeneral() fault.Fields {
	f := fault.Fields{}
	a.External.Check(f)
	switch {
	case a.ResourceType == "":
		f.Add("resource_type", "This field is required.")
	case !slices.Contains(ResourceTypes, a.ResourceType):
		f.Addf("resource_type", "%q is not one of farm, field.", a.ResourceType)
	}
	if a.ResourceID <= 0 {
		f.Add("resource_id", "This field is required.")
	}
	if y := a.Year; y != nil && (*y < 1 || *y > yearsOfTheDraft) {
		f.Addf(keyYear, "A year from 1 to %d; a submission accepts %d to next year.", yearsOfTheDraft, firstYear)
	}
	if a.ClimateRegion != "" {
		key, ok := ParseClimate(a.ClimateRegion)
		if !ok {
			f.Addf(keyClimate, "%q is not one of %s.", a.ClimateRegion, strings.Join(ClimateRegions, ", "))
		}
		a.ClimateRegion = key
	}
	if a.FarmCountry != "" {
		key, ok := country.Parse(a.FarmCountry)
		if !ok {
			f.Addf(keyCountry, "%q is not a known country; give its key, such as france or united_states, or its ISO 3166-1 code.", a.FarmCountry)
		}
		a.FarmCountry = key
	}
	if q := a.DataQuality; q != "" && !slices.Contains(DataQualities, q) {
		f.Addf(keyQuality, "%q is not one of %s.", q, strings.Join(DataQualities, ", "))
	}
	return f
}

// ParseClimate returns the key of a climate zone: "Cool Temperate Moist" is "cool_temperate_moist".
func ParseClimate(word string) (key string, ok bool) {
	key = country.Fold(word)
	return key, slices.Contains(ClimateRegions, key)
}

// CheckDeclarations reads {section: "none" or null}, which replaces the declarations, and checks it against what is
// entered: where there are items, "none" is refused.
func (t *Table) CheckDeclarations(raw any, sheet Sheet) (Declarations, fault.Fields) {
	object, ok := raw.(map[string]any)
	if !ok && raw != nil {
		return nil, nonField(`An object of sections is expected, such as {"irrigation": "none"}.`)
	}
	out, wrong := Declarations{}, fault.Fields{}
	for key, value := range object {
		s, known := t.byKey[key]
		switch {
		case !known:
			wrong.Add(key, "There is no such section; the sections are "+strings.Join(t.declarable(), ", ")+".")
		case value == nil:
		case value != DeclaredNone:
			wrong.Add(key, `"none" or null is expected.`)
		case !s.Declarable():
			wrong.Add(key, "This section must be filled in.")
		case len(sheet[key]) > 0:
			wrong.Add(key, "Something is entered in this section; delete it first, or leave the declaration out.")
		default:
			out[key] = DeclaredNone
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return out, nil
}

func (t *Table) declarable() []string {
	var out []string
	for _, s := range t.sections {
		if s.Declarable() {
			out = append(out, s.Key)
		}
	}
	return out
}

// values returns the general part in the form of a section's object.
func (a *Assessment) values() Values {
	v := Values{}
	if a.Year != nil {
		v[keyYear] = float64(*a.Year)
	}
	if a.GrowingArea != nil {
		v[keyArea] = a.GrowingArea
	}
	if a.AverageTemperature != nil {
		v[keyTemperature] = a.AverageTemperature
	}
	for key, word := range map[string]string{keyClimate: a.ClimateRegion, keyCountry: a.FarmCountry, keyQuality: a.DataQuality} {
		if word != "" {
			v[key] = word
		}
	}
	return v
}

// AreaHa returns the growing area in ha, or what is wrong with it: only {value, unit} within the bounds is accepted.
func (a *Assessment) AreaHa() (ha float64, wrong []Finding) {
	return converted(keyArea, a.GrowingArea, conversion.In(conversion.Area), "Give the unit ha, hectares, acre, acres, m2 or km2.",
		func(ha float64) bool { return ha > 0 && ha <= maxAreaHa }, "An area above 0 and at most 1000000 ha.")
}

// Celsius returns the mean annual temperature in °C, or what is wrong with it.
func (a *Assessment) Celsius() (celsius float64, wrong []Finding) {
	return converted(keyTemperature, a.AverageTemperature, conversion.In(conversion.Temperature), "Give the unit celsius, C, °C, fahrenheit, F or °F.",
		func(celsius float64) bool { return celsius >= minCelsius && celsius <= maxCelsius }, "A temperature from -30 to 45 °C.")
}

// converted returns a {value, unit} object in the unit of the method, or what is wrong with it.
func converted(key string, object map[string]any, convert func(float64, string) (float64, bool), units string,
	fits func(float64) bool, bounds string,
) (float64, []Finding) {
	value, unit, wrong := quantity(key, object)
	if len(wrong) > 0 {
		return 0, wrong
	}
	value, ok := convert(value, unit)
	switch {
	case !ok:
		return 0, []Finding{{"unknown_unit", key + ".unit", units}}
	case !fits(value):
		return 0, []Finding{{"out_of_range", key + ".value", bounds}}
	}
	return value, nil
}

// quantity reads a {value, unit} object that has been kept as it was sent.
func quantity(key string, object map[string]any) (value float64, unit string, wrong []Finding) {
	if len(object) == 0 {
		return 0, "", []Finding{{"required", key, "Give " + key + " as {value, unit}."}}
	}
	value, isNumber := numeric(object["value"])
	if !isNumber {
		wrong = append(wrong, Finding{"not_a_number", key + ".value", "A number is expected."})
	}
	unit, isText := object["unit"].(string)
	if !isText {
		wrong = append(wrong, Finding{"unknown_unit", key + ".unit", "Give the unit as text."})
	}
	for member := range object {
		if member != "value" && member != "unit" {
			return 0, "", append(wrong, Finding{"unknown_member", key, "Only value and unit are expected in " + key + "."})
		}
	}
	return value, unit, wrong
}
