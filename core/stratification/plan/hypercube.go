package plan

import (
	"fmt"
	"slices"
	"strings"

	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/layer"
)

// maxCubeLayers bounds the layers of a hypercube: every exchange of a point looks at all pairs of them.
const maxCubeLayers = 20

// Hypercube states how well the points of a plan represent the layers for which they were chosen, compared with random points.
type Hypercube struct {
	Layers []string
	// Objective is that of the conditioned Latin hypercube (see cube), and RandomObjective the mean of
	// randomDraws stratified random draws of as many points.
	Objective, RandomObjective float64
	// Held is the share of the quantile strata of the layers that hold a point, and RandomHeld its mean over these draws;
	// both are 0 where no layer is numeric.
	Held, RandomHeld float64
}

// checkHypercube refuses layers that do not go with the placement.
func (p Params) checkHypercube(fields fault.Fields) {
	fields.AddIf(len(p.Layers) > 0 && p.Placement != LatinHypercube, "layers", "Layers are used only for the placement %s.", LatinHypercube)
	fields.AddIf(len(p.Layers) > maxCubeLayers, "layers", "A Latin hypercube has at most %d layers.", maxCubeLayers)
}

// covariates returns the layers of a hypercube: of those given, the named ones or, where none is named, all. It sets
// p.Layers to their names. For other placements it returns none.
//
// Faults: Invalid (placement) where no layer is given, and (layers) for a layer that is not given, is named twice, or does
// not have one value for each cell.
func (p *Params) covariates(given []layer.Layer, cells int) ([]layer.Layer, error) {
	if p.Placement != LatinHypercube {
		return nil, nil
	}
	names := list.Map(given, func(l layer.Layer) string { return l.Name })
	if len(names) == 0 {
		return nil, fault.Field("placement", "A Latin hypercube represents layers, and there are none. Fix: choose another placement, or prepare layers.")
	}
	if len(p.Layers) == 0 {
		p.Layers = names
	}
	fields := fault.Fields{}
	var out []layer.Layer
	for i, name := range p.Layers {
		switch at := slices.Index(names, name); {
		case at < 0:
			fields.Addf("layers", "There is no layer %q. Fix: choose from %s.", name, strings.Join(names, ", "))
		case slices.Contains(p.Layers[:i], name):
			fields.Addf("layers", "The layer %q occurs twice.", name)
		case len(given[at].Values) != cells:
			fields.Addf("layers", "The layer %q has %d values for %d cells.", name, len(given[at].Values), cells)
		default:
			out = append(out, given[at])
		}
	}
	p.checkHypercube(fields)
	return out, fields.Err()
}

// randomDraws is the number of random draws with which a hypercube is compared.
const randomDraws = 20

// conditioned moves samples that were drawn at random in parts of the land to places where they represent the layers,
// and returns how well they do so. Legacy points count.
func (a *attempt) conditioned(samples []spot, of parts) *Hypercube {
	c := newCube(a.design, of, a.kept)
	out := &Hypercube{Layers: a.params.Layers}
	random := pcg.New(a.params.Seed, "plan/hypercube/random")
	for range randomDraws {
		if a.budget.Spend(c.points*(len(c.axes)+len(c.target))) != nil {
			return nil
		}
		drawn := c.fill(a.kept)
		for h, cells := range of.cells {
			for _, cell := range picked(cells, of.counts[h], random) {
				drawn.put(cell, 1)
			}
		}
		out.RandomObjective += drawn.exact() / randomDraws
		out.RandomHeld += drawn.held() / randomDraws
	}
	chosen := c.fill(a.kept)
	for _, s := range samples {
		chosen.put(s.cell, 1)
	}
	a.anneal(chosen, samples)
	a.chooser.restart()
	out.Objective, out.Held = chosen.exact(), chosen.held()
	return out
}

// picked returns a simple random sample of n of the cells (Floyd's: Bentley, "Programming Pearls: A Sample of
// Brilliance", Communications of the ACM 30 (1987) 754).
func picked(cells []int32, n int, random *pcg.Stream) (out []int32) {
	taken := make(map[int]bool, n)
	for i := len(cells) - n; i < len(cells); i++ {
		at := random.Below(i + 1)
		if taken[at] {
			at = i
		}
		taken[at] = true
		out = append(out, cells[at])
	}
	return out
}

// Purposive states that the points of a plan are not a probability sample, and why; empty where they are one.
func (plan Plan) Purposive() string {
	why := ""
	switch p := plan.Params.Placement; {
	case plan.ProbabilitySample:
		return ""
	case p == Coverage:
		why = "They were placed for an even coverage"
	case p == LatinHypercube:
		why = fmt.Sprintf("They were chosen to represent %s (a conditioned Latin hypercube)", strings.Join(plan.Params.Layers, ", "))
	default:
		why = "Some were moved or added by hand"
	}
	return "The points are not a probability sample. " + why + ", so estimates from them have no standard error by the design."
}
