package assessment

import (
	"slices"
	"strings"

	"tilth/core/agronomy"
	"tilth/core/ghg"
)

// Bounds of what can be entered. They keep out typing errors and wrong units, and are not agronomic limits: what is
// merely odd is a warning of the submission.
const (
	maxAmount   = 1e12 // of anything in kg, l, m3, mj, m2 of the largest area that is accepted
	minYear     = 1800 // of what was planted, cleared or changed
	maxYear     = 2200 // as everywhere in the program
	maxEF       = 1e6  // kg CO2e per unit
	maxPrice    = 1e12 // per t, in the smallest of currencies
	maxGrowth   = 100  // t C/ha a year, with whatever evidence
	daysOfAYear = 366
)

// Units that the mapping has no rows for, because no factor depends on them.
var (
	sprayUnits  = []string{"kg/ha", "lb/acre"}
	seedUnits   = []string{"kg/ha"}
	areaUnits   = []string{"ha", "acre", "m2", "km2"}
	lengthUnits = []string{"m", "km"}
)

// Keys that rules look for. All of them are values of the mapping or keys of the table.
const (
	secGeneral     = "general"
	secCrop        = "crop"
	secSoil        = "soil"
	secFertilizers = "fertilizers"
	secOrganic     = "organic_inputs"
	secProtection  = "crop_protection"
	secSeeds       = "seeds"
	secResidues    = "residues"
	secRice        = "rice"
	secIrrigation  = "irrigation"
	secFuel        = "fuel_energy"
	secMachinery   = "machinery"
	secTransport   = "transport"
	secLand        = "land_management"
	secConversion  = "land_use_change"
	secPerennial   = "perennial_biomass"

	paddyRice = "rice_paddy"
)

// values asks the mapping for the values of a field of a section.
type values struct{ m *ghg.Mapping }

func (v values) of(section, field string) []string { return v.m.Values(section, field) }

// literals reports for each value of a field whether the mapping has the literal word for a term.
func (v values) literals(section, field, term, word string) map[string]bool {
	out := map[string]bool{}
	for _, value := range v.of(section, field) {
		row, ok := v.m.Find(section, term, value)
		literal, _ := row.Literal()
		out[value] = ok && literal == word
	}
	return out
}

// sections returns the fifteen sections in the order people fill them in. What is stated
// in bold in the design is required; enumerations are those of the mapping.
func sections(v values) []Section {
	return slices.Concat(cropAndSoil(v), inputs(v), practices(v), energy(v), carbonStocks(v))
}

func cropAndSoil(v values) []Section {
	units := v.of(secCrop, "harvested_yield.unit")
	return []Section{
		objectOf(secCrop, "Crop", "crop", 15, Mandatory,
			choice("crop_type", "Crop type", v.of(secCrop, "crop_type")).must(),
			flag("is_perennial", "Perennial").derived().about("Whether the stand lasts for years; it follows from the crop type."),
			amount("harvested_yield", "Harvested yield", units, maxAmount).must().
				about("Fresh weight for the year over all growing cycles: in total, or per area."),
			amount("farm_gate_yield", "Yield at the farm gate", units, maxAmount).about("What left the farm; the harvest when not given."),
			integer("growing_cycles", "Growing cycles in the year", "", 1, 12).usual(1.0),
			date("planting_date", "Planting date"),
			date("harvest_date", "Harvest date"),
			items("co_products", "Co-products", 20,
				text("name", "Name", 255).must(),
				percentage("share_pct", "Share of the emissions").must(),
				choice("basis", "Basis of the share", []string{"economic", "mass", "energy", "other"}).usual("economic"),
				amount("amount", "Amount at the farm gate", units, maxAmount).about("With it, the report also shows the shares by mass next to the stated ones."),
				number("price", "Price", "per t", 0, maxPrice).about("In the currency of the crop's price. With both, the report also shows the shares by value."),
			).about("Together they carry less than 100 %; the main product carries the rest."),
			number("price", "Price at the farm gate", "per t", 0, maxPrice).about("Of the main product, in any currency; used to show the shares of the co-products by value."),
			number("renewal_years", "Years until the stand is renewed", "yr", 1, 100).mustWhen("crop_type", forages(v)...).about("For forage crops."),
			uncertainty("harvested yield"),
		),
		objectOf(secSoil, "Soil", "soil", 10, Mandatory, slices.Concat([]Field{
			choice("soil_class", "Soil class", v.of(secSoil, "soil_class")).must().about("Class of IPCC 2019, volume 4, chapter 3, annex 3A.5."),
			percentage("drained_organic_share_pct", "Drained organic share").mustWhen("soil_class", "organic"),
			choice("texture", "Texture", []string{"fine", "medium", "coarse"}),
			percentage("soil_organic_matter_pct", "Soil organic matter"),
			number("ph", "pH", "", 0, 14),
			percentage("sand_pct", "Sand").mustWhen("carbon_method", ghg.SoilTier2).about("Of the topsoil's mass, 0 to 30 cm."),
			number("annual_rainfall_mm", "Annual rainfall", "mm", 0, 20_000),
			number("bulk_density", "Bulk density", "t/m3", 0.02, 2.65).about("Peat has about 0.1; pure quartz 2.65."),
		}, soilCarbonFields(v))...),
	}
}

func inputs(v values) []Section {
	return []Section{
		listOf(secFertilizers, "Fertilizers and lime", "inputs", 15, Core,
			choice("product", "Product", v.of(secFertilizers, "product")).must().about("What is applied; custom is a product whose contents are stated."),
			amount("rate", "Rate", v.of(secFertilizers, "rate.unit"), maxAmount).must().
				about("Amount of the product in all its applications in the year: per treated area, or in total for it."),
			number("density_kg_l", "Density", "kg/l", 0, 5).above0().mustWhen("rate.unit", "l/ha"),
			percentage("n_pct", "Nitrogen (N)").mustWhen("product", "custom").about("The product's own when not given."),
			percentage("p2o5_pct", "Phosphorus (P2O5)").mustWhen("product", "custom").about("The product's own when not given."),
			percentage("k2o_pct", "Potassium (K2O)").mustWhen("product", "custom").about("The product's own when not given."),
			choice("n_class", "Form of the nitrogen", v.of(secFertilizers, "n_class")).mustWhen("product", "custom").about("For a custom product."),
			percentage("applied_area_pct", "Treated share of the area").above0().usual(100.0),
			choice("production_region", "Made in", productionRegions(v.m)).about("The region the country buys from when not given."),
			choice("inhibitor", "Inhibitor", v.of(secFertilizers, "inhibitor")).about("What slows the conversion of the nitrogen.").usual("none"),
			choice("method", "Method", v.of(secFertilizers, "method")).about("How it is applied."),
			date("date", "Date").about("Day of the application."),
			number("manual_production_ef", "Own production factor", "kg CO2e/kg product", 0, maxEF).mustWhen("manual_ef_note"),
			text("manual_ef_note", "Source of the own factor", 1000).mustWhen("manual_production_ef"),
			uncertainty("rate"),
		),
		listOf(secOrganic, "Organic inputs", "inputs", 6, Core,
			choice("type", "Type", v.of(secOrganic, "type")).must().about("What is spread."),
			amount("rate", "Rate", v.of(secOrganic, "rate.unit"), maxAmount).must().about("Fresh weight, per growing area or in total; or a volume, converted by the density of the type."),
			number("density_kg_l", "Density", "kg/l", 0, 5).above0().mustNote("Required for a volume of a type whose density is not known: "+unknownDensities(v)+".").
				about("The type's own when not given; state it for bales, pellets and the like."),
			percentage("n_pct", "Nitrogen (N), fresh").mustWhen("type", "other").about("The type's own when not given."),
			percentage("dry_matter_pct", "Dry matter").mustWhen("type", "other").about("The type's own when not given."),
			integer("days_before_planting", "Days before planting", "d", 0, daysOfAYear).about("Matters in flooded rice."),
			choice("origin", "Origin", v.of(secOrganic, "origin")).about("Where it comes from."),
			uncertainty("rate"),
		),
		listOf(secProtection, "Crop protection", "inputs", 5, Core,
			choice("category", "Category", v.of(secProtection, "category")).must().
				about("A fumigation of the soil is soil_fumigation; granules and drenches are soil_treatment."),
			integer("applications", "Applications in the year", "", 1, 365).must(),
			percentage("treated_area_pct", "Treated share of the area").usual(100.0),
			amount("rate", "Rate of one application", sprayUnits, maxAmount).
				about("If the active ingredient is given as well, it is counted instead of the applications."),
			percentage("active_ingredient_pct", "Active ingredient").about("Of the product."),
			uncertainty("applications"),
		),
		objectOf(secSeeds, "Seeds", "inputs", 0.5, OptionalOnly,
			amount("rate", "Seed rate", seedUnits, 1e6),
			choice("origin", "Origin", v.of(secSeeds, "origin")).about("Where they come from.").usual("purchased"),
			uncertainty("rate"),
		),
	}
}

// forages returns the crops whose stand lasts for a number of years that only the user knows.
func forages(v values) []string {
	return slices.DeleteFunc(v.of(secCrop, "crop_type"), func(crop string) bool {
		row, ok := v.m.Find(secCrop, "crop_type/frac_renew", crop)
		_, forage := row.Literal()
		return !ok || !forage
	})
}

// unknownDensities names the organic inputs without a density of their own, whose volume alone gives no mass.
func unknownDensities(v values) string {
	unknown := slices.DeleteFunc(v.of(secOrganic, "type"), func(kind string) bool {
		p, _ := agronomy.FindProduct(kind)
		return p.Density != nil
	})
	return strings.Join(unknown, ", ")
}

func practices(v values) []Section {
	return []Section{
		objectOf(secResidues, "Crop residues", "field_practices", 8, Core,
			items("management", "What happens to the residues", 20,
				choice("practice", "Practice", v.of(secResidues, "management.practice")).must(),
				percentage("share_pct", "Share").must(),
			).must().about("The shares add up to 100 %."),
			choice("method", "Method of estimation", v.of(secResidues, "method")).usual("ratio").
				about("slope_intercept is known for the crops of IPCC 2006, volume 4, chapter 11, table 11.2."),
			number("above_ground_dm", "Measured above-ground residues", "kg dry matter", 0, maxAmount),
			choice("straw_incorporation_timing", "Straw worked in before the next crop", v.of(secResidues, "straw_incorporation_timing")).
				mustNote("Required when straw of flooded rice stays on the field."),
			uncertainty("measured residues"),
		),
		objectOf(secRice, "Paddy rice", "field_practices", 15, Mandatory,
			choice("water_regime", "Water regime", v.of(secRice, "water_regime")).must(),
			choice("pre_season", "Water before the season", v.of(secRice, "pre_season")).must(),
			integer("cultivation_days", "Days of one growing cycle", "d", 1, daysOfAYear).about("The region's default when not given."),
		).needs(secCrop, "crop_type", paddyRice),
	}
}

func energy(v values) []Section {
	return []Section{
		listOf(secIrrigation, "Irrigation", "energy", 5, Core,
			choice("method", "Method", v.of(secIrrigation, "method")).must().about("How the water is applied."),
			amount("water_volume", "Water in the year", v.of(secIrrigation, "water_volume.unit"), maxAmount).must().about("Per irrigated area, or in total; 0 means no irrigation."),
			percentage("area_pct", "Irrigated share of the area").above0().usual(100.0),
			choice("power_source", "Power of the pump", v.of(secIrrigation, "power_source")).
				about("\"other\" needs energy_counted_elsewhere."),
			number("pumping_head_m", "Lift of the pump", "m", 0, 2000).about("Without the pressure of the method; the source's default when not given."),
			number("distance_m", "Length of the pipe", "m", 0, 1e6),
			choice("source", "Source of the water", v.of(secIrrigation, "source")),
			flag("energy_counted_elsewhere", "Energy is counted under fuel and energy"),
			uncertainty("water"),
		),
		listOf(secFuel, "Fuel and energy", "energy", 10, Core,
			choice("carrier", "Carrier", v.of(secFuel, "carrier")).must().about("What is burnt or used."),
			// A volume of a liquid has a density, a gas is metered in m3, and solids are weighed, as the notes of
			// carrier/density in the mapping state.
			amount("amount", "Amount", v.of(secFuel, "amount.unit"), maxAmount).must().
				unitsWhen("carrier", []string{"diesel", "petrol", "lpg", "biodiesel", "hvo", "ethanol", "heating_oil", "kerosene"},
					"l", "gal", "kg", "t", "kwh", "mj").
				unitsWhen("carrier", []string{"natural_gas"}, "m3", "kwh", "mj").
				unitsWhen("carrier", []string{"coal", "wood"}, "kg", "t", "kwh", "mj").
				unitsWhen("carrier", []string{"electricity_grid", "electricity_renewable_own", "district_heat"}, "kwh", "mj"),
			percentage("allocation_pct", "Share used by this crop").usual(100.0),
			choice("purpose", "Purpose", v.of(secFuel, "purpose")).about("What it is used for.").usual("field"),
			number("manual_ef", "Own emission factor", "kg CO2e per unit of the amount", 0, maxEF).mustWhen("manual_ef_note"),
			text("manual_ef_note", "Source of the own factor", 1000).mustWhen("manual_ef"),
			number("market_ef", "Market-based factor of grid electricity", "kg CO2e/kWh", 0, maxEF).mustWhen("market_basis").
				about("From the contract, the certificates or the residual mix. It is shown in addition to the totals, which keep the grid average."),
			choice("market_basis", "Basis of the market-based factor", []string{"supplier_contract", "attribute_certificate", "residual_mix"}).mustWhen("market_ef"),
			text("market_ef_note", "Evidence of the market-based factor", 1000).mustWhen("market_ef"),
			number("grid_loss_pct", "Losses of the grid", "% of what is fed in", 0, 60).mustWhen("grid_loss_note").
				about("Losses in transmission and distribution, scope 3, shown in addition to the totals; the country's figure where a source has one."),
			text("grid_loss_note", "Source of the losses", 1000).mustWhen("grid_loss_pct"),
			uncertainty("amount"),
		),
		listOf(secMachinery, "Machinery", "energy", 1, OptionalOnly,
			choice("operation", "Operation", v.of(secMachinery, "operation")).must().about("What the machine does."),
			number("passes", "Passes in the year", "", 0, 365).above0().must(),
			percentage("area_pct", "Worked share of the area").usual(100.0),
			number("fuel_rate", "Diesel of one pass", "l/ha", 0, 1000).mustWhen("operation", "other").about("The operation's own when not given."),
			uncertainty("passes"),
			flag("fuel_counted_elsewhere", "Fuel is counted under fuel and energy"),
		),
		listOf(secTransport, "Transport", "energy", 1, OptionalOnly,
			choice("mode", "Mode", v.of(secTransport, "mode")).must().about("What carries the load."),
			amount("weight", "Weight", v.of(secTransport, "weight.unit"), maxAmount).must(),
			amount("distance", "Distance", v.of(secTransport, "distance.unit"), 100_000).must().about("One way, with the load."),
			choice("leg", "Leg", []string{"inbound", "on_farm", "outbound"}).about("To the farm, on it, or from it."),
			uncertainty("weight"),
			flag("refrigerated", "Refrigerated"),
			flag("fuel_counted_elsewhere", "Fuel is counted under fuel and energy"),
		),
	}
}

func carbonStocks(v values) []Section {
	return []Section{
		objectOf(secLand, "Land management", "carbon_stocks", 10, Core,
			choice("tillage", "Tillage", v.of(secLand, "tillage")).must(),
			choice("carbon_inputs", "Carbon inputs", v.of(secLand, "carbon_inputs")).must(),
			choice("cover_crop", "Cover crop", v.of(secLand, "cover_crop")).usual("none"),
			percentage("cover_crop_share_pct", "Share under the cover crop"),
			items("changes", "Earlier states", 4,
				integer("year", "Last year of this state", "", minYear, maxYear).must(),
				choice("land_use", "Land use", v.of(secLand, "changes.land_use")),
				choice("tillage", "Tillage", v.of(secLand, "tillage")),
				choice("carbon_inputs", "Carbon inputs", v.of(secLand, "carbon_inputs")),
				percentage("area_pct", "Share of the area").usual(100.0),
			).about("States that have ended; what is not given was the same as in the state that followed. The share is the same in all."),
			flag("no_change_20y", "No change in the last 20 years"),
		),
		listOf(secConversion, "Land-use change", "carbon_stocks", 3, OptionalOnly,
			choice("previous_use", "Previous use", v.of(secConversion, "previous_use")).must(),
			choice("forest_zone", "Forest zone", v.of(secConversion, "forest_zone")).mustWhen("previous_use", "forest"),
			integer("year", "Year of the conversion", "", minYear, maxYear).must(),
			percentage("area_pct", "Converted share of the area").usual(100.0),
			number("previous_biomass_t_c_ha", "Biomass before", "t C/ha", 0, 2000).about("Above and below ground; the default of the previous use when not given."),
		),
		listOf(secPerennial, "Perennial biomass", "carbon_stocks", 0.5, OptionalOnly,
			choice("system", "System", v.of(secPerennial, "system")).must().about("What kind of trees or hedges they are."),
			amount("area", "Area", areaUnits, maxAmount).mustNote("Area, length or count is required."),
			amount("length", "Length", lengthUnits, maxAmount).mustNote("Area, length or count is required."),
			number("width_m", "Width of the row", "m", 0, 100).above0().mustNote("Required for a length without an area.").
				about("The area is length x width. Managed hedges are 2.6 to 4.2 m wide (Axe and others 2017)."),
			integer("count", "Count", "", 0, maxAmount).mustNote("Area, length or count is required."),
			integer("planting_year", "Year of planting", "", minYear, maxYear).must(),
			number("growth", "Growth", "t C/ha/yr", 0, maxGrowth).
				mustNote("Required for hedgerows and windbreaks without two measured stocks, or where some was grubbed up.").
				about("Growth beyond the plausible range of the system needs evidence."),
			items("measured_stocks", "Measured stocks", 20,
				integer("year", "Year", "", minYear, maxYear).must(),
				number("t_c", "Stock of the stand", "t C", 0, maxAmount).must(),
			).atLeast(2).mustNote("Two are required where neither area nor length is given.").
				about("Of the whole stand; two of them replace the growth. They bracket the assessment year, or the last is at most 5 years before it."),
			amount("removed_area", "Area grubbed up in the year", areaUnits, maxAmount).about("At most the stand."),
			text("evidence", "Evidence of the growth", 1000).about("Required for growth beyond the plausible range of the system: a measurement or a study, and who made it."),
			uncertainty("area or the length"),
		).oneOf("area", "length", "count"),
	}
}

// productionRegions returns the regions in the condition "product|region" of the rows for the production of fertilizers.
func productionRegions(m *ghg.Mapping) []string {
	var out []string
	for _, row := range m.Rows() {
		conditions := strings.Split(row.Value, "|")
		if row.Section == secFertilizers && row.Field == "product/production" && len(conditions) > 1 && !slices.Contains(out, conditions[1]) {
			out = append(out, conditions[1])
		}
	}
	return out
}
