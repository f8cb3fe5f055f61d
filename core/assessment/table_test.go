package assessment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/assessment"
)

func TestTheTableHasFifteenSections(t *testing.T) {
	t.Parallel()
	weights, keys := 0.0, []string{}
	for _, s := range table(t).Sections() {
		keys = append(keys, s.Key)
		if s.Key != "rice" {
			weights += s.Weight
		}
		require.NotEmpty(t, s.Title, s.Key)
	}
	require.Equal(t, []string{
		"crop", "soil", "fertilizers", "organic_inputs", "crop_protection", "seeds", "residues", "rice", "irrigation", "fuel_energy",
		"machinery", "transport", "land_management", "land_use_change", "perennial_biomass",
	}, keys)
	require.InDelta(t, 100, weights+table(t).General().Weight, 1e-9, "without rice the weights are per cent")
}

// TestEveryFieldCanBeFilled looks for enumerations the mapping does not fill, units that do not exist, bounds that
// leave nothing, and names that occur twice.
func TestEveryFieldCanBeFilled(t *testing.T) {
	t.Parallel()
	var look func(path string, fields []assessment.Field)
	look = func(path string, fields []assessment.Field) {
		seen := map[string]bool{}
		for _, f := range fields {
			at := path + "." + f.Key
			require.False(t, seen[f.Key], at)
			seen[f.Key] = true
			require.NotEmpty(t, f.Label, at)
			switch f.Kind {
			case assessment.Choice:
				require.NotEmpty(t, f.Enum, at)
			case assessment.Amount:
				require.NotEmpty(t, f.Units, at)
				require.Less(t, *f.Min, *f.Max, at)
			case assessment.Number, assessment.Integer:
				require.Less(t, *f.Min, *f.Max, at)
			case assessment.Text:
				require.Positive(t, f.MaxLen, at)
			case assessment.Items:
				require.Positive(t, f.MaxItems, at)
				look(at, f.Fields)
			}
			for _, c := range f.RequiredWhen {
				name := c.Field
				if name == "rate.unit" {
					name = "rate"
				}
				require.True(t, has(fields, name), "%s depends on %s", at, c.Field)
			}
			for _, rule := range f.UnitsWhen {
				require.Subset(t, f.Units, rule.Units, at)
			}
		}
	}
	tab := table(t)
	for _, s := range append(tab.Sections(), tab.General()) {
		look(s.Key, s.Fields)
		if s.Key != "general" {
			require.True(t, has(s.Fields, "notes"), "%s has notes", s.Key)
		}
	}
}

func has(fields []assessment.Field, key string) bool {
	for _, f := range fields {
		if f.Key == key {
			return true
		}
	}
	return false
}

// TestEveryCarrierHasUnits: a carrier that the mapping has and the table has no units for could be entered in units
// that nothing converts.
func TestEveryCarrierHasUnits(t *testing.T) {
	t.Parallel()
	s, _ := table(t).Section("fuel_energy")
	for _, carrier := range s.Fields[0].Enum {
		rules := 0
		for _, rule := range s.Fields[1].UnitsWhen {
			for _, c := range rule.When.In {
				if c == carrier {
					rules++
				}
			}
		}
		require.Equal(t, 1, rules, carrier)
	}
}

// TestConstantsAreThoseOfTheFactors compares what the table itself states with the rows.
func TestConstantsAreThoseOfTheFactors(t *testing.T) {
	t.Parallel()
	set, err := engine.FactorSet("ipcc2019_ar6")
	require.NoError(t, err)
	tab := table(t)
	a, sheet := read(t, tab, wheat)
	for _, kind := range set.Mapping().Values("organic_inputs", "type") {
		rows, wrong := tab.Check("organic_inputs", tree(t, `[{"type": "`+kind+`", "rate": {"value": 30, "unit": "m3/ha"}, "n_pct": 1, "dry_matter_pct": 50}]`))
		require.Empty(t, wrong)
		sheet["organic_inputs"] = rows
		in, _, _ := tab.Normalise(a, sheet, today)
		row, known := set.Row("organic.density." + kind)
		if !known {
			require.Empty(t, in.OrganicInputs, "%s is left out: its density is not known", kind)
			require.Equal(t, "organic_inputs[0].density_kg_l", stateOf(tab.Complete(a, sheet, today), "organic_inputs").Missing[0].Path)
			continue
		}
		require.InDelta(t, 30*1000*row.Value, in.OrganicInputs[0].KgPerHa, 1e-9, kind)
		require.True(t, row.Ranged, kind)
	}
}
