package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// amounts are the members that carry the amount of an item, by section of the snapshot: the engine has a step for each.
var amounts = map[string][]string{
	"fertilizers": {"kg_per_ha"}, "organic_inputs": {"kg_per_ha", "m3_per_ha"}, "crop_protection": {"applications"}, "seeds": {"kg_per_ha"},
	"fuel_energy": {"amount"}, "machinery": {"passes"}, "transport": {"weight_t"},
}

// others are the sections whose items the engine may look at without a step.
var others = []string{"residues", "rice", "irrigation", "land_management", "land_use_change", "perennial_biomass"}

// whole finds what a trace leaves out: a part of the report that no total includes, and an amount of the snapshot that
// no step uses. It records every item that no step uses, whether one ought to use it or not.
func (w *walk) whole(r *report) *Difference {
	if d := reached(r.Trace); d != nil {
		return d
	}
	var first *Difference
	for _, section := range slices.Concat(slices.Sorted(maps.Keys(amounts)), others) {
		items, isList := w.snapshot.at(section).([]any)
		if !isList {
			items = []any{w.snapshot.at(section)}
		}
		for i, item := range items {
			values, entered := item.(map[string]any)
			place := section
			if isList {
				place = fmt.Sprintf("%s[%d]", section, i)
			}
			if !entered || w.uses(place) {
				continue
			}
			w.unused = append(w.unused, place)
			if member := amountOf(section, values); member != "" && !r.explains(place) && first == nil {
				first = &Difference{Text: fmt.Sprintf("%s has %v for %s, which no step uses.", place, values[member], member)}
			}
		}
	}
	return first
}

// reached finds the first part of the report that no total includes.
func reached(trace []line) *Difference {
	in := make([]bool, len(trace))
	var first *Difference
	for i := len(trace) - 1; i >= 0; i-- {
		l := &trace[i]
		in[i] = in[i] || l.Total != nil && l.Total.Label == ""
		switch {
		case in[i]:
			for _, input := range l.Inputs {
				if input.From > 0 {
					in[input.From-1] = true
				}
			}
		case l.Label != "" || l.Total != nil:
			first = &Difference{Step: l.Number, Name: l.Step, Item: l.Item, Text: fmt.Sprintf("no total includes its %v.", l.Result)}
		}
	}
	return first
}

// uses reports whether a step uses a member of an item that carries an amount; in other sections any member counts.
func (w *walk) uses(place string) bool {
	section, _, _ := strings.Cut(place, "[")
	members, counted := amounts[section]
	if counted {
		return slices.ContainsFunc(members, func(member string) bool { return w.used[place+"."+member] })
	}
	for path := range w.used {
		if strings.HasPrefix(path, place+".") || strings.HasPrefix(path, place+"[") {
			return true
		}
	}
	return false
}

// amountOf returns the member that carries the amount of an item; empty where it has none, or is counted elsewhere: own
// seed, and machines, transport and pumps whose fuel is among the fuels.
func amountOf(section string, values map[string]any) string {
	if values["counted_elsewhere"] == true || section == "seeds" && values["origin"] == "own" {
		return ""
	}
	for _, member := range amounts[section] {
		if v, _ := values[member].(float64); v != 0 {
			return member
		}
	}
	return ""
}

// explains reports whether a warning of the report is about an item.
func (r *report) explains(place string) bool {
	return slices.ContainsFunc(r.Warnings, func(w warning) bool { return w.Item == place })
}
