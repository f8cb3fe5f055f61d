package footprint

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/core/ghg/views"
)

// amount counts billionths of a kilogram, so that members that are rounded one by one still add up to their total.
type amount int64

const perKg = 1_000_000_000

// carbonToCO2 is the mass of CO2 per mass of carbon.
const carbonToCO2 = 44.0 / 12.0

func amountOf(kg float64) amount { return amount(math.Round(kg * perKg)) }

// String returns kilograms as a decimal number.
func (a amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	text := fmt.Sprintf("%s%d.%09d", sign, int64(a/perKg), int64(a%perKg))
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// decimal returns a number without an exponent.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// figures are kg CO2e per declared unit. fossil includes managementFossil; removals are at most 0.
type figures struct {
	fossil, managementFossil, managementCO2 amount
	landUseChange, biogenicCH4, removals    amount
	unwatched                               amount  // removals without monitoring, which are not counted
	aircraft                                *amount // part of fossil; nil: not known separately
	land                                    string  // m2 in the year
}

// excluding returns the footprint without the uptake of the product, as the data model adds it up.
func (f figures) excluding() amount {
	return f.fossil + f.landUseChange + f.managementCO2 + f.removals + f.biogenicCH4
}

// stocks are the labels whose CO2 is the carbon of soils and biomass.
var stocks = map[string]bool{ghg.LabelSoilLoss: true, ghg.LabelBiomassLoss: true, ghg.LabelOrganicSoils: true}

// maxPerKg bounds the emissions or removals of a kilogram of a crop, kg CO2e: beyond it the yield cannot be right.
const maxPerKg = 1e3

// figuresOf returns what massKg of the main product carries.
func figuresOf(src Source, massKg float64) (figures, error) {
	r := src.Report
	if r.FunctionalUnit.ProductT == nil || *r.FunctionalUnit.ProductT <= 0 {
		return figures{}, noFootprint("The version states no yield, and a footprint is per mass of the product. Fix: enter the yield, submit again, and publish that version.")
	}
	if r.Allocation.MainSharePct <= 0 {
		return figures{}, noFootprint("The main product carries none of the emissions of the version: its co-products carry them all.")
	}
	productKg := *r.FunctionalUnit.ProductT * 1000
	part := r.Allocation.MainSharePct / 100 * massKg / productKg // of what the report totals
	if max(r.Totals.Emissions, r.Totals.Removals)*1000*part > maxPerKg*massKg {
		return figures{}, noFootprint("The version comes to more than %g kg CO2e per kilogram of the product. Fix: check the yield, submit again, and publish that version.", maxPerKg)
	}
	var kg struct{ fossil, management, co2, change, methane, removed float64 }
	gwp := potentials(r)
	for _, l := range r.BySource {
		co2e := l.CO2e * 1000
		if l.Category == ghg.CategoryLandUse {
			kg.change += co2e
			continue
		}
		methane, stock := l.Kg.CH4Biogenic*gwp[ghg.CH4Biogenic.String()], 0.0
		if stocks[l.Label] {
			stock = l.Kg.CO2
		}
		rest := max(0, co2e-methane-stock)
		kg.methane, kg.co2, kg.fossil = kg.methane+methane, kg.co2+stock, kg.fossil+rest
		if l.Category == ghg.CategoryManagement {
			kg.management += rest
		}
	}
	all := 0.0
	for _, l := range r.RemovalsBySrc {
		all += l.CO2e * 1000
	}
	if r.Views != nil {
		for _, removal := range r.Views.LandSector.Removals {
			if removal.Monitoring != views.MonitoringNone {
				kg.removed += removal.CO2e * 1000
			}
		}
	}
	out := figures{
		fossil: amountOf(kg.fossil * part), managementFossil: amountOf(kg.management * part), managementCO2: amountOf(kg.co2 * part),
		landUseChange: amountOf(kg.change * part), biogenicCH4: amountOf(kg.methane * part), removals: -amountOf(kg.removed * part),
		unwatched: amountOf(max(0, all-kg.removed) * part), aircraft: aircraft(src, part),
	}
	if area := r.FunctionalUnit.AreaHa; area != nil {
		const squareMetres = 10_000
		out.land = amountOf(*area * squareMetres * part).String()
	}
	return out, nil
}

// aircraft returns the emissions of transport by air; nil where the version does not separate them.
func aircraft(src Source, part float64) *amount {
	if v := src.Report.Views; v != nil {
		for _, p := range v.Product.Parts {
			if p.Part == views.Aircraft && v.Product.AircraftNote != views.AircraftNotApart {
				return new(amountOf(p.CO2e * 1000 * part))
			}
		}
		return nil
	}
	if slices.ContainsFunc(src.Transport, func(j ghg.Journey) bool { return strings.HasPrefix(j.Mode, "air") }) {
		return nil
	}
	return new(amount(0))
}

// potentials returns the warming potentials of a report by gas.
func potentials(r report.Report) map[string]float64 {
	out := map[string]float64{}
	for _, g := range r.ByGas {
		out[g.Gas] = g.GWP
	}
	return out
}
