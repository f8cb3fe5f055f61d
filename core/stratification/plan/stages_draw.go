package plan

import (
	"fmt"
	"slices"
	"strings"

	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/internal/pcg"
	"tilth/core/stratification/zoning"
)

// bounded returns the zones from whose edges points keep the offset, besides the edges of fields.
func (p Params) bounded(z *zoning.Zoning) []zoning.Zone {
	if p.InStages() {
		return nil
	}
	return z.Zones
}

// drawFields draws the fields of a first stage and shares out points to them: the strata of the layout are the fields.
// Fields without room for the points of a draw cannot be drawn. Each draw takes the field of a cell drawn at random, so
// that the chance of a field is in proportion to its area.
func (d *design) drawFields(to *layout) error {
	if n := len(d.frame.Fields); n < 2 {
		return fault.Field("stages", "The area of interest has one field: there is none to draw. Leave stages out.")
	}
	staged, err := d.params.sized(d.land())
	if err != nil {
		return err
	}
	byField := make([][]int32, len(d.frame.Fields))
	for _, cells := range to.eligible {
		for _, cell := range cells {
			field := d.frame.Cells[cell].Field
			byField[field] = append(byField[field], cell)
		}
	}
	own := make([]int, len(byField)) // cells
	for _, c := range d.frame.Cells {
		own[c.Field]++
	}
	ends, open := make([]int, len(byField)), 0
	d.shared, staged.Fields = make([]Stratum, len(byField)), make([]StagedField, len(byField))
	total := 0
	for i, cells := range byField {
		slices.Sort(cells)
		f := &staged.Fields[i]
		share := float64(own[i]) / float64(len(d.frame.Cells))
		f.AreaHa = share * d.frame.AreaHa
		d.shared[i] = Stratum{Field: i + 1, Weight: share, Min: staged.Points}
		if f.LeftOut = len(cells) < staged.Points; !f.LeftOut {
			total += own[i]
			open++
		}
		ends[i] = total
	}
	to.eligible, d.staged = byField, &staged
	if open < 2 {
		return errNoRoom
	}
	random := pcg.New(d.params.Seed, "plan/stages")
	for n := range staged.Draws {
		at := random.Below(total)
		field, _ := slices.BinarySearch(ends, at+1)
		staged.Fields[field].Draws = append(staged.Fields[field].Draws, n+1)
	}
	to.counts = make([]int, len(byField))
	for i := range staged.Fields {
		f := &staged.Fields[i]
		if f.LeftOut {
			byField[i] = nil
		} else {
			f.Chance = float64(own[i]) / float64(total)
		}
		if to.counts[i] = len(f.Draws) * staged.Points; to.counts[i] == 0 {
			d.shared[i].Min = none
		}
	}
	return d.budget.Spend(len(d.frame.Cells))
}

// dealOut deals the points of a field out to its draws in turn, since the points were drawn in a random order.
func (d *design) dealOut(spots []spot) {
	if d.staged == nil {
		return
	}
	dealt := make([]int, len(d.staged.Fields))
	for i := range spots {
		field := spots[i].part
		draws := d.staged.Fields[field].Draws
		spots[i].draw = draws[dealt[field]%len(draws)]
		dealt[field]++
	}
}

// stratumOf returns the number of the stratum of a spot; draws are numbered after the zones.
func (d *design) stratumOf(s spot) int {
	if s.draw > 0 {
		return len(d.zoning.Zones) + s.draw
	}
	return d.stratum(s.cell)
}

// strataOfPlan returns the strata of the plan: those to which samples were shared out or, in two stages, the zones, which
// have no samples, followed by the draws of fields.
func (d *design) strataOfPlan() []Stratum {
	if d.staged == nil {
		return d.shared
	}
	zones := len(d.strata)
	out := append(slices.Clone(d.strata), make([]Stratum, d.staged.Draws)...)
	for field, f := range d.staged.Fields {
		for _, n := range f.Draws {
			out[zones+n-1] = Stratum{Weight: 1 / float64(d.staged.Draws), SD: d.staged.Spread.Within, Field: field + 1, Draw: n}
		}
	}
	return out
}

// wayEstimate returns the length of the way on which a budget is based, in km.
func (d *design) wayEstimate(samples int) float64 {
	of := d.land()
	if d.staged == nil {
		return of.wayKm(samples)
	}
	of.perDraw = d.staged.Points
	return of.wayKm(d.staged.Draws)
}

// describeStages adds to a plan in two stages the room of its draws, and the fields that could not be drawn.
func (d *design) describeStages(plan *Plan, found layout, strips []float64) {
	reserves := d.params.reserves(d.staged.Points)
	for h := range plan.PerZone {
		zone := &plan.PerZone[h]
		if zone.Draw == 0 {
			zone.StripHa = strips[h]
			continue
		}
		zone.Eligible = len(found.eligible[zone.Field-1])
		zone.EligibleHa = d.cellsHa(zone.Eligible)
		if short := reserves - zone.Reserves; short > 0 {
			plan.Concerns = append(plan.Concerns, Concern{Code: "few_reserves", Zone: zone.Zone,
				Message: fmt.Sprintf("Draw %d, of field %d, has no room for %d of its %d reserve points.", zone.Draw, zone.Field, short, reserves)})
		}
	}
	var without []string
	ha := 0.0
	for i, f := range d.staged.Fields {
		if f.LeftOut {
			without = append(without, fmt.Sprint(i+1))
			ha += f.AreaHa
		}
	}
	if len(without) > 0 {
		plan.Concerns = append(plan.Concerns, Concern{Code: "fields_without_room", Message: fmt.Sprintf(
			"Without room for %d points at %d m from their edges and never drawn: field %s of the area of interest (%.2f ha). Estimates take them to be like the others.",
			d.staged.Points, d.params.ZoneOffset, strings.Join(without, ", "), ha)})
	}
}

// perDraw returns the number of draws that have samples, and the variance of the mean of one.
func (plan Plan) perDraw() (draws int, variance float64) {
	inverse := 0.0
	for _, z := range plan.PerZone {
		if z.Draw > 0 && z.Samples > 0 {
			draws++
			inverse += 1 / float64(z.Samples)
		}
	}
	s := plan.Staged.Spread
	return draws, float64(s.Between*s.Between) + float64(s.Within*s.Within)*inverse/float64(max(draws, 1))
}

// judgeDraws collects the concerns about draws with few samples (samples is by stratum), and refuses plans with fewer than two draws left.
func (c *customising) judgeDraws(samples []int, fields fault.Fields) {
	left := 0
	for h, z := range c.plan.PerZone {
		if z.Draw == 0 {
			continue
		}
		switch n := samples[h+1]; {
		case n == 0:
			c.note("empty_draw", z.Zone, "", "Draw %d, of field %d, is left without a sample: estimates leave it out.", z.Draw, z.Field)
		case n < c.plan.Staged.Points:
			c.note("few_samples", z.Zone, "", "Draw %d, of field %d, has %d samples of %d.", z.Draw, z.Field, n, c.plan.Staged.Points)
			left++
		default:
			left++
		}
	}
	fields.AddIf(c.plan.Staged != nil && left < minDraws, "operations", "Samples of %d draws of fields are left; an estimate needs %d.", left, minDraws)
}

// stays refuses a place outside the field that was drawn for a point.
func (c *customising) stays(p *Point, at geo.Position, stratum, field int) (problem string) {
	if c.plan.Staged == nil {
		return ""
	}
	if !c.frame.Fields[field].Contains(at) {
		return fmt.Sprintf("%s must stay in the field that was drawn; swap it with a reserve, or delete it.", p.ID)
	}
	p.Zone, p.Field = stratum, field
	return ""
}

// drawnStatement states in a sentence what a plan in two stages represents.
func (plan Plan) drawnStatement() string {
	s := plan.Staged
	visited, can := s.DrawnFields(), 0
	for _, f := range s.Fields {
		if !f.LeftOut {
			can++
		}
	}
	return fmt.Sprintf("%d of %d fields were drawn, in %d draws with chances in proportion to their areas: they speak for the other %d as well, which are not visited.",
		visited, can, s.Draws, can-visited)
}
