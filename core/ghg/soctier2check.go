package ghg

import (
	"fmt"
	"math"
	"slices"
)

// Bounds of what the Tier 2 method accepts. A monthly value outside its bounds is probably in another unit.
const (
	MinMonthC  = -60.0
	MaxMonthC  = 60.0
	MaxMonthMm = 3000.0 // of precipitation or of potential evapotranspiration

	MinRunIn       = 5 // years (IPCC 2019 V4 ch5 section 5.2.3.3)
	MaxRunIn       = 20
	MaxCarbonInput = 50.0 // t C/ha/yr: several times the growth of the most productive crops
	MinNitrogenPct = 0.01
)

// maxHistory is the maximum number of years of a history.
const maxHistory = 100

// Problem is a reason why the Tier 2 method does not accept an input: the field of the section soil, and the fix.
type Problem struct{ Field, Message string }

type problems []Problem

func (p *problems) add(field, format string, args ...any) {
	*p = append(*p, Problem{field, fmt.Sprintf(format, args...)})
}

// Problems returns the reasons why the Tier 2 method does not accept an input for an assessment year.
func (c *SoilCarbon) Problems(year int) []Problem {
	var out problems
	out.input("carbon_input", c.Input)
	if len(c.History) == 0 {
		out.add("carbon_history", "The Tier 2 method needs a history for its run-in: enter the years before the assessment year.")
		return out
	}
	periods, places := c.periods()
	out.history(periods, places, year)
	if len(out) == 0 {
		out.runIn(c, periods)
		out.climate(c, periods[0].FirstYear, year)
	}
	return out
}

// periods returns the history in chronological order, with the places where the periods were entered.
func (c *SoilCarbon) periods() (out []CarbonPeriod, places []int) {
	for i := range c.History {
		places = append(places, i)
	}
	slices.SortStableFunc(places, func(a, b int) int { return c.History[a].FirstYear - c.History[b].FirstYear })
	for _, i := range places {
		out = append(out, c.History[i])
	}
	return out, places
}

// runIn returns how many years of a history are run in.
func (c *SoilCarbon) runIn(years int) int {
	if c.RunInYears != 0 {
		return c.RunInYears
	}
	return min(years, MaxRunIn)
}

func (p *problems) input(path string, c *CarbonInput) {
	if c == nil {
		return
	}
	if !within(c.TCHa, 0, MaxCarbonInput) {
		p.add(path, "A carbon input of %g t C/ha is not possible: give 0 to %g.", c.TCHa, MaxCarbonInput)
	}
	if !within(c.LigninPct, 0, 100) {
		p.add(path+"_lignin_pct", "The lignin of the carbon input must be 0 to 100 per cent of its dry matter.")
	}
	if !within(c.NitrogenPct, MinNitrogenPct, 100) {
		p.add(path+"_nitrogen_pct", "The nitrogen of the carbon input must be %g to 100 per cent of its dry matter.", MinNitrogenPct)
	}
}

// history checks the periods: year by year, without gaps, up to the year before the assessment.
func (p *problems) history(periods []CarbonPeriod, places []int, year int) {
	const field = "carbon_history"
	next := periods[0].FirstYear
	for i, c := range periods {
		path := fmt.Sprintf("%s[%d].", field, places[i])
		p.input(path+"carbon_input", c.Input)
		if c.Input == nil && c.Crop == "" {
			p.add(path+"crop_type", "Give the crop and its yield, or carbon_input with its lignin and nitrogen.")
		}
		if c.ResidueReturnedPct != nil && !within(*c.ResidueReturnedPct, 0, 100) {
			p.add(path+"residue_returned_pct", "A share must be 0 to 100 per cent.")
		}
		if !within(c.YieldKgHa, 0, math.MaxFloat64) || !within(c.OrganicKgHa, 0, math.MaxFloat64) {
			p.add(path+"yield_t_ha", "Yield and organic input must not be below 0.")
		}
		switch {
		case c.LastYear < c.FirstYear:
			p.add(path+"last_year", "The period ends in %d, before it begins in %d.", c.LastYear, c.FirstYear)
		case c.FirstYear != next:
			p.add(path+"first_year", "The periods must follow each other without gaps: this one begins in %d, where %d is expected.", c.FirstYear, next)
		}
		next = c.LastYear + 1
	}
	if next != year {
		p.add(field, "The history ends in %d: it must end in %d, the year before the assessment.", next-1, year-1)
	}
	if years := next - periods[0].FirstYear; years > maxHistory {
		p.add(field, "The history has %d years: at most %d are possible.", years, maxHistory)
	}
}

func (p *problems) runIn(c *SoilCarbon, periods []CarbonPeriod) {
	years := periods[len(periods)-1].LastYear + 1 - periods[0].FirstYear
	switch runIn := c.runIn(years); {
	case runIn < MinRunIn || runIn > MaxRunIn:
		p.add("run_in_years", "The run-in must have %d to %d years, and here it has %d: lengthen carbon_history or change run_in_years.", MinRunIn, MaxRunIn, runIn)
	case runIn > years:
		p.add("run_in_years", "The run-in of %d years is longer than the history of %d.", runIn, years)
	}
}

// climate checks that each listed year has twelve months, that each month is possible on earth, and that no year is missing.
func (p *problems) climate(c *SoilCarbon, first, year int) {
	const field = "monthly_climate"
	seen := map[int]bool{}
	for _, y := range c.Climate {
		name := "the normals"
		if y.Year != 0 {
			name = fmt.Sprint("the year ", y.Year)
		}
		if len(y.Months) != monthsOfAYear || seen[y.Year] {
			p.add(field, "Give each of the twelve months of %s once.", name)
		}
		seen[y.Year] = true
		for n, m := range y.Months {
			if !within(m.TemperatureC, MinMonthC, MaxMonthC) {
				p.add(field, "Month %d of %s has a mean of %g °C: give %g to %g.", n+1, name, m.TemperatureC, MinMonthC, MaxMonthC)
			}
			if !within(m.PrecipitationMm, 0, MaxMonthMm) || !within(m.PETMm, 0, MaxMonthMm) {
				p.add(field, "Precipitation and potential evapotranspiration of month %d of %s: give 0 to %g mm each.", n+1, name, MaxMonthMm)
			}
		}
	}
	for y := first; !seen[0] && y <= year; y++ {
		if !seen[y] {
			p.add(field, "The climate of %d is missing: give its twelve months, or twelve months without a year, which apply to all years that are not listed.", y)
			return
		}
	}
}

func within(v, lower, upper float64) bool { return !math.IsNaN(v) && v >= lower && v <= upper }

// check refuses what the method cannot accept.
func (m *tier2) check() {
	switch year := m.in.General.Year; {
	case year == 0:
		m.fail(sectionGeneral, "assessment_year", "The Tier 2 method needs the assessment year.")
	case m.in.General.AreaHa <= 0:
		m.fail(sectionGeneral, "growing_area", "The Tier 2 method needs the growing area: carbon inputs are per hectare.")
	case m.floodedRice():
		m.refuse("carbon_method", "The Tier 2 method does not apply to flooded rice: use tier_1.")
	case m.in.LandManagement == nil:
		m.fail("land_management", "tillage", "The Tier 2 method needs land management of the assessment year, with its tillage: enter the whole section.")
	}
	switch sand := m.in.Soil.SandPct; {
	case sand == nil:
		m.refuse("sand_pct", "The Tier 2 method needs the sand content of the topsoil: give sand_pct, per cent of its mass.")
	case !within(*sand, 0, 100):
		m.refuse("sand_pct", fmt.Sprintf("A sand content of %g %% is not possible: give the share of the soil's mass, 0 to 100 per cent.", *sand))
	default:
		m.sand = m.do(stepPct, m.of(*sand, "soil.sand_pct"))
	}
	if m.err == nil {
		for _, p := range m.entered.Problems(m.in.General.Year) {
			m.refuse(p.Field, p.Message)
		}
	}
}
