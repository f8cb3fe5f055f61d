package ghg

import (
	"fmt"
	"slices"
)

const equation50Inputs = "IPCC 2019 V4 ch5 section 5.2.3.3"

var (
	// The carbon of residues: what stays above ground, and the roots that die in the year.
	stepT2Residue = newStep("soc_tier2_residue_carbon", "(AG * max(0, 1 - rem - burn * Cf) + (C + AG) * RS * FR) * CF / 1000 / A", "t C/ha/yr",
		equation50Inputs+" and ch11 Eq. 11.6", func(v []float64) float64 {
			return (v[0]*max(0, 1-v[1]-v[2]*v[3]) + (v[4]+v[0])*v[5]*v[6]) * v[7] / 1000 / v[8]
		}, "AG kg dm", "rem share", "burn share", "Cf kg/kg", "C kg dm", "RS kg dm/kg dm", "FR 1/yr", "CF t C/t dm", "A ha")
	stepT2Manure = newStep("soc_tier2_manure_carbon", "R * n / 100 * CN / 1000", "t C/ha/yr", equation50Inputs,
		of3(func(rate, pct, cn float64) float64 { return rate * pct / 100 * cn / 1000 }), "R kg/ha", "n %", "CN kg C/kg N")
	stepT2Litter = newStep("soc_tier2_litter_carbon", "R * d / 100 * CF / 1000", "t C/ha/yr", equation50Inputs,
		of3(func(rate, pct, cf float64) float64 { return rate * pct / 100 * cf / 1000 }), "R kg/ha", "d %", "CF t C/t dm")
	stepT2Removed = newStep("soc_tier2_residue_removed", "1 - s / 100", "share", "definition", of1(func(returnedPct float64) float64 { return 1 - returnedPct/100 }), "s %")
	stepShareOf   = newStep("soc_tier2_carbon_of_years", "C * n", "t C/ha", "definition", of2(product), "C t C/ha/yr", "n yr")
	stepT2Mean    = newStep("soc_tier2_weighted_mean", "(m * w + x * v) / (w + v)", "as the parts", "definition",
		of4(func(m, w, x, v float64) float64 { return (m*w + x*v) / (w + v) }), "m part", "w weight", "x part", "v weight")
)

// carbonFlow is the carbon input of a year with its composition.
type carbonFlow struct{ c, lignin, nitrogen quantity } // t C/ha/yr, fractions of the dry matter

// climateEffect is the effect of the climate of a year on decomposition.
type climateEffect struct{ tfac, wfac quantity }

// conditions are those of a year, from which the steady state of its pools follows.
type conditions struct {
	carbonFlow
	climateEffect
	till quantity
}

// pools are the stocks of active, slow and passive carbon, or their rates of decay.
type pools [3]quantity

// tier2 is the model while it runs through the years of one assessment.
type tier2 struct {
	*run
	entered *SoilCarbon
	history []CarbonPeriod // by year, without gaps, up to the year before the assessment
	sand    quantity
	climate map[int]climateEffect // by year; 0: the normals
	flows   []carbonFlow          // of the periods, and of the assessment year last
	tills   []quantity
	steady  map[[2]int]pools // by year of climate and period
	rates   map[[2]int]pools
}

// tier2Change returns the change of the stock in the assessment year, t C/ha/yr, above 0 where carbon is gained; known is
// false where no history is entered.
func (r *run) tier2Change() (change quantity, known bool) {
	c := r.in.Soil.Carbon
	r.at("soil", noItem)
	if c == nil {
		c = new(SoilCarbon)
	}
	m := &tier2{run: r, entered: c, climate: map[int]climateEffect{}, steady: map[[2]int]pools{}, rates: map[[2]int]pools{}}
	m.check()
	if r.err != nil {
		return quantity{}, false
	}
	m.inputs()
	first, year := m.history[0].FirstYear, r.in.General.Year
	runIn := c.runIn(year - first)
	now := m.runIn(first, first+runIn)
	stock := m.stock(now)
	for y := first + runIn; y <= year && r.err == nil; y++ {
		at := m.when(y)
		target, k := m.steadyOf(at)
		for i := range now {
			now[i] = r.do(stepT2Pool, now[i], target[i], k[i])
		}
		before := stock
		stock = m.stock(now)
		if y == year {
			change = r.do(stepT2Change, stock, before)
		}
	}
	change.specific = true
	return change, r.err == nil
}

func (m *tier2) stock(p pools) quantity { return m.do(stepT2Stock, p[0], p[1], p[2]) }

// when returns the year of climate and the period of a year; the assessment year is the period after the last.
func (m *tier2) when(year int) [2]int {
	climate := 0
	if slices.ContainsFunc(m.entered.Climate, func(c ClimateYear) bool { return c.Year == year }) {
		climate = year
	}
	period := slices.IndexFunc(m.history, func(p CarbonPeriod) bool { return p.FirstYear <= year && year <= p.LastYear })
	if period < 0 {
		period = len(m.history)
	}
	return [2]int{climate, period}
}

// runIn returns the pools at the steady state of the mean conditions of the years from first to end, which is excluded.
// Lignin and nitrogen are weighted by the carbon.
func (m *tier2) runIn(first, end int) pools {
	var mean conditions
	var years, carbon quantity
	for y := first; y < end; {
		at, span := m.when(y), 0
		for y < end && m.when(y) == at {
			y, span = y+1, span+1
		}
		c, n := m.conditions(at), m.constant(float64(span), "years of one climate and one period")
		weight := m.do(stepShareOf, c.c, n)
		if years.v == 0 {
			mean, years, carbon = c, n, weight
			continue
		}
		for _, of := range []struct{ into, value *quantity }{
			{&mean.c, &c.c}, {&mean.tfac, &c.tfac}, {&mean.wfac, &c.wfac}, {&mean.till, &c.till},
		} {
			*of.into = m.do(stepT2Mean, *of.into, years, *of.value, n)
		}
		switch {
		case carbon.v == 0:
			mean.lignin, mean.nitrogen = c.lignin, c.nitrogen
		case weight.v > 0:
			mean.lignin = m.do(stepT2Mean, mean.lignin, carbon, c.lignin, weight)
			mean.nitrogen = m.do(stepT2Mean, mean.nitrogen, carbon, c.nitrogen, weight)
		}
		years, carbon = m.do(stepSum, years, n), m.do(stepSum, carbon, weight)
	}
	out, _ := m.steadyState(mean)
	return out
}

func (m *tier2) conditions(at [2]int) conditions {
	return conditions{m.flows[at[1]], m.climateOf(at[0]), m.tills[at[1]]}
}

// steadyOf returns the steady state and the rates of years of one climate and period; they are worked out once.
func (m *tier2) steadyOf(at [2]int) (steady, rates pools) {
	steady, known := m.steady[at]
	if !known {
		steady, m.rates[at] = m.steadyState(m.conditions(at))
		m.steady[at] = steady
	}
	return steady, m.rates[at]
}

// row is a parameter of the method.
func (m *tier2) row(name string) quantity { return m.factor(sectionTier2, name) }

// steadyState returns the pools at their steady state under constant conditions, with their rates of decay.
func (m *tier2) steadyState(c conditions) (steady, rates pools) {
	f3, f5, f6 := m.row("f3"), m.row("f5"), m.row("f6")
	beta := m.do(stepT2Beta, c.c, c.lignin, c.nitrogen)
	f4 := m.do(stepT2F4, f5, m.sand)
	alpha := m.do(stepT2Alpha, beta, c.c, c.lignin, m.row("f1"), m.row("f2"), f3, f4, f5, f6, m.row("f7"), m.row("f8"))
	rates = pools{
		m.do(stepT2Active, m.row("kfac_active"), c.tfac, c.wfac, c.till, m.sand),
		m.do(stepT2Slow, m.row("kfac_slow"), c.tfac, c.wfac, c.till),
		m.do(stepT2Passive, m.row("kfac_passive"), c.tfac, c.wfac),
	}
	active := m.do(stepT2SteadyActive, alpha, rates[0])
	slow := m.do(stepT2SteadySlow, c.c, c.lignin, f3, active, rates[0], f4, rates[1])
	return pools{active, slow, m.do(stepT2SteadyPassive, active, rates[0], f5, slow, rates[1], f6, rates[2])}, rates
}

// climateOf is the effect of the climate of a year; 0: of the normals.
func (m *tier2) climateOf(year int) climateEffect {
	if known, ok := m.climate[year]; ok {
		return known
	}
	i := slices.IndexFunc(m.entered.Climate, func(c ClimateYear) bool { return c.Year == year })
	if i < 0 {
		return climateEffect{} // m.check refused it
	}
	topt, tmax, ws := m.row("topt"), m.row("tmax"), m.row("ws")
	var temperatures, waters []quantity
	source := m.entered.ClimateSource.Words()
	for n, month := range m.entered.Climate[i].Months {
		of := func(v float64, member string) quantity {
			return m.sourced(v, m.path(m.path("soil.carbon.climate", i, "months"), n, member), source)
		}
		temperatures = append(temperatures, m.do(stepT2Temperature, of(month.TemperatureC, "temperature_c"), tmax, topt))
		if m.irrigated(n + 1) {
			waters = append(waters, m.row("w_irrigated"))
			continue
		}
		waters = append(waters, m.do(stepT2Water, of(month.PrecipitationMm, "precipitation_mm"), of(month.PETMm, "pet_mm"), ws))
	}
	out := climateEffect{m.do(stepT2AnnualTemperature, temperatures...), m.do(stepT2AnnualWater, waters...)}
	m.climate[year] = out
	return out
}

// irrigated reports whether a month, 1 to 12, lies in the irrigated span, which may extend over the turn of the year.
func (m *tier2) irrigated(month int) bool {
	from, to := m.entered.IrrigatedFrom, m.entered.IrrigatedTo
	if from <= to {
		return from != 0 && from <= month && month <= to
	}
	return to != 0 && (month >= from || month <= to)
}

// inputs works out the carbon inputs and the disturbance of the periods and of the assessment year.
func (m *tier2) inputs() {
	var places []int
	m.history, places = m.entered.periods()
	for i := range m.history {
		p := &m.history[i]
		m.flows = append(m.flows, m.settled(m.periodFlow(p, places[i])))
		m.tills = append(m.tills, m.factor("land_management", "tillage/tillfac", p.Tillage))
	}
	m.flows = append(m.flows, m.settled(m.presentFlow()))
	m.tills = append(m.tills, m.factor("land_management", "tillage/tillfac", m.in.LandManagement.Tillage))
}

// settled returns a flow that the equations accept: without carbon, its lignin and nitrogen do not matter.
func (m *tier2) settled(f carbonFlow) carbonFlow {
	if f.c.v == 0 {
		f.lignin, f.nitrogen = m.constant(0, "no carbon, no lignin"), m.constant(1, "no carbon, any nitrogen")
	}
	return f
}

// stated returns a carbon input that was entered, at a path below the place that values are read from.
func (m *tier2) stated(c *CarbonInput, path string) carbonFlow {
	of := func(v float64, member string) quantity {
		q := m.given(v, path+"."+member)
		q.specific = true
		return q
	}
	return carbonFlow{of(c.TCHa, "t_c_ha"), m.do(stepPct, of(c.LigninPct, "lignin_pct")), m.do(stepPct, of(c.NitrogenPct, "nitrogen_pct"))}
}

// presentFlow is the carbon input of the assessment year: as stated, else of harvest, residues and organic inputs.
func (m *tier2) presentFlow() carbonFlow {
	if m.entered.Input != nil {
		return m.stated(m.entered.Input, "carbon.input")
	}
	if m.in.Residues == nil || m.residue.above.v == 0 && m.residue.crop.v == 0 {
		m.refuse("carbon_input", "The carbon input follows from the harvest and the section residues: enter them, or give carbon_input with its lignin and nitrogen.")
		return carbonFlow{}
	}
	if m.in.Residues.AboveGroundDMKg != nil || m.in.Residues.Method == slopeIntercept {
		m.warn(WarnTier2Methods, "The residues of the assessment year are estimated differently from those of the history: part of the change of soil carbon may be due to the method.")
	}
	out := m.cropFlow(m.in.Crop.Type, m.residue, m.renewal(), m.area)
	for i, o := range m.in.OrganicInputs {
		m.base = fmt.Sprintf("organic_inputs[%d]", i)
		out = m.mixed(out, m.organicFlow(o, presentMembers))
	}
	return out
}

// periodFlow is the yearly carbon input of a period, at a place of the history.
func (m *tier2) periodFlow(p *CarbonPeriod, place int) carbonFlow {
	m.base = fmt.Sprintf("soil.carbon.history[%d]", place)
	defer func() { m.base = "" }()
	if p.Input != nil {
		return m.stated(p.Input, "input")
	}
	returned := m.constant(100, "all residues stay where nothing is stated")
	if p.ResidueReturnedPct != nil {
		returned = m.given(*p.ResidueReturnedPct, "residue_returned_pct")
	}
	row, known := m.set.mapping.Find("crop", "crop_type/frac_renew", p.Crop)
	if !known {
		m.unknown(fmt.Sprintf("carbon_history[%d].crop_type", place), p.Crop)
		return carbonFlow{}
	}
	renewed := assume(m.constant(1, "every year where it is not stated"))
	if _, forage := row.Literal(); forage && p.Crop == m.in.Crop.Type {
		renewed = m.renewal()
	} else if !forage {
		renewed = m.resolved(row)
	}
	crop := m.do(stepCropDM, m.given(p.YieldKgHa, "yield_kg_ha"), m.factor("crop", "crop_type/dry", p.Crop))
	above := m.do(stepAboveRatio, crop, m.factor("crop", "crop_type/r_ag", p.Crop))
	out := m.cropFlow(p.Crop, residueMass{crop, above, residueShares{removed: m.do(stepT2Removed, returned)}}, renewed, m.constant(1, "per hectare"))
	if p.OrganicType == "" {
		return out
	}
	return m.mixed(out, m.organicFlow(OrganicInput{Type: p.OrganicType, KgPerHa: p.OrganicKgHa, NPct: p.OrganicNitrogenPct, DryMatterPct: p.OrganicDryMatterPct}, periodMembers))
}

// cropFlow is the carbon of the residues and the roots of a crop on an area.
func (m *tier2) cropFlow(crop string, mass residueMass, renewed, area quantity) carbonFlow {
	if row, _ := m.set.mapping.Find("crop", "crop_type/lignin", crop); row.Key == "=required" {
		m.refuse("carbon_input", fmt.Sprintf("The carbon that %s leaves in a year has no default: give carbon_input with its lignin and nitrogen.", crop))
		return carbonFlow{}
	}
	c := m.do(stepT2Residue, mass.above, mass.shares.removed, mass.shares.burnt, m.factor("crop", "crop_type/combustion_factor", crop),
		mass.crop, m.factor("crop", "crop_type/rs", crop), renewed, m.row("carbon_fraction"), area)
	return carbonFlow{assume(c), m.factor("crop", "crop_type/lignin", crop), m.factor("crop", "crop_type/nitrogen", crop)}
}

// organicMembers names the members that are read of an organic input, of the assessment year or of a period.
type organicMembers struct{ rate, n, dm string }

var (
	presentMembers = organicMembers{"kg_per_ha", "n_pct", "dry_matter_pct"}
	periodMembers  = organicMembers{"organic_kg_ha", "organic_nitrogen_pct", "organic_dry_matter_pct"}
)

// organicFlow returns the carbon of an organic input; a type without a row has none, with a warning.
func (m *tier2) organicFlow(o OrganicInput, members organicMembers) carbonFlow {
	const section = "organic_inputs"
	if _, ok := m.set.mapping.Find(section, "type/lignin", o.Type); !ok {
		m.warn(WarnTier2Organic, "The carbon of "+o.Type+" is not counted in soil carbon: the method has no row for it. State carbon_input where it matters.")
		return carbonFlow{}
	}
	var c quantity
	if _, ok := m.set.mapping.Find(section, "type/c_to_n", o.Type); ok {
		c = m.do(stepT2Manure, m.given(o.KgPerHa, members.rate), m.contentOf(&o, "type/n", members.n, "n_pct", o.NPct), m.factor(section, "type/c_to_n", o.Type))
	} else {
		c = m.do(stepT2Litter, m.given(o.KgPerHa, members.rate), m.contentOf(&o, "type/dm", members.dm, "dry_matter_pct", o.DryMatterPct), m.row("carbon_fraction"))
	}
	return carbonFlow{assume(c), m.factor(section, "type/lignin", o.Type), m.factor(section, "type/nitrogen", o.Type)}
}

// mixed returns the combination of two inputs.
func (m *tier2) mixed(a, b carbonFlow) carbonFlow {
	switch {
	case b.c.v == 0:
		return a
	case a.c.v == 0:
		return b
	}
	return carbonFlow{
		m.do(stepSum, a.c, b.c), m.do(stepT2Mean, a.lignin, a.c, b.lignin, b.c), m.do(stepT2Mean, a.nitrogen, a.c, b.nitrogen, b.c),
	}
}
