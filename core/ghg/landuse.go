package ghg

import (
	"math"
	"strconv"
)

var (
	// Biomass above ground and its roots; RS is t of roots per t above ground.
	stepForest = newStep("forest_biomass", "AGB * (1 + RS) * CF", "t C/ha", "IPCC 2006 V4 ch2 Eq. 2.8",
		of3(func(agb, rootShoot, cf float64) float64 { return agb * (1 + rootShoot) * cf }),
		"AGB t dm/ha", "RS t/t", "CF t C/t dm")
	stepHerb = newStep("herbaceous_biomass", "B * CF", "t C/ha", "IPCC 2006 V4 ch6 Table 6.4", of2(product),
		"B t dm/ha", "CF t C/t dm")
	// The biomass lost by a conversion, spread evenly over years.
	stepConversion = newStep("conversion_biomass", "max(0, before - after) * A * 1000 * (44 / 12) / D", "kg CO2", "IPCC 2006 V4 ch2 Eq. 2.16",
		of4(func(before, after, area, years float64) float64 {
			return math.Max(0, before-after) * area * 1000 * CO2PerC / years
		}), "before t C/ha", "after t C/ha", "A ha", "D yr")
	stepOrganicCO2 = newStep("organic_soil_co2", "A * p / 100 * EF * 1000 * (44 / 12)", "kg CO2", "IPCC 2013 Wetlands Supplement Eq. 2.3",
		of3(func(area, drainedPct, ef float64) float64 { return area * drainedPct / 100 * ef * 1000 * CO2PerC }),
		"A ha", "p %", "EF t CO2-C/(ha yr)")
	stepOrganicN2O = newStep("organic_soil_n2o", "A * p / 100 * EF * (44 / 28)", "kg N2O", "IPCC 2013 Wetlands Supplement Eq. 2.7",
		of3(func(area, drainedPct, ef float64) float64 { return area * drainedPct / 100 * ef * N2OPerN }),
		"A ha", "p %", "EF kg N2O-N/(ha yr)")
)

// landUseBiomass emits the biomass lost in conversions of the last 20 years, a twentieth each year.
func (r *run) landUseBiomass() {
	for i := range r.in.LandUseChange {
		r.at("land_use_change", i)
		c := &r.in.LandUseChange[i]
		if !inTransition(c.Year, r.in.General.Year) {
			continue
		}
		label := LabelLandUse
		if cropland(c.PreviousUse) {
			label = LabelBiomassLoss
		}
		before, after := r.biomassBefore(c), r.biomassAfter(c)
		area := r.do(stepPart, r.area, r.given(c.AreaPct, "area_pct"))
		span := r.factor(sectionGeneral, "constant/transition_years")
		r.emit(stepConversion.Name, label, 1, CO2, r.do(stepConversion, before, after, area, span))
	}
}

// biomassBefore is the stock before a conversion, t C/ha.
func (r *run) biomassBefore(c *Conversion) quantity {
	if c.PreviousBiomassTCHa != nil {
		return r.own(rowOwnPrevious, "previous_biomass_t_c_ha", *c.PreviousBiomassTCHa)
	}
	fraction := func() quantity { return r.factor(r.section, "previous_use/carbon_fraction", c.PreviousUse) }
	switch c.PreviousUse {
	case "forest":
		r.warn(WarnDeadWood, "Dead wood and litter of the forest are not counted.")
		agb := assume(r.factor(r.section, "forest_zone/agb", c.ForestZone))
		return r.do(stepForest, agb, r.factor(r.section, "forest_zone/root_shoot", c.ForestZone), fraction())
	case "wetland", "grassland":
		if c.PreviousUse == "wetland" {
			r.warn(WarnWetlandBiomass, "The biomass of grassland stands in for that of the wetland.")
		}
		return r.do(stepHerb, assume(r.factor(r.section, "previous_use/biomass_before", c.PreviousUse)), fraction())
	}
	return assume(r.factor(r.section, "previous_use/biomass_before", c.PreviousUse, r.zone().PerennialClass))
}

// biomassAfter is the stock of the crop, t C/ha; 0 where cropland remains cropland.
func (r *run) biomassAfter(c *Conversion) quantity {
	if cropland(c.PreviousUse) {
		return r.constant(0, "cropland stays cropland")
	}
	if r.perennialCrop() {
		return r.factor(r.section, "present_use/biomass_after", "perennial", r.zone().PerennialClass)
	}
	return r.factor(r.section, "present_use/biomass_after", "annual", r.set.ID)
}

// perennialCrop reports whether the crop stays for years.
func (r *run) perennialCrop() bool {
	row, ok := r.set.mapping.Find("crop", "crop_type/is_perennial", r.in.Crop.Type)
	if !ok {
		r.fail("crop", "crop_type", "The crop "+strconv.Quote(r.in.Crop.Type)+" is not known.")
	}
	text, _ := row.Literal()
	return text == "true"
}

// organicSoil emits CO2 and N2O of drained organic soil, where the terms of mineral soil do not apply.
func (r *run) organicSoil() {
	if r.in.Soil.Class != organicClass {
		return
	}
	r.at("soil", noItem)
	if r.in.Soil.DrainedOrganicPct == nil {
		r.refuse("drained_organic_share_pct", "An organic soil needs drained_organic_share_pct (0 where it is not drained).")
		return
	}
	drained := r.given(*r.in.Soil.DrainedOrganicPct, "drained_organic_pct")
	co2, n2o := r.organicFactor("soil_class/organic_co2"), r.organicFactor("soil_class/organic_n2o")
	r.emit(stepOrganicCO2.Name, LabelOrganicSoils, 1, CO2, r.do(stepOrganicCO2, r.area, drained, co2))
	r.emit(stepOrganicN2O.Name, LabelOrganicSoils, 1, N2O, r.do(stepOrganicN2O, r.area, drained, n2o))
}

// organicFactor returns the row of the crop and the zone's class, else that of the zone itself.
func (r *run) organicFactor(field string) quantity {
	row, ok := r.set.mapping.Find(r.section, field, organicClass, r.in.Crop.Type, r.zone().OrganicSoilClass)
	if !ok {
		return r.factor(r.section, field, organicClass, r.in.General.ClimateRegion)
	}
	return r.resolved(row)
}
