package report

import (
	"cmp"
	"slices"
	"strings"

	"tilth/core/ghg"
)

// InputQuality is the quality of the data of one section: what was entered, what a default stood in for, and the rows
// of the tables that its steps use, each counted once.
type InputQuality struct {
	Section  string
	Entered  int // values of the snapshot that its steps use
	Defaults int // values that could have been entered and were not
	Evidence ghg.Evidence
	CO2e     float64 // t of emissions
	Share    float64 // of all emissions, 0 to 1
	Removed  float64 // t
}

// Method is how one label was calculated: the sources of its equations, and the lowest tier of its lines.
type Method struct {
	Label   string
	Sources []string
	Tier    int
	CO2e    float64 // t, of emissions or of removals
}

// ByInput returns the quality of the data by section, the largest emissions first. Without a trace it has the emissions
// alone.
func ByInput(r Report) []InputQuality {
	at := map[string]*InputQuality{}
	of := func(section string) *InputQuality {
		if at[section] == nil {
			at[section] = &InputQuality{Section: section}
		}
		return at[section]
	}
	for _, l := range r.BySource {
		q := of(l.Section)
		q.CO2e += l.CO2e
		q.Share += l.Share
	}
	for _, l := range r.RemovalsBySrc {
		of(l.Section).Removed += l.CO2e
	}
	seen := map[string]bool{}
	first := func(parts ...string) bool {
		key := strings.Join(parts, "\x00")
		was := seen[key]
		seen[key] = true
		return !was
	}
	for _, t := range r.Trace {
		section, _, _ := strings.Cut(t.Item, "[")
		if section == "" || t.Total != nil {
			continue
		}
		for _, in := range t.Inputs {
			switch {
			case in.Default && first(section, "default", t.Item, in.Symbol, in.Input):
				of(section).Defaults++
			case !in.Default && in.Input != "" && first(section, "entered", in.Input):
				of(section).Entered++
			}
		}
		for _, f := range t.Factors {
			if f.Default && first(section, "default", t.Item, f.Symbol, f.Key) {
				of(section).Defaults++
			}
			if f.RangeStatus != "" && !strings.HasPrefix(f.Key, "gwp.") && first(section, "factor", f.Key) {
				countFactor(&of(section).Evidence, f)
			}
		}
	}
	out := make([]InputQuality, 0, len(at))
	for _, q := range at {
		q.CO2e, q.Share, q.Removed = ghg.Rounded(q.CO2e), ghg.Rounded(q.Share), ghg.Rounded(q.Removed)
		out = append(out, *q)
	}
	slices.SortFunc(out, func(a, b InputQuality) int {
		return cmp.Or(cmp.Compare(b.CO2e, a.CO2e), cmp.Compare(b.Removed, a.Removed), cmp.Compare(a.Section, b.Section))
	})
	return out
}

func countFactor(e *ghg.Evidence, f ghg.TraceFactor) {
	e.Factors++
	switch f.Status {
	case ghg.Secondary:
		e.Secondary++
	case ghg.Unverified:
		e.Unverified++
	}
	switch f.RangeStatus {
	case ghg.RangeRecalled:
		e.RangesRecalled++
	case ghg.RangeAssumed:
		e.RangesAssumed++
	}
}

// Methods returns how each label was calculated, in the order of the lines; removals follow.
func Methods(r Report) []Method {
	var out []Method
	for _, l := range slices.Concat(r.BySource, r.RemovalsBySrc) {
		i := slices.IndexFunc(out, func(m Method) bool { return m.Label == l.Label })
		if i < 0 {
			out, i = append(out, Method{Label: l.Label, Tier: l.Tier}), len(out)
		}
		out[i].Tier = min(out[i].Tier, l.Tier)
		out[i].CO2e += l.CO2e
	}
	for i := range out {
		m := &out[i]
		m.CO2e = ghg.Rounded(m.CO2e)
		for _, t := range r.Trace {
			if t.Label == m.Label && t.Total == nil && !slices.Contains(m.Sources, t.Source) {
				m.Sources = append(m.Sources, t.Source)
			}
		}
	}
	return out
}

// Exclusion is a source or a sink that the built-in method leaves out, with the reason.
type Exclusion struct{ What, Why string }

// Exclusions returns what a report leaves out whatever is entered; nil for an external engine, which does not state it.
func Exclusions(r Report) []Exclusion {
	if r.Engine.ID != ghg.EngineID {
		return nil
	}
	return slices.Clone(exclusions)
}

// exclusions are those of docs/ghg.md.
var exclusions = []Exclusion{
	{"Livestock", "outside the boundary: the assessment is of one crop"},
	{"Machines, buildings and other capital goods", "outside the boundary"},
	{"Production of manure and of own seed", "no burden is carried by what the farm itself leaves over"},
	{"Refrigerants, waste water and losses in storage", "outside the boundary"},
	{"Transmission and distribution losses of electricity", "beside the totals, where a figure is entered or has a source"},
	{"Dead wood and litter of cleared forest", "no Tier 1 stock"},
	{"Soil carbon below 30 cm", "outside the IPCC method"},
	{"Nitrification inhibitors, biochar and cover crops as such", "recorded; no Tier 1 factor"},
	{"CO2 of burnt biomass and biofuels", "biogenic; stated outside the totals"},
	{"Transport, processing and use after the farm gate", "outside the boundary, unless a transport is entered"},
}
