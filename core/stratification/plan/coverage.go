package plan

import (
	"fmt"
	"math"

	"tilth/core/stratification/frame"
)

// Covered is the land that the points of a plan may lie on: what its sample speaks for by the design.
// Estimates take the rest to be like the covered part of its zone.
type Covered struct {
	Ha float64 // by cells whose centre keeps the distances
	// StripHa lies nearer to the edge of a zone or field than the offset, and StripShare is its share of
	// the area. Its places cannot be drawn.
	StripHa, StripShare float64
	// ExistingHa, of the rest, lies nearer to an existing point than the distance between points.
	ExistingHa float64
	// Crowding is n π d² over the covered land, of n samples at least d apart in the zone with the most
	// of it: how much the distance rule hinders points. No two places nearer than d are drawn together.
	// Places near the edges of the covered land, with fewer neighbours, are drawn slightly more often:
	// up to 6 % at a crowding of 0.7.
	Crowding float64
}

// covered returns what the points of zones cover at a distance from each other.
func (d *design) covered(found layout) (out Covered, strips []float64) {
	existing := newCrowd(found.apart, d.params.Existing)
	cells := make([]int, len(found.eligible))
	for _, label := range d.zoning.Labels {
		cells[label-1]++
	}
	area := 0.0
	for h, eligible := range found.eligible {
		near := 0
		for _, cell := range eligible {
			if !existing.free(d.centre(int(cell))) {
				near++
			}
		}
		each, strip := out.StripHa/math.Max(float64(len(eligible)), 1), 0.0
		if h < len(d.zoning.Zones) {
			zone := d.zoning.Zones[h]
			each = zone.AreaHa / math.Max(float64(cells[h]), 1)
			strip = float64(cells[h]-len(eligible)) * each
			area += zone.AreaHa
			out.StripHa += strip
		} else {
			out.StripHa = 0 // it is sampled
			clear(strips)
		}
		own := float64(len(eligible)-near) * each
		strips = append(strips, strip)
		out.ExistingHa += float64(near) * each
		out.Ha += own
		if own > 0 {
			taken := float64(found.counts[h]) * math.Pi * found.apart * found.apart / frame.M2PerHectare
			out.Crowding = math.Max(out.Crowding, taken/own)
		}
	}
	if area > 0 {
		out.StripShare = out.StripHa / area
	}
	return out, strips
}

// Statement says what a plan covers, in a sentence; empty where points may lie anywhere, or where that is
// not known.
func (plan Plan) Statement() string {
	c := plan.Covered
	if c.Ha == 0 || c.StripHa+c.ExistingHa == 0 {
		return ""
	}
	text := fmt.Sprintf("The points stand for %.2f ha. The strip within %d m of the edges of zones and fields, %.2f ha or %.0f %% of the area, is not sampled",
		c.Ha, plan.Params.ZoneOffset, c.StripHa, 100*c.StripShare)
	if c.ExistingHa > 0 {
		text += fmt.Sprintf(", nor are %.2f ha near existing points", c.ExistingHa)
	}
	return text + ": estimates take it to be like the rest of its zone."
}
