package ghg

// Input is the normalised snapshot of one assessment: what was entered, in SI units,
// with nothing filled in. A nil pointer or an empty string means that no value was
// entered, and that the engine takes the default the method names. Enumerations are the
// values of mapping.csv. The JSON form is what a submission freezes.
type Input struct {
	General          General        `json:"general"`
	Crop             Crop           `json:"crop"`
	Soil             Soil           `json:"soil"`
	Fertilizers      []Fertilizer   `json:"fertilizers,omitempty"`
	OrganicInputs    []OrganicInput `json:"organic_inputs,omitempty"`
	CropProtection   []Protection   `json:"crop_protection,omitempty"`
	Seeds            *Seeds         `json:"seeds,omitempty"`
	Residues         *Residues      `json:"residues,omitempty"`
	Rice             *Rice          `json:"rice,omitempty"`
	Irrigation       []Irrigation   `json:"irrigation,omitempty"`
	FuelEnergy       []Fuel         `json:"fuel_energy,omitempty"`
	Machinery        []Operation    `json:"machinery,omitempty"`
	Transport        []Journey      `json:"transport,omitempty"`
	LandManagement   *LandState     `json:"land_management,omitempty"`
	LandUseChange    []Conversion   `json:"land_use_change,omitempty"`
	PerennialBiomass []Perennial    `json:"perennial_biomass,omitempty"`
}

// General is the frame of the assessment.
type General struct {
	// Year is the assessment year.
	Year int `json:"year"`
	// AreaHa is the growing area in ha; 0 when it is not known yet.
	AreaHa float64 `json:"area_ha"`
	// TemperatureC is the mean annual temperature in °C; no Tier 1 factor depends on it.
	TemperatureC *float64 `json:"temperature_c,omitempty"`
	// ClimateRegion is one of the ten IPCC zones.
	ClimateRegion string `json:"climate_region"`
	// Country is a country key.
	Country string `json:"country"`
}

// Crop is what was grown.
type Crop struct {
	Type string `json:"type"`
	// YieldKg is the fresh harvest of the whole growing area and of all cycles of the
	// year, kg.
	YieldKg *float64 `json:"yield_kg,omitempty"`
	// FarmGateYieldKg is what left the farm, kg; nil: the harvest.
	FarmGateYieldKg *float64 `json:"farm_gate_yield_kg,omitempty"`
	// GrowingCycles is the number of cycles in the year; 0 means 1.
	GrowingCycles int         `json:"growing_cycles,omitempty"`
	CoProducts    []CoProduct `json:"co_products,omitempty"`
	// RenewalYears is how many years a forage stand lasts; nil: 1.
	RenewalYears *float64 `json:"renewal_years,omitempty"`
}

// CoProduct carries a share of the emissions away from the main product.
type CoProduct struct {
	Name string `json:"name"`
	// SharePct is its share of the emissions, per cent.
	SharePct float64 `json:"share_pct"`
	// Basis is economic, mass, energy or other.
	Basis string `json:"basis"`
}

// Soil is the soil under the crop. Class, DrainedOrganicPct and AnnualRainfallMm enter
// equations; the other members are kept for engines that use them.
type Soil struct {
	// Class is one of the IPCC classes, or "organic".
	Class string `json:"class"`
	// DrainedOrganicPct is the share of the area that is drained organic soil, per cent.
	DrainedOrganicPct *float64 `json:"drained_organic_pct,omitempty"`
	// AnnualRainfallMm is the mean annual rainfall, mm.
	AnnualRainfallMm *float64 `json:"annual_rainfall_mm,omitempty"`
	Texture          string   `json:"texture,omitempty"`
	// OrganicMatterPct is soil organic matter, per cent of dry soil.
	OrganicMatterPct *float64 `json:"organic_matter_pct,omitempty"`
	PH               *float64 `json:"ph,omitempty"`
	SandPct          *float64 `json:"sand_pct,omitempty"`
	// BulkDensity is t/m3.
	BulkDensity *float64 `json:"bulk_density,omitempty"`
}

// Fertilizer is one application of a mineral fertilizer or of lime.
type Fertilizer struct {
	Product string `json:"product"`
	// KgPerHa is kg of product per treated ha.
	KgPerHa float64 `json:"kg_per_ha"`
	// AreaPct is the treated share of the growing area, per cent.
	AreaPct float64 `json:"area_pct"`
	// NPct, P2O5Pct and K2OPct are contents in per cent of the product; nil: the
	// product's own (custom products have none).
	NPct    *float64 `json:"n_pct,omitempty"`
	P2O5Pct *float64 `json:"p2o5_pct,omitempty"`
	K2OPct  *float64 `json:"k2o_pct,omitempty"`
	// NClass is the form of the nitrogen of a custom product.
	NClass string `json:"n_class,omitempty"`
	// Region is where it was made; empty: the region the country buys from.
	Region    string `json:"region,omitempty"`
	Inhibitor string `json:"inhibitor,omitempty"`
	Method    string `json:"method,omitempty"`
	// ManualProductionEF replaces the production factor, kg CO2e per kg of product.
	ManualProductionEF *float64 `json:"manual_production_ef,omitempty"`
}

// OrganicInput is manure, compost or another organic material spread on the whole area.
type OrganicInput struct {
	Type string `json:"type"`
	// KgPerHa is kg of fresh material per ha of growing area.
	KgPerHa float64 `json:"kg_per_ha"`
	// NPct is per cent N of the fresh material; nil: the type's own.
	NPct *float64 `json:"n_pct,omitempty"`
	// DryMatterPct is per cent dry matter of the fresh material; nil: the type's own.
	DryMatterPct *float64 `json:"dry_matter_pct,omitempty"`
	// DaysBeforePlanting matters for straw on flooded rice; nil: under 30.
	DaysBeforePlanting *float64 `json:"days_before_planting,omitempty"`
	Origin             string   `json:"origin,omitempty"`
}

// Protection is one kind of crop protection.
type Protection struct {
	Category string `json:"category"`
	// Applications in the year.
	Applications int `json:"applications"`
	// TreatedPct is the treated share of the growing area, per cent.
	TreatedPct float64 `json:"treated_pct"`
	// KgPerHa is kg of product per treated ha and application. With ActiveIngredientPct
	// (per cent of the product) the active ingredient is counted, else the application.
	KgPerHa             *float64 `json:"kg_per_ha,omitempty"`
	ActiveIngredientPct *float64 `json:"active_ingredient_pct,omitempty"`
}

// Seeds is the seed that was sown.
type Seeds struct {
	// KgPerHa is kg of seed per ha of growing area.
	KgPerHa float64 `json:"kg_per_ha"`
	// Origin is own or purchased; empty: purchased.
	Origin string `json:"origin,omitempty"`
}

// Residues tells what became of what the harvest left.
type Residues struct {
	Management []ResidueShare `json:"management"`
	// Method is ratio or slope_intercept; empty: the factor set's own.
	Method string `json:"method,omitempty"`
	// AboveGroundDMKg is measured above-ground residue of the whole area and year, kg dry
	// matter; nil: estimated from the harvest.
	AboveGroundDMKg *float64 `json:"above_ground_dm_kg,omitempty"`
	// StrawTiming is when straw of flooded rice is worked in: lt_30d or gt_30d.
	StrawTiming string `json:"straw_incorporation_timing,omitempty"`
}

// ResidueShare is the share of the above-ground residue under one practice, per cent.
type ResidueShare struct {
	Practice string  `json:"practice"`
	SharePct float64 `json:"share_pct"`
}

// Rice is the water of a paddy.
type Rice struct {
	WaterRegime string `json:"water_regime"`
	PreSeason   string `json:"pre_season"`
	// CultivationDays per growing cycle; nil: the region's.
	CultivationDays *float64 `json:"cultivation_days,omitempty"`
}

// Irrigation is water brought to the crop.
type Irrigation struct {
	Method string `json:"method"`
	// WaterM3 is the water of the year over the whole area, m3.
	WaterM3     float64 `json:"water_m3"`
	PowerSource string  `json:"power_source,omitempty"`
	Source      string  `json:"source,omitempty"`
	// PumpingHeadM is the lift alone, m; nil: the source's default.
	PumpingHeadM *float64 `json:"pumping_head_m,omitempty"`
	// DistanceM is the length of pipe, m; nil: 0.
	DistanceM *float64 `json:"distance_m,omitempty"`
	// CountedElsewhere: the energy stands in the fuels, and is not counted here.
	CountedElsewhere bool `json:"counted_elsewhere,omitempty"`
}

// Units of an amount of energy after normalisation.
const (
	Litre        = "l"
	Kilogram     = "kg"
	CubicMetre   = "m3"
	KilowattHour = "kwh"
	Megajoule    = "mj"
)

// Fuel is a carrier of energy that was used.
type Fuel struct {
	Carrier string `json:"carrier"`
	// Amount in Unit: l, kg, m3, kwh or mj (the last two net calorific value).
	Amount float64 `json:"amount"`
	Unit   string  `json:"unit"`
	// AllocationPct is the share that this crop used, per cent.
	AllocationPct float64 `json:"allocation_pct"`
	// Purpose is field when empty.
	Purpose string `json:"purpose,omitempty"`
	// ManualEF replaces the burning (or the grid) factor, kg CO2e per Unit.
	ManualEF *float64 `json:"manual_ef,omitempty"`
}

// Operation is field work of machines.
type Operation struct {
	Operation string `json:"operation"`
	// Passes over the area in the year.
	Passes float64 `json:"passes"`
	// AreaPct is the worked share of the growing area, per cent.
	AreaPct float64 `json:"area_pct"`
	// FuelLPerHa is l of diesel per ha and pass; nil: the operation's own.
	FuelLPerHa       *float64 `json:"fuel_l_per_ha,omitempty"`
	CountedElsewhere bool     `json:"counted_elsewhere,omitempty"`
}

// Journey is a transport of goods.
type Journey struct {
	Mode string `json:"mode"`
	// WeightT is t of goods, DistanceKm is km one way with the load.
	WeightT          float64 `json:"weight_t"`
	DistanceKm       float64 `json:"distance_km"`
	Leg              string  `json:"leg,omitempty"`
	Refrigerated     bool    `json:"refrigerated,omitempty"`
	CountedElsewhere bool    `json:"counted_elsewhere,omitempty"`
}

// LandState is how the land is managed now, and how it was before.
type LandState struct {
	Tillage      string `json:"tillage"`
	CarbonInputs string `json:"carbon_inputs"`
	CoverCrop    string `json:"cover_crop,omitempty"`
	// CoverCropPct is the share of the area under a cover crop, per cent.
	CoverCropPct *float64     `json:"cover_crop_pct,omitempty"`
	Changes      []LandChange `json:"changes,omitempty"`
	NoChange20y  bool         `json:"no_change_20y,omitempty"`
}

// LandChange is a state of management that ended in Year. Empty members are those of the
// state that followed.
type LandChange struct {
	Year         int    `json:"year"`
	LandUse      string `json:"land_use,omitempty"`
	Tillage      string `json:"tillage,omitempty"`
	CarbonInputs string `json:"carbon_inputs,omitempty"`
	// AreaPct is the share of each parcel that changed, per cent; equal in all items.
	AreaPct float64 `json:"area_pct"`
}

// Conversion is land that was something else before it grew this crop.
type Conversion struct {
	PreviousUse string `json:"previous_use"`
	ForestZone  string `json:"forest_zone,omitempty"`
	Year        int    `json:"year"`
	// AreaPct is the converted share of the growing area, per cent.
	AreaPct float64 `json:"area_pct"`
	// PreviousBiomassTCHa replaces the stock before, t C/ha above and below ground.
	PreviousBiomassTCHa *float64 `json:"previous_biomass_t_c_ha,omitempty"`
}

// Perennial is a stand of woody plants.
type Perennial struct {
	System string `json:"system"`
	// AreaHa is its area, ha; LengthM and Count tell of stands measured so.
	AreaHa       *float64 `json:"area_ha,omitempty"`
	LengthM      *float64 `json:"length_m,omitempty"`
	Count        *float64 `json:"count,omitempty"`
	PlantingYear int      `json:"planting_year"`
	// GrowthTCHaYr is t C/ha/yr above and below ground; nil: the system's own.
	GrowthTCHaYr *float64 `json:"growth_t_c_ha_yr,omitempty"`
	// MeasuredStocks are stocks of the whole stand, t C; two of them replace the growth.
	MeasuredStocks []CarbonStock `json:"measured_stocks,omitempty"`
	// RemovedAreaHa is what was grubbed up in the assessment year, ha.
	RemovedAreaHa *float64 `json:"removed_area_ha,omitempty"`
}

// CarbonStock is t C of a stand in a year.
type CarbonStock struct {
	Year int     `json:"year"`
	TC   float64 `json:"t_c"`
}
