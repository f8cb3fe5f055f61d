// Package units converts what people enter to the units of the snapshot: ha, kg, t, m3, km, °C.
package units

import (
	"tilth/core/agronomy"
	"tilth/core/ghg"
)

// Definitions that are not agronomy's (units.csv holds the same figures): the
// international foot and mile, the avoirdupois tons, the acre foot.
const (
	KgPerShortTon  = 2000 * agronomy.KgPerPound
	KgPerLongTon   = 2240 * agronomy.KgPerPound
	KmPerMile      = 1.609344
	HectarePerKm2  = 100
	M3PerAcreFoot  = 1233.48183754752
	M3PerMmHectare = 10
	celsiusPerF    = 5.0 / 9
	fahrenheitZero = 32
)

// Units as they are entered: areas in ha, masses in kg, yields per area in kg/ha.
var (
	areaUnits = map[string]float64{
		"ha": 1, "hectares": 1, "acre": agronomy.HectarePerAcre, "acres": agronomy.HectarePerAcre,
		"m2": ghg.HectarePerM2, "km2": HectarePerKm2,
	}
	massUnits = map[string]float64{
		"kg": 1, "t": agronomy.KgPerTonne, "short_ton": KgPerShortTon, "long_ton": KgPerLongTon, "lb": agronomy.KgPerPound,
	}
	yieldPerAreaUnits = map[string]float64{
		"t/ha": agronomy.KgPerTonne, "kg/ha": 1, "t/acre": agronomy.KgPerTonne / agronomy.HectarePerAcre,
	}
)

// AreaHa converts an area to ha.
func AreaHa(value float64, unit string) (ha float64, ok bool) { return scaled(value, areaUnits, unit) }

// TemperatureC converts a temperature to °C: °C = (°F - 32) x 5/9.
func TemperatureC(value float64, unit string) (celsius float64, ok bool) {
	switch unit {
	case "celsius", "C", "°C":
		return value, true
	case "fahrenheit", "F", "°F":
		return (value - fahrenheitZero) * celsiusPerF, true
	}
	return 0, false
}

// YieldKg converts a yield to kg of the whole growing area: totals stay totals, yields per area are multiplied by it.
func YieldKg(value float64, unit string, areaHa float64) (kg float64, ok bool) {
	if perHa, ok := yieldPerAreaUnits[unit]; ok {
		return value * perHa * areaHa, true
	}
	if unit == "lb" {
		return 0, false
	}
	return scaled(value, massUnits, unit)
}

// RateKgPerHa converts a rate or a total to kg per treated ha. A volume needs densityKgL
// in kg/l; a total needs the treated area in ha.
func RateKgPerHa(value float64, unit string, densityKgL, treatedHa *float64) (kgHa float64, ok bool) {
	return agronomy.Amount{Value: value, Unit: agronomy.Unit(unit)}.MassPerHa(densityKgL, treatedHa)
}

// WaterM3 converts irrigation water to m3 over the growing area.
//
//	m3 = mm x area x 10, or m3/ha x area
func WaterM3(value float64, unit string, areaHa float64) (m3 float64, ok bool) {
	switch unit {
	case "m3":
		return value, true
	case "mm":
		return value * M3PerMmHectare * areaHa, true
	case "m3/ha":
		return value * areaHa, true
	case "acre_ft":
		return value * M3PerAcreFoot, true
	}
	return 0, false
}

// EnergyAmount brings an amount of a carrier to the units of [ghg.Fuel]: US gallons become
// litres and tonnes kilograms. A factor per entered unit is divided by perUnit.
func EnergyAmount(value float64, unit string) (amount float64, normal string, perUnit float64, ok bool) {
	switch unit {
	case ghg.Litre, ghg.Kilogram, ghg.CubicMetre, ghg.KilowattHour, ghg.Megajoule:
		return value, unit, 1, true
	case "gal":
		return value * agronomy.LitrePerGallon, ghg.Litre, agronomy.LitrePerGallon, true
	case "t":
		return value * agronomy.KgPerTonne, ghg.Kilogram, agronomy.KgPerTonne, true
	}
	return 0, "", 0, false
}

// WeightT converts a weight to t.
func WeightT(value float64, unit string) (t float64, ok bool) {
	kg, ok := scaled(value, massUnits, unit)
	return kg / agronomy.KgPerTonne, ok
}

// DistanceKm converts a distance to km.
func DistanceKm(value float64, unit string) (km float64, ok bool) {
	return scaled(value, map[string]float64{"km": 1, "mi": KmPerMile}, unit)
}

func scaled(value float64, factors map[string]float64, unit string) (float64, bool) {
	factor, ok := factors[unit]
	return value * factor, ok
}
