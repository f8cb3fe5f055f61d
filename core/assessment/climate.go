package assessment

import (
	"maps"
	"slices"

	"tilth/core/ghg"
)

// WantsClimate reports whether the section soil asks for a method that needs a monthly climate, and holds none.
func (s Sheet) WantsClimate() bool {
	soil := s.first(secSoil)
	return soil.text(keyCarbonMethod) == ghg.SoilTier2 && len(soil.items(keyClimateMonth)) == 0
}

// withClimate returns a sheet as the rules see it: with the climate of the operator's file where people gave none.
func (s Sheet) withClimate(facts Facts) Sheet {
	if facts.Climate == nil || !s.WantsClimate() {
		return s
	}
	months := make([]any, len(facts.Climate.Months))
	for i, m := range facts.Climate.Months {
		months[i] = map[string]any{
			"month": float64(i + 1), "temperature_c": m.TemperatureC, "precipitation_mm": m.PrecipitationMm, "pet_mm": m.PETMm,
		}
	}
	out := maps.Clone(s)
	out[secSoil] = slices.Clone(s[secSoil])
	soil := &out[secSoil][0]
	soil.Values = maps.Clone(soil.Values)
	soil.Values[keyClimateMonth] = months
	return out
}
