package footprint

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"tilth/core/fault"
)

// Terms are what the owner of a footprint states about it beside the figures of the version. What is omitted is taken
// from the version where a member says so, or is left out of the footprint. What the data model requires and no version
// holds must be stated: the ids of the product, the standards, and what is exempted.
type Terms struct {
	CompanyIDs             []string // URNs; none: that of the company's UUID
	ProductIDs             []string // URNs, at least one
	ProductClassifications []string // URNs
	ProductName            string
	ProductDescription     string

	Unit       string   // of [Units]; empty: kilogram
	UnitAmount *float64 // units that the figures are of; nil: 1
	UnitMassKg *float64 // mass of those units without packaging, kg; nil: the declared amount, for kilograms

	Region, Country, Subdivision string // one of them; none: the country of the farm

	ReferenceStart, ReferenceEnd *time.Time // nil: the calendar year of the assessment
	ValidFrom, ValidUntil        *time.Time

	Boundary            string // empty: the sources of the report
	BiogenicCarbonKg    *float64
	Standards           []string // at least one
	Rules               []Rule
	ExemptedPercent     *float64 // of the emissions; must be stated, even where it is 0
	ExemptedDescription string
	Allocation          string   // empty: the shares of the products
	PrimaryDataPercent  *float64 // nil: left out, because no report counts it as the methodology does
	DQI                 *Ratings
	Verification        *Assurance
	Comment             string
}

// Ratings are data quality ratings from 1 (the best) to 5.
type Ratings struct{ Technological, Geographical, Temporal float64 }

// Bounds of texts, in characters.
const (
	maxName = 255
	maxText = 5000
)

// Units are the units that an amount of a crop can be declared in, in their order in the data model.
var Units = []string{unitLiter, unitKilogram, "cubic meter", "square meter", "piece"}

const (
	unitKilogram = "kilogram"
	unitLiter    = "liter"
)

// Regions are the regions and subregions of the United Nations that the data model names.
var Regions = []string{
	"Africa", "Americas", "Asia", "Europe", "Oceania", "Australia and New Zealand", "Central Asia", "Eastern Asia", "Eastern Europe",
	"Latin America and the Caribbean", "Melanesia", "Micronesia", "Northern Africa", "Northern America", "Northern Europe", "Polynesia",
	"South-eastern Asia", "Southern Asia", "Southern Europe", "Sub-Saharan Africa", "Western Asia", "Western Europe",
}

// Standards are the standards that the data model names.
var Standards = []string{"ISO14067", "ISO14083", "ISO14040-44", "GHGP-Product", "PEF", "PACT-1.0", "PACT-2.0", "PACT-3.0", "PAS2050"}

// Operators are the operators of product rules, and Coverages what a verification covers.
var (
	Operators = []string{"PEF", "EPD International", otherOperator}
	Coverages = []string{"PCF calculation model", "PCF program", "product level"}
)

const otherOperator = "Other"

var (
	countryCode     = regexp.MustCompile(`^[A-Z]{2}$`)               // ISO 3166-1 alpha-2
	subdivisionCode = regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3}$`) // ISO 3166-2
)

// Check normalises terms and returns what is wrong with them. year is that of the assessment.
func (t *Terms) Check(year int) fault.Fields {
	f := fault.Fields{}
	checkURNs(f, "company_ids", t.CompanyIDs)
	f.AddIf(len(t.ProductIDs) == 0, "product_ids", "Give an identifier that buyers of the product use, such as urn:gtin:4712345060507.")
	checkURNs(f, "product_ids", t.ProductIDs)
	checkURNs(f, "product_classifications", t.ProductClassifications)
	t.ProductName, t.ProductDescription = strings.TrimSpace(t.ProductName), strings.TrimSpace(t.ProductDescription)
	f.Text("product_name", t.ProductName, maxName)
	for name, text := range map[string]string{
		"product_description": t.ProductDescription, "boundary_processes_description": t.Boundary, "comment": t.Comment,
		"exempted_emissions_description": t.ExemptedDescription, "allocation_rules_description": t.Allocation,
	} {
		f.Text(name, text, maxText)
	}
	t.checkUnit(f)
	t.checkPlace(f)
	t.checkTimes(f, year)
	t.checkMethod(f)
	t.checkQuality(f)
	return f
}

func (t *Terms) checkUnit(f fault.Fields) {
	t.Unit = cmp.Or(t.Unit, unitKilogram)
	amount, mass := 1.0, t.UnitMassKg
	if t.UnitAmount != nil {
		amount = *t.UnitAmount
	}
	t.UnitAmount = &amount
	const small, large = 1e-3, 1e6
	f.Within("declared_unit_amount", amount, small, large)
	switch {
	case !slices.Contains(Units, t.Unit):
		f.Addf("declared_unit_of_measurement", "A crop must be declared in one of: %s.", strings.Join(Units, ", "))
	case t.Unit == unitKilogram:
		if mass != nil && *mass != amount {
			f.Addf("product_mass_per_declared_unit", "In kilograms, the mass is the declared amount, %s; leave it out.", decimal(amount))
		}
		t.UnitMassKg = &amount
	case mass == nil:
		f.Addf("product_mass_per_declared_unit", "Give the mass of the declared amount (%s %s) without packaging, kg.", decimal(amount), t.Unit)
	default:
		f.Within("product_mass_per_declared_unit", *mass, small, large)
	}
}

func (t *Terms) checkPlace(f fault.Fields) {
	given := 0
	for _, text := range []string{t.Region, t.Country, t.Subdivision} {
		if text != "" {
			given++
		}
	}
	if given > 1 {
		f.Add("geography_country", "Give one of region, country and subdivision.")
	}
	if t.Region != "" && !slices.Contains(Regions, t.Region) {
		f.Addf("geography_region_or_subregion", "The regions are: %s.", strings.Join(Regions, ", "))
	}
	if t.Country != "" && !countryCode.MatchString(t.Country) {
		f.Add("geography_country", "Give the code of ISO 3166-1, such as DE.")
	}
	if t.Subdivision != "" && !subdivisionCode.MatchString(t.Subdivision) {
		f.Add("geography_country_subdivision", "Give the code of ISO 3166-2, such as DE-BW.")
	}
}

// checkTimes completes the reference period, and checks that the validity lies within the three years after it.
func (t *Terms) checkTimes(f fault.Fields, year int) {
	if (t.ReferenceStart == nil) != (t.ReferenceEnd == nil) {
		f.Add("reference_period_end", "Give both ends of the reference period, or neither.")
		return
	}
	if t.ReferenceStart == nil {
		t.ReferenceStart, t.ReferenceEnd = new(startOf(year)), new(startOf(year+1))
	}
	t.ReferenceStart, t.ReferenceEnd = inUTC(t.ReferenceStart), inUTC(t.ReferenceEnd)
	t.ValidFrom, t.ValidUntil = inUTC(t.ValidFrom), inUTC(t.ValidUntil)
	if !t.ReferenceEnd.After(*t.ReferenceStart) || t.ReferenceEnd.After(t.ReferenceStart.AddDate(validYears, 0, 0)) {
		f.Add("reference_period_end", "It must lie after the start of the reference period, by at most three years.")
	}
	if !t.ReferenceStart.Before(startOf(year+1)) || !t.ReferenceEnd.After(startOf(year)) {
		f.Addf("reference_period_start", "The reference period must overlap the year of the assessment, %d.", year)
	}
	last := t.ReferenceEnd.AddDate(validYears, 0, 0)
	if t.ValidFrom != nil && (t.ValidFrom.Before(*t.ReferenceEnd) || t.ValidFrom.After(last)) {
		f.Addf("validity_period_start", "It must lie within three years after the end of the reference period, %s.", t.ReferenceEnd.Format(time.RFC3339))
	}
	if t.ValidUntil != nil && (!t.ValidUntil.After(*t.ReferenceEnd) || t.ValidUntil.After(last)) {
		f.Addf("validity_period_end", "It must lie within three years after the end of the reference period, %s.", t.ReferenceEnd.Format(time.RFC3339))
	}
	if t.ValidFrom != nil && t.ValidUntil != nil && !t.ValidUntil.After(*t.ValidFrom) {
		f.Add("validity_period_end", "It must lie after the start of the validity period.")
	}
}

func (t *Terms) checkMethod(f fault.Fields) {
	f.AddIf(len(t.Standards) == 0, "cross_sectoral_standards", "Name the standards that the footprint complies with, from: %s.", strings.Join(Standards, ", "))
	for _, standard := range t.Standards {
		if !slices.Contains(Standards, standard) {
			f.Addf("cross_sectoral_standards", "The standards are: %s.", strings.Join(Standards, ", "))
			break
		}
	}
	slices.Sort(t.Standards)
	t.Standards = slices.Compact(t.Standards)
	if len(t.Rules) > maxURNs {
		f.Addf("product_or_sector_specific_rules", "At most %d.", maxURNs)
	}
	for i, rule := range t.Rules {
		switch {
		case !slices.Contains(Operators, rule.Operator):
			f.Addf("product_or_sector_specific_rules", "Item %d: the operators are: %s.", i+1, strings.Join(Operators, ", "))
		case len(rule.RuleNames) == 0 || slices.Contains(rule.RuleNames, ""):
			f.Addf("product_or_sector_specific_rules", "Item %d must name its rules in rule_names.", i+1)
		case (rule.Operator == otherOperator) != (rule.OtherOperatorName != ""):
			f.Addf("product_or_sector_specific_rules", "Item %d: give other_operator_name where the operator is %s, and only then.", i+1, otherOperator)
		}
	}
	if t.BiogenicCarbonKg != nil && t.UnitMassKg != nil {
		f.Within("biogenic_carbon_content", *t.BiogenicCarbonKg, 0, *t.UnitMassKg)
	}
	if t.ExemptedPercent == nil {
		f.Add("exempted_emissions_percent", "State how much of the emissions is excluded under an exemption rule, per cent; 0 where nothing is.")
		return
	}
	f.Within("exempted_emissions_percent", *t.ExemptedPercent, 0, 100)
	if *t.ExemptedPercent > 0 && t.ExemptedDescription == "" {
		f.Add("exempted_emissions_description", "State why emissions are excluded.")
	}
}

func (t *Terms) checkQuality(f fault.Fields) {
	if t.PrimaryDataPercent != nil {
		f.Within("primary_data_share", *t.PrimaryDataPercent, 0, 100)
	}
	if r := t.DQI; r != nil {
		nested := fault.Fields{}
		nested.Within("technological_dqr", r.Technological, 1, 5)
		nested.Within("geographical_dqr", r.Geographical, 1, 5)
		nested.Within("temporal_dqr", r.Temporal, 1, 5)
		f.Nest("dqi", nested)
	}
	if v := t.Verification; v != nil {
		nested := fault.Fields{}
		if v.Coverage != "" && !slices.Contains(Coverages, v.Coverage) {
			nested.Addf("coverage", "It must be one of: %s.", strings.Join(Coverages, ", "))
		}
		nested.RequiredText("provider_name", v.ProviderName, maxName)
		nested.Text("standard_name", v.StandardName, maxName)
		nested.Text("comments", v.Comments, maxText)
		v.CompletedAt = inUTC(v.CompletedAt)
		f.Nest("verification", nested)
	}
}

func startOf(year int) time.Time { return time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC) }

// inUTC returns a time to the microsecond that both databases keep.
func inUTC(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	return new(at.UTC().Truncate(time.Microsecond))
}
