package assessment

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"tilth/core/agronomy"
	"tilth/core/ghg"
	"tilth/core/ghg/units"
)

// Normalise turns what was entered into the snapshot the engine reads: kg, ha, m3, km, °C, totals as rates per treated
// area, and the defaults of the form. Items that lack a required field are left out, each with a warning, as are sections
// that are empty and not declared so. Violations are what no result can be computed with: no year, no climate zone, and
// contradictions.
func (t *Table) Normalise(a *Assessment, sheet Sheet, facts Facts) (in ghg.Input, warnings, violations []Finding) {
	n := normaliser{t: t, sheet: sheet, in: &in}
	for _, f := range a.generalFindings(facts) {
		if f.Path == keyYear || f.Path == keyClimate {
			violations = append(violations, f)
		}
	}
	violations = append(violations, t.contradictions(a, sheet, facts)...)
	n.general(a)
	for i := range t.sections {
		if s := &t.sections[i]; s.applies(sheet) && len(sheet[s.Key]) == 0 && !a.Declarations.None(s.Key) {
			n.warnings.add("section_empty", s.Key, "%s: nothing is entered and none is declared; it counts as zero.", s.Title)
		}
	}
	n.crop()
	n.sampled(a, facts)
	n.inputs()
	n.practices()
	n.energy()
	n.stocks()
	n.withoutBasis()
	return in, n.warnings, violations
}

// normaliser carries one assessment into its snapshot.
type normaliser struct {
	t        *Table
	sheet    Sheet
	in       *ghg.Input
	areaHa   float64 // 0: not known
	warnings findings
}

func (n *normaliser) general(a *Assessment) {
	g := &n.in.General
	if a.Year != nil {
		g.Year = *a.Year
	}
	g.ClimateRegion, g.Country = a.ClimateRegion, a.FarmCountry
	area, wrong := a.AreaHa()
	if len(wrong) > 0 && len(a.GrowingArea) > 0 {
		n.warnings.add("area_invalid", wrong[0].Path, "The growing area cannot be read and is taken as not stated. %s", wrong[0].Message)
	}
	n.areaHa, g.AreaHa = area, area
	if celsius, wrong := a.Celsius(); len(wrong) == 0 {
		g.TemperatureC = &celsius
	}
}

// each hands over the items of a section that hold all that is required, and warns of the others. A section that does
// not apply is passed over.
func (n *normaliser) each(section string, take func(path string, v Values)) {
	s := n.t.byKey[section]
	if !s.applies(n.sheet) {
		return
	}
	for i, row := range n.sheet[section] {
		path := section
		if s.Shape == List {
			path = fmt.Sprintf("%s[%d]", section, i)
		}
		state := SectionState{}
		c := counter{table: n.t, section: s, sheet: n.sheet, state: &state}
		c.countRow(i, row.Values)
		if len(state.Missing) == 0 {
			take(path, row.Values)
			continue
		}
		what := path + " is left out:"
		for _, m := range state.Missing {
			what += " " + m.Message
		}
		n.warnings.add("incomplete", path, "%s", what)
	}
}

// crop takes what there is: a crop without a yield still has fertilizers.
func (n *normaliser) crop() {
	v, c := n.sheet.first(secCrop), &n.in.Crop
	c.Type = v.text("crop_type")
	c.YieldKg = n.yield(v, "harvested_yield")
	c.FarmGateYieldKg = n.yield(v, "farm_gate_yield")
	c.GrowingCycles = int(v.numberOr("growing_cycles", 1))
	c.PricePerT = v.number("price")
	c.RenewalYears, c.UncertaintyPct = v.number("renewal_years"), v.number("uncertainty_pct")
	for _, o := range v.items("co_products") {
		c.CoProducts = append(c.CoProducts, ghg.CoProduct{
			Name: o.text("name"), SharePct: o.numberOr("share_pct", 0), Basis: cmp.Or(o.text("basis"), "economic"),
			MassT: n.massT(o, "amount"), PricePerT: o.number("price"),
		})
	}
	n.each(secSoil, func(_ string, v Values) {
		n.in.Soil = ghg.Soil{
			Class: v.text("soil_class"), DrainedOrganicPct: v.number("drained_organic_share_pct"), AnnualRainfallMm: v.number("annual_rainfall_mm"),
			Texture: v.text("texture"), OrganicMatterPct: v.number("soil_organic_matter_pct"), PH: v.number("ph"),
			SandPct: v.number("sand_pct"), BulkDensity: v.number("bulk_density"),
			Carbon: soilCarbon(v),
		}
	})
}

func (n *normaliser) yield(v Values, key string) *float64 {
	return v.in(key, func(value float64, unit string) (float64, bool) {
		kg, ok := units.YieldKg(value, unit, n.areaHa)
		return kg, ok && (n.areaHa != 0 || !strings.Contains(unit, "/"))
	})
}

// massT returns a yield in t.
func (n *normaliser) massT(v Values, key string) *float64 {
	kg := n.yield(v, key)
	if kg == nil {
		return nil
	}
	t := *kg / agronomy.KgPerTonne
	return &t
}

// rate returns kg per treated ha; ok is false where the growing area is needed and not known.
func (n *normaliser) rate(path string, v Values, densityKgL *float64, treatedPct float64) (kgHa float64, ok bool) {
	value, unit, _ := v.amount("rate")
	treated := n.areaHa * treatedPct / 100
	kgHa, ok = units.RateKgPerHa(value, unit, densityKgL, &treated)
	if !ok {
		n.warnings.add("area_needed", path+".rate", "%s is left out: a total in %s needs the growing area.", path, unit)
	}
	return kgHa, ok
}

// perHa converts a rate per hectare to kg/ha.
func perHa(value float64, unit string) (kgHa float64, ok bool) {
	return units.RateKgPerHa(value, unit, nil, nil)
}

// organicDensity returns the density that was entered, else that of the type, t/m3 (which is kg/l); nil where neither is known.
func organicDensity(v Values) *float64 {
	p, _ := agronomy.FindProduct(v.text("type"))
	return cmp.Or(v.number("density_kg_l"), p.Density)
}

// m3PerHa returns a rate that is a volume.
func m3PerHa(value float64, unit string) (m3Ha float64, ok bool) {
	return value, agronomy.Unit(unit) == agronomy.M3PerHa
}

func (n *normaliser) inputs() {
	n.each(secFertilizers, func(path string, v Values) {
		pct := v.numberOr("applied_area_pct", 100)
		kgHa, ok := n.rate(path, v, v.number("density_kg_l"), pct)
		if !ok {
			return
		}
		n.in.Fertilizers = append(n.in.Fertilizers, ghg.Fertilizer{
			Product: v.text("product"), KgPerHa: kgHa, AreaPct: pct,
			NPct: v.number("n_pct"), P2O5Pct: v.number("p2o5_pct"), K2OPct: v.number("k2o_pct"), NClass: v.text("n_class"),
			Region: v.text("production_region"), Inhibitor: v.text("inhibitor"), Method: v.text("method"),
			ManualProductionEF: v.number("manual_production_ef"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
	n.each(secOrganic, func(path string, v Values) {
		density := organicDensity(v)
		kgHa, ok := n.rate(path, v, density, 100)
		if !ok {
			return
		}
		n.in.OrganicInputs = append(n.in.OrganicInputs, ghg.OrganicInput{
			Type: v.text("type"), KgPerHa: kgHa, M3PerHa: v.in("rate", m3PerHa), DensityTM3: v.number("density_kg_l"), NPct: v.number("n_pct"), DryMatterPct: v.number("dry_matter_pct"),
			DaysBeforePlanting: v.number("days_before_planting"), Origin: v.text("origin"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
	n.each(secProtection, func(path string, v Values) {
		p := ghg.Protection{
			Category: v.text("category"), Applications: int(v.numberOr("applications", 0)), TreatedPct: v.numberOr("treated_area_pct", 100),
			KgPerHa: v.in("rate", perHa), ActiveIngredientPct: v.number("active_ingredient_pct"), UncertaintyPct: v.number("uncertainty_pct"),
		}
		if (p.KgPerHa == nil) != (p.ActiveIngredientPct == nil) {
			n.warnings.add("rate_unused", path, "%s: rate and active_ingredient_pct are used together; the applications are counted instead.", path)
		}
		n.in.CropProtection = append(n.in.CropProtection, p)
	})
	n.each(secSeeds, func(_ string, v Values) {
		if kgHa := v.in("rate", perHa); kgHa != nil {
			n.in.Seeds = &ghg.Seeds{KgPerHa: *kgHa, Origin: v.text("origin"), UncertaintyPct: v.number("uncertainty_pct")}
		}
	})
}

func (n *normaliser) practices() {
	n.each(secResidues, func(_ string, v Values) {
		r := &ghg.Residues{Method: v.text("method"), AboveGroundDMKg: v.number("above_ground_dm"), StrawTiming: v.text("straw_incorporation_timing"), UncertaintyPct: v.number("uncertainty_pct")}
		list := v.items("management")
		whole := 1.0
		if sum := shareSum(list); math.Abs(sum-100) <= shareTolerance {
			whole = 100 / sum // three thirds of 33.33 are all there is
		}
		for _, o := range list {
			r.Management = append(r.Management, ghg.ResidueShare{Practice: o.text("practice"), SharePct: o.numberOr("share_pct", 0) * whole})
		}
		n.in.Residues = r
	})
	n.each(secRice, func(_ string, v Values) {
		n.in.Rice = &ghg.Rice{WaterRegime: v.text("water_regime"), PreSeason: v.text("pre_season"), CultivationDays: v.number("cultivation_days")}
	})
	if len(n.sheet[secRice]) > 0 && n.in.Crop.Type != paddyRice {
		n.warnings.add("section_ignored", secRice, "Paddy rice is entered, but the crop is another; the section is not counted.")
	}
}

func (n *normaliser) energy() {
	n.each(secIrrigation, func(path string, v Values) {
		value, unit, _ := v.amount("water_volume")
		if n.areaHa == 0 && (unit == "mm" || unit == "m3/ha") {
			n.warnings.add("area_needed", path+".water_volume", "%s is left out: water in %s needs the growing area.", path, unit)
			return
		}
		water, _ := units.WaterM3(value, unit, n.areaHa*v.numberOr("area_pct", 100)/100)
		n.in.Irrigation = append(n.in.Irrigation, ghg.Irrigation{
			Method: v.text("method"), WaterM3: water, AreaPct: v.number("area_pct"), PowerSource: v.text("power_source"), Source: v.text("source"),
			PumpingHeadM: v.number("pumping_head_m"), DistanceM: v.number("distance_m"), CountedElsewhere: v.flag("energy_counted_elsewhere"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
	n.each(secFuel, func(path string, v Values) {
		value, unit, _ := v.amount("amount")
		amount, unit, perUnit, _ := units.EnergyAmount(value, unit)
		fuel := ghg.Fuel{
			Carrier: v.text("carrier"), Amount: amount, Unit: unit,
			AllocationPct: v.numberOr("allocation_pct", 100), Purpose: v.text("purpose"), ManualEF: v.number("manual_ef"), UncertaintyPct: v.number("uncertainty_pct"),
			MarketEF: v.number("market_ef"), MarketBasis: v.text("market_basis"), GridLossPct: v.number("grid_loss_pct"),
		}
		if fuel.Carrier != "electricity_grid" && (fuel.MarketEF != nil || fuel.GridLossPct != nil) {
			n.warnings.add("contract_unused", path, "%s: market_ef and grid_loss_pct are of electricity_grid alone and are left out.", path)
			fuel.MarketEF, fuel.MarketBasis, fuel.GridLossPct = nil, "", nil
		}
		if fuel.ManualEF != nil {
			*fuel.ManualEF /= perUnit
		}
		n.in.FuelEnergy = append(n.in.FuelEnergy, fuel)
	})
	n.each(secMachinery, func(_ string, v Values) {
		n.in.Machinery = append(n.in.Machinery, ghg.Operation{
			Operation: v.text("operation"), Passes: v.numberOr("passes", 0), AreaPct: v.numberOr("area_pct", 100),
			FuelLPerHa: v.number("fuel_rate"), CountedElsewhere: v.flag("fuel_counted_elsewhere"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
	n.each(secTransport, func(_ string, v Values) {
		weight, weightUnit, _ := v.amount("weight")
		distance, distanceUnit, _ := v.amount("distance")
		tonnes, _ := units.WeightT(weight, weightUnit)
		km, _ := units.DistanceKm(distance, distanceUnit)
		n.in.Transport = append(n.in.Transport, ghg.Journey{
			Mode: v.text("mode"), WeightT: tonnes, DistanceKm: km, Leg: v.text("leg"),
			Refrigerated: v.flag("refrigerated"), CountedElsewhere: v.flag("fuel_counted_elsewhere"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
}

func (n *normaliser) stocks() {
	n.each(secLand, func(_ string, v Values) {
		land := &ghg.LandState{
			Tillage: v.text("tillage"), CarbonInputs: v.text("carbon_inputs"), CoverCrop: v.text("cover_crop"),
			CoverCropPct: v.number("cover_crop_share_pct"), NoChange20y: v.flag("no_change_20y"),
		}
		for _, o := range v.items("changes") {
			land.Changes = append(land.Changes, ghg.LandChange{
				Year: int(o.numberOr("year", 0)), LandUse: o.text("land_use"), Tillage: o.text("tillage"),
				CarbonInputs: o.text("carbon_inputs"), AreaPct: o.numberOr("area_pct", 100),
			})
		}
		n.in.LandManagement = land
	})
	n.each(secConversion, func(_ string, v Values) {
		n.in.LandUseChange = append(n.in.LandUseChange, ghg.Conversion{
			PreviousUse: v.text("previous_use"), ForestZone: v.text("forest_zone"), Year: int(v.numberOr("year", 0)),
			AreaPct: v.numberOr("area_pct", 100), PreviousBiomassTCHa: v.number("previous_biomass_t_c_ha"),
		})
	})
	n.each(secPerennial, func(_ string, v Values) {
		p := ghg.Perennial{
			System: v.text("system"), AreaHa: v.in("area", units.AreaHa), LengthM: v.in("length", lengthM), WidthM: v.number("width_m"),
			Count: v.number("count"), PlantingYear: int(v.numberOr("planting_year", 0)), GrowthTCHaYr: v.number("growth"), RemovedAreaHa: v.in("removed_area", units.AreaHa),
			UncertaintyPct: v.number("uncertainty_pct"),
		}
		for _, o := range v.items("measured_stocks") {
			p.MeasuredStocks = append(p.MeasuredStocks, ghg.CarbonStock{Year: int(o.numberOr("year", 0)), TC: o.numberOr("t_c", 0)})
		}
		n.in.PerennialBiomass = append(n.in.PerennialBiomass, p)
	})
}

// withoutBasis takes out what needs the crop or the soil where these are not stated.
func (n *normaliser) withoutBasis() {
	in := n.in
	basis := ""
	leave := func(section string, entered bool) {
		if entered {
			n.warnings.add("basis_missing", section, "%s is left out: it needs %s.", section, basis)
		}
	}
	switch {
	case in.Crop.Type == "":
		basis = "crop.crop_type"
		leave(secSeeds, in.Seeds != nil)
		leave(secResidues, in.Residues != nil)
		leave(secLand, in.LandManagement != nil)
		leave(secConversion, in.LandUseChange != nil)
		in.Seeds, in.Residues, in.LandManagement, in.LandUseChange = nil, nil, nil, nil
	case in.Soil.Class == "":
		basis = "soil.soil_class"
		leave(secLand, in.LandManagement != nil)
		in.LandManagement = nil
	}
}

func lengthM(value float64, unit string) (m float64, ok bool) {
	if unit == "km" {
		value *= 1000
	}
	return value, true
}
