package ghg

import "maps"

// Labels of emissions, as the dashboard and the reports name them.
const (
	LabelProduction     = "fertilizer_production"
	LabelDirect         = "soil_n2o_direct"
	LabelVolatilisation = "soil_n2o_volatilisation"
	LabelLeaching       = "soil_n2o_leaching"
	LabelUrea           = "urea_co2"
	LabelLiming         = "liming_co2"
	LabelResidues       = "crop_residues"
	LabelBurning        = "residue_burning"
	LabelRice           = "rice_methane"
	LabelOrganicSoils   = "organic_soils"
	LabelSoilLoss       = "soil_carbon_loss"
	LabelLandUse        = "land_use_change"
	LabelBiomassLoss    = "biomass_loss"
	LabelProtection     = "crop_protection"
	LabelSeed           = "seed_production"
	LabelCombustion     = "fuel_combustion"
	LabelUpstream       = "fuel_upstream"
	LabelElectricity    = "electricity"
	LabelIrrigation     = "irrigation_energy"
	LabelMachinery      = "machinery"
	LabelTransport      = "transport"
)

// Labels of removals.
const (
	RemovalSoil         = "soil_carbon"
	RemovalPerennial    = "perennial_biomass"
	RemovalAgroforestry = "agroforestry"
	RemovalHedgerows    = "hedgerows"
)

// Categories of a report.
const (
	CategoryLandUse    = "land_use_change"
	CategoryManagement = "land_management"
	CategoryInputs     = "energy_and_inputs"
	CategoryRemovals   = "removals"
)

// categories of the labels of emissions.
var categories = map[string]string{
	LabelProduction: CategoryInputs, LabelProtection: CategoryInputs, LabelSeed: CategoryInputs, LabelCombustion: CategoryInputs,
	LabelUpstream: CategoryInputs, LabelElectricity: CategoryInputs, LabelIrrigation: CategoryInputs, LabelMachinery: CategoryInputs,
	LabelTransport: CategoryInputs, LabelLandUse: CategoryLandUse,
	LabelDirect: CategoryManagement, LabelVolatilisation: CategoryManagement, LabelLeaching: CategoryManagement, LabelUrea: CategoryManagement,
	LabelLiming: CategoryManagement, LabelResidues: CategoryManagement, LabelBurning: CategoryManagement, LabelRice: CategoryManagement,
	LabelOrganicSoils: CategoryManagement, LabelSoilLoss: CategoryManagement, LabelBiomassLoss: CategoryManagement,
}

// Labels returns the labels of emissions with the category of each.
func Labels() map[string]string { return maps.Clone(categories) }

// RemovalLabels returns the labels of removals with their category.
func RemovalLabels() map[string]string {
	return map[string]string{
		RemovalSoil: CategoryRemovals, RemovalPerennial: CategoryRemovals,
		RemovalAgroforestry: CategoryRemovals, RemovalHedgerows: CategoryRemovals,
	}
}

// Line is one source of emissions, or one removal.
type Line struct {
	Model           string // the calculation step
	Label           string // what reports and the dashboard call it
	Section         string
	Scope           int // 1, 2 or 3 of the GHG Protocol
	Category        string
	Kg              Masses
	CO2e, Low, High float64 // with its 95 % range, kg
	Tier            int     // 2 where a factor or a stock of the user's own took part in all of it, else 1
	RangeAssumed    bool    // no factor of the line has a published range: those of the kinds of sources are used
	Evidence        Evidence
	BiogenicCO2     float64 // CO2 of burnt plants, kg, outside CO2e
}

// Codes of warnings.
const (
	WarnInhibitor      = "inhibitor_not_counted"
	WarnBiochar        = "biochar_not_counted"
	WarnNoYield        = "yield_missing"
	WarnNoCountry      = "country_missing"
	WarnNoYear         = "year_missing"
	WarnNoArea         = "area_missing"
	WarnHeaped         = "heaped_as_composted"
	WarnNoRice         = "rice_missing"
	WarnStrawTiming    = "straw_timing_assumed"
	WarnNoPower        = "power_source_missing"
	WarnRefrigeration  = "refrigeration_not_counted"
	WarnGridWorld      = "grid_world_default"
	WarnGenericCrop    = "generic_crop"
	WarnOtherLand      = "previous_use_other"
	WarnWetlandBiomass = "wetland_biomass_as_grassland"
	WarnDeadWood       = "dead_wood_not_counted"
	WarnNoManagement   = "land_management_missing"
	WarnGrowthCycle    = "growth_cycle_assumed"
	WarnRangeAssumed   = "range_assumed"
	WarnUnverified     = "unverified_factors"
	WarnTier2Methods   = "soil_carbon_methods_differ"
	WarnTier2Organic   = "organic_carbon_not_counted"
	WarnEnginesDiffer  = "engines_differ"
)

// Warning is something a reader of the result should know.
type Warning struct {
	Code    string `json:"code" doc:"A stable word for programs."`
	Item    string `json:"item,omitempty" doc:"The section, and the item of a list, that it is about; absent: none."`
	Message string `json:"message" doc:"What to note, for people."`
}

// Identity names an edition of something a result was computed with.
type Identity struct {
	ID      string `json:"id" doc:"Id of the engine or factor set."`
	Version string `json:"version" doc:"Its version."`
	Digest  string `json:"digest,omitempty" doc:"SHA-256 of its tables, hexadecimal; absent for an engine."`
}

// Result is what an engine computed: kg, nothing rounded.
type Result struct {
	Engine           Identity
	FactorSet        Identity
	GWP              string  // name of the set of warming potentials
	Warming          Masses  // the potentials, kg CO2e per kg of gas
	InputDigest      string  // SHA-256 of the JSON form of the input
	AreaHa, ProductT float64 // the functional units (fresh product at the farm gate); 0: not known
	Lines, Removals  []Line
	// Emissions and Removed are kg CO2e, both at least 0; Low and High are the 95 % range of the emissions.
	Emissions, Removed, Low, High float64
	RemovedLow, RemovedHigh       float64 // the 95 % range of the removals
	MainSharePct                  float64 // share of the emissions that the main product carries
	CoProducts                    []CoProduct
	PricePerT                     *float64 // of the main product; nil: not entered
	BiogenicCO2                   float64  // kg CO2 of burnt biomass, outside the totals
	// UserShare is the share of the emissions, 0 to 1, with no value that the form can hold left to a default.
	UserShare float64
	Evidence  Evidence // of all rows that move a line, each counted once
	// Electricity is nil where none was bought, and where the engine does not state it.
	Electricity *Electricity
	// SoilCarbon is nil where nothing beyond Tier 1 is entered.
	SoilCarbon *SoilEstimates
	Warnings   []Warning
	Trace      []TraceLine
}
