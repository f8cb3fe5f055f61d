package ghg

import (
	"math"
	"slices"
)

const equation225 = "IPCC 2019 V4 ch2 Eq. 2.25"

var (
	// The reference stock of mineral soil (0-30 cm) at equilibrium, times the factors of land use, management and input.
	stepStock = newStep("soc_stock", "SOCref * FLU * FMG * FI", "t C/ha", equation225,
		of4(func(ref, landUse, management, input float64) float64 { return ref * landUse * management * input }),
		"SOCref t C/ha", "FLU factor", "FMG factor", "FI factor")
	// The stock after n years of a linear change that reaches the equilibrium in D years.
	stepStockAfter = newStep("soc_stock_after", "S + (E - S) * min(n, D) / D", "t C/ha", equation225+", Formulation B",
		of4(func(start, equilibrium, years, transition float64) float64 {
			return start + (equilibrium-start)*math.Min(years, transition)/transition
		}), "S t C/ha", "E t C/ha", "n yr", "D yr")
	stepStockChange = newStep("soc_change", "(E - S) / D", "t C/ha/yr", equation225, of3(yearlyChange),
		"S t C/ha", "E t C/ha", "D yr")
	stepLoss = newStep("soc_loss", "max(0, -dC) * A * 1000 * (44 / 12)", "kg CO2", equation225,
		of2(func(change, area float64) float64 { return math.Max(0, -change) * area * 1000 * CO2PerC }), "dC t C/ha/yr", "A ha")
	stepGain = newStep("soc_gain", "max(0, dC) * A * 1000 * (44 / 12)", "kg CO2", equation225,
		of2(func(change, area float64) float64 { return math.Max(0, change) * area * 1000 * CO2PerC }), "dC t C/ha/yr", "A ha")
	// Nitrogen that a loss of carbon sets free.
	stepMineralised = newStep("mineralised_n", "max(0, -dC) * A * 1000 / CN", "kg N", chapter11+"Eq. 11.8",
		of3(func(change, area, cn float64) float64 { return math.Max(0, -change) * area * 1000 / cn }),
		"dC t C/ha/yr", "A ha", "CN kg C/kg N")
	stepPart    = newStep("parcel_area", "A * p / 100", "ha", "definition", of2(part), "A ha", "p %")
	stepPartPct = newStep("share_of_share", "p * q / 100", "%", "definition", of2(part), "p %", "q %")
)

// parcel is a part of the area with one history.
type parcel struct {
	section    string // its figures belong to an item of land_use_change, or to land_management
	index      int
	conversion *Conversion // the item of land_use_change, or nil
	pct        quantity
}

// soilCarbon follows the stock of the mineral soil of every parcel: land converted within 20 years by Tier 1, the rest by
// the method that the section soil asks for.
func (r *run) soilCarbon() {
	method := r.soilMethod()
	if r.in.Soil.Class == organicClass {
		return
	}
	land := r.in.LandManagement
	if land == nil && method == SoilTier1 {
		if len(r.in.LandUseChange) > 0 {
			r.at("land_management", noItem)
			r.warn(WarnNoManagement, "The change of soil carbon is not counted: how the land is managed is not stated.")
		}
		return
	}
	changes, pct, ok := r.landChanges(land)
	if !ok {
		return
	}
	for _, p := range r.parcels() {
		if land != nil && (method == SoilTier1 || !r.remains(p)) {
			r.defaultChange(p, changes, pct)
		}
	}
	r.remainingSoil(method, changes, pct)
}

// defaultChange emits the Tier 1 change of a parcel, of which pct per cent has the history changes.
func (r *run) defaultChange(p parcel, changes []LandChange, pct quantity) {
	unchanged := p
	if len(changes) > 0 {
		changed := p
		r.at(p.section, p.index)
		changed.pct = r.do(stepPartPct, p.pct, pct)
		unchanged.pct = r.do(stepRest, p.pct, changed.pct)
		r.stockChange(changed, r.timeline(changed, changes))
	}
	if p.conversion != nil && unchanged.pct.v > 0 {
		r.stockChange(unchanged, r.timeline(unchanged, nil))
	}
}

// landChanges returns the changes of management by year, and the share of each parcel that they apply to.
func (r *run) landChanges(land *LandState) (changes []LandChange, pct quantity, ok bool) {
	if land == nil || len(land.Changes) == 0 {
		return nil, quantity{}, true
	}
	changes = slices.Clone(land.Changes)
	slices.SortStableFunc(changes, func(a, b LandChange) int { return a.Year - b.Year })
	for _, c := range changes {
		if c.AreaPct != changes[0].AreaPct {
			r.at("land_management", noItem)
			r.refuse("changes", "The changes must all have the same area_pct: they are one history of the same land.")
			return nil, quantity{}, false
		}
	}
	return changes, r.of(changes[0].AreaPct, "land_management.changes[0].area_pct"), true
}

// parcels splits the area into one parcel for each item of land_use_change, and the rest.
func (r *run) parcels() []parcel {
	parcels := make([]parcel, 0, len(r.in.LandUseChange)+1)
	for i := range r.in.LandUseChange {
		c := &r.in.LandUseChange[i]
		parcels = append(parcels, parcel{"land_use_change", i, c, r.of(c.AreaPct, r.path(sectionConversion, i, "area_pct"))})
	}
	r.at("land_use_change", noItem)
	rest := r.rest(func(*Conversion) bool { return true })
	if rest.v < -shareTolerance {
		r.refuse("area_pct", "The converted parcels are more than the whole area: their area_pct may sum to 100 at most.")
		return nil
	}
	if rest.v > shareTolerance {
		parcels = append(parcels, parcel{"land_management", noItem, nil, rest})
	}
	return parcels
}

// timeline returns the change of a parcel's stock in the assessment year, t C/ha/yr. The yearly change is (equilibrium
// of the new state - stock then) / 20, for 20 years from each change, or until the next.
func (r *run) timeline(p parcel, changes []LandChange) quantity {
	r.at(p.section, p.index)
	turns := r.turns(p, changes)
	year, last := r.in.General.Year, 0
	for i := 1; i < len(turns); i++ {
		if turns[i].year <= year && !turns[i].same(turns[last].state) {
			last++
			turns[last] = turns[i]
		}
	}
	turns = turns[:min(last+1, len(turns))]
	if r.err != nil || last == 0 || year >= turns[last].year+transitionYears {
		return quantity{}
	}
	ref := r.factor("soil", "soil_class/soc_ref", r.in.Soil.Class)
	span := r.factor(sectionGeneral, "constant/transition_years")
	stock := func(s state) quantity { return r.do(stepStock, ref, s.landUse, s.management, s.input) }
	have, aim := stock(turns[0].state), stock(turns[1].state)
	for i := 2; i < len(turns); i++ {
		years := r.do(stepYears, r.of(float64(turns[i-1].year), turns[i-1].path), r.of(float64(turns[i].year), turns[i].path))
		have, aim = r.do(stepStockAfter, have, aim, years, span), stock(turns[i].state)
	}
	return r.do(stepStockChange, have, aim, span)
}

// transitionYears is the time a stock takes from one equilibrium to the next (IPCC 2019
// V4 ch2 Eq. 2.25, default D; the factor row is the same figure).
const transitionYears = 20

func (r *run) stockChange(p parcel, change quantity) {
	if change.v == 0 {
		return
	}
	area := r.do(stepPart, r.area, p.pct)
	if gain := r.do(stepGain, change, area); gain.v > 0 {
		r.remove("soil_carbon", RemovalSoil, gain)
		return
	}
	label, ofNitrogen, cn := LabelSoilLoss, "", r.factor(sectionN2O, "c_to_n", "cropland_remaining")
	// Land that came from outside cropland within the last 20 years is land-use change.
	if c := p.conversion; c != nil && !cropland(c.PreviousUse) && inTransition(c.Year, r.in.General.Year) {
		label, ofNitrogen, cn = LabelLandUse, LabelLandUse, r.factor("land_use_change", "previous_use/c_to_n", c.PreviousUse)
	} else {
		r.at("land_management", noItem)
	}
	r.emit("soil_carbon", label, 1, CO2, r.do(stepLoss, change, area))
	r.soilNitrogen(mineralised, ofNitrogen, r.do(stepMineralised, change, area, cn), quantity{})
}

// inTransition reports whether year is one of the 20 years that begin with the year of the change.
func inTransition(changed, year int) bool { return changed <= year && year < changed+transitionYears }

// cropland reports whether a previous use was cropland too: cropland remaining cropland.
func cropland(use string) bool { return use == "perennial" || use == "annual_cropland" }
