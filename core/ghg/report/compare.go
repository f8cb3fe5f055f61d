package report

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"tilth/core/ghg"
)

// Comparison holds the changes from a first report to a second, t CO2e: of two versions, of a version and now, or of two scenarios.
type Comparison struct {
	From             Compared      `json:"from" doc:"The first report."`
	To               Compared      `json:"to" doc:"The second report."`
	Totals           []Difference  `json:"totals" doc:"Emissions, removals and balance, then those per hectare and per tonne."`
	BySource         []Difference  `json:"by_source" doc:"Emissions by source, the largest saving first."`
	BySection        []Difference  `json:"by_section" doc:"Emissions by section of the assessment, the largest saving first."`
	RemovalsBySource []Difference  `json:"removals_by_source" doc:"Removals by source."`
	Warnings         []ghg.Warning `json:"warnings" doc:"What to note: results of two engines or factor sets also differ by the method."`
}

// Compared identifies a report of a comparison.
type Compared struct {
	Basis         string       `json:"basis" doc:"live: from what the assessment held. submitted: from a version."`
	ResultVersion *int         `json:"result_version" doc:"Number of the version; null for a live report."`
	ComputedAt    time.Time    `json:"computed_at" doc:"When it was calculated."`
	Engine        ghg.Identity `json:"engine" doc:"The program that calculated it."`
	FactorSet     ghg.Identity `json:"factor_set" doc:"The emission factors that it was calculated with."`
	InputDigest   string       `json:"input_digest" doc:"SHA-256 of the snapshot that the engine was given, hexadecimal."`
}

// Difference is one figure in both reports, t CO2e (or t CO2e per ha or t); what a report does not have is nil.
type Difference struct {
	Name          string   `json:"name" doc:"What the figure is."`
	From          *float64 `json:"from" doc:"In the first report, t CO2e (per ha or t where the name says so); null where it has none."`
	To            *float64 `json:"to" doc:"In the second report, likewise."`
	Difference    *float64 `json:"difference" doc:"to - from; null where either is."`
	DifferencePct *float64 `json:"difference_pct" doc:"In per cent of from; null where that is 0 or null."`
}

// Compare compares report b with report a. Results of two engines or of two factor sets are compared with a warning:
// part of the difference is due to the method.
func Compare(a, b Report) Comparison {
	c := Comparison{
		From: comparedOf(a), To: comparedOf(b), Warnings: []ghg.Warning{},
		Totals: []Difference{
			differ("emissions", &a.Totals.Emissions, &b.Totals.Emissions), differ("removals", &a.Totals.Removals, &b.Totals.Removals),
			differ("balance", &a.Totals.Balance, &b.Totals.Balance), differ("emissions_per_ha", a.Totals.EmissionsPerHa, b.Totals.EmissionsPerHa),
			differ("removals_per_ha", a.Totals.RemovalsPerHa, b.Totals.RemovalsPerHa), differ("emissions_per_t", a.Totals.EmissionsPerT, b.Totals.EmissionsPerT),
		},
		BySource:         differences(a.BySource, b.BySource, func(l SourceLine) string { return l.Label }),
		BySection:        differences(a.BySource, b.BySource, func(l SourceLine) string { return l.Section }),
		RemovalsBySource: differences(a.RemovalsBySrc, b.RemovalsBySrc, func(l SourceLine) string { return l.Label }),
	}
	if a.Engine != b.Engine || a.FactorSet.Digest != b.FactorSet.Digest {
		c.Warnings = append(c.Warnings, ghg.Warning{Code: ghg.WarnEnginesDiffer, Message: "The two results come from different engines or factor sets: part of the difference is due to the method."})
	}
	return c
}

func comparedOf(r Report) Compared {
	return Compared{r.Basis, r.ResultVersion, r.ComputedAt, r.Engine, r.FactorSet, r.InputDigest}
}

// differences sums up lines by name; a report without lines of a name has 0 of it.
func differences(a, b []SourceLine, name func(SourceLine) string) []Difference {
	from, to := map[string]float64{}, map[string]float64{}
	for _, l := range a {
		from[name(l)] += l.CO2e
		to[name(l)] += 0
	}
	for _, l := range b {
		to[name(l)] += l.CO2e
	}
	out := make([]Difference, 0, len(to))
	for _, key := range slices.Sorted(maps.Keys(to)) {
		was, is := round(from[key], massDigits), round(to[key], massDigits)
		out = append(out, differ(key, &was, &is))
	}
	slices.SortStableFunc(out, func(x, y Difference) int { return cmp.Compare(*x.Difference, *y.Difference) })
	return out
}

func differ(name string, from, to *float64) Difference {
	d := Difference{Name: name, From: from, To: to}
	if from == nil || to == nil {
		return d
	}
	by := round(*to-*from, massDigits)
	d.Difference = &by
	if per, ok := ghg.Intensity(by*100, *from); ok {
		pct := round(per, massDigits)
		d.DifferencePct = &pct
	}
	return d
}
