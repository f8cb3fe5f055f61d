package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/programme"
)

const maxPerField = 100

func (p Params) checkFields(fields fault.Fields) {
	n := p.MinSamplesPerField
	fields.AddIf(n != 0 && (n < MinSamplesPerZone || n > maxPerField),
		"min_samples_per_field", "It must be a whole number from %d to %d: one sample has no variance.", MinSamplesPerZone, maxPerField)
	fields.AddIf(n != 0 && (p.Allocation == Given || p.Allocation == CostOptimal),
		"min_samples_per_field", "It can be used only with the allocations %s, %s and %s.", Proportional, Neyman, Equal)
}

// floor returns the minimum number of samples of a stratum of a plan; none where its land is in other strata.
func (p Params) floor(z ZonePlan) int {
	switch {
	case z.Field > 0:
		return p.MinSamplesPerField
	case z.Weight == 0 && (p.MinSamplesPerField > 0 || p.InStages()):
		return none
	}
	return p.MinSamplesPerZone
}

// own returns the stratum of each field that is a stratum of its own.
func (plan Plan) own() map[int]int {
	out := map[int]int{}
	for _, z := range plan.PerZone {
		if z.Field > 0 && z.Draw == 0 {
			out[z.Field-1] = z.Zone
		}
	}
	return out
}

// share shares out the samples to the strata. Where every field has a minimum, the fields that are not certain
// to get that many of the zones' samples become strata of their own, numbered after the others: their land
// leaves the zones, whose weights fall by as much. A field is certain to get the number of samples expected
// in its parts of the strata, rounded down; see programme.Round.
func (d *design) share(to *layout) error {
	before, eligible := d.shared, to.eligible
	d.own = map[int]int{}
	var own []int
	for {
		upper := make([]int, len(to.eligible))
		for h, cells := range to.eligible {
			upper[h] = len(cells)
		}
		var err error
		if to.counts, err = d.params.allocate(d.land(), d.shared, d.mean, upper); d.params.MinSamplesPerField == 0 {
			return err
		}
		if err != nil {
			if len(own) == 0 || len(own) == len(d.frame.Fields) || errors.Is(err, errNoRoom) {
				return err
			}
			// What is left of the zones needs too many samples, so every field becomes a stratum.
			own = own[:0]
			for field := range d.frame.Fields {
				own = append(own, field)
			}
			d.separate(to, before, eligible, own)
			continue
		}
		sums := make([]float64, len(d.frame.Fields))
		for _, row := range d.expected(*to) {
			for field, v := range row {
				sums[field] += v
			}
		}
		known := len(own)
		for field, v := range sums {
			if d.own[field] == 0 && math.Floor(v+1e-9) < float64(d.params.MinSamplesPerField) {
				own = append(own, field)
			}
		}
		if len(own) == known {
			return nil
		}
		slices.Sort(own)
		d.separate(to, before, eligible, own)
		if err := d.budget.Spend(len(d.zoning.Labels)); err != nil {
			return err
		}
	}
}

// separate makes fields strata of their own, weighted by their land. Each is taken to have the pooled variance of its
// parts of the zones.
func (d *design) separate(to *layout, before []Stratum, eligible [][]int32, own []int) {
	d.own = map[int]int{}
	for i, field := range own {
		d.own[field] = len(before) + i + 1
	}
	d.shared = slices.Clone(before)
	for _, field := range own {
		d.shared = append(d.shared, Stratum{Min: d.params.MinSamplesPerField, Field: field + 1, Composites: d.params.CompositesPerZone})
	}
	for h, cells := range d.stoodFor(eligible) {
		from, left := &d.shared[h], 0
		each := from.Weight / math.Max(float64(len(cells)), 1)
		for _, cell := range cells {
			if stratum := d.stratum(cell); stratum == h+1 {
				left++
			} else {
				field := &d.shared[stratum-1]
				field.Weight += each
				field.SD += float64(each * from.SD * from.SD)
			}
		}
		if from.Weight = each * float64(left); left == 0 {
			from.Min = none
		}
	}
	for h := len(before); h < len(d.shared); h++ {
		if s := &d.shared[h]; s.Weight > 0 {
			s.SD = math.Sqrt(s.SD / s.Weight)
		}
	}
	to.eligible = make([][]int32, len(d.shared))
	for _, cells := range eligible {
		for _, cell := range cells {
			stratum := d.stratum(cell)
			to.eligible[stratum-1] = append(to.eligible[stratum-1], cell)
		}
	}
	for _, cells := range to.eligible[len(before):] {
		slices.Sort(cells)
	}
}

// stoodFor returns the cells that the samples of each stratum stand for: those from which they are drawn and, where the
// edges are not a stratum, also the edges of the zones.
func (d *design) stoodFor(eligible [][]int32) [][]int32 {
	if d.params.Edge == EdgeStratum {
		return eligible
	}
	out := make([][]int32, len(eligible))
	for i, label := range d.zoning.Labels {
		out[label-1] = append(out[label-1], int32(i))
	}
	return out
}

// expected returns the number of samples of each stratum (row) that are expected in each field.
func (d *design) expected(found layout) [][]float64 {
	out := make([][]float64, len(found.eligible))
	for h, cells := range found.eligible {
		out[h] = make([]float64, len(d.frame.Fields))
		for _, cell := range cells {
			out[h][d.frame.Cells[cell].Field]++
		}
		for field := range out[h] {
			out[h][field] *= float64(found.counts[h]) / math.Max(float64(len(cells)), 1)
		}
	}
	return out
}

// parts are the cells in which samples are drawn at random together: the strata, or their parts in fields.
type parts struct {
	cells  [][]int32
	counts []int
	fields bool
}

// parts returns the strata or, where every field has a minimum, their parts in fields with the number of
// samples of each, so that every place of a stratum has the same chance.
func (d *design) parts(found layout) (parts, error) {
	if d.params.MinSamplesPerField == 0 {
		return parts{cells: found.eligible, counts: found.counts}, nil
	}
	rounded, err := programme.Round(d.budget, d.expected(found), pcg.New(d.params.Seed, "plan/fields").Unit)
	if err != nil {
		return parts{}, err
	}
	out := parts{fields: true}
	for h, cells := range found.eligible {
		byField := slices.Clone(cells)
		slices.SortStableFunc(byField, func(a, b int32) int { return cmp.Compare(d.frame.Cells[a].Field, d.frame.Cells[b].Field) })
		for len(byField) > 0 {
			field := d.frame.Cells[byField[0]].Field
			n := slices.IndexFunc(byField, func(cell int32) bool { return d.frame.Cells[cell].Field != field })
			if n < 0 {
				n = len(byField)
			}
			if samples := rounded[h][field]; samples > 0 {
				out.cells, out.counts = append(out.cells, byField[:n:n]), append(out.counts, samples)
			}
			byField = byField[n:]
		}
	}
	return out, nil
}

func (p parts) chooser(d *design) *targeted {
	out := newTargeted(d, p.cells)
	if p.fields {
		out.land = p.cells
	}
	return out
}

// inField reports whether a place lies in the field of its cell; where fields do not affect its chance, it is always true.
func (d *design) inField(at geo.Position, cell int32) bool {
	field := int(d.frame.Cells[cell].Field)
	return d.params.MinSamplesPerField == 0 && !d.params.InStages() || d.frame.FieldAt(at, field) == field
}

// named names strata in a message.
func named(strata []Stratum) string {
	zones, fields := 0, 0
	for _, s := range strata {
		switch {
		case s.Field > 0:
			fields++
		case s.Min != none:
			zones++
		}
	}
	if fields > 0 {
		return fmt.Sprintf("%d zones and %d fields", zones, fields)
	}
	return fmt.Sprintf("%d zones", zones)
}
