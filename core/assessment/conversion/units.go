// Package conversion converts what people enter in their own units to the units of the method, and records how: each
// conversion is a step of the trace.
package conversion

import (
	"tilth/core/agronomy"
	"tilth/core/ghg"
)

// Definitions that are not agronomy's (units.csv holds the same figures): the international foot and mile, the
// avoirdupois tons, the acre foot.
const (
	KgPerShortTon  = 2000 * agronomy.KgPerPound
	KgPerLongTon   = 2240 * agronomy.KgPerPound
	KmPerMile      = 1.609344
	HectarePerKm2  = 100
	M3PerAcreFoot  = 1233.48183754752
	M3PerMmHectare = 10
	MPerKm         = 1000
	celsiusPerF    = 5.0 / 9
	fahrenheitZero = 32
)

// Units as they are entered: areas in ha, masses in kg, yields per area in kg/ha, lengths in m, distances in km.
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
	lengthUnits   = map[string]float64{"m": 1, "km": MPerKm}
	distanceUnits = map[string]float64{"km": 1, "mi": KmPerMile}
)

// Area converts to ha.
func Area(unit string) (Rule, bool) { return scaled(areaUnits, unit, "ha") }

// Length converts to m.
func Length(unit string) (Rule, bool) { return scaled(lengthUnits, unit, "m") }

// Distance converts to km.
func Distance(unit string) (Rule, bool) { return scaled(distanceUnits, unit, "km") }

// Temperature converts to °C: °C = (°F - 32) x 5/9.
func Temperature(unit string) (Rule, bool) {
	switch unit {
	case "celsius", "C", "°C":
		return Rule{}, true
	case "fahrenheit", "F", "°F":
		return Rule{
			{Op: '-', Symbol: "z", Value: fahrenheitZero, Unit: unit, Constant: "freezing point of water"},
			{Op: '*', Symbol: "k", Value: celsiusPerF, Unit: "°C per " + unit, Constant: "definition of the unit"},
		}, true
	}
	return nil, false
}

// Weight converts to t.
func Weight(unit string) (Rule, bool) {
	if unit == "t" {
		return Rule{}, true
	}
	rule, ok := scaled(massUnits, unit, "kg")
	return append(rule, inTonnes), ok
}

// inTonnes converts kg to t.
var inTonnes = Term{Op: '/', Symbol: "t", Value: agronomy.KgPerTonne, Unit: "kg per t", Constant: "definition of the unit"}

// Mass converts what [Yield] takes to t.
func Mass(unit string, area Term) (Rule, bool) {
	if unit == "t" {
		return Rule{}, true
	}
	rule, ok := Yield(unit, area)
	return append(rule, inTonnes), ok
}

// Yield converts to kg of the whole growing area: totals stay totals, yields per area are multiplied by it.
func Yield(unit string, area Term) (Rule, bool) {
	if rule, ok := scaled(yieldPerAreaUnits, unit, "kg/ha"); ok {
		return append(rule, area.with('*')), area.Value != 0
	}
	if unit == "lb" {
		return nil, false
	}
	return scaled(massUnits, unit, "kg")
}

// Rate converts a rate or a total to kg per treated ha. A volume needs its density in kg/l; a total needs the treated area.
// Either is without a symbol where it is not known.
func Rate(unit string, density, treated Term) (Rule, bool) {
	u := agronomy.Unit(unit)
	if !u.Known() || u.Volume() && density.Symbol == "" || !u.PerArea() && treated.Value <= 0 {
		return nil, false
	}
	kind := "kg"
	if u.Volume() {
		kind = "l"
	}
	if u.PerArea() {
		kind += "/ha"
	}
	rule := times(u.Factor(), unit, kind)
	if u.Volume() {
		rule = append(rule, density.with('*'))
	}
	if !u.PerArea() {
		rule = append(rule, treated.with('/'))
	}
	return rule, true
}

// Water converts irrigation water to m3 over an area.
//
//	m3 = mm x area x 10, or m3/ha x area
func Water(unit string, area Term) (Rule, bool) {
	switch unit {
	case "m3":
		return Rule{}, true
	case "mm":
		return append(times(M3PerMmHectare, unit, "m3/ha"), area.with('*')), true
	case "m3/ha":
		return Rule{area.with('*')}, true
	case "acre_ft":
		return times(M3PerAcreFoot, unit, "m3"), true
	}
	return nil, false
}

// Energy converts an amount of a carrier to a unit of [ghg.Fuel], normal: US gallons become litres and tonnes
// kilograms. A factor per entered unit is divided by the same rule.
func Energy(unit string) (rule Rule, normal string, ok bool) {
	switch unit {
	case ghg.Litre, ghg.Kilogram, ghg.CubicMetre, ghg.KilowattHour, ghg.Megajoule:
		return Rule{}, unit, true
	case "gal":
		return times(agronomy.LitrePerGallon, unit, ghg.Litre), ghg.Litre, true
	case "t":
		return times(agronomy.KgPerTonne, unit, ghg.Kilogram), ghg.Kilogram, true
	}
	return nil, "", false
}

// Tonnes converts t to kg, or t/ha to kg/ha.
func Tonnes() Rule { return times(agronomy.KgPerTonne, "t", "kg") }

func scaled(units map[string]float64, unit, to string) (Rule, bool) {
	factor, ok := units[unit]
	return times(factor, unit, to), ok
}

func times(factor float64, unit, to string) Rule {
	if factor == 1 {
		return Rule{}
	}
	return Rule{{Op: '*', Symbol: "k", Value: factor, Unit: to + " per " + unit, Constant: "definition of the unit"}}
}
