package assessment

import (
	"cmp"
	"slices"

	"tilth/core/assessment/conversion"
	"tilth/core/ghg"
)

// Limits of stands of woody plants, beside the table's own limits of each value.
const (
	// stocksValid is the number of years for which a change that was measured before the assessment year still applies.
	stocksValid = 5
	// landTolerance is the ratio by which areas in two units may differ through rounding.
	landTolerance = 1 + 1e-6
)

// stands checks removals against the land: stands take no more area than is assessed, no more is grubbed up than a
// stand has, and nothing grows faster than plants of its kind do, unless there is evidence.
func (t *Table) stands(out *findings, a *Assessment, sheet Sheet, facts Facts) {
	land, taken := assessedHa(a, facts), 0.0
	for i, row := range sheet[secPerennial] {
		v := row.Values
		ha := standHa(v)
		if removed := v.in("removed_area", conversion.In(conversion.Area)); removed != nil && *removed > cmp.Or(ha, land, *removed)*landTolerance {
			out.add("removed_exceeds_stand", at(secPerennial, i, "removed_area"), "%.6g ha are grubbed up from a stand of %.6g ha.", *removed, cmp.Or(ha, land))
		}
		a.stockYears(out, i, v)
		limit, known := t.plausibleGrowth(a, v)
		if v.text("evidence") != "" {
			limit.upper = maxGrowth
		}
		if change, _ := stockChange(v); ha == 0 && change > 0 && known {
			ha = change / limit.upper // the area that such a growth takes, however dense the stand
		} else if g := growthOf(v); known && g > limit.upper*landTolerance {
			out.add("growth_implausible", at(secPerennial, i, growthField(v)),
				"%.4g t C/ha a year is beyond what a %s grows: at most %g (%s). Correct it, or give evidence for it.", g, v.text("system"), limit.upper, limit.source)
		}
		taken += ha
	}
	if land > 0 && taken > land*landTolerance {
		out.add("stands_exceed_land", secPerennial,
			"The stands take up %.6g ha together, but %.6g ha are assessed, the larger of the growing area and the mapped area.", taken, land)
	}
}

// assessedHa returns the larger of the growing area and the mapped area; 0 where neither is known.
func assessedHa(a *Assessment, facts Facts) float64 {
	ha, _ := a.AreaHa()
	if m := facts.MappedAreaHa; m != nil {
		ha = max(ha, *m)
	}
	return ha
}

// standHa returns the area of a stand, that of a row by its length and width; 0 where it is not given.
func standHa(v Values) float64 {
	if ha := standArea(v); ha != nil {
		return *ha
	}
	length, width := standLength(v), v.number("width_m")
	if length == nil || width == nil {
		return 0
	}
	return *length * *width * ghg.HectarePerM2
}

// standArea returns the area that a stand states, ha; nil also where it has a unit and no value.
func standArea(v Values) *float64 { return v.in("area", conversion.In(conversion.Area)) }

// standLength returns the length that a row states, m; nil also where it has a unit and no value.
func standLength(v Values) *float64 { return v.in("length", conversion.In(conversion.Length)) }

// oddGrowth warns of growth that rests on evidence alone.
func (t *Table) oddGrowth(out *findings, a *Assessment, sheet Sheet) {
	for i, row := range sheet[secPerennial] {
		limit, known := t.plausibleGrowth(a, row.Values)
		if g := growthOf(row.Values); known && g > limit.upper*landTolerance && row.Values.text("evidence") != "" {
			out.add("growth_beyond_plausible", at(secPerennial, i, growthField(row.Values)),
				"%.4g t C/ha a year is beyond %g (%s); it rests on the evidence that is given.", g, limit.upper, limit.source)
		}
	}
}

// growthLimit is the largest plausible growth of a system, t C/ha a year, with its source.
type growthLimit struct {
	upper  float64
	source string
}

func (t *Table) plausibleGrowth(a *Assessment, v Values) (growthLimit, bool) {
	row, ok := t.mapping.Find(secPerennial, "system/growth_plausible", v.text("system"), a.ClimateRegion)
	upper, isNumber := row.Number()
	return growthLimit{upper, row.Note}, ok && isNumber
}

// growthOf returns the growth of a stand as entered, t C/ha a year; 0 where none is stated.
func growthOf(v Values) float64 {
	if change, measured := stockChange(v); measured {
		perHa, _ := ghg.Intensity(change, standHa(v))
		return perHa
	}
	return v.numberOr("growth", 0)
}

// growthField names the member that a growth comes from.
func growthField(v Values) string {
	if _, measured := stockChange(v); measured {
		return "measured_stocks"
	}
	return "growth"
}

// stockSpan returns the first and the last of the measured stocks; ok is false where they are not of two years.
func stockSpan(v Values) (first, last Values, ok bool) {
	if !twoStocks(v) {
		return nil, nil, false
	}
	stocks := v.items("measured_stocks")
	byYear := func(a, b Values) int { return cmp.Compare(a.numberOr("year", 0), b.numberOr("year", 0)) }
	return slices.MinFunc(stocks, byYear), slices.MaxFunc(stocks, byYear), true
}

// stockChange returns the change from the first to the last measured stock, t C a year.
func stockChange(v Values) (tC float64, measured bool) {
	first, last, ok := stockSpan(v)
	if !ok {
		return 0, false
	}
	of := func(key string) float64 { return last.numberOr(key, 0) - first.numberOr(key, 0) }
	return of("t_c") / of("year"), true
}

// stockYears checks that the measured stocks are of two different years, around the assessment year or shortly before it.
func (a *Assessment) stockYears(out *findings, i int, v Values) {
	path := at(secPerennial, i, "measured_stocks")
	first, last, ok := stockSpan(v)
	if !ok {
		if len(v.items("measured_stocks")) > 1 {
			out.add("years_same", path, "Give measured stocks of two different years.")
		}
		return
	}
	from, to := int(first.numberOr("year", 0)), int(last.numberOr("year", 0))
	if year := a.Year; year != nil && (from > *year || to < *year-stocksValid) {
		out.add("stocks_of_other_years", path, "The stocks are of %d to %d; they must bracket %d, or end at most %d years before it.",
			from, to, *year, stocksValid)
	}
}
