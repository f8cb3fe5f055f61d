// Package agronomy holds the vocabulary and the arithmetic that farm records and assessments share: units of what is
// applied to land, and the products that are applied, with their contents. It knows no records and no emission factors.
package agronomy

// Conversions that are definitions (international yard and pound, US liquid gallon).
const (
	KgPerPound     = 0.45359237
	HectarePerAcre = 0.40468564224
	LitrePerGallon = 3.785411784 // US; the imperial gallon is not supported
	KgPerTonne     = 1000
	LitrePerM3     = 1000
)

// Oxides per element, by the molar masses of IUPAC (2021): P2O5 / 2P and K2O / 2K, to
// the five decimals that fertilizer statistics use.
const (
	P2O5PerP = 2.29134
	K2OPerK  = 1.20461
)

// Unit is how an applied amount is stated: with a slash as a rate per treated area, else as a total over it.
type Unit string

// The units of applied amounts.
const (
	KgPerHa    Unit = "kg/ha"
	TPerHa     Unit = "t/ha"
	LPerHa     Unit = "l/ha"
	M3PerHa    Unit = "m3/ha"
	LbPerAcre  Unit = "lb/acre"
	GalPerAcre Unit = "gal/acre"
	Kg         Unit = "kg"
	Tonne      Unit = "t"
	Litre      Unit = "l"
	M3         Unit = "m3"
)

// measure is the value of one unit in kilograms or litres, per hectare or in total.
type measure struct {
	factor  float64
	volume  bool // litres instead of kilograms
	perArea bool
}

var measures = map[Unit]measure{
	KgPerHa:    {1, false, true},
	TPerHa:     {KgPerTonne, false, true},
	LPerHa:     {1, true, true},
	M3PerHa:    {LitrePerM3, true, true},
	LbPerAcre:  {KgPerPound / HectarePerAcre, false, true},
	GalPerAcre: {LitrePerGallon / HectarePerAcre, true, true},
	Kg:         {1, false, false},
	Tonne:      {KgPerTonne, false, false},
	Litre:      {1, true, false},
	M3:         {LitrePerM3, true, false},
}

// Units returns every unit of an applied amount, in the order that people are shown.
func Units() []Unit {
	return []Unit{KgPerHa, TPerHa, LPerHa, M3PerHa, LbPerAcre, GalPerAcre, Kg, Tonne, Litre, M3}
}

// Known reports whether the unit is one of [Units].
func (u Unit) Known() bool { _, ok := measures[u]; return ok }

// Volume reports whether the unit measures volume, so that a density is needed for mass.
func (u Unit) Volume() bool { return measures[u].volume }

// Factor returns the value of one unit in kilograms or litres; 0 for an unknown unit.
func (u Unit) Factor() float64 { return measures[u].factor }

// PerArea reports whether the unit is a rate and not a total.
func (u Unit) PerArea() bool { return measures[u].perArea }

// Amount is a quantity as it was typed.
type Amount struct {
	Value float64
	Unit  Unit
}

// PerHa returns kilograms or litres per treated hectare; ok is false where the area of a total (ha) is not known.
func (a Amount) PerHa(areaHa *float64) (rate float64, ok bool) {
	m, known := measures[a.Unit]
	switch rate = a.Value * m.factor; {
	case !known:
		return 0, false
	case m.perArea:
		return rate, true
	case areaHa == nil || *areaHa <= 0:
		return 0, false
	}
	return rate / *areaHa, true
}

// MassPerHa returns kilograms per treated hectare; ok is false where the density of a
// volume (kg/l) or the area of a total (ha) is not known.
//
//	rate  = value x factor           [kg/ha or l/ha]
//	total = value x factor / area
//	mass  = volume x density
func (a Amount) MassPerHa(density, areaHa *float64) (kg float64, ok bool) {
	m, known := measures[a.Unit]
	if !known {
		return 0, false
	}
	kg = a.Value * m.factor
	if m.volume {
		if density == nil {
			return 0, false
		}
		kg *= *density
	}
	if !m.perArea {
		if areaHa == nil || *areaHa <= 0 {
			return 0, false
		}
		kg /= *areaHa
	}
	return kg, true
}
