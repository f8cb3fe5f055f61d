package assessment

import (
	"cmp"
	"fmt"
	"slices"

	"tilth/core/agronomy"
	"tilth/core/assessment/conversion"
	"tilth/core/ghg"
)

// Normalise turns what was entered into the snapshot the engine reads: kg, ha, m3, km, °C, totals as rates per treated
// area, and the defaults of the form. Items that lack a required field are left out, each with a warning, as are
// sections that are empty and not declared so. Violations make it impossible to compute a result: no year, no climate
// zone, and contradictions.
func (t *Table) Normalise(a *Assessment, sheet Sheet, facts Facts) (in ghg.Input, warnings, violations []Finding) {
	return t.normalise(a, sheet, facts, nil)
}

func (t *Table) normalise(a *Assessment, sheet Sheet, facts Facts, log *conversion.Log) (in ghg.Input, warnings, violations []Finding) {
	entered := sheet
	sheet = entered.withClimate(facts)
	n := normaliser{t: t, sheet: sheet, in: &in, log: log}
	for _, f := range a.generalFindings(facts) {
		if f.Path == keyYear || f.Path == keyClimate {
			violations = append(violations, f)
		}
	}
	violations = append(violations, t.contradictions(a, sheet, facts)...)
	n.general(a)
	for i := range t.sections {
		if s := &t.sections[i]; s.applies(sheet) && len(sheet[s.Key]) == 0 && !a.Declarations.None(s.Key) {
			n.warnings.add("section_empty", s.Key, "%s: nothing is entered and nothing is declared; it counts as zero.", s.Title)
		}
	}
	n.crop()
	n.sampled(a, facts)
	if c := in.Soil.Carbon; c != nil && facts.Climate != nil && entered.WantsClimate() {
		c.ClimateSource = &facts.Climate.ClimateSource
	}
	n.inputs()
	n.practices()
	n.energy()
	n.stocks()
	n.withoutBasis()
	return in, n.warnings, violations
}

// normaliser turns one assessment into its snapshot.
type normaliser struct {
	t        *Table
	sheet    Sheet
	in       *ghg.Input
	areaHa   float64 // 0: not known
	log      *conversion.Log
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
	if area > 0 {
		n.frame("general.area_ha", "ha", keyArea, a.GrowingArea, conversion.Area)
	}
	if celsius, wrong := a.Celsius(); len(wrong) == 0 {
		g.TemperatureC = &celsius
		n.frame("general.temperature_c", "°C", keyTemperature, a.AverageTemperature, conversion.Temperature)
	}
}

// each calls take for the items of a section that hold all that is required, and warns about the others. A section that
// does not apply is skipped.
func (n *normaliser) each(section string, take func(path string, v Values)) {
	s := n.t.byKey[section]
	if !s.applies(n.sheet) {
		return
	}
	if n.in.Crop.Type == "" && slices.Contains(needCrop, section) {
		defer func(log *conversion.Log) { n.log = log }(n.log)
		n.log = nil // withoutBasis removes it, so no step produces it
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
	c.YieldKg = n.yield(v, "harvested_yield", "crop.yield_kg")
	c.FarmGateYieldKg = n.yield(v, "farm_gate_yield", "crop.farm_gate_yield_kg")
	c.GrowingCycles = int(v.numberOr("growing_cycles", 1))
	c.PricePerT = v.number("price")
	c.RenewalYears, c.UncertaintyPct = v.number("renewal_years"), v.number("uncertainty_pct")
	for i, o := range v.items("co_products") {
		c.CoProducts = append(c.CoProducts, ghg.CoProduct{
			Name: o.text("name"), SharePct: o.numberOr("share_pct", 0), Basis: cmp.Or(o.text("basis"), "economic"),
			MassT: n.massT(i, o), PricePerT: o.number("price"),
		})
	}
	n.each(secSoil, func(_ string, v Values) {
		n.in.Soil = ghg.Soil{
			Class: v.text("soil_class"), DrainedOrganicPct: v.number("drained_organic_share_pct"), AnnualRainfallMm: v.number("annual_rainfall_mm"),
			Texture: v.text("texture"), OrganicMatterPct: v.number("soil_organic_matter_pct"), PH: v.number("ph"),
			SandPct: v.number("sand_pct"), BulkDensity: v.number("bulk_density"),
			Carbon: soilCarbon(v, n.log),
		}
	})
}

// m3PerHa returns a rate that is a volume.
func m3PerHa(value float64, unit string) (m3Ha float64, ok bool) {
	return value, agronomy.Unit(unit) == agronomy.M3PerHa
}

func (n *normaliser) inputs() {
	n.each(secFertilizers, func(path string, v Values) {
		share := n.share(path, v, "applied_area_pct")
		kgHa, ok := n.rate(n.item(secFertilizers, len(n.in.Fertilizers)), path, v, n.density(path, v, nil, ""), share)
		if !ok {
			return
		}
		n.in.Fertilizers = append(n.in.Fertilizers, ghg.Fertilizer{
			Product: v.text("product"), KgPerHa: kgHa, AreaPct: share.Value,
			NPct: v.number("n_pct"), P2O5Pct: v.number("p2o5_pct"), K2OPct: v.number("k2o_pct"), NClass: v.text("n_class"),
			Region: v.text("production_region"), Inhibitor: v.text("inhibitor"), Method: v.text("method"),
			ManualProductionEF: v.number("manual_production_ef"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
	n.each(secOrganic, func(path string, v Values) {
		kind := v.text("type")
		all := n.share(path, nil, "")
		kgHa, ok := n.rate(n.item(secOrganic, len(n.in.OrganicInputs)), path, v, n.density(path, v, ownDensity(v), "density of "+kind), all)
		if !ok {
			return
		}
		n.in.OrganicInputs = append(n.in.OrganicInputs, ghg.OrganicInput{
			Type: kind, KgPerHa: kgHa, M3PerHa: v.in("rate", m3PerHa), DensityTM3: v.number("density_kg_l"), NPct: v.number("n_pct"), DryMatterPct: v.number("dry_matter_pct"),
			DaysBeforePlanting: v.number("days_before_planting"), Origin: v.text("origin"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
	n.each(secProtection, func(path string, v Values) {
		sets := n.item(secProtection, len(n.in.CropProtection)) + ".kg_per_ha"
		p := ghg.Protection{
			Category: v.text("category"), Applications: int(v.numberOr("applications", 0)), TreatedPct: v.numberOr("treated_area_pct", 100),
			KgPerHa: n.amount(sets, "kg/ha", path, v, "rate", perHa), ActiveIngredientPct: v.number("active_ingredient_pct"), UncertaintyPct: v.number("uncertainty_pct"),
		}
		if (p.KgPerHa == nil) != (p.ActiveIngredientPct == nil) {
			n.warnings.add("rate_unused", path, "%s: rate and active_ingredient_pct are used together; the applications are counted instead.", path)
		}
		n.in.CropProtection = append(n.in.CropProtection, p)
	})
	n.each(secSeeds, func(path string, v Values) {
		if kgHa := n.amount("seeds.kg_per_ha", "kg/ha", path, v, "rate", perHa); kgHa != nil {
			n.in.Seeds = &ghg.Seeds{KgPerHa: *kgHa, Origin: v.text("origin"), UncertaintyPct: v.number("uncertainty_pct")}
		}
	})
}

func (n *normaliser) practices() {
	n.each(secResidues, func(_ string, v Values) {
		n.in.Residues = &ghg.Residues{
			Method: v.text("method"), AboveGroundDMKg: v.number("above_ground_dm"), StrawTiming: v.text("straw_incorporation_timing"),
			UncertaintyPct: v.number("uncertainty_pct"), Management: n.residueShares(v.items("management")),
		}
	})
	n.each(secRice, func(_ string, v Values) {
		n.in.Rice = &ghg.Rice{WaterRegime: v.text("water_regime"), PreSeason: v.text("pre_season"), CultivationDays: v.number("cultivation_days")}
	})
	if len(n.sheet[secRice]) > 0 && n.in.Crop.Type != paddyRice {
		n.warnings.add("section_ignored", secRice, "Paddy rice is entered, but the crop is not paddy rice; the section is not counted.")
	}
}

func (n *normaliser) energy() {
	n.each(secIrrigation, func(path string, v Values) {
		if unit := v.unit("water_volume"); n.areaHa == 0 && (unit == "mm" || unit == "m3/ha") {
			n.warnings.add("area_needed", path+".water_volume", "%s is left out: water in %s needs the growing area.", path, unit)
			return
		}
		n.in.Irrigation = append(n.in.Irrigation, ghg.Irrigation{
			Method: v.text("method"), WaterM3: n.water(n.item(secIrrigation, len(n.in.Irrigation)), path, v), AreaPct: v.number("area_pct"), PowerSource: v.text("power_source"), Source: v.text("source"),
			PumpingHeadM: v.number("pumping_head_m"), DistanceM: v.number("distance_m"), CountedElsewhere: v.flag("energy_counted_elsewhere"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
	n.each(secFuel, func(path string, v Values) { n.in.FuelEnergy = append(n.in.FuelEnergy, n.fuel(path, v)) })
	n.each(secMachinery, func(_ string, v Values) {
		n.in.Machinery = append(n.in.Machinery, ghg.Operation{
			Operation: v.text("operation"), Passes: v.numberOr("passes", 0), AreaPct: v.numberOr("area_pct", 100),
			FuelLPerHa: v.number("fuel_rate"), CountedElsewhere: v.flag("fuel_counted_elsewhere"), UncertaintyPct: v.number("uncertainty_pct"),
		})
	})
	n.each(secTransport, func(path string, v Values) {
		item := n.item(secTransport, len(n.in.Transport))
		n.in.Transport = append(n.in.Transport, ghg.Journey{
			Mode: v.text("mode"), Leg: v.text("leg"),
			WeightT:      orZero(n.amount(item+".weight_t", "t", path, v, "weight", conversion.Weight)),
			DistanceKm:   orZero(n.amount(item+".distance_km", "km", path, v, "distance", conversion.Distance)),
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
	n.each(secPerennial, func(path string, v Values) {
		item := n.item(secPerennial, len(n.in.PerennialBiomass))
		p := ghg.Perennial{
			System: v.text("system"), AreaHa: n.amount(item+".area_ha", "ha", path, v, "area", conversion.Area),
			LengthM: n.amount(item+".length_m", "m", path, v, "length", conversion.Length), WidthM: v.number("width_m"),
			Count: v.number("count"), PlantingYear: int(v.numberOr("planting_year", 0)), GrowthTCHaYr: v.number("growth"),
			RemovedAreaHa: n.amount(item+".removed_area_ha", "ha", path, v, "removed_area", conversion.Area), UncertaintyPct: v.number("uncertainty_pct"),
		}
		for _, o := range v.items("measured_stocks") {
			p.MeasuredStocks = append(p.MeasuredStocks, ghg.CarbonStock{Year: int(o.numberOr("year", 0)), TC: o.numberOr("t_c", 0)})
		}
		n.in.PerennialBiomass = append(n.in.PerennialBiomass, p)
	})
}

// needCrop are the sections that need the crop.
var needCrop = []string{secSeeds, secResidues, secLand, secConversion}

// withoutBasis removes what needs the crop or the soil where these are not stated.
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
