package footprint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"tilth/core/assessment"
	"tilth/core/country"
	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// CodeNoFootprint is the code of a version whose figures make no valid footprint.
const CodeNoFootprint = "no_footprint"

// Source is a submitted version with what identifies its company.
type Source struct {
	ID                       string // of the footprint
	Preceding                []string
	Created                  time.Time
	CompanyUUID, CompanyName string

	Assessment int64
	Version    int
	Subject    assessment.Subject
	Report     report.Report
	Transport  []ghg.Journey // of the snapshot
}

// Make returns the footprint of a version. Terms are checked and completed. Faults: Invalid ([CodeNoFootprint] where the
// version has no figures for one).
func Make(src Source, t Terms) (Document, error) {
	if err := t.Check(src.Subject.Year).Err(); err != nil {
		return Document{}, err
	}
	warming := strings.ToUpper(src.Report.GWPSet)
	if !assessmentReport.MatchString(warming) {
		return Document{}, noFootprint("The version was calculated with the warming potentials %q, not with those of an assessment report of the IPCC, which the data model requires.", src.Report.GWPSet)
	}
	figures, err := figuresOf(src, *t.UnitMassKg)
	if err != nil {
		return Document{}, err
	}
	out := Document{
		ID: src.ID, SpecVersion: SpecVersion, PrecedingPfIDs: src.Preceding, Created: src.Created, Status: Active,
		ValidityPeriodStart: t.ValidFrom, ValidityPeriodEnd: t.ValidUntil, CompanyName: cmp.Or(src.Subject.Company, src.CompanyName),
		CompanyIDs: slices.Clone(t.CompanyIDs), ProductIDs: slices.Clone(t.ProductIDs),
		ProductClassifications: t.ProductClassifications,
		ProductNameCompany:     cmp.Or(t.ProductName, words(src.Subject.Crop)),
		ProductDescription:     cmp.Or(t.ProductDescription, describe(src)),
		Comment:                comment(src, t, figures),
	}
	if len(out.CompanyIDs) == 0 {
		out.CompanyIDs = []string{"urn:uuid:" + src.CompanyUUID}
	}
	out.PCF = figures.footprint(src, t)
	out.PCF.IPCCCharacterizationFactors = []string{warming}
	return out, nil
}

var assessmentReport = regexp.MustCompile(`^AR\d+$`)

func noFootprint(format string, args ...any) error {
	return fault.Newf(fault.Invalid, CodeNoFootprint, format, args...)
}

// words returns a key as people write it: "winter wheat" of winter_wheat.
func words(key string) string { return strings.ReplaceAll(key, "_", " ") }

func describe(src Source) string {
	place := cmp.Or(country.Name(src.Subject.Country), words(src.Subject.Country))
	return fmt.Sprintf("%s, fresh at the farm gate, %s, %d", words(src.Subject.Crop), place, src.Subject.Year)
}

// comment describes how the figures came about, after what the owner states.
func comment(src Source, t Terms, f figures) string {
	r := src.Report
	var out []string
	if t.Comment != "" {
		out = append(out, t.Comment)
	}
	out = append(out, fmt.Sprintf("Version %d of assessment %d, calculated by %s %s with the factors %s %s; digest of its input: %s.",
		src.Version, src.Assessment, r.Engine.ID, r.Engine.Version, r.FactorSet.ID, r.FactorSet.Version, r.InputDigest))
	if t.BiogenicCarbonKg == nil {
		out = append(out, "The biogenic carbon content of the product is not stated: its uptake is not counted, and pcfIncludingBiogenicUptake equals pcfExcludingBiogenicUptake.")
	}
	if f.unwatched > 0 {
		out = append(out, fmt.Sprintf("Removals that are not monitored are not counted: %s kg CO2e per declared unit.", f.unwatched))
	}
	if n := unverified(r); n > 0 {
		out = append(out, fmt.Sprintf("Factors whose value is unverified: %d.", n))
	}
	return strings.Join(out, " ")
}

func unverified(r report.Report) (n int) {
	for _, w := range r.Warnings {
		if w.Code == ghg.WarnUnverified {
			n++
		}
	}
	return n
}

// footprint returns the members of the figures and those that explain them.
func (f figures) footprint(src Source, t Terms) CarbonFootprint {
	out := CarbonFootprint{
		DeclaredUnitOfMeasurement: t.Unit, DeclaredUnitAmount: decimal(*t.UnitAmount), ProductMassPerDeclaredUnit: decimal(*t.UnitMassKg),
		ReferencePeriodStart: *t.ReferenceStart, ReferencePeriodEnd: *t.ReferenceEnd,
		GeographyRegionOrSubregion: t.Region, GeographyCountry: t.Country, GeographyCountrySubdivision: t.Subdivision,
		BoundaryProcessesDescription: cmp.Or(t.Boundary, boundary(src.Report)),

		PCFExcludingBiogenicUptake: f.excluding().String(), FossilCarbonContent: amount(0).String(), // a crop takes its carbon from the air
		FossilGhgEmissions: f.fossil.String(), LandUseChangeGhgEmissions: f.landUseChange.String(),
		LandManagementFossilGhgEmissions: f.managementFossil.String(), LandManagementBiogenicCO2Emissions: f.managementCO2.String(),
		LandManagementBiogenicCO2Removals: f.removals.String(), BiogenicNonCO2Emissions: f.biogenicCH4.String(),
		LandAreaOccupation: f.land,

		CrossSectoralStandards:       t.Standards,
		ExemptedEmissionsPercent:     decimal(*t.ExemptedPercent),
		ExemptedEmissionsDescription: t.ExemptedDescription, ProductOrSectorSpecificRules: t.Rules,
		AllocationRulesDescription:     cmp.Or(t.Allocation, allocation(src.Report.Allocation)),
		SecondaryEmissionFactorSources: factorSources(src.Report),
		Verification:                   t.Verification,
	}
	if t.PrimaryDataPercent != nil {
		out.PrimaryDataShare = decimal(*t.PrimaryDataPercent)
	}
	if out.Geography() == "" {
		out.GeographyCountry = country.Code(src.Subject.Country)
	}
	if f.aircraft != nil {
		out.AircraftGhgEmissions = f.aircraft.String()
	}
	including := f.excluding()
	if t.BiogenicCarbonKg != nil {
		uptake := -amountOf(*t.BiogenicCarbonKg * carbonToCO2)
		including += uptake
		out.BiogenicCarbonContent, out.BiogenicCO2Uptake = amountOf(*t.BiogenicCarbonKg).String(), uptake.String()
	}
	out.PCFIncludingBiogenicUptake = including.String()
	if t.DQI != nil {
		out.DQI = &DataQualityIndicators{decimal(t.DQI.Technological), decimal(t.DQI.Geographical), decimal(t.DQI.Temporal)}
	}
	return out
}

// boundary lists what the emissions come from, the largest first.
func boundary(r report.Report) string {
	var sources []string
	for _, l := range slices.Concat(r.BySource, r.RemovalsBySrc) {
		if name := words(l.Label); !slices.Contains(sources, name) {
			sources = append(sources, name)
		}
	}
	return "Cradle to farm gate, one year of cultivation. Sources and removals: " + cmp.Or(strings.Join(sources, "; "), "none") + "."
}

// allocation describes what the products carry.
func allocation(a report.Allocation) string {
	if len(a.CoProducts) == 0 {
		return "No allocation: the product carries all emissions and removals."
	}
	shares := make([]string, len(a.CoProducts))
	for i, c := range a.CoProducts {
		shares[i] = fmt.Sprintf("%s %s %% (%s)", c.Name, decimal(c.SharePct), c.Basis)
	}
	return fmt.Sprintf("The product carries %s %% of the emissions and removals; its co-products: %s.", decimal(a.MainSharePct), strings.Join(shares, ", "))
}

// factorSources names the factors that were used; an external engine may not state them.
func factorSources(r report.Report) []FactorSource {
	if r.FactorSet.ID == "" || r.FactorSet.Version == "" {
		return nil
	}
	return []FactorSource{{r.FactorSet.ID, r.FactorSet.Version}}
}
