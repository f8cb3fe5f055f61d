package ghg

import (
	"cmp"
	"math"
	"slices"
)

// ModelMeasuredStock is the model of the change between two measured stocks of a stand.
const ModelMeasuredStock = "measured_stock_change"

const equation27 = "IPCC 2006 V4 ch2 Eq. 2.7"

var (
	stepGrowth = newStep("perennial_growth", "G * A * 1000 * (44 / 12)", "kg CO2", equation27,
		of2(func(growth, area float64) float64 { return growth * area * 1000 * CO2PerC }), "G t C/(ha yr)", "A ha")
	stepRowArea = newStep("row_area", "L * W * 0.0001", "ha", "definition",
		of2(func(length, width float64) float64 { return length * width * HectarePerM2 }), "L m", "W m")
	stepMeasured = newStep(ModelMeasuredStock, "(S2 - S1) / n", "t C/yr", "IPCC 2006 V4 ch2 Eq. 2.8", of3(yearlyChange),
		"S1 t C", "S2 t C", "n yr")
	// A stand that is grubbed up holds its growth over the years it grew, up to one maturity cycle.
	stepGrubbed = newStep("biomass_removed", "G * min(age, M) * A", "t C", equation27,
		of4(func(growth, age, cycle, area float64) float64 { return growth * math.Min(age, cycle) * area }),
		"G t C/(ha yr)", "age yr", "M yr", "A ha")
	stepCarbonCO2 = newStep("carbon_to_co2", "C * 1000 * (44 / 12)", "kg CO2", "molar masses",
		of1(func(tC float64) float64 { return tC * 1000 * CO2PerC }), "C t C")
	stepYears = newStep("years_between", "b - a", "yr", "definition", of2(func(a, b float64) float64 { return b - a }), "a yr", "b yr")
	stepAge   = newStep("age", "max(0, b - a)", "yr", "definition", of2(func(a, b float64) float64 { return max(0, b-a) }), "a yr", "b yr")
	stepMinus = newStep("loss_of_change", "-dC", "t C/yr", "definition", of1(func(change float64) float64 { return -change }),
		"dC t C/yr")
)

// removalLabels are the labels of the growth of each system.
var removalLabels = map[string]string{
	"orchard": RemovalPerennial, "vineyard": RemovalPerennial, "agroforestry": RemovalAgroforestry,
	"shade_trees": RemovalAgroforestry, "hedgerow": RemovalHedgerows, "windbreak": RemovalHedgerows,
}

func (r *run) perennials() {
	for i := range r.in.PerennialBiomass {
		r.at("perennial_biomass", i)
		p := &r.in.PerennialBiomass[i]
		label, ok := removalLabels[p.System]
		if !ok {
			r.unknown("system", p.System)
			return
		}
		if len(p.MeasuredStocks) > 1 {
			r.measuredStand(p, label)
		} else {
			r.growingStand(p, label)
		}
		r.grubbed(p)
	}
}

// measuredStand counts the change between the first and the last measured stock.
func (r *run) measuredStand(p *Perennial, label string) {
	byYear := func(a, b CarbonStock) int { return cmp.Compare(a.Year, b.Year) }
	first, last := slices.MinFunc(p.MeasuredStocks, byYear), slices.MaxFunc(p.MeasuredStocks, byYear)
	if first.Year == last.Year {
		r.refuse("measured_stocks", "Two measured stocks of the same year show no change: give stocks of different years.")
		return
	}
	of := func(s CarbonStock, member string) string {
		return r.path("measured_stocks", slices.Index(p.MeasuredStocks, s), member)
	}
	years := r.do(stepYears, r.given(float64(first.Year), of(first, "year")), r.given(float64(last.Year), of(last, "year")))
	change := r.do(stepMeasured, r.own(rowOwnStocks, of(first, "t_c"), first.TC), r.own(rowOwnStocks, of(last, "t_c"), last.TC), years)
	if change.v >= 0 {
		r.remove(stepMeasured.Name, label, r.do(stepCarbonCO2, change))
		return
	}
	r.emit(stepMeasured.Name, LabelBiomassLoss, 1, CO2, r.do(stepCarbonCO2, r.do(stepMinus, change)))
}

// growingStand counts the carbon that a stand takes up until it is mature.
func (r *run) growingStand(p *Perennial, label string) {
	cycle := r.maturity(p)
	age := r.in.General.Year - p.PlantingYear
	if age <= 0 || float64(age) > cycle.v || r.err != nil {
		return
	}
	r.remove(stepGrowth.Name, label, r.do(stepGrowth, r.growth(p), r.standArea(p)))
}

// standArea returns the area of a stand, ha; that of a row follows from its length and width.
func (r *run) standArea(p *Perennial) quantity {
	switch {
	case p.AreaHa != nil:
		return r.activity(rowStand, "area_ha", *p.AreaHa, p.UncertaintyPct)
	case p.LengthM != nil && p.WidthM != nil:
		return r.do(stepRowArea, r.activity(rowStand, "length_m", *p.LengthM, p.UncertaintyPct), r.given(*p.WidthM, "width_m"))
	}
	return r.refuse("area", "The growth is per hectare: give the area of the stand, its length and width, or two measured stocks.")
}

func (r *run) growth(p *Perennial) quantity {
	if p.GrowthTCHaYr != nil {
		return r.own(rowOwnGrowth, "growth_t_c_ha_yr", *p.GrowthTCHaYr)
	}
	row, ok := r.perennialRow(p, "system/growth")
	if _, literal := row.Literal(); !ok || literal {
		return r.refuse("growth", "There is no default growth for a "+p.System+": give growth in t C/ha/yr, or two measured stocks.")
	}
	return assume(r.resolved(row))
}

// maturity is the time over which a stand grows. Hedges and windbreaks have none in the tables: the IPCC's default time
// between two equilibria is used.
func (r *run) maturity(p *Perennial) quantity {
	if row, ok := r.perennialRow(p, "system/maturity_cycle"); ok {
		return r.resolved(row)
	}
	r.warn(WarnGrowthCycle, "The tables have no time to maturity for a "+p.System+": its growth is counted for 20 years.")
	return r.factor(sectionGeneral, "constant/transition_years")
}

// perennialRow is the row of the crop where the system has one, else of the zone.
func (r *run) perennialRow(p *Perennial, field string) (MappingRow, bool) {
	if row, ok := r.set.mapping.Find(r.section, field, p.System, r.in.Crop.Type); ok {
		return row, true
	}
	return r.set.mapping.Find(r.section, field, p.System, r.zone().PerennialClass)
}

// grubbed emits the carbon held by the area that was removed in the assessment year.
func (r *run) grubbed(p *Perennial) {
	if p.RemovedAreaHa == nil || *p.RemovedAreaHa == 0 {
		return
	}
	age := r.do(stepAge, r.given(float64(p.PlantingYear), "planting_year"), r.of(float64(r.in.General.Year), pathYear))
	lost := r.do(stepGrubbed, r.growth(p), age, r.maturity(p), r.given(*p.RemovedAreaHa, "removed_area_ha"))
	r.emit(stepGrubbed.Name, LabelBiomassLoss, 1, CO2, r.do(stepCarbonCO2, lost))
}
