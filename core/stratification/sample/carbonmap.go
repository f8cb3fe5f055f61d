package sample

import (
	"fmt"
	"slices"

	"tilth/core/stratification/carbon"
	"tilth/core/stratification/plan"
)

// CarbonMap returns the map of soil carbon of a survey of the round, or what the round lacks for it: every zone needs two
// points with a stock, and the design of the plan must allow a standard error.
//
// Faults: as Estimate.
func (r Round) CarbonMap(s carbon.Survey) (carbon.Map, []carbon.Lack, error) {
	if r.Plan.Plan.Staged != nil {
		return carbon.Map{}, []carbon.Lack{{What: "the plan is drawn in two stages, where zones are not strata: name a plan by zones"}}, nil
	}
	report, err := r.Estimate(s.FromCm, s.ToCm, plan.Precision{Confidence: s.Confidence})
	if err != nil {
		return carbon.Map{}, nil, err
	}
	if lacks := lacksOf(report); len(lacks) > 0 {
		return carbon.Map{}, lacks, nil
	}
	if len(r.Plan.Plan.PerZone) > len(r.Plan.Map.Candidate.Zones)+edgeStrata(r.Plan.Plan) {
		return carbon.Map{}, []carbon.Lack{{What: "the plan samples fields as strata of their own, for their minimum of points: its zones are not those of the map"}}, nil
	}
	out := carbon.Map{Survey: s, ZonesUUID: r.Plan.Map.Candidate.MapUUID, Edge: r.Plan.Plan.Params.Edge == plan.EdgeStratum}
	stock, soc := report.Stock, report.SOC
	for h, z := range stock.Zones {
		out.Zones = append(out.Zones, carbon.Zone{
			Zone: z.Zone, AreaHa: z.Weight * stock.AreaHa, Points: z.N, SOC: shown(soc.Zones[h].Figure), Stock: shown(z.Figure),
		})
	}
	out.AOI = carbon.Zone{AreaHa: stock.AreaHa, Points: stock.N, SOC: shown(soc.Mean), Stock: shown(stock.Mean)}
	out.Total = shown(stock.Total)
	out.Notes = slices.Concat(report.Notes, stock.Notes)
	for _, u := range report.WithoutStock {
		out.Notes = append(out.Notes, fmt.Sprintf("%s is left out: %s.", u.Point, u.Reason))
	}
	return out, nil, nil
}

func edgeStrata(p plan.Plan) int {
	if p.Params.Edge == plan.EdgeStratum {
		return 1
	}
	return 0
}

// lacksOf returns what a report lacks for a map.
func lacksOf(r Report) (out []carbon.Lack) {
	if r.Stock == nil {
		what := "no point has a bulk density"
		if len(r.WithoutStock) > 0 {
			what = fmt.Sprintf("no point has a stock between %g and %g cm; of %s, %s", r.FromCm, r.ToCm, r.WithoutStock[0].Point, r.WithoutStock[0].Reason)
		}
		return []carbon.Lack{{What: what}}
	}
	for _, z := range r.Stock.Zones {
		if z.Units < plan.MinSamplesPerZone {
			out = append(out, carbon.Lack{Zone: z.Zone, What: fmt.Sprintf("zone %d has a stock between %g and %g cm at %d of the %d points that it needs", z.Zone, r.FromCm, r.ToCm, z.Units, plan.MinSamplesPerZone)})
		}
	}
	if len(out) == 0 && len(r.Stock.Reasons) > 0 { // the design
		out = append(out, carbon.Lack{What: r.Stock.Reasons[0]})
	}
	return out
}

func shown(f *Figure) carbon.Figure {
	return carbon.Figure{Mean: f.Mean, SE: f.Spread.SE, Low: f.Spread.Low, High: f.Spread.High, DF: f.Spread.DF}
}
