package ghg

import (
	"cmp"
	"maps"
	"slices"
)

// Comparison is what a second scenario changes, t CO2e: differences are b - a.
type Comparison struct {
	Emissions float64 `json:"emissions"`
	Removals  float64 `json:"removals"`
	Balance   float64 `json:"balance"`
	// EmissionsPct is the change of the emissions in per cent of a, nil where a has none.
	EmissionsPct *float64           `json:"emissions_pct"`
	BySource     []SourceDifference `json:"by_source"`
	Warnings     []Warning          `json:"warnings"`
}

// SourceDifference is one label in both scenarios, t CO2e.
type SourceDifference struct {
	Label      string  `json:"label"`
	A          float64 `json:"a"`
	B          float64 `json:"b"`
	Difference float64 `json:"difference"`
}

// Compare holds scenario b against a. Results of two engines or of two factor sets are
// compared with a warning: part of the difference is the method's.
func Compare(a, b Report) Comparison {
	c := Comparison{
		BySource: []SourceDifference{}, Warnings: []Warning{},
		Emissions: round(b.Totals.Emissions-a.Totals.Emissions, massDigits), Removals: round(b.Totals.Removals-a.Totals.Removals, massDigits),
		Balance: round(b.Totals.Balance-a.Totals.Balance, massDigits),
	}
	if a.Totals.Emissions > 0 {
		pct := round((b.Totals.Emissions-a.Totals.Emissions)/a.Totals.Emissions*100, massDigits)
		c.EmissionsPct = &pct
	}
	if a.Engine != b.Engine || a.FactorSet.Digest != b.FactorSet.Digest {
		c.Warnings = append(c.Warnings, Warning{Code: WarnEnginesDiffer, Message: "The two results come from different engines or factor sets: part of the difference is the method's."})
	}
	by := map[string]*SourceDifference{}
	at := func(label string) *SourceDifference {
		if by[label] == nil {
			by[label] = &SourceDifference{Label: label}
		}
		return by[label]
	}
	for _, l := range a.BySource {
		at(l.Label).A += l.CO2e
	}
	for _, l := range b.BySource {
		at(l.Label).B += l.CO2e
	}
	for _, label := range slices.Sorted(maps.Keys(by)) {
		d := *by[label]
		d.A, d.B = round(d.A, massDigits), round(d.B, massDigits)
		d.Difference = round(d.B-d.A, massDigits)
		c.BySource = append(c.BySource, d)
	}
	slices.SortStableFunc(c.BySource, func(x, y SourceDifference) int { return cmp.Compare(x.Difference, y.Difference) })
	return c
}
