package ghg

import (
	"cmp"
	"strings"

	"tilth/core/agronomy"
)

const chapter11 = "IPCC 2019 V4 ch11 "

var (
	stepMass = newStep("applied_mass", "R * A * p / 100", "kg", "definition",
		of3(func(rate, area, pct float64) float64 { return rate * area * pct / 100 }), "R kg/ha", "A ha", "p %")
	stepVolume = newStep("mass_of_volume", "V * rho * 1000", "kg/ha", "definition",
		of2(func(volume, density float64) float64 { return volume * density * agronomy.KgPerTonne }), "V m3/ha", "rho t/m3")
	stepContent = newStep("nutrient_applied", "M * c / 100", "kg", "definition", of2(part), "M kg", "c %")
	stepRest    = newStep("rest", "w - p", "as the parts", "definition", of2(minus), "w part", "p part")
	stepCapped  = newStep("share_of_the_area", "min(S, 100)", "%", "definition", of1(func(sum float64) float64 { return min(sum, 100) }), "S %")
	stepDirect  = newStep("soil_n2o_direct", "N * EF1 * (44 / 28)", "kg N2O", chapter11+"Eq. 11.1",
		of2(func(n, ef1 float64) float64 { return n * ef1 * N2OPerN }), "N kg N", "EF1 kg N2O-N/kg N")
	// Nitrogen that leaves as NH3 and NOx and is deposited elsewhere.
	stepVolatilised = newStep("soil_n2o_volatilisation", "N * FracGas * EF4 * (44 / 28)", "kg N2O", chapter11+"Eq. 11.9",
		of3(func(n, fracGas, ef4 float64) float64 { return n * fracGas * ef4 * N2OPerN }),
		"N kg N", "FracGas kg N/kg N", "EF4 kg N2O-N/kg N")
	// Nitrogen that leaches or runs off.
	stepLeached = newStep("soil_n2o_leaching", "N * FracLeach * EF5 * (44 / 28)", "kg N2O", chapter11+"Eq. 11.10",
		of3(func(n, fracLeach, ef5 float64) float64 { return n * fracLeach * ef5 * N2OPerN }),
		"N kg N", "FracLeach kg N/kg N", "EF5 kg N2O-N/kg N")
	stepUreaOfN  = newStep("urea_of_nitrogen", "N / fN", "kg urea", chapter11+"Eq. 11.13", of2(quotient), "N kg N", "fN kg N/kg urea")
	stepUreaPart = newStep("urea_in_product", "M * f", "kg urea", chapter11+"Eq. 11.13", of2(product), "M kg", "f kg urea/kg")
	stepUrea     = newStep("urea_co2", "U * EF", "kg CO2", chapter11+"Eq. 11.13", of2(product), "U kg urea", "EF kg CO2/kg")
	stepLime     = newStep("lime_co2", "M * EF", "kg CO2", chapter11+"Eq. 11.12", of2(product), "M kg", "EF kg CO2/kg")
)

// Kinds of nitrogen as mapping.csv names them for EF1.
const (
	synthetic   = "ef1/synthetic"
	organic     = "ef1/organic"
	residue     = "ef1/residue"
	mineralised = "ef1/mineralised"
)

const (
	custom       = "custom"
	wet          = "wet"
	world        = "world"
	ricePaddy    = "rice_paddy"
	organicClass = "organic"
)

// soilNitrogen emits the direct, volatilised and leached N2O of nitrogen applied to soil: under label where it belongs
// to residues or to a change of land use, else under the labels of soil N2O.
func (r *run) soilNitrogen(kind, label string, n, fracGas quantity) {
	if n.v == 0 || r.err != nil {
		return
	}
	r.emit(stepDirect.Name, cmp.Or(label, LabelDirect), 1, N2O, r.do(stepDirect, n, r.ef1(kind)))
	if fracGas.v != 0 {
		ef4 := r.factor(sectionN2O, "ef4", r.moisture())
		r.emit(stepVolatilised.Name, LabelVolatilisation, 1, N2O, r.do(stepVolatilised, n, fracGas, ef4))
	}
	r.leach(cmp.Or(label, LabelLeaching), n)
}

// leach emits the N2O of nitrogen that leaches: in a dry zone, that of the part of the area that is irrigated other
// than by drip (IPCC 2019 V4 ch11 Table 11.3, footnote).
func (r *run) leach(label string, n quantity) {
	emit := func(n quantity, moisture string) {
		leached := r.do(stepLeached, n, r.factor(sectionN2O, "frac_leach", moisture), r.factor(sectionN2O, "ef5"))
		r.emit(stepLeached.Name, label, 1, N2O, leached)
	}
	switch pct := r.irrigatedPct(); {
	case pct == 0 || r.moisture() == wet:
		emit(n, r.moisture())
	case pct == 100:
		emit(n, wet)
	default:
		irrigated := r.irrigatedShare()
		emit(r.do(stepContent, n, irrigated), wet)
		emit(r.do(stepContent, n, r.do(stepRest, r.constant(100, allOfTheArea), irrigated)), r.moisture())
	}
}

// ef1 returns EF1 of flooded rice where the field is flooded, else EF1 of the kind of nitrogen and of the climate.
func (r *run) ef1(kind string) quantity {
	if r.floodedRice() {
		return r.factor("rice", "water_regime/ef1fr", r.in.Rice.WaterRegime)
	}
	return r.factor(sectionN2O, kind, r.moisture())
}

// floodedRice reports whether the crop is paddy rice under a water regime that floods it; upland rice is an ordinary crop.
func (r *run) floodedRice() bool {
	if r.in.Crop.Type != ricePaddy || r.in.Rice == nil {
		return false
	}
	row, ok := r.set.mapping.Find("rice", "water_regime/ef1fr", r.in.Rice.WaterRegime)
	_, literal := row.Literal()
	return ok && !literal
}

// moisture is wet or dry by the zone; the montane tropics are dry under 1000 mm.
func (r *run) moisture() string {
	zone := r.zone()
	if zone.Key == "tropical_montane" && r.in.Soil.AnnualRainfallMm != nil && *r.in.Soil.AnnualRainfallMm < montaneDryMm {
		return "dry"
	}
	return zone.Moisture
}

// montaneDryMm is the rainfall below which the montane tropics are dry (IPCC 2019 V4 ch3 Annex 3A.5 separates moist
// from dry tropics at 1000 mm).
const montaneDryMm = 1000

// irrigatedPct is the share of the area under irrigation that makes nitrogen leach, per cent. Shares of several items
// add up to at most the whole area.
func (r *run) irrigatedPct() float64 {
	var pct float64
	for i := range r.in.Irrigation {
		if w := &r.in.Irrigation[i]; r.makesLeach(w) {
			pct += w.areaPct()
		}
	}
	return min(pct, 100)
}

func (r *run) makesLeach(w *Irrigation) bool {
	row, ok := r.set.mapping.Find("irrigation", "method/leaching_switch", w.Method)
	text, _ := row.Literal()
	return ok && text == "yes" && w.WaterM3 > 0
}

// irrigatedShare is irrigatedPct, worked out in steps.
func (r *run) irrigatedShare() quantity {
	var sum quantity
	for i := range r.in.Irrigation {
		if w := &r.in.Irrigation[i]; r.makesLeach(w) {
			if w.AreaPct == nil {
				sum = r.plus(sum, r.constant(100, allOfTheArea))
			} else {
				sum = r.plus(sum, r.of(*w.AreaPct, r.path("irrigation", i, "area_pct")))
			}
		}
	}
	return r.do(stepCapped, sum)
}

func (w *Irrigation) areaPct() float64 {
	if w.AreaPct == nil {
		return 100
	}
	return *w.AreaPct
}

func (r *run) fertilizers() {
	for i := range r.in.Fertilizers {
		r.at("fertilizers", i)
		r.fertilizer(&r.in.Fertilizers[i])
	}
}

func (r *run) fertilizer(f *Fertilizer) {
	mass := r.do(stepMass, r.activity(rowFertilizer, "kg_per_ha", f.KgPerHa, f.UncertaintyPct), r.area, r.given(f.AreaPct, "area_pct"))
	n := r.nutrient(f, mass, "product/n", f.NPct)
	r.soilNitrogen(synthetic, "", n, r.fertilizerGas(f, n))
	r.urea(f, mass, n)
	if row, ok := r.set.mapping.Find(r.section, "product/lime_co2", f.Product); ok {
		r.emit("lime_co2", LabelLiming, 1, CO2, r.do(stepLime, mass, r.resolved(row)))
	}
	r.fertilizerProduction(f, mass, n)
	if f.Inhibitor != "" && f.Inhibitor != "none" {
		r.warn(WarnInhibitor, "The inhibitor ("+f.Inhibitor+") is recorded; the Tier 1 method has no factor for it, so it changes no figure.")
	}
}

// nutrient returns kg of a nutrient by the content that was entered, else the product's.
func (r *run) nutrient(f *Fertilizer, mass quantity, field string, pct *float64) quantity {
	if pct != nil {
		return r.do(stepContent, mass, r.given(*pct, strings.TrimPrefix(field, "product/")+"_pct"))
	}
	if f.Product == custom {
		return r.refuse("n_pct", "A custom product needs its contents: give n_pct, p2o5_pct and k2o_pct (0 where there is none).")
	}
	row, ok := r.set.mapping.Find(r.section, field, f.Product)
	if !ok {
		if _, lime := r.set.mapping.Find(r.section, "product/lime_co2", f.Product); lime {
			return quantity{}
		}
		return r.unknown(field, f.Product)
	}
	return r.do(stepContent, mass, r.resolved(row))
}

func (r *run) fertilizerGas(f *Fertilizer, n quantity) quantity {
	row, ok := r.set.mapping.Find(r.section, "product/frac_gasf", f.Product)
	switch {
	case n.v == 0:
		return quantity{}
	case f.Product == custom:
		return r.factor(r.section, "n_class/frac_gasf", f.NClass)
	case !ok:
		return quantity{} // lime with a content of nitrogen: none of it volatilises as that of a fertilizer does
	}
	return r.resolved(row)
}

// urea emits the CO2 that urea releases when it is hydrolysed in the soil.
func (r *run) urea(f *Fertilizer, mass, n quantity) {
	ureaKg := mass
	row, ok := r.set.mapping.Find(r.section, "product/urea_fraction", f.Product, f.NClass)
	switch {
	case ok && f.Product == custom:
		ureaKg = r.do(stepUreaOfN, n, r.resolved(row))
	case ok:
		ureaKg = r.do(stepUreaPart, mass, r.resolved(row))
	case f.Product != "urea":
		return
	}
	if ureaKg.v != 0 {
		r.emit("urea_co2", LabelUrea, 1, CO2, r.do(stepUrea, ureaKg, r.factor(r.section, "product/urea_co2", "urea")))
	}
}

func (r *run) organicInputs() {
	for i := range r.in.OrganicInputs {
		r.at("organic_inputs", i)
		o := &r.in.OrganicInputs[i]
		if o.Type == "biochar" {
			r.warn(WarnBiochar, "Biochar is recorded; no Tier 1 method counts it, so it changes no figure.")
			continue
		}
		n := r.do(stepContent, r.organicMass(o), r.organicPct(o, "type/n", "n_pct", o.NPct))
		r.soilNitrogen(organic, "", n, r.factor(r.section, "type/frac_gas", o.Type))
	}
}

// organicMass returns kg of fresh material on the whole area; a volume is converted by the density that was entered, else
// by the type's own.
func (r *run) organicMass(o *OrganicInput) quantity {
	rate := r.activity(rowOrganic, "kg_per_ha", o.KgPerHa, o.UncertaintyPct)
	if o.M3PerHa != nil {
		rate = r.do(stepVolume, r.activity(rowOrganic, "m3_per_ha", *o.M3PerHa, o.UncertaintyPct), r.density(o))
	}
	return r.do(stepMass, rate, r.area, r.constant(100, allOfTheArea))
}

func (r *run) density(o *OrganicInput) quantity {
	if o.DensityTM3 != nil {
		return r.given(*o.DensityTM3, "density_t_m3")
	}
	row, ok := r.set.mapping.Find("organic_inputs", "type/density", o.Type)
	if !ok {
		return r.refuse("density_kg_l", "The density of "+o.Type+" is not known: give density_kg_l, or the rate in kg/ha or t/ha.")
	}
	return assume(r.resolved(row))
}

// organicPct is a content that was entered, else the material's own.
func (r *run) organicPct(o *OrganicInput, field, name string, entered *float64) quantity {
	return r.contentOf(o, field, name, name, entered)
}

// contentOf is organicPct for a member of the snapshot whose name in the form is another.
func (r *run) contentOf(o *OrganicInput, field, member, name string, entered *float64) quantity {
	if entered != nil {
		return r.given(*entered, member)
	}
	row, ok := r.set.mapping.Find("organic_inputs", field, o.Type)
	if !ok {
		return r.unknown(field, o.Type)
	}
	if _, literal := row.Literal(); literal {
		return r.refuse(name, "The contents of another material must be stated: give "+name+".")
	}
	return assume(r.resolved(row))
}
