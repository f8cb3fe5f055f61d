package plan

import (
	"tilth/core/fault"
	"tilth/core/stratification/internal/stats"
)

// Costs are those of a round of sampling, in any currency.
type Costs struct {
	PerPoint     float64 // of taking the soil at a point
	PerComposite float64 // of analysing one composite, or the soil of one point where points are not pooled
	PerKm        float64 // of the way along the points
	PerField     float64 `json:",omitzero"` // of a field that is visited
	Composites   int     // of a point, such as one for each depth; 0 counts as 1
	Budget       float64 // sets the number of samples; 0: does not
}

// check refuses choices out of range; fixed: something else sets the number of samples.
func (c Costs) check(fixed bool) fault.Fields {
	fields := fault.Fields{}
	for name, v := range map[string]float64{"per_point": c.PerPoint, "per_composite": c.PerComposite, "per_km": c.PerKm, "per_field": c.PerField, "budget": c.Budget} {
		fields.AddIf(!(v >= 0) || !stats.Finite(v), name, "It must be a number of 0 or more.")
	}
	fields.AddIf(c.Composites < 0 || c.Composites > 100, "composites_per_point", "It must be a whole number from 1 to 100.")
	fields.AddIf(c.Budget > 0 && c.PerPoint+c.PerComposite <= 0, "budget", "A budget needs per_point or per_composite over 0.")
	fields.AddIf(c.Budget > 0 && fixed, "budget", "Send a budget or a number of samples (or per_zone, ha_per_sample), not both.")
	return fields
}

// each returns the cost of a sample that is analysed, without the way to it.
func (c Costs) each() float64 { return c.PerPoint + c.analysis() }

func (c Costs) analysis() float64 { return float64(float64(max(c.Composites, 1)) * c.PerComposite) }

// of returns the cost of samples in a number of fields along a way, with a number of analyses.
func (c Costs) of(samples, analyses int, fields, km float64) float64 {
	return float64(float64(samples)*c.PerPoint) + float64(float64(analyses)*c.analysis()) + float64(fields*c.PerField) + float64(km*c.PerKm)
}
