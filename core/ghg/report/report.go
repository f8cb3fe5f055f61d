// Package report prepares the result of an engine for its readers, in t CO2e, rounded here and nowhere earlier, and
// compares two reports.
package report

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tilth/core/ghg"
	"tilth/core/ghg/views"
)

// Unit of the masses of a report.
const reportUnit = "tCO2e"

// Report is a result as it is shown: t CO2e, rounded here and nowhere earlier. Figures per hectare and per tonne are
// nil where the denominator is missing.
type Report struct {
	AssessmentID   int64              `json:"assessment_id" doc:"Id of the assessment."`
	Basis          string             `json:"basis" doc:"live: from what the assessment holds now. submitted: from a version."`
	ResultVersion  *int               `json:"result_version" doc:"Number of the version; null for a live report."`
	ComputedAt     time.Time          `json:"computed_at" doc:"When it was calculated."`
	Stale          bool               `json:"stale" doc:"Whether the assessment was edited after this version was stored."`
	Engine         ghg.Identity       `json:"engine" doc:"The program that calculated it."`
	FactorSet      ghg.Identity       `json:"factor_set" doc:"The emission factors that it was calculated with."`
	GWPSet         string             `json:"gwp_set" doc:"The set of warming potentials, such as AR6."`
	InputDigest    string             `json:"input_digest" doc:"SHA-256 of the snapshot that the engine was given, hexadecimal."`
	FunctionalUnit FunctionalUnit     `json:"functional_unit" doc:"What the figures per hectare and per tonne refer to."`
	Totals         Totals             `json:"totals" doc:"Sums of the lines."`
	BySource       []SourceLine       `json:"by_source" doc:"Emissions by source, the largest first."`
	ByGas          []GasLine          `json:"by_gas" doc:"Emissions by gas; CO2 of burnt plants is outside the totals."`
	ByScope        []ScopeLine        `json:"by_scope" doc:"Emissions by scope of the GHG Protocol: 1, 2, 3."`
	ByCategory     []CategoryLine     `json:"by_category" doc:"Emissions by part of the land sector, with the removals."`
	RemovalsBySrc  []SourceLine       `json:"removals_by_source" doc:"Removals by source, the largest first."`
	Allocation     Allocation         `json:"allocation" doc:"The parts of the emissions that the main product and the co-products carry."`
	Uncertainty    Range              `json:"uncertainty" doc:"The 95 % range of the emissions."`
	RemovalsRange  Range              `json:"removals_uncertainty" doc:"The 95 % range of the removals."`
	DataQuality    DataQuality        `json:"data_quality" doc:"What is known about the values and factors."`
	Memo           Memo               `json:"memo" doc:"Figures outside the totals."`
	SoilCarbon     *ghg.SoilEstimates `json:"soil_carbon,omitempty" doc:"Estimates of soil carbon; absent where no more than Tier 1 is entered."`
	Views          *views.Views       `json:"views,omitempty" doc:"The same lines in the parts of each standard; absent in versions that were stored before engine 1.3."`
	Warnings       []ghg.Warning      `json:"warnings" doc:"What to note about the input and the factors."`
	Trace          []ghg.TraceLine    `json:"trace,omitempty" doc:"Every step of the calculation; absent where it was not asked for."`
}

// FunctionalUnit holds the denominators of the intensities.
type FunctionalUnit struct {
	AreaHa   *float64 `json:"area_ha" doc:"Growing area, hectares; null: not known."`
	ProductT *float64 `json:"product_t" doc:"Fresh main product at the farm gate, t; null: not known."`
}

// Totals are in t CO2e, or in t CO2e per hectare and per tonne of product. Emissions and removals are at least 0 and
// kept apart; balance = emissions - removals. Emissions per tonne are those allocated to the main product.
type Totals struct {
	Emissions      float64  `json:"emissions" doc:"Emissions, t CO2e, 0 or more."`
	Removals       float64  `json:"removals" doc:"Removals, t CO2e, 0 or more."`
	Balance        float64  `json:"balance" doc:"emissions - removals"`
	EmissionsPerHa *float64 `json:"emissions_per_ha" doc:"Emissions by growing area, t CO2e/ha; null where the area is not known."`
	RemovalsPerHa  *float64 `json:"removals_per_ha" doc:"Removals by growing area, t CO2e/ha; null where the area is not known."`
	EmissionsPerT  *float64 `json:"emissions_per_t" doc:"The main product's part of the emissions, t CO2e per t of product; null where its mass is not known."`
	Unit           string   `json:"unit" doc:"Unit of emissions, removals and balance."`
}

// Masses are the gases of a line, with the CO2 of burnt plants and biofuels, which is outside co2, CO2e and the totals.
type Masses struct {
	ghg.Gases
	CO2Biogenic float64 `json:"co2_biogenic" doc:"CO2 of burnt plants, kg, outside the totals."`
}

// SourceLine is one source: kg of each gas, and t CO2e.
type SourceLine struct {
	Model        string   `json:"model" doc:"Step of the calculation."`
	Label        string   `json:"label" doc:"What reports and the dashboard call the source."`
	Section      string   `json:"section" doc:"Section of the assessment that it comes from."`
	Scope        int      `json:"scope" doc:"Scope of the GHG Protocol: 1, 2 or 3."`
	Category     string   `json:"category" doc:"land_use_change, land_management, energy_and_inputs or removals."`
	Kg           Masses   `json:"kg" doc:"Mass of each gas, kg."`
	CO2e         float64  `json:"co2e" doc:"t CO2e."`
	Share        float64  `json:"share" doc:"Of all emissions (or of all removals), 0 to 1."`
	PerHa        *float64 `json:"per_ha" doc:"By growing area, t CO2e/ha; null where the area is not known."`
	PerT         *float64 `json:"per_t" doc:"The main product's part of it, t CO2e per t of product; null where its mass is not known."`
	Low          float64  `json:"low" doc:"Lower end of the 95 % range, t CO2e."`
	High         float64  `json:"high" doc:"Upper end of the 95 % range, t CO2e."`
	RangeAssumed bool     `json:"range_assumed" doc:"No factor of the line has a published range: the ranges for the kinds of their sources are used."`
	Tier         int      `json:"tier" doc:"2 where a factor or a stock of the user's own was used in all of it, otherwise 1."`
	Known
}

// Known is the status of the factors behind a figure. It is absent where an external engine does not state it, and in
// versions that were stored before it was counted.
type Known struct {
	ValueStatus string        `json:"value_status,omitempty" doc:"The weakest status of its factors: verified, secondary or unverified; absent where no factor affects it."`
	RangeStatus string        `json:"range_status,omitempty" doc:"The weakest status of their ranges: published, recalled or assumed; absent where no factor affects it."`
	Factors     *ghg.Evidence `json:"factor_evidence,omitempty" doc:"Its factors counted by what is known about them; absent where no factor affects it."`
}

func known(e ghg.Evidence) Known {
	if e.Factors == 0 {
		return Known{}
	}
	return Known{e.Status(), e.RangeStatus(), &e}
}

// GasLine is one gas over all sources: kg, and t CO2e. The line of co2_biogenic has a potential of 0: it is outside the totals.
type GasLine struct {
	Gas   string  `json:"gas" doc:"The gas; not_split: what a factor states for all gases together; co2_biogenic: of burnt plants, outside the totals."`
	Kg    float64 `json:"kg" doc:"Mass, kg."`
	GWP   float64 `json:"gwp" doc:"Warming potential, kg CO2e per kg."`
	CO2e  float64 `json:"co2e" doc:"t CO2e."`
	Share float64 `json:"share" doc:"Of all emissions, 0 to 1."`
}

// ScopeLine is one scope of the GHG Protocol, t CO2e.
type ScopeLine struct {
	Scope int     `json:"scope" doc:"Scope of the GHG Protocol: 1, 2 or 3."`
	CO2e  float64 `json:"co2e" doc:"t CO2e."`
	Share float64 `json:"share" doc:"Of all emissions, 0 to 1."`
}

// CategoryLine is one category, t CO2e; the removals are a category of their own.
type CategoryLine struct {
	Category string  `json:"category" doc:"land_use_change, land_management, energy_and_inputs or removals."`
	CO2e     float64 `json:"co2e" doc:"t CO2e."`
}

// Allocation is the share of the emissions that each product carries, t CO2e.
type Allocation struct {
	MainSharePct float64            `json:"main_share_pct" doc:"The main product's share of the emissions, per cent."`
	Main         float64            `json:"main" doc:"The main product's part of the emissions, t CO2e."`
	CoProducts   []AllocatedProduct `json:"co_products" doc:"The part of each co-product."`
}

// AllocatedProduct is a co-product with its part of the emissions, t CO2e.
type AllocatedProduct struct {
	ghg.CoProduct
	CO2e float64 `json:"co2e" doc:"Its part of the emissions, t CO2e."`
}

// Range is the 95 % range of the emissions, or of the removals, t CO2e.
type Range struct {
	Low  float64 `json:"low" doc:"Lower end, t CO2e."`
	High float64 `json:"high" doc:"Upper end, t CO2e."`
}

// DataQuality tells how far the result rests on what the user entered.
type DataQuality struct {
	UserShare float64 `json:"share_of_emissions_from_user_values" doc:"Share of the emissions, 0 to 1, for which no value that the form can hold was left to a default."`
	Known             // each factor counted once
}

// Memo items stand outside the totals, t.
type Memo struct {
	BiogenicCO2 float64 `json:"biogenic_co2" doc:"CO2 of burnt biomass, t CO2, outside the totals."`
}

// About is what a report states about the assessment it belongs to.
type About struct {
	AssessmentID  int64
	Basis         string
	ResultVersion *int
	ComputedAt    time.Time
	Stale         bool
	Warnings      []ghg.Warning // from the preparation of the input, shown before those of the engine
}

// The decimals that a report keeps: masses to the gram, shares to a thousandth of a per mille.
const (
	massDigits  = 6
	kgDigits    = 3
	shareDigits = 6
)

// New shapes a result for its readers.
func New(res ghg.Result, about About) Report {
	arranged := views.Of(res)
	return Report{
		AssessmentID: about.AssessmentID, Basis: about.Basis, ResultVersion: about.ResultVersion, ComputedAt: about.ComputedAt, Stale: about.Stale,
		Engine: res.Engine, FactorSet: res.FactorSet, GWPSet: res.GWP, InputDigest: res.InputDigest,
		FunctionalUnit: FunctionalUnit{AreaHa: present(res.AreaHa), ProductT: present(res.ProductT)},
		Totals:         totals(res),
		BySource:       sources(res, res.Lines, res.Emissions), RemovalsBySrc: sources(res, res.Removals, res.Removed),
		ByGas: byGas(res), ByScope: byScope(res), ByCategory: byCategory(res),
		Allocation:  allocation(res),
		Uncertainty: Range{Low: ghg.Tonnes(res.Low), High: ghg.Tonnes(res.High)}, RemovalsRange: Range{Low: ghg.Tonnes(res.RemovedLow), High: ghg.Tonnes(res.RemovedHigh)},
		DataQuality: DataQuality{UserShare: round(res.UserShare, shareDigits), Known: known(res.Evidence)},
		Memo:        Memo{BiogenicCO2: ghg.Tonnes(res.BiogenicCO2)},
		SoilCarbon:  soilCarbon(res.SoilCarbon), Views: &arranged,
		Warnings: slices.Concat([]ghg.Warning{}, about.Warnings, res.Warnings, derivedWarnings(res)),
		Trace:    res.Trace,
	}
}

// derivedWarnings returns the warnings that follow from the lines and the trace.
func derivedWarnings(res ghg.Result) []ghg.Warning {
	var out []ghg.Warning
	for _, l := range res.Lines {
		if l.RangeAssumed {
			w := ghg.Warning{Code: ghg.WarnRangeAssumed, Item: l.Section, Message: "No factor of " + l.Label + " has a published range: those of the kinds of their sources are taken."}
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	seen := map[string]bool{}
	for _, t := range res.Trace {
		for _, f := range t.Factors {
			if f.Status == ghg.Unverified && !seen[f.Key] {
				seen[f.Key] = true
				out = append(out, ghg.Warning{Code: ghg.WarnUnverified, Item: t.Item, Message: "The factor " + f.Key + " is unverified: its value was recalled, not read, or its source is ambiguous."})
			}
		}
	}
	return out
}

func totals(res ghg.Result) Totals {
	return Totals{
		Emissions: ghg.Tonnes(res.Emissions), Removals: ghg.Tonnes(res.Removed), Balance: ghg.Tonnes(res.Emissions - res.Removed),
		EmissionsPerHa: tonnesPer(res.Emissions, res.AreaHa), RemovalsPerHa: tonnesPer(res.Removed, res.AreaHa),
		EmissionsPerT: tonnesPer(part(res.Emissions, res.MainSharePct), res.ProductT), Unit: reportUnit,
	}
}

func sources(res ghg.Result, lines []ghg.Line, total float64) []SourceLine {
	out := make([]SourceLine, 0, len(lines))
	for _, l := range lines {
		kg := func(gas ghg.Gas) float64 { return round(l.Kg[gas], kgDigits) }
		masses := Masses{
			Gases:       ghg.Gases{CO2: kg(ghg.CO2), CH4Fossil: kg(ghg.CH4Fossil), CH4Biogenic: kg(ghg.CH4Biogenic), N2O: kg(ghg.N2O), NotSplit: kg(ghg.NotSplit)},
			CO2Biogenic: round(l.BiogenicCO2, kgDigits),
		}
		out = append(out, SourceLine{
			Model: l.Model, Label: l.Label, Section: l.Section, Scope: l.Scope, Category: l.Category, Kg: masses,
			CO2e: ghg.Tonnes(l.CO2e), Share: share(l.CO2e, total), PerHa: tonnesPer(l.CO2e, res.AreaHa),
			PerT: tonnesPer(part(l.CO2e, res.MainSharePct), res.ProductT),
			Low:  ghg.Tonnes(l.Low), High: ghg.Tonnes(l.High), RangeAssumed: l.RangeAssumed, Tier: l.Tier, Known: known(l.Evidence),
		})
	}
	slices.SortStableFunc(out, func(a, b SourceLine) int { return cmp.Compare(b.CO2e, a.CO2e) })
	return out
}

func byGas(res ghg.Result) []GasLine {
	out := make([]GasLine, 0, len(res.Warming))
	for gas := range ghg.Gas(len(res.Warming)) {
		var kg float64
		for _, l := range res.Lines {
			kg += l.Kg[gas]
		}
		gwp := res.Warming[gas]
		co2e := ghg.CO2e(kg, gwp)
		out = append(out, GasLine{Gas: gas.String(), Kg: round(kg, kgDigits), GWP: gwp, CO2e: ghg.Tonnes(co2e), Share: share(co2e, res.Emissions)})
	}
	return append(out, GasLine{Gas: "co2_biogenic", Kg: round(res.BiogenicCO2, kgDigits)})
}

func byScope(res ghg.Result) []ScopeLine {
	out := []ScopeLine{{Scope: 1}, {Scope: 2}, {Scope: 3}}
	var kg [3]float64
	for _, l := range res.Lines {
		kg[l.Scope-1] += l.CO2e
	}
	for i := range out {
		out[i].CO2e, out[i].Share = ghg.Tonnes(kg[i]), share(kg[i], res.Emissions)
	}
	return out
}

func byCategory(res ghg.Result) []CategoryLine {
	kg := map[string]float64{ghg.CategoryRemovals: res.Removed}
	for _, l := range res.Lines {
		kg[l.Category] += l.CO2e
	}
	out := make([]CategoryLine, 0, len(kg))
	for _, category := range []string{ghg.CategoryLandUse, ghg.CategoryManagement, ghg.CategoryInputs, ghg.CategoryRemovals} {
		out = append(out, CategoryLine{category, ghg.Tonnes(kg[category])})
	}
	return out
}

func allocation(res ghg.Result) Allocation {
	a := Allocation{MainSharePct: res.MainSharePct, Main: ghg.Tonnes(part(res.Emissions, res.MainSharePct)), CoProducts: []AllocatedProduct{}}
	for _, c := range res.CoProducts {
		a.CoProducts = append(a.CoProducts, AllocatedProduct{c, ghg.Tonnes(part(res.Emissions, c.SharePct))})
	}
	return a
}

// soilCarbon returns the estimates rounded.
func soilCarbon(s *ghg.SoilEstimates) *ghg.SoilEstimates {
	if s == nil {
		return nil
	}
	out := &ghg.SoilEstimates{Method: s.Method, Estimates: slices.Clone(s.Estimates)}
	for i := range out.Estimates {
		e := &out.Estimates[i]
		for _, v := range []*float64{&e.Change, &e.Low, &e.High, &e.CO2e} {
			*v = round(*v, massDigits)
		}
	}
	return out
}

func part(whole, pct float64) float64 { return whole * pct / 100 }

func tonnesPer(kg, denominator float64) *float64 {
	per, ok := ghg.Intensity(kg, denominator)
	if !ok {
		return nil
	}
	t := ghg.Tonnes(per)
	return &t
}

func share(part, whole float64) float64 {
	s, _ := ghg.Intensity(part, whole)
	return round(s, shareDigits)
}

func present(v float64) *float64 {
	if v <= 0 {
		return nil
	}
	return &v
}

func round(v float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(v*scale) / scale
}
