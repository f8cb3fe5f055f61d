package units_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/agronomy"
	"tilth/core/ghg"
	"tilth/core/ghg/units"
)

// TestUnits holds every unit that the mapping allows against its constant there: the
// conversions and the tables are two statements of the same figures.
func TestUnits(t *testing.T) {
	t.Parallel()
	set, err := engine.FactorSet(ghg.IPCC2019)
	require.NoError(t, err)
	constant := func(section, field, unit string) float64 {
		row, ok := set.Mapping().Find(section, field, unit)
		require.True(t, ok, "%s %s %s", section, field, unit)
		if text, literal := row.Literal(); literal {
			require.Contains(t, []string{"1", "density_kg_l"}, text)
			return 1
		}
		f, ok := set.Row(row.Key)
		require.True(t, ok, row.Key)
		return f.Value
	}
	each := func(section, field string, convert func(unit string) (float64, bool), want func(unit string, constant float64) float64) {
		t.Helper()
		names := set.Mapping().Values(section, field)
		require.NotEmpty(t, names)
		for _, u := range names {
			got, ok := convert(u)
			require.True(t, ok, "%s %s %s", section, field, u)
			require.InEpsilon(t, want(u, constant(section, field, u)), got, 1e-8, "%s %s %s", section, field, u)
		}
		_, ok := convert("bushel")
		require.False(t, ok)
	}
	plain := func(_ string, c float64) float64 { return 7 * c }
	each("general", "growing_area.unit", func(u string) (float64, bool) { return units.AreaHa(7, u) }, plain)
	each("general", "average_temperature.unit", func(u string) (float64, bool) { return units.TemperatureC(50, u) },
		func(_ string, c float64) float64 {
			if c == 1 {
				return 50
			}
			return 18 * c
		})
	each("crop", "harvested_yield.unit", func(u string) (float64, bool) { return units.YieldKg(7, u, 3) },
		func(u string, c float64) float64 {
			switch u {
			case "t/ha", "kg/ha":
				return 7 * c * 3
			case "t/acre":
				return 7 * c * 3 * 1000
			}
			return 7 * c
		})
	each("transport", "distance.unit", func(u string) (float64, bool) { return units.DistanceKm(7, u) }, plain)
	each("transport", "weight.unit", func(u string) (float64, bool) { return units.WeightT(7, u) },
		func(u string, c float64) float64 {
			switch u {
			case "kg":
				return 7 / c
			case "lb":
				return 7 * c / 1000
			}
			return 7 * c
		})
	each("irrigation", "water_volume.unit", func(u string) (float64, bool) { return units.WaterM3(7, u, 3) },
		func(u string, c float64) float64 {
			if u == "mm" || u == "m3/ha" {
				return 7 * c * 3
			}
			return 7 * c
		})
	density, treated := 1.3, 4.0
	rate := func(u string) (float64, bool) { return units.RateKgPerHa(7, u, &density, &treated) }
	each("fertilizers", "rate.unit", func(u string) (float64, bool) { return rate(u) }, func(u string, _ float64) float64 {
		return map[string]float64{"kg/ha": 7, "t/ha": 7000, "l/ha": 9.1, "lb/acre": 7 * 1.12085116, "kg": 7 / 4.0, "t": 7000 / 4.0}[u]
	})
	each("fuel_energy", "amount.unit", func(u string) (float64, bool) {
		amount, normal, perUnit, ok := units.EnergyAmount(7, u)
		require.InDelta(t, 7*perUnit, amount, 1e-12)
		require.Equal(t, ok, normal != "")
		if u == "kwh" {
			amount *= ghg.MJPerKWh
		}
		return amount, ok
	}, plain)
	require.InDelta(t, 2.29134, agronomy.P2O5PerP, 1e-9)
	require.InDelta(t, 1.20461, agronomy.K2OPerK, 1e-9)
}
