package ghg

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The methods of counting the change of carbon in mineral soil.
const (
	SoilTier1    = "tier_1"              // default factors, a twentieth of the change each year
	SoilTier2    = "tier_2_steady_state" // the model of three pools
	SoilMeasured = "measured"            // the change between two rounds of sampling
)

// SoilMethods are the methods in the order in which a report shows them.
var SoilMethods = []string{SoilTier1, SoilTier2, SoilMeasured}

// SoilCarbon is what the methods beyond Tier 1 need to know about a soil. It is absent where none of it is entered.
type SoilCarbon struct {
	Method        string          `json:"method,omitempty"` // one of [SoilMethods]; empty: Tier 1
	Climate       []ClimateYear   `json:"climate,omitempty"`
	ClimateSource *ClimateSource  `json:"climate_source,omitempty"`       // of all of Climate; absent: people entered it
	IrrigatedFrom int             `json:"irrigated_from_month,omitempty"` // first irrigated month, 1 to 12; 0: none is
	IrrigatedTo   int             `json:"irrigated_to_month,omitempty"`   // last one; before the first: over the turn of the year
	History       []CarbonPeriod  `json:"history,omitempty"`
	RunInYears    int             `json:"run_in_years,omitempty"` // 0: all years of the history, at most 20
	Measured      *MeasuredChange `json:"measured,omitempty"`
	// Input replaces the carbon that follows from harvest, residues and organic inputs of the assessment year.
	Input *CarbonInput `json:"input,omitempty"`
}

// ClimateYear is the climate of the months of a year; Year 0 holds the normals of all years that are not listed.
type ClimateYear struct {
	Year   int            `json:"year,omitempty"`
	Months []ClimateMonth `json:"months"` // January first
}

// ClimateSource is the cell or station of a file that a climate comes from.
type ClimateSource struct {
	Source     string  `json:"source"`            // as the file states it
	SHA256     string  `json:"sha256"`            // of the file, hexadecimal
	Station    string  `json:"station,omitempty"` // absent: a cell
	Latitude   float64 `json:"latitude"`
	Longitude  float64 `json:"longitude"`
	DistanceKm float64 `json:"distance_km"` // from the assessed land
}

// Words describes where a climate comes from; empty where people entered it.
func (s *ClimateSource) Words() string {
	if s == nil {
		return ""
	}
	place := fmt.Sprintf("cell %g, %g", s.Latitude, s.Longitude)
	if s.Station != "" {
		place = fmt.Sprintf("station %s (%g, %g)", s.Station, s.Latitude, s.Longitude)
	}
	return fmt.Sprintf("%s; %s, %.1f km away", s.Source, place, s.DistanceKm)
}

// ClimateMonth is the climate of one month.
type ClimateMonth struct {
	TemperatureC    float64 `json:"temperature_c"`    // mean
	PrecipitationMm float64 `json:"precipitation_mm"` // of the whole month
	PETMm           float64 `json:"pet_mm"`           // potential evapotranspiration of the whole month
}

// CarbonPeriod is a span of years under one management, before the assessment year.
type CarbonPeriod struct {
	FirstYear int    `json:"first_year"`
	LastYear  int    `json:"last_year"`
	Tillage   string `json:"tillage"`
	// Either the carbon input is stated, or it follows from crop, harvest and organic input.
	Input               *CarbonInput `json:"input,omitempty"`
	Crop                string       `json:"crop,omitempty"`
	YieldKgHa           float64      `json:"yield_kg_ha,omitempty"`            // fresh harvest of a year
	ResidueReturnedPct  *float64     `json:"residue_returned_pct,omitempty"`   // of that above ground; nil: 100
	OrganicType         string       `json:"organic_type,omitempty"`           // of the organic input of a year
	OrganicKgHa         float64      `json:"organic_kg_ha,omitempty"`          // fresh
	OrganicNitrogenPct  *float64     `json:"organic_nitrogen_pct,omitempty"`   // of the fresh material; nil: the type's own
	OrganicDryMatterPct *float64     `json:"organic_dry_matter_pct,omitempty"` // nil: the type's own
}

// CarbonInput is the carbon that reaches the soil in a year.
type CarbonInput struct {
	TCHa        float64 `json:"t_c_ha"`
	LigninPct   float64 `json:"lignin_pct"`   // of the dry matter
	NitrogenPct float64 `json:"nitrogen_pct"` // of the dry matter
}

// SoilEstimates are the estimates of the change of soil carbon, with the one that the totals hold.
type SoilEstimates struct {
	Method    string         `json:"method" doc:"The method that counts in the totals."`
	Estimates []SoilEstimate `json:"estimates" doc:"Estimates by every method that the input allows."`
}

// SoilEstimate is the change of the stock of the assessed mineral soil, 0-30 cm, in the assessment year, by one method.
// A gain is above 0. The range is the 95 % range, and may extend to both sides of 0.
type SoilEstimate struct {
	Method string  `json:"method" doc:"tier_1, tier_2_steady_state or measured."`
	Used   bool    `json:"used" doc:"Whether it counts in the totals."`
	Change float64 `json:"change_t_c_ha_yr" doc:"Change of the stock, t C per ha and year; above 0: a gain."`
	Low    float64 `json:"low" doc:"Lower end of the 95 % range of the change."`
	High   float64 `json:"high" doc:"Upper end of the 95 % range of the change."`
	CO2e   float64 `json:"co2e" doc:"t CO2e a year on the area the method covers; above 0: taken up."`
}

// estimate records a method's change for the area outside the converted parcels, pct per cent of the whole.
func (r *run) estimate(method string, used bool, change quantity, pct float64) {
	var range95 spread
	for _, m := range change.moves {
		range95.take(m.low-change.v, m.high-change.v)
	}
	low, high := range95.bounds(change.v)
	if r.result.SoilCarbon == nil {
		r.result.SoilCarbon = new(SoilEstimates)
	}
	out := r.result.SoilCarbon
	if used {
		out.Method = method
	}
	area := r.area.v * pct / 100
	out.Estimates = append(out.Estimates, SoilEstimate{method, used, change.v, low, high, change.v * area * CO2PerC})
}

// beside works out a method's estimate beside what the totals already hold. It leaves no trace, no warning and no error.
func (r *run) beside(method string, used bool, pct float64, work func() (quantity, bool)) {
	if r.err != nil {
		return
	}
	tracing, warnings, section, index := r.tracing, len(r.result.Warnings), r.section, r.index
	r.tracing = false
	change, known := work()
	if known && r.err == nil {
		r.estimate(method, used, change, pct)
	}
	r.tracing, r.err, r.result.Warnings = tracing, nil, r.result.Warnings[:warnings]
	r.at(section, index)
}

// soilMethod is the method that the section soil asks for.
func (r *run) soilMethod() string {
	c := r.in.Soil.Carbon
	if c == nil || c.Method == "" {
		return SoilTier1
	}
	r.at("soil", noItem)
	switch {
	case !slices.Contains(SoilMethods, c.Method):
		r.refuse("carbon_method", strconv.Quote(c.Method)+" is not a method: use "+strings.Join(SoilMethods, ", ")+".")
	case c.Method != SoilTier1 && r.in.Soil.Class == organicClass:
		r.refuse("carbon_method", "The method "+c.Method+" is for mineral soils, and this soil is organic: use tier_1.")
	}
	return c.Method
}

// remains reports whether a parcel was cropland for 20 years.
func (r *run) remains(p parcel) bool {
	return p.conversion == nil || !inTransition(p.conversion.Year, r.in.General.Year)
}

// remaining is the share of the area that was cropland for 20 years, per cent.
func (r *run) remaining() quantity {
	return r.rest(func(c *Conversion) bool { return inTransition(c.Year, r.in.General.Year) })
}

// rest is the share of the area without the conversions of a kind, per cent.
func (r *run) rest(without func(c *Conversion) bool) quantity {
	rest := r.constant(100, allOfTheArea)
	for i := range r.in.LandUseChange {
		if c := &r.in.LandUseChange[i]; without(c) {
			rest = r.do(stepRest, rest, r.of(c.AreaPct, r.path(sectionConversion, i, "area_pct")))
		}
	}
	return rest
}

// remainingSoil emits the change by a method other than Tier 1 on the land that was cropland for 20 years, and records
// the estimates of the other methods beside it. Tier 1 itself was emitted by parcel.
func (r *run) remainingSoil(method string, changes []LandChange, changed quantity) {
	if r.in.Soil.Carbon == nil || r.err != nil {
		return
	}
	p := parcel{"land_management", noItem, nil, r.remaining()}
	if p.pct.v <= shareTolerance {
		if method != SoilTier1 {
			r.at("soil", noItem)
			r.refuse("carbon_method", "All of the area was converted within 20 years, which Tier 1 counts: use tier_1.")
		}
		return
	}
	works := map[string]func() (quantity, bool){
		SoilTier1: func() (quantity, bool) {
			if r.in.LandManagement == nil {
				return quantity{}, false
			}
			if len(changes) == 0 {
				return quantity{}, true
			}
			return r.do(stepPart, r.timeline(p, changes), changed), true
		},
		SoilTier2:    r.tier2Change,
		SoilMeasured: r.measuredChange,
	}
	for _, name := range SoilMethods {
		work := works[name]
		switch {
		case name != method || name == SoilTier1:
			r.beside(name, name == method, p.pct.v, work)
		default:
			change, _ := work()
			r.at(p.section, p.index)
			r.stockChange(p, change)
			r.estimate(name, true, change, p.pct.v)
		}
	}
}

// MeasuredChange is the change of the soil's carbon between two rounds of sampling of the assessed land, with its 95 %
// interval by the design of the samples.
type MeasuredChange struct {
	Plan       string  `json:"plan"` // of the later round
	Round      int64   `json:"round"`
	SincePlan  string  `json:"since_plan"`
	SinceRound int64   `json:"since_round"`
	Since      string  `json:"since"` // mean day of the sampling, YYYY-MM-DD
	Until      string  `json:"until"`
	Years      float64 `json:"years"` // between them
	AreaHa     float64 `json:"area_ha"`
	DepthCm    float64 `json:"depth_cm"`      // from the surface
	Basis      string  `json:"basis"`         // stock, or equivalent_soil_mass
	Change     float64 `json:"change_t_c_ha"` // over all the years; above 0: a gain
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
}

var stepMeasuredSoil = newStep("soc_measured_change", "D / Y", "t C/ha/yr",
	"change between two rounds of stratified random samples: Cochran, Sampling Techniques (1977), sections 5.3 and 12.10",
	of2(quotient), "D t C/ha", "Y yr")

// measuredChange returns the measured change in a year; known is false where there is none. Its interval moves the lines
// as the range of a factor does.
func (r *run) measuredChange() (change quantity, known bool) {
	r.at("soil", noItem)
	c := r.in.Soil.Carbon
	if c == nil || c.Measured == nil {
		r.refuse("sample_plan", "The change is not measured: name the saved sample plan of the later round, and the earlier round.")
		return quantity{}, false
	}
	m := c.Measured
	if !(m.Years > 0) || m.Low > m.Change || m.High < m.Change {
		r.refuse("sample_plan", "The measured change needs years between its rounds and an interval around it.")
		return quantity{}, false
	}
	interval := &Factor{Key: SoilMeasured, rank: r.set.ranged} // the rank after those of the set
	const path = "soil.carbon.measured."
	d := r.of(m.Change, path+"change_t_c_ha")
	d.specific = true
	d.moves = []move{{interval, m.Low, m.High}}
	return r.do(stepMeasuredSoil, d, r.of(m.Years, path+"years")), true
}
