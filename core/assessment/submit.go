package assessment

import (
	"fmt"
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
	var out []Finding
	need := func(key, value string, allowed func(string) bool) {
		switch {
		case value == "":
			out = append(out, Finding{"required", key, "Give " + key + "."})
		case !allowed(value):
			out = append(out, Finding{"not_a_choice", key, fmt.Sprintf("%q is no value of %s.", value, key)})
		}
	}
	switch next := facts.Now.Year() + 1; {
	case a.Year == nil:
		out = append(out, Finding{"required", keyYear, "Give the assessment year."})
	case *a.Year < firstYear || *a.Year > next:
		out = append(out, Finding{"out_of_range", keyYear, fmt.Sprintf("A year from %d to %d.", firstYear, next)})
	}
	_, wrong := a.AreaHa()
	out = append(out, wrong...)
	_, wrong = a.Celsius()
	out = append(out, wrong...)
	need(keyClimate, a.ClimateRegion, func(s string) bool { return slices.Contains(ClimateRegions, s) })
	need(keyCountry, a.FarmCountry, country.Known)
	need(keyQuality, a.DataQuality, func(s string) bool { return slices.Contains(DataQualities, s) })
	return out
}

// appendViolations adds why a section keeps an assessment from being submitted. The
// optional-only sections never do.
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
