package ghg

import (
	"fmt"
	"math"
)

// Gas is a greenhouse gas as it is accounted for.
type Gas int

// The gases. NotSplit is kg CO2e of factors whose source does not separate the gases (production, upstream, transport).
const (
	CO2 Gas = iota
	CH4Fossil
	CH4Biogenic
	N2O
	NotSplit
	gases
)

var gasNames = [gases]string{"co2", "ch4_fossil", "ch4_biogenic", "n2o", "not_split"}

// String returns the gas's member name in a report.
func (g Gas) String() string { return gasNames[g] }

// Masses holds kg of each gas, indexed by [Gas].
type Masses [gases]float64

// Gases holds kg of each gas by name; not_split is kg CO2e of factors that do not separate the gases.
type Gases struct {
	CO2         float64 `json:"co2" doc:"CO2, kg."`
	CH4Fossil   float64 `json:"ch4_fossil" doc:"Methane from fossil carbon, kg."`
	CH4Biogenic float64 `json:"ch4_biogenic" doc:"Methane from biogenic carbon, kg."`
	N2O         float64 `json:"n2o" doc:"Nitrous oxide, kg."`
	NotSplit    float64 `json:"not_split" doc:"What a factor states for all gases together, kg CO2e."`
}

// Exact ratios of molar masses: N2O per N2O-N and CO2 per C.
const (
	N2OPerN = 44.0 / 28
	CO2PerC = 44.0 / 12
)

// Definitions that equations and conversions share.
const (
	MJPerKWh     = 3.6
	HectarePerM2 = 1e-4
)

// gwpTerms are the terms of mapping.csv that hold the warming potentials.
var gwpTerms = [NotSplit]string{"gwp_set/co2", "gwp_set/ch4_fossil", "gwp_set/ch4_non_fossil", "gwp_set/n2o"}

func (s *FactorSet) resolveGWP() error {
	for gas, term := range gwpTerms {
		row, ok := s.mapping.Find(sectionGeneral, term, s.GWP)
		if !ok {
			return fmt.Errorf("factor set %s: the mapping has no %s for %s", s.ID, term, s.GWP)
		}
		s.gwp[gas] = s.rows[row.Key].Value
		s.potentials[gas] = quantity{v: s.gwp[gas], factor: s.rows[row.Key]}
	}
	s.gwp[NotSplit] = 1
	return nil
}

// WarmingPotential returns what a kg of a gas warms over 100 years, kg CO2e per kg. That of [NotSplit] is 1.
func (s *FactorSet) WarmingPotential(g Gas) float64 { return s.gwp[g] }

var stepCO2e = newStep("co2e", "M * GWP", "kg CO2e", "IPCC 2006 V1 ch8", of2(CO2e), "M kg", "GWP kg CO2e/kg")

// CO2e returns a mass times its warming potential, kg CO2e (IPCC 2006 V1 ch8).
func CO2e(kg, gwp float64) float64 { return kg * gwp }

// Tonnes returns kg as reports show them: t, rounded to the gram.
func Tonnes(kg float64) float64 { return Rounded(kg / 1000) }

// Rounded returns a figure with the six decimals that reports show.
func Rounded(v float64) float64 {
	const decimals = 1e6
	return math.Round(v*decimals) / decimals
}
