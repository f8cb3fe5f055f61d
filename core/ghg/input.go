package ghg

// Input is the normalised snapshot of one assessment: what was entered, in SI units. A nil pointer or an empty string means
// that no value was entered, and that the engine takes the default the method names. Enumerations are the values of
// mapping.csv. The JSON form is what a submission freezes.
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
	Year          int      `json:"year"`                    // the assessment year
	AreaHa        float64  `json:"area_ha"`                 // growing area, ha; 0: not known yet
	TemperatureC  *float64 `json:"temperature_c,omitempty"` // annual mean, °C; no Tier 1 factor depends on it
	ClimateRegion string   `json:"climate_region"`          // one of the ten IPCC zones
	Country       string   `json:"country"`                 // a country key
}

// Crop is what was grown.
type Crop struct {
	Type            string      `json:"type"`
	YieldKg         *float64    `json:"yield_kg,omitempty"`           // fresh harvest of the whole area and of all cycles of the year, kg
	FarmGateYieldKg *float64    `json:"farm_gate_yield_kg,omitempty"` // what left the farm, kg; nil: the harvest
	GrowingCycles   int         `json:"growing_cycles,omitempty"`     // in the year; 0 means 1
	CoProducts      []CoProduct `json:"co_products,omitempty"`
	PricePerT       *float64    `json:"price_per_t,omitempty"`     // of the main product, in any currency; with those of the co-products it allocates by value
	RenewalYears    *float64    `json:"renewal_years,omitempty"`   // how many years a forage stand lasts; nil: 1
	UncertaintyPct  *float64    `json:"uncertainty_pct,omitempty"` // of the harvest, plus and minus per cent at 95 %; nil: not given
}

// CoProduct carries a share of the emissions away from the main product.
type CoProduct struct {
	Name      string   `json:"name" doc:"Name of the co-product."`
	SharePct  float64  `json:"share_pct" doc:"Of the emissions, per cent."`
	Basis     string   `json:"basis" doc:"What the share is based on: economic, mass, energy or other."`
	MassT     *float64 `json:"mass_t,omitempty" doc:"What left the farm, t; absent: not entered."`
	PricePerT *float64 `json:"price_per_t,omitempty" doc:"Price per t, in the same currency as that of the main product; absent: not entered."`
}

// Soil is the soil under the crop. Class, drained share, rainfall, sand and Carbon enter equations; the rest is for other engines.
type Soil struct {
	Class             string   `json:"class"`                         // one of the IPCC classes, or "organic"
	DrainedOrganicPct *float64 `json:"drained_organic_pct,omitempty"` // share of the area that is drained organic soil, per cent
	AnnualRainfallMm  *float64 `json:"annual_rainfall_mm,omitempty"`  // annual mean, mm
	Texture           string   `json:"texture,omitempty"`
	OrganicMatterPct  *float64 `json:"organic_matter_pct,omitempty"` // per cent of dry soil
	PH                *float64 `json:"ph,omitempty"`
	SandPct           *float64 `json:"sand_pct,omitempty"`
	BulkDensity       *float64 `json:"bulk_density,omitempty"` // t/m3

	Carbon *SoilCarbon `json:"carbon,omitempty"` // what methods beyond Tier 1 need
}

// Fertilizer is one application of a mineral fertilizer or of lime. Contents are per cent of
// the product; nil: the product's own (custom products have none).
type Fertilizer struct {
	Product            string   `json:"product"`
	KgPerHa            float64  `json:"kg_per_ha"` // of product per treated ha
	AreaPct            float64  `json:"area_pct"`  // treated share of the growing area, per cent
	NPct               *float64 `json:"n_pct,omitempty"`
	P2O5Pct            *float64 `json:"p2o5_pct,omitempty"`
	K2OPct             *float64 `json:"k2o_pct,omitempty"`
	NClass             string   `json:"n_class,omitempty"` // form of the nitrogen of a custom product
	Region             string   `json:"region,omitempty"`  // where it was made; empty: the region the country buys from
	Inhibitor          string   `json:"inhibitor,omitempty"`
	Method             string   `json:"method,omitempty"`
	ManualProductionEF *float64 `json:"manual_production_ef,omitempty"` // replaces the production factor, kg CO2e per kg of product
	UncertaintyPct     *float64 `json:"uncertainty_pct,omitempty"`      // of the rate, plus and minus per cent at 95 %; nil: not given
}

// OrganicInput is manure, compost or another organic material spread on the whole area.
// Contents are per cent of the fresh material; nil: the type's own.
type OrganicInput struct {
	Type               string   `json:"type"`
	KgPerHa            float64  `json:"kg_per_ha"`              // fresh, per ha of growing area
	M3PerHa            *float64 `json:"m3_per_ha,omitempty"`    // as it was entered; KgPerHa then follows from the density
	DensityTM3         *float64 `json:"density_t_m3,omitempty"` // of the material, t/m3; nil: the type's own
	NPct               *float64 `json:"n_pct,omitempty"`
	DryMatterPct       *float64 `json:"dry_matter_pct,omitempty"`
	DaysBeforePlanting *float64 `json:"days_before_planting,omitempty"` // matters for straw on flooded rice; nil: under 30
	Origin             string   `json:"origin,omitempty"`
	UncertaintyPct     *float64 `json:"uncertainty_pct,omitempty"` // of the rate, plus and minus per cent at 95 %; nil: not given
}

// Protection is one kind of crop protection. With KgPerHa and ActiveIngredientPct the active
// ingredient is counted, else the applications.
type Protection struct {
	Category            string   `json:"category"`
	Applications        int      `json:"applications"`                    // in the year
	TreatedPct          float64  `json:"treated_pct"`                     // share of the growing area, per cent
	KgPerHa             *float64 `json:"kg_per_ha,omitempty"`             // of product per treated ha and application
	ActiveIngredientPct *float64 `json:"active_ingredient_pct,omitempty"` // of the product, per cent
	UncertaintyPct      *float64 `json:"uncertainty_pct,omitempty"`       // of the applications, plus and minus per cent at 95 %; nil: not given
}

// Seeds is the seed that was sown.
type Seeds struct {
	KgPerHa        float64  `json:"kg_per_ha"`                 // per ha of growing area
	Origin         string   `json:"origin,omitempty"`          // own or purchased; empty: purchased
	UncertaintyPct *float64 `json:"uncertainty_pct,omitempty"` // of the rate, plus and minus per cent at 95 %; nil: not given
}

// Residues states what was done with what the harvest left.
type Residues struct {
	Management []ResidueShare `json:"management"`
	Method     string         `json:"method,omitempty"` // ratio or slope_intercept; empty: the factor set's own
	// AboveGroundDMKg is measured, of the whole area and year, kg dry matter; nil: estimated from the harvest.
	AboveGroundDMKg *float64 `json:"above_ground_dm_kg,omitempty"`
	StrawTiming     string   `json:"straw_incorporation_timing,omitempty"` // of flooded rice: lt_30d or gt_30d
	UncertaintyPct  *float64 `json:"uncertainty_pct,omitempty"`            // of the measured residue, plus and minus per cent at 95 %; nil: not given
}

// ResidueShare is the share of the above-ground residue under one practice, per cent.
type ResidueShare struct {
	Practice string  `json:"practice"`
	SharePct float64 `json:"share_pct"`
}

// Rice is the water management of a paddy.
type Rice struct {
	WaterRegime     string   `json:"water_regime"`
	PreSeason       string   `json:"pre_season"`
	CultivationDays *float64 `json:"cultivation_days,omitempty"` // per growing cycle; nil: the region's
}

// Irrigation is water brought to the crop.
type Irrigation struct {
	Method           string   `json:"method"`
	WaterM3          float64  `json:"water_m3"`           // of the year over the whole area, m3; 0: no irrigation
	AreaPct          *float64 `json:"area_pct,omitempty"` // irrigated share of the growing area, per cent; nil: all of it
	PowerSource      string   `json:"power_source,omitempty"`
	Source           string   `json:"source,omitempty"`
	PumpingHeadM     *float64 `json:"pumping_head_m,omitempty"`    // the lift alone, m; nil: the source's default
	DistanceM        *float64 `json:"distance_m,omitempty"`        // length of pipe, m; nil: 0
	CountedElsewhere bool     `json:"counted_elsewhere,omitempty"` // the energy is among the fuels
	UncertaintyPct   *float64 `json:"uncertainty_pct,omitempty"`   // of the water, plus and minus per cent at 95 %; nil: not given
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
	Carrier        string   `json:"carrier"`
	Amount         float64  `json:"amount"`
	Unit           string   `json:"unit"`                      // l, kg, m3, kwh or mj (the last two net calorific value)
	AllocationPct  float64  `json:"allocation_pct"`            // the share that this crop used, per cent
	Purpose        string   `json:"purpose,omitempty"`         // field when empty
	ManualEF       *float64 `json:"manual_ef,omitempty"`       // replaces the burning (or the grid) factor, kg CO2e per Unit
	UncertaintyPct *float64 `json:"uncertainty_pct,omitempty"` // of the amount, plus and minus per cent at 95 %; nil: not given
	MarketEF       *float64 `json:"market_ef,omitempty"`       // of grid electricity by contract or residual mix, kg CO2e/kWh, beside the totals
	MarketBasis    string   `json:"market_basis,omitempty"`    // supplier_contract, attribute_certificate or residual_mix
	GridLossPct    *float64 `json:"grid_loss_pct,omitempty"`   // of what is fed into the grid, per cent; beside the totals
}

// Operation is field work of machines.
type Operation struct {
	Operation        string   `json:"operation"`
	Passes           float64  `json:"passes"`                  // over the area in the year
	AreaPct          float64  `json:"area_pct"`                // worked share of the growing area, per cent
	FuelLPerHa       *float64 `json:"fuel_l_per_ha,omitempty"` // l of diesel per ha and pass; nil: the operation's own
	CountedElsewhere bool     `json:"counted_elsewhere,omitempty"`
	UncertaintyPct   *float64 `json:"uncertainty_pct,omitempty"` // of the passes, plus and minus per cent at 95 %; nil: not given
}

// Journey is a transport of goods.
type Journey struct {
	Mode             string   `json:"mode"`
	WeightT          float64  `json:"weight_t"`
	DistanceKm       float64  `json:"distance_km"` // one way with the load
	Leg              string   `json:"leg,omitempty"`
	Refrigerated     bool     `json:"refrigerated,omitempty"`
	CountedElsewhere bool     `json:"counted_elsewhere,omitempty"`
	UncertaintyPct   *float64 `json:"uncertainty_pct,omitempty"` // of the weight, plus and minus per cent at 95 %; nil: not given
}

// LandState is how the land is managed now, and how it was before.
type LandState struct {
	Tillage      string       `json:"tillage"`
	CarbonInputs string       `json:"carbon_inputs"`
	CoverCrop    string       `json:"cover_crop,omitempty"`
	CoverCropPct *float64     `json:"cover_crop_pct,omitempty"` // share of the area, per cent
	Changes      []LandChange `json:"changes,omitempty"`
	NoChange20y  bool         `json:"no_change_20y,omitempty"`
}

// LandChange is a state of management that ended in Year. Empty members are as in the state that followed.
type LandChange struct {
	Year         int     `json:"year"`
	LandUse      string  `json:"land_use,omitempty"`
	Tillage      string  `json:"tillage,omitempty"`
	CarbonInputs string  `json:"carbon_inputs,omitempty"`
	AreaPct      float64 `json:"area_pct"` // share of each parcel that changed, per cent; equal in all items
}

// Conversion is land that was something else before it grew this crop.
type Conversion struct {
	PreviousUse         string   `json:"previous_use"`
	ForestZone          string   `json:"forest_zone,omitempty"`
	Year                int      `json:"year"`
	AreaPct             float64  `json:"area_pct"`                          // converted share of the growing area, per cent
	PreviousBiomassTCHa *float64 `json:"previous_biomass_t_c_ha,omitempty"` // replaces the stock before, t C/ha above and below ground
}

// Perennial is a stand of woody plants.
type Perennial struct {
	System         string        `json:"system"`
	AreaHa         *float64      `json:"area_ha,omitempty"`
	LengthM        *float64      `json:"length_m,omitempty"` // of a row of plants; with WidthM its area, where AreaHa is nil
	WidthM         *float64      `json:"width_m,omitempty"`
	Count          *float64      `json:"count,omitempty"` // of plants
	PlantingYear   int           `json:"planting_year"`
	GrowthTCHaYr   *float64      `json:"growth_t_c_ha_yr,omitempty"` // t C/ha/yr above and below ground; nil: the system's own
	MeasuredStocks []CarbonStock `json:"measured_stocks,omitempty"`  // of the whole stand; two of them replace the growth
	RemovedAreaHa  *float64      `json:"removed_area_ha,omitempty"`  // grubbed up in the assessment year, ha
	UncertaintyPct *float64      `json:"uncertainty_pct,omitempty"`  // of the area or length, plus and minus per cent at 95 %; nil: not given
}

// CarbonStock is t C of a stand in a year.
type CarbonStock struct {
	Year int     `json:"year"`
	TC   float64 `json:"t_c"`
}
