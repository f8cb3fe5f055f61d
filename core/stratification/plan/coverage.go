package plan

import (
	"fmt"
	"math"

	"tilth/core/list"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/zoning"
)

// Covered is the land on which the points of a plan may lie, which its sample represents by the design.
// Estimates take the rest to be like the covered part of its zone.
type Covered struct {
	Ha float64 // by cells whose centre keeps the distances
	// StripHa lies nearer to the edge of a zone or field than the offset, and StripShare is its share of
	// the area. Places in it cannot be drawn.
	StripHa, StripShare float64
	// ExistingHa, of the rest, lies nearer to an existing point than the distance between points.
	ExistingHa float64
	// Crowding is n π d² over the covered land, for n samples at least d apart, in the zone where it is
	// largest: how much the distance rule restricts points. No two places nearer than d are drawn together.
	// Places near the edges of the covered land, with fewer neighbours, are drawn slightly more often:
	// up to 6 % at a crowding of 0.7.
	Crowding float64
}

// covered returns the land that the points of a layout cover at their distance, and the hectares of the strip by zone.
func (d *design) covered(found layout) (out Covered, strips []float64) {
	existing := newCrowd(found.apart, d.params.keptOut())
	cells, sampled := make([]int, len(d.zoning.Zones)), make([]int, len(d.zoning.Zones)) // by zone
	for _, label := range d.zoning.Labels {
		cells[label-1]++
	}
	each := list.Map(d.zoning.Zones, func(z zoning.Zone) float64 { return z.AreaHa / math.Max(float64(cells[z.Number-1]), 1) })
	for h, eligible := range found.eligible {
		near, free := make([]int, len(each)), make([]int, len(each))
		for _, cell := range eligible {
			if zone := d.zoning.Labels[cell] - 1; existing.free(d.centre(int(cell))) {
				free[zone]++
			} else {
				near[zone]++
			}
		}
		own := 0.0
		for zone, ha := range each {
			own += float64(float64(free[zone]) * ha)
			out.ExistingHa += float64(float64(near[zone]) * ha)
			sampled[zone] += free[zone] + near[zone]
		}
		out.Ha += own
		if own > 0 {
			taken := float64(found.counts[h]) * math.Pi * found.apart * found.apart / frame.M2PerHectare
			out.Crowding = math.Max(out.Crowding, taken/own)
		}
	}
	area := 0.0
	strips = make([]float64, max(len(found.eligible), len(each)))
	for h, zone := range d.zoning.Zones {
		strips[h] = float64(cells[h]-sampled[h]) * each[h]
		out.StripHa += strips[h]
		area += zone.AreaHa
	}
	if area > 0 {
		out.StripShare = out.StripHa / area
	}
	return out, strips
}

// describe adds to a plan what its points cover, and where room was short.
func (d *design) describe(plan *Plan, found layout) {
	covered, strips := d.covered(found)
	plan.Covered = covered
	if plan.Staged != nil {
		d.describeStages(plan, found, strips)
		return
	}
	for h := range plan.PerZone {
		zone := &plan.PerZone[h]
		zone.StripHa = strips[h]
		zone.Eligible = len(found.eligible[h])
		zone.EligibleHa = d.cellsHa(zone.Eligible)
		if short := found.reserved[h] - zone.Reserves; short > 0 {
			plan.Concerns = append(plan.Concerns, Concern{Code: "few_reserves", Zone: zone.Zone,
				Message: fmt.Sprintf("Zone %d has no room for %d of its %d reserve points.", zone.Zone, short, found.reserved[h])})
		}
	}
}

func (g *ground) cellsHa(cells int) float64 {
	return float64(cells) * g.frame.CellSize * g.frame.CellSize / frame.M2PerHectare
}

// Statement states in a sentence what a plan covers; empty where points may lie anywhere, or where the coverage
// is not known.
func (plan Plan) Statement() string {
	c := plan.Covered
	if c.Ha > 0 && plan.Staged != nil && c.StripHa+c.ExistingHa == 0 {
		return plan.drawnStatement()
	}
	if c.Ha == 0 || c.StripHa+c.ExistingHa == 0 {
		return ""
	}
	text := fmt.Sprintf("The points stand for %.2f ha. The strip within %d m of the edges of %s, %.2f ha or %.0f %% of the area, is not sampled",
		c.Ha, plan.Params.ZoneOffset, plan.Params.edges(), c.StripHa, 100*c.StripShare)
	if c.ExistingHa > 0 {
		text += fmt.Sprintf(", nor are %.2f ha near existing points", c.ExistingHa)
	}
	if plan.Staged != nil {
		return text + ": estimates take it to be like the rest of its field. " + plan.drawnStatement()
	}
	return text + ": estimates take it to be like the rest of its zone."
}
