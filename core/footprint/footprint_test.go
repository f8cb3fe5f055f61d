package footprint

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/core/ghg/views"
)

func stated() Terms {
	return Terms{ProductIDs: []string{"urn:gtin:4712345060507"}, Standards: []string{"ISO14067"}, ExemptedPercent: new(0.0)}
}

// source is 100 t of a crop with every kind of line; the main product carries 80 %.
func source() Source {
	line := func(label, category string, co2e float64, kg ghg.Gases) report.SourceLine {
		return report.SourceLine{Label: label, Category: category, CO2e: co2e, Kg: report.Masses{Gases: kg}}
	}
	return Source{
		ID: "079e425a-464f-528d-341d-4a944a1dfd70", Created: time.Date(2025, 3, 1, 0, 0, 0, 0, time.UTC), CompanyUUID: "b3ae5b1c-7e4c-4f2a-9d4e-111111111111", CompanyName: "Mill & Sons",
		Subject: assessment.Subject{Year: 2024, Crop: "rice", Country: "france"},
		Report: report.Report{
			GWPSet: "ar6", FunctionalUnit: report.FunctionalUnit{AreaHa: new(20.0), ProductT: new(100.0)}, Allocation: report.Allocation{MainSharePct: 80},
			Totals: report.Totals{Emissions: 59, Removals: 4},
			BySource: []report.SourceLine{
				line(ghg.LabelCombustion, ghg.CategoryInputs, 10, ghg.Gases{CO2: 10_000}),
				line(ghg.LabelDirect, ghg.CategoryManagement, 20, ghg.Gases{N2O: 20_000 / 273.0}),
				line(ghg.LabelRice, ghg.CategoryManagement, 13.5, ghg.Gases{CH4Biogenic: 500}),
				line(ghg.LabelSoilLoss, ghg.CategoryManagement, 5.5, ghg.Gases{CO2: 5500}),
				line(ghg.LabelLandUse, ghg.CategoryLandUse, 10, ghg.Gases{CO2: 10_000}),
			},
			RemovalsBySrc: []report.SourceLine{line("soil_carbon_gain", ghg.CategoryRemovals, 4, ghg.Gases{CO2: 4000})},
			Views: &views.Views{
				LandSector: views.LandSector{Removals: []views.Removal{{CO2e: 3, Monitoring: views.MonitoringMeasured}, {CO2e: 1, Monitoring: views.MonitoringNone}}},
				Product:    views.Footprint{Parts: []views.Part{{Part: views.Aircraft, CO2e: 0.5}}},
			},
			ByGas: []report.GasLine{{Gas: ghg.CH4Biogenic.String(), GWP: 27}},
		},
	}
}

// Every figure is worked out by hand: of 100 t, 80 % to the product, a kilogram carries 0.8/100,000 of the total.
func TestFiguresAreThoseOfTheReport(t *testing.T) {
	t.Parallel()
	out, err := Make(source(), stated())
	require.NoError(t, err)
	require.Equal(t, CarbonFootprint{
		DeclaredUnitOfMeasurement: "kilogram", DeclaredUnitAmount: "1", ProductMassPerDeclaredUnit: "1",
		ReferencePeriodStart: startOf(2024), ReferencePeriodEnd: startOf(2025), GeographyCountry: "FR",
		BoundaryProcessesDescription: out.PCF.BoundaryProcessesDescription, AllocationRulesDescription: out.PCF.AllocationRulesDescription,
		PCFExcludingBiogenicUptake: "0.448", PCFIncludingBiogenicUptake: "0.448", FossilCarbonContent: "0",
		FossilGhgEmissions: "0.24", LandUseChangeGhgEmissions: "0.08", LandManagementFossilGhgEmissions: "0.16",
		LandManagementBiogenicCO2Emissions: "0.044", LandManagementBiogenicCO2Removals: "-0.024", BiogenicNonCO2Emissions: "0.108",
		LandAreaOccupation: "1.6", AircraftGhgEmissions: "0.004", IPCCCharacterizationFactors: []string{"AR6"},
		CrossSectoralStandards: []string{"ISO14067"}, ExemptedEmissionsPercent: "0",
	}, out.PCF)
	require.Contains(t, out.Comment, "not counted: 0.008 kg CO2e", "removals that nobody monitors")
	require.Equal(t, []string{"urn:uuid:b3ae5b1c-7e4c-4f2a-9d4e-111111111111"}, out.CompanyIDs)
	require.Equal(t, "Mill & Sons", out.CompanyName)

	dozen := stated()
	dozen.Unit, dozen.UnitAmount, dozen.UnitMassKg, dozen.BiogenicCarbonKg = "piece", new(12.0), new(6.0), new(3.0)
	out, err = Make(source(), dozen)
	require.NoError(t, err)
	require.Equal(t, []string{"12", "6", "2.688", "-11", "-8.312"}, []string{
		out.PCF.DeclaredUnitAmount, out.PCF.ProductMassPerDeclaredUnit, out.PCF.PCFExcludingBiogenicUptake, out.PCF.BiogenicCO2Uptake, out.PCF.PCFIncludingBiogenicUptake,
	})
	flown := source()
	flown.Report.Views = nil // of a version that was stored before there were any
	flown.Transport = []ghg.Journey{{Mode: "air_short_haul"}}
	out, err = Make(flown, stated())
	require.NoError(t, err)
	require.Empty(t, out.PCF.AircraftGhgEmissions, "what flies is not told apart")
	require.Equal(t, "0", out.PCF.LandManagementBiogenicCO2Removals, "nor what is monitored")
}

// The patterns of the data model (spec/v3/openapi.yaml): each member is present or left out, and has the form that they require.
func TestDocumentsKeepToTheDataModel(t *testing.T) {
	t.Parallel()
	out, err := Make(source(), stated())
	require.NoError(t, err)
	text, err := json.Marshal(out)
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(text, &document))
	for _, member := range []string{"id", "specVersion", "created", "status", "companyName", "companyIds", "productDescription", "productIds", "productNameCompany", "pcf"} {
		require.NotEmpty(t, document[member], member)
	}
	const positive, negative, decimal = `^[+]?\d+(\.\d+)?$`, `^((-\d+(\.\d+)?)|0+(\.0+)?)$`, `^[+-]?\d+(\.\d+)?$`
	pcf := document["pcf"].(map[string]any)
	for member, pattern := range map[string]string{
		"declaredUnitAmount": positive, "productMassPerDeclaredUnit": decimal, "pcfExcludingBiogenicUptake": decimal, "pcfIncludingBiogenicUptake": decimal,
		"fossilGhgEmissions": positive, "fossilCarbonContent": positive, "landUseChangeGhgEmissions": positive, "landManagementFossilGhgEmissions": positive,
		"landManagementBiogenicCO2Emissions": positive, "landManagementBiogenicCO2Removals": negative, "biogenicNonCO2Emissions": positive,
		"landAreaOccupation": positive, "exemptedEmissionsPercent": decimal, "geographyCountry": `^[A-Z]{2}$`,
	} {
		require.Regexp(t, regexp.MustCompile(pattern), pcf[member], member)
	}
	for _, member := range []string{"ipccCharacterizationFactors", "crossSectoralStandards"} {
		require.NotEmpty(t, pcf[member])
	}
	for _, member := range []string{"secondaryEmissionFactorSources", "dqi", "verification", "primaryDataShare", "geographyRegionOrSubregion", "biogenicCO2Uptake"} {
		require.NotContains(t, pcf, member)
	}
}

func TestVersionsWithoutFiguresMakeNoFootprint(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Source){
		"no yield":          func(s *Source) { s.Report.FunctionalUnit.ProductT = nil },
		"nothing allocated": func(s *Source) { s.Report.Allocation.MainSharePct = 0 },
		"a yield of grams":  func(s *Source) { s.Report.FunctionalUnit.ProductT = new(1e-6) },
		"other potentials":  func(s *Source) { s.Report.GWPSet = "gtp100" },
	} {
		src := source()
		spoil(&src)
		_, err := Make(src, stated())
		f, _ := fault.As(err)
		require.NotNil(t, f, name)
		require.Equal(t, CodeNoFootprint, f.Code, name)
	}
}

func TestTerms(t *testing.T) {
	t.Parallel()
	at := func(text string) *time.Time {
		when, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		return &when
	}
	for field, spoil := range map[string]func(*Terms){
		"product_ids":                      func(t *Terms) { t.ProductIDs = nil },
		"company_ids":                      func(t *Terms) { t.CompanyIDs = []string{"urn:a:"} },
		"product_classifications":          func(t *Terms) { t.ProductClassifications = []string{"urn:x-a:1", "urn:x-a:1"} },
		"cross_sectoral_standards":         func(t *Terms) { t.Standards = nil },
		"exempted_emissions_percent":       func(t *Terms) { t.ExemptedPercent = nil },
		"exempted_emissions_description":   func(t *Terms) { t.ExemptedPercent = new(3.0) },
		"product_mass_per_declared_unit":   func(t *Terms) { t.Unit = "liter" },
		"declared_unit_of_measurement":     func(t *Terms) { t.Unit = "hour" },
		"declared_unit_amount":             func(t *Terms) { t.UnitAmount = new(0.0) },
		"geography_country":                func(t *Terms) { t.Country, t.Region = "DE", "Europe" },
		"geography_region_or_subregion":    func(t *Terms) { t.Region = "Bavaria" },
		"geography_country_subdivision":    func(t *Terms) { t.Subdivision = "DE" },
		"reference_period_start":           func(t *Terms) { t.ReferenceStart, t.ReferenceEnd = at("2020-01-01"), at("2021-01-01") },
		"reference_period_end":             func(t *Terms) { t.ReferenceStart = at("2024-01-01") },
		"validity_period_start":            func(t *Terms) { t.ValidFrom = at("2024-06-01") },
		"validity_period_end":              func(t *Terms) { t.ValidUntil = at("2028-06-01") },
		"biogenic_carbon_content":          func(t *Terms) { t.BiogenicCarbonKg = new(2.0) },
		"product_or_sector_specific_rules": func(t *Terms) { t.Rules = []Rule{{Operator: "Other", RuleNames: []string{"x"}}} },
		"primary_data_share":               func(t *Terms) { t.PrimaryDataPercent = new(-1.0) },
		"dqi":                              func(t *Terms) { t.DQI = &Ratings{6, 1, 1} },
		"verification":                     func(t *Terms) { t.Verification = &Assurance{} },
		"product_name":                     func(t *Terms) { t.ProductName = strings.Repeat("x", 300) },
	} {
		terms := stated()
		spoil(&terms)
		got := terms.Check(2024)
		require.Contains(t, got, field)
		require.Len(t, got, 1, "%v", got)
	}
	good := stated()
	require.Empty(t, good.Check(2024))
	for _, c := range []struct {
		start, end string
		overlaps   bool
	}{
		{"2022-01-01", "2024-01-01", false},
		{"2022-01-01", "2024-01-02", true},
		{"2023-09-01", "2024-09-01", true},
		{"2024-12-31", "2025-12-31", true},
		{"2025-01-01", "2026-01-01", false},
	} {
		terms := stated()
		terms.ReferenceStart, terms.ReferenceEnd = at(c.start), at(c.end)
		got := terms.Check(2024)
		require.Equal(t, c.overlaps, got["reference_period_start"] == nil, "%s to %s: %v", c.start, c.end, got)
	}
}

// The example of RFC 9562, appendix A.4.
func TestUUIDOfAName(t *testing.T) {
	t.Parallel()
	id, err := UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com")
	require.NoError(t, err)
	require.Equal(t, "2ed6657d-e927-568b-95e1-2665a8aea6a2", id)
	_, err = UUID("no", "x")
	require.Error(t, err)
}

// FuzzReadEvent checks that no body of an event exceeds its bounds, and that a refusal states why.
func FuzzReadEvent(f *testing.F) {
	for _, data := range []string{`{"productId": ["urn:a:b"], "validOn": "2026-01-01T00:00Z"}`, `{"pfIds": ["079e425a-464f-528d-341d-4a944a1dfd70"]}`, `{"requestEventId": "1", "pfs": []}`, `null`} {
		for _, kind := range []string{RequestCreated, RequestFulfilled, RequestRejected, Published, "x"} {
			f.Add(`{"specversion":"1.0","id":"a","source":"//b","time":"2026-01-01T00:00:00Z","type":"` + kind + `","data":` + data + `}`)
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := ReadEvent([]byte(body))
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		require.True(t, plainText(got.ID) && len(got.ID) <= maxID && got.ID != "")
		require.True(t, plainText(got.Source) && len(got.Source) <= maxSource)
		require.LessOrEqual(t, len(got.Wanted.ProductIDs), maxValues)
		for _, value := range got.Wanted.ProductIDs {
			require.True(t, plainText(value) && value == strings.ToLower(value))
		}
	})
}
