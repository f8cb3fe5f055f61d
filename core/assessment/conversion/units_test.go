package conversion_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/engine"
	"tilth/core/agronomy"
	"tilth/core/assessment/conversion"
	"tilth/core/ghg"
)

// TestUnits compares every unit that the mapping allows with its constant there: the conversions and the tables are two
// statements of the same figures.
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
		units := set.Mapping().Values(section, field)
		require.NotEmpty(t, units)
		for _, unit := range units {
			got, ok := convert(unit)
			require.True(t, ok, "%s %s %s", section, field, unit)
			require.InEpsilon(t, want(unit, constant(section, field, unit)), got, 1e-8, "%s %s %s", section, field, unit)
		}
		_, ok := convert("bushel")
		require.False(t, ok)
	}
	plain := func(_ string, c float64) float64 { return 7 * c }
	by := func(rule func(unit string) (conversion.Rule, bool)) func(unit string) (float64, bool) {
		return func(unit string) (float64, bool) { return conversion.In(rule)(7, unit) }
	}
	three := conversion.Term{Symbol: "A", Value: 3}
	each("general", "growing_area.unit", by(conversion.Area), plain)
	each("general", "average_temperature.unit", func(u string) (float64, bool) { return conversion.In(conversion.Temperature)(50, u) },
		func(_ string, c float64) float64 {
			if c == 1 {
				return 50
			}
			return 18 * c
		})
	each("crop", "harvested_yield.unit", by(func(u string) (conversion.Rule, bool) { return conversion.Yield(u, three) }),
		func(u string, c float64) float64 {
			switch u {
			case "t/ha", "kg/ha":
				return 7 * c * 3
			case "t/acre":
				return 7 * c * 3 * 1000
			}
			return 7 * c
		})
	each("transport", "distance.unit", by(conversion.Distance), plain)
	each("transport", "weight.unit", by(conversion.Weight),
		func(u string, c float64) float64 {
			switch u {
			case "kg":
				return 7 / c
			case "lb":
				return 7 * c / 1000
			}
			return 7 * c
		})
	each("irrigation", "water_volume.unit", by(func(u string) (conversion.Rule, bool) { return conversion.Water(u, three) }),
		func(u string, c float64) float64 {
			if u == "mm" || u == "m3/ha" {
				return 7 * c * 3
			}
			return 7 * c
		})
	density, treated := conversion.Term{Symbol: "rho", Value: 1.3}, conversion.Term{Symbol: "A", Value: 4}
	each("fertilizers", "rate.unit", by(func(u string) (conversion.Rule, bool) { return conversion.Rate(u, density, treated) }), func(u string, _ float64) float64 {
		return map[string]float64{"kg/ha": 7, "t/ha": 7000, "l/ha": 9.1, "lb/acre": 7 * 1.12085116, "kg": 7 / 4.0, "t": 7000 / 4.0}[u]
	})
	each("fuel_energy", "amount.unit", func(u string) (float64, bool) {
		rule, normal, ok := conversion.Energy(u)
		amount := rule.Of(7)
		require.InDelta(t, 7.0, rule.Inverse().Of(amount), 1e-12)
		require.Equal(t, ok, normal != "")
		if u == "kwh" {
			amount *= ghg.MJPerKWh
		}
		return amount, ok
	}, plain)
	require.InDelta(t, 2.29134, agronomy.P2O5PerP, 1e-9)
	require.InDelta(t, 1.20461, agronomy.K2OPerK, 1e-9)
}

// TestRatesAreThoseOfFarmRecords: the rule of an assessment and the arithmetic of the records of a farm are the same, to
// the last digit.
func TestRatesAreThoseOfFarmRecords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string) float64 { return rapid.Float64Range(0.001, 1e5).Draw(t, name) }
		density, area, value := some("density"), some("area"), some("value")
		for _, unit := range append(agronomy.Units(), "bushel") {
			for _, known := range []bool{true, false} {
				rho, ha := conversion.Term{}, conversion.Term{}
				var rhoKnown, haKnown *float64
				if known {
					rho, ha = conversion.Term{Symbol: "rho", Value: density}, conversion.Term{Symbol: "A", Value: area}
					rhoKnown, haKnown = &density, &area
				}
				rule, ok := conversion.Rate(string(unit), rho, ha)
				want, wantOK := agronomy.Amount{Value: value, Unit: unit}.MassPerHa(rhoKnown, haKnown)
				require.Equal(t, wantOK, ok, unit)
				if ok {
					require.InDelta(t, want, rule.Of(value), 0, unit)
				}
			}
		}
	})
}
