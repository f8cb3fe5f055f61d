package ghg_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/core/ghg"
)

// put sets the field of an enumeration on an input that is otherwise complete.
type put func(in *ghg.Input, value string)

// enumerations are the fields of the mapping that an input carries, with the way to set a value.
var enumerations = map[[2]string]put{
	{"crop", "crop_type"}:           func(in *ghg.Input, v string) { in.Crop.Type = v },
	{"soil", "soil_class"}:          func(in *ghg.Input, v string) { in.Soil.Class = v },
	{"fertilizers", "product"}:      func(in *ghg.Input, v string) { in.Fertilizers[0] = productOf(v) },
	{"fertilizers", "n_class"}:      func(in *ghg.Input, v string) { in.Fertilizers[0] = productOf("custom"); in.Fertilizers[0].NClass = v },
	{"fertilizers", "inhibitor"}:    func(in *ghg.Input, v string) { in.Fertilizers[0].Inhibitor = v },
	{"fertilizers", "method"}:       func(in *ghg.Input, v string) { in.Fertilizers[0].Method = v },
	{"organic_inputs", "type"}:      func(in *ghg.Input, v string) { in.OrganicInputs[0].Type = v; in.OrganicInputs[0].NPct = ptr(1.0) },
	{"organic_inputs", "origin"}:    func(in *ghg.Input, v string) { in.OrganicInputs[0].Origin = v },
	{"crop_protection", "category"}: func(in *ghg.Input, v string) { in.CropProtection[0].Category = v; in.CropProtection[1].Category = v },
	{"seeds", "origin"}:             func(in *ghg.Input, v string) { in.Seeds.Origin = v },
	{"residues", "management.practice"}: func(in *ghg.Input, v string) {
		in.Residues.Management = []ghg.ResidueShare{{Practice: v, SharePct: 100}}
	},
	{"residues", "method"}:                     func(in *ghg.Input, v string) { in.Residues.Method = v },
	{"residues", "straw_incorporation_timing"}: func(in *ghg.Input, v string) { in.Residues.StrawTiming = v },
	{"rice", "water_regime"}:                   func(in *ghg.Input, v string) { in.Rice.WaterRegime = v },
	{"rice", "pre_season"}:                     func(in *ghg.Input, v string) { in.Rice.PreSeason = v },
	{"irrigation", "method"}:                   func(in *ghg.Input, v string) { in.Irrigation[0].Method = v },
	{"irrigation", "source"}:                   func(in *ghg.Input, v string) { in.Irrigation[0].Source = v; in.Irrigation[0].PumpingHeadM = nil },
	{"irrigation", "power_source"}:             func(in *ghg.Input, v string) { in.Irrigation[0].PowerSource = v },
	{"fuel_energy", "carrier"}:                 func(in *ghg.Input, v string) { in.FuelEnergy[0].Carrier, in.FuelEnergy[0].Unit = v, "mj" },
	{"fuel_energy", "purpose"}:                 func(in *ghg.Input, v string) { in.FuelEnergy[0].Purpose = v },
	{"machinery", "operation"}:                 func(in *ghg.Input, v string) { in.Machinery[0].Operation = v },
	{"transport", "mode"}:                      func(in *ghg.Input, v string) { in.Transport[0].Mode, in.Transport[1].Mode = v, v },
	{"land_management", "tillage"}:             func(in *ghg.Input, v string) { in.LandManagement.Tillage = v },
	{"land_management", "carbon_inputs"}:       func(in *ghg.Input, v string) { in.LandManagement.CarbonInputs = v },
	{"land_management", "changes.land_use"}:    func(in *ghg.Input, v string) { in.LandManagement.Changes[0].LandUse = v },
	{"land_management", "cover_crop"}:          func(in *ghg.Input, v string) { in.LandManagement.CoverCrop = v },
	{"land_use_change", "previous_use"}:        func(in *ghg.Input, v string) { in.LandUseChange[0].PreviousUse = v },
	{"land_use_change", "forest_zone"}:         func(in *ghg.Input, v string) { in.LandUseChange[0].ForestZone = v },
	{"perennial_biomass", "system"}:            func(in *ghg.Input, v string) { in.PerennialBiomass[0].System = v },
}

// oneOfEach is an assessment with an item in every section.
func oneOfEach() ghg.Input {
	in := full()
	in.Fertilizers, in.OrganicInputs = in.Fertilizers[:1], in.OrganicInputs[:1]
	in.CropProtection = in.CropProtection[1:]
	in.Residues.Management = in.Residues.Management[:0:0]
	in.Residues.Management = append(in.Residues.Management, ghg.ResidueShare{Practice: "incorporated", SharePct: 100})
	in.Irrigation, in.FuelEnergy, in.Machinery = in.Irrigation[:1], in.FuelEnergy[:1], in.Machinery[:1]
	in.LandUseChange, in.PerennialBiomass = in.LandUseChange[:1], in.PerennialBiomass[:1]
	return in
}

func productOf(product string) ghg.Fertilizer {
	f := ghg.Fertilizer{Product: product, KgPerHa: 100, AreaPct: 100}
	if product == "custom" {
		f.NPct, f.P2O5Pct, f.K2OPct, f.NClass = ptr(10.0), ptr(5.0), ptr(5.0), "unspecified"
	}
	return f
}

// documented are the reasons for which a value may be refused, by the words of the
// refusal.
var documented = []string{
	"There is no default growth for a",      // hedgerow, windbreak: =required
	"Another power source has no factor",    // other: =refused
	"Another operation needs its fuel_rate", // other: =fuel_rate
	"has no row for this crop: use ratio",   // slope: =refused
	"The source has no value for soc_ref.",  // an empty cell of Table 2.3
	"The source has no value for v2006.soc_ref.",
	"An organic soil needs drained_organic_share_pct",
}

// notFields are the fields of the mapping that hold no value of an input: constants, units
// (TestUnits) and classes of other fields.
var notFields = []string{".unit", "constant", "gwp_set", "custom", "rice_region", "sfo_exponent", "distance_m", "physics", "fuel", "present_use", "ef", "frac", "c_to_n"}

func isField(section, field string) bool {
	if section == "general" || section == "soil_n2o" || section == "soc_tier2" || section == "seeds" && field == "crop_type" {
		return false
	}
	for _, n := range notFields {
		if field == n || n == ".unit" && strings.HasSuffix(field, n) {
			return false
		}
	}
	return true
}

// TestEveryValue: every value that the mapping allows computes, in every climate region
// and in countries of every kind, in both factor sets, or is refused for a reason that is
// written down.
func TestEveryValue(t *testing.T) {
	t.Parallel()
	for _, id := range []string{ghg.IPCC2019, ghg.IPCC2006} {
		set := factors(t, id)
		m := set.Mapping()
		covered := map[[2]string]bool{}
		for _, row := range m.Rows() {
			name, _, _ := strings.Cut(row.Field, "/")
			key := [2]string{row.Section, name}
			if isField(row.Section, name) {
				require.NotNil(t, enumerations[key], "no test puts %v on an input", key)
				covered[key] = true
			}
		}
		computed, refusals := 0, map[string]int{}
		for key := range covered {
			for _, value := range m.Values(key[0], key[1]) {
				for _, zone := range m.Values("general", "climate_region") {
					for _, country := range []string{"india", "andorra", "china"} {
						in := oneOfEach()
						in.General.ClimateRegion, in.General.Country = zone, country
						enumerations[key](&in, value)
						if _, err := ghg.Calculate(in, set, ghg.Options{}); err != nil {
							refusals[reason(t, err, key, value, zone)]++
						} else {
							computed++
						}
					}
				}
			}
		}
		require.Greater(t, computed, 7_500)
		t.Logf("%s: %d computed, refused: %v", id, computed, refusals)
	}
}

func reason(t *testing.T, err error, key [2]string, value, zone string) string {
	t.Helper()
	require.True(t, fault.Is(err, fault.Invalid))
	f, _ := fault.As(err)
	text := flatten(f.Fields)
	for _, why := range documented {
		if strings.Contains(text, why) {
			return why
		}
	}
	t.Fatalf("%v %s in %s: %s", key, value, zone, text)
	return ""
}

func flatten(fields fault.Fields) string {
	var b strings.Builder
	for _, v := range fields {
		switch v := v.(type) {
		case []string:
			b.WriteString(strings.Join(v, " "))
		case fault.Fields:
			b.WriteString(flatten(v))
		}
	}
	return b.String()
}
