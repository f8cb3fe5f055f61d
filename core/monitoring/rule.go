// Package monitoring decides when a field that is watched through its season needs a look: rules over a series and its
// phenology, and the alerts that they raise. It knows no schedule, and sends nothing.
package monitoring

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tilth/core/fault"
)

// Kind is what a rule looks for.
type Kind string

// The kinds of rules.
const (
	// Drop: the index fell by more than Change within Days.
	Drop Kind = "drop"
	// LowPercentile: the index is below the Percentile of the field's other seasons on this day.
	LowPercentile Kind = "low_percentile"
	// NoStart: no growing cycle has started by the date By.
	NoStart Kind = "no_start"
	// Patch: the lowest tenth of the field fell behind its middle: the median minus the tenth percentile grew by more
	// than Change within Days.
	Patch Kind = "patch"
)

// Kinds are all kinds, in the order of the documentation.
var Kinds = []Kind{Drop, LowPercentile, NoStart, Patch}

// MaxRules is the maximum number of rules that a field is watched by.
const MaxRules = 10

// Rule raises an alert once a season.
type Rule struct {
	Kind       Kind       `json:"kind"`
	Change     float64    `json:"change,omitempty"`     // of drop and patch, in units of the index
	Days       int        `json:"days,omitempty"`       // likewise
	Percentile float64    `json:"percentile,omitempty"` // of low_percentile
	By         *time.Time `json:"by,omitempty"`         // of no_start: a civil date
}

// DefaultRules returns the rules of a field that is watched without any given.
func DefaultRules() []Rule {
	return []Rule{{Kind: Drop, Change: 0.2, Days: 14}, {Kind: Patch, Change: 0.15, Days: 14}, {Kind: LowPercentile, Percentile: 10}}
}

// Check returns what is wrong with a rule.
func (r Rule) Check() fault.Fields {
	f := fault.Fields{}
	if !slices.Contains(Kinds, r.Kind) {
		words := make([]string, len(Kinds))
		for i, k := range Kinds {
			words[i] = string(k)
		}
		f.Addf("kind", "%.30q is not a kind of rule; choose one of %s.", string(r.Kind), strings.Join(words, ", "))
		return f
	}
	changes := r.Kind == Drop || r.Kind == Patch
	r.member(f, "change", changes, r.Change != 0, r.Change > 0 && r.Change <= 2, "More than 0, at most 2, in units of the index.")
	r.member(f, "days", changes, r.Days != 0, r.Days >= 1 && r.Days <= 60, "1 to 60 days.")
	r.member(f, "percentile", r.Kind == LowPercentile, r.Percentile != 0, r.Percentile > 0 && r.Percentile <= 50, "More than 0, at most 50.")
	r.member(f, "by", r.Kind == NoStart, r.By != nil, r.By != nil, "The date by which a growing cycle must have started.")
	return f
}

// member adds what is wrong with a member that the kind of the rule has or does not have.
func (r Rule) member(f fault.Fields, name string, has, given, right bool, expected string) {
	switch {
	case has && !given:
		f.Addf(name, "A rule of the kind %s needs this: %s", r.Kind, strings.ToLower(expected[:1])+expected[1:])
	case has && !right:
		f.Add(name, expected)
	case !has && given:
		f.Addf(name, "A rule of the kind %s has no such member; leave it out.", r.Kind)
	}
}

// CheckRules returns what is wrong with the rules of a field, each under its index.
func CheckRules(rules []Rule) fault.Fields {
	f := fault.Fields{}
	if len(rules) == 0 || len(rules) > MaxRules {
		f.Addf("rules", "Give 1 to %d rules.", MaxRules)
		return f
	}
	below := fault.Fields{}
	for i, r := range rules {
		below.Nest(fmt.Sprint(i), r.Check())
		if slices.ContainsFunc(rules[:i], r.same) {
			again := fault.Fields{}
			again.Add("kind", "An earlier rule is the same.")
			below.Nest(fmt.Sprint(i), again)
		}
	}
	f.Nest("rules", below)
	return f
}

// same reports whether two rules are equal.
func (r Rule) same(o Rule) bool { return r.Key() == o.Key() }

// Key returns the text that identifies a rule, for storage.
func (r Rule) Key() string {
	by := ""
	if r.By != nil {
		by = r.By.Format(time.DateOnly)
	}
	return fmt.Sprintf("%s %g %d %g %s", r.Kind, r.Change, r.Days, r.Percentile, by)
}
