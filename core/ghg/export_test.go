package ghg

import (
	"maps"
	"slices"
)

// Steps returns every equation of the engine, in a fixed order.
func Steps() []*Step { return steps }

// Compute returns the result for the arguments in their order.
func (s *Step) Compute(arguments ...float64) float64 { return s.compute(arguments) }

// WarmingPotential returns kg CO2e per kg of a gas over 100 years.
func (s *FactorSet) WarmingPotential(g Gas) float64 { return s.gwp[g] }

// Ranged returns the rows of the tables that have a range, in a fixed order. A test that sets their values must have
// the set to itself.
func (s *FactorSet) Ranged() []*Factor {
	out := make([]*Factor, 0, len(s.rows))
	for _, key := range slices.Sorted(maps.Keys(s.rows)) {
		if f := s.rows[key]; f.Ranged {
			out = append(out, f)
		}
	}
	return out
}

// Copy returns the set with rows of its own, for a test that changes their values.
func (s *FactorSet) Copy() *FactorSet {
	out, fresh := *s, map[*Factor]*Factor{}
	out.rows, out.targets = map[string]*Factor{}, slices.Clone(s.targets)
	for key, f := range s.rows {
		row := *f
		out.rows[key], fresh[f] = &row, &row
	}
	for i := range out.targets {
		t := &out.targets[i]
		t.factor = fresh[t.factor]
		if t.zones != nil {
			t.zones = maps.Clone(t.zones)
			for zone, f := range t.zones {
				t.zones[zone] = fresh[f]
			}
		}
	}
	return &out
}

// Every returns the rows of the tables, in a fixed order.
func (s *FactorSet) Every() []*Factor {
	out := make([]*Factor, 0, len(s.rows))
	for _, key := range slices.Sorted(maps.Keys(s.rows)) {
		out = append(out, s.rows[key])
	}
	return out
}
