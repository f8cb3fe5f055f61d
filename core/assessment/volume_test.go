package assessment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
)

// TestVolumesOfSolids: 10 m3/ha of loose straw are 770 kg/ha, where it once was 10 t; the trace shows the conversion, and the
// range of the density is part of the range of the line.
func TestVolumesOfSolids(t *testing.T) {
	t.Parallel()
	tab := table(t)
	of := func(body string) (ghg.Result, map[string]ghg.TraceLine) {
		a, sheet := read(t, tab, wheat)
		sheet["organic_inputs"], _ = tab.Check("organic_inputs", tree(t, body))
		delete(a.Declarations, "organic_inputs")
		violations, _ := tab.Submittable(a, sheet, today)
		require.Empty(t, violations)
		in, _, _ := tab.Normalise(a, sheet, today)
		result, err := ghg.Calculate(in, factors(t), ghg.Options{Trace: true})
		require.NoError(t, err)
		steps := map[string]ghg.TraceLine{}
		for _, line := range result.Trace {
			if line.Item == "organic_inputs[0]" {
				steps[line.Step] = line
			}
		}
		return result, steps
	}
	volume, steps := of(`[{"type": "straw", "rate": {"value": 10, "unit": "m3/ha"}}]`)
	require.InDelta(t, 770, steps["mass_of_volume"].Result, 1e-9)
	require.Equal(t, "organic.density.straw", steps["mass_of_volume"].Factors[0].Key)
	require.NotEmpty(t, steps["mass_of_volume"].Factors[0].Source)
	require.InDelta(t, 7700, steps["applied_mass"].Result, 1e-9)
	weight, _ := of(`[{"type": "straw", "rate": {"value": 770, "unit": "kg/ha"}}]`)
	require.InDelta(t, weight.Emissions, volume.Emissions, 1e-9)
	require.Greater(t, line(volume, "organic_inputs").High, line(weight, "organic_inputs").High)

	bales, steps := of(`[{"type": "straw", "rate": {"value": 10, "unit": "m3/ha"}, "density_kg_l": 0.15}]`)
	require.InDelta(t, 1500, steps["mass_of_volume"].Result, 1e-9)
	require.Empty(t, steps["mass_of_volume"].Factors)
	require.Greater(t, bales.Emissions, volume.Emissions)
}

func line(r ghg.Result, section string) ghg.Line {
	for _, l := range r.Lines {
		if l.Section == section {
			return l
		}
	}
	return ghg.Line{}
}
