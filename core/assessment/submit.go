package assessment

import (
	"slices"
	"strings"

	"tilth/core/country"
)

// Submittable checks an assessment afresh: violations forbid its submission, warnings do
// not. Both name the code, the path and what to do.
func (t *Table) Submittable(a *Assessment, sheet Sheet, facts Facts) (violations, warnings []Finding) {
	_, violations = t.examine(a, sheet, facts)
	return violations, t.oddities(a, sheet, facts)
}

// generalFindings returns what is wrong with the general part.
func (a *Assessment) generalFindings(facts Facts) []Finding {
	var out findings
	switch next := facts.Now.Year() + 1; {
	case a.Year == nil:
		out.add("required", keyYear, "Give the assessment year.")
	case *a.Year < firstYear || *a.Year > next:
		out.add("out_of_range", keyYear, "A year from %d to %d.", firstYear, next)
	}
	_, area := a.AreaHa()
	_, temperature := a.Celsius()
	out = append(append(out, area...), temperature...)
	need := func(key, value string, allowed bool) {
		switch {
		case value == "":
			out.add("required", key, "Give %s.", key)
		case !allowed:
			out.add("not_a_choice", key, "%q is not a value of %s.", value, key)
		}
	}
	need(keyClimate, a.ClimateRegion, slices.Contains(ClimateRegions, a.ClimateRegion))
	need(keyCountry, a.FarmCountry, country.Known(a.FarmCountry))
	need(keyQuality, a.DataQuality, slices.Contains(DataQualities, a.DataQuality))
	return out
}

// appendViolations adds the reasons why a section keeps an assessment from being submitted. Optional-only sections
// never do.
func (s *Section) appendViolations(out []Finding, one SectionState) []Finding {
	if s.Role == OptionalOnly || one.Status == Complete {
		return out
	}
	if one.Status == NotStarted {
		message := "Fill in the section " + strings.ToLower(s.Title)
		if s.Declarable() {
			message += ", or declare that there is nothing to enter"
		}
		return append(out, Finding{"section_empty", s.Key, message + "."})
	}
	for _, m := range one.Missing {
		out = append(out, Finding{"required", m.Path, m.Message})
	}
	return out
}
