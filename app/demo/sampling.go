package demo

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"tilth/app/soil"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/seed"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// sampled is the field that is divided into zones and sampled.
const sampled = "Border field"

// roundName is the name of the sampling round.
const roundName = "Autumn 2025"

// sampling divides a field into zones, plans a round of samples, and enters the laboratory's results.
func (f *furnishing) sampling(ctx context.Context) error {
	field, ok := f.field(sampled)
	if !ok {
		return nil
	}
	area, there, err := ensure(ctx, f.Loader, f.owner, f.areasKept(), stratification.AOI{
		Name: sampled, Description: note, Fields: []stratification.AOIField{{UUID: field.UUID}}, External: keyOf("area"),
	})
	if err != nil || !there {
		return err
	}
	saved, err := f.planOf(ctx, area)
	if err != nil {
		return err
	}
	depths := []sample.Depth{sample.DepthOf(0, 30)}
	day := f.plan.To.AddDate(0, 0, 12)
	if _, err := f.Samples.Plan(ctx, f.owner, soil.SampleRequest{Plan: saved, Depths: depths, Round: 1, Day: &day}); err != nil {
		return err
	}
	return f.results(ctx, saved, day)
}

// planOf returns the uuid of a saved plan of an area. If there is none, it makes one, with its zones.
func (f *furnishing) planOf(ctx context.Context, area stratification.AOI) (string, error) {
	have, err := f.Plans.Saved(ctx, f.owner, false, ports.Query{Filters: []ports.Filter{{Name: "aoi", Value: area.ID}}}, false)
	if err != nil {
		return "", err
	}
	for one, err := range have.Each {
		return one.Plan.PlanUUID, err
	}
	order, err := f.zonesOf(ctx, area)
	if err != nil {
		return "", err
	}
	made, err := f.ZoneMaps.Generate(ctx, f.owner, soil.MapRequest{OrderID: order, Params: zoning.DefaultParams(), Seed: seed.Of(1)})
	if err != nil {
		return "", err
	}
	if err := await(ctx, func(ctx context.Context) (bool, error) {
		made, err = f.ZoneMaps.Job(ctx, f.owner, made.ID)
		return !made.Open(), err
	}); err != nil {
		return "", err
	}
	best := slices.IndexFunc(made.Candidates, func(m zoning.Map) bool { return m.Candidate.Recommended })
	if best < 0 {
		return "", fault.Newf(fault.Conflict, "no_zones", "No number of zones is recommended: %s", made.Reason)
	}
	zones := made.Candidates[best].Candidate.MapUUID
	if _, err := f.ZoneMaps.Save(ctx, f.owner, zones, soil.SaveAs{Name: sampled, External: keyOf("zones")}); err != nil {
		return "", err
	}
	planned, err := f.Plans.Generate(ctx, f.owner, soil.PlanRequest{MapUUID: zones, Params: plan.DefaultParams(), Seed: seed.Of(1)})
	if err != nil {
		return "", err
	}
	_, err = f.Plans.Save(ctx, f.owner, planned.Plan.PlanUUID, soil.SaveAs{Name: roundName, External: keyOf("plan")})
	return planned.Plan.PlanUUID, err
}

// zonesOf returns the order of an area's layers once it is done. If there is none, it places one.
func (f *furnishing) zonesOf(ctx context.Context, area stratification.AOI) (int64, error) {
	have, err := f.Zones.List(ctx, f.owner, ports.Query{Filters: []ports.Filter{{Name: "aoi", Value: area.ID}}})
	if err != nil {
		return 0, err
	}
	var order stratification.OrderState
	for one, err := range have.Each {
		if err != nil {
			return 0, err
		}
		order = one // the newest is the last
	}
	if order.ID == 0 {
		if order, err = f.Zones.Place(ctx, f.owner, soil.OrderRequest{AOIID: area.ID, External: keyOf("layers")}); err != nil {
			return 0, err
		}
	}
	err = await(ctx, func(ctx context.Context) (bool, error) {
		order, err = f.Zones.Retrieve(ctx, f.owner, order.ID)
		if err == nil && order.Status == stratification.OrderFailed {
			err = fault.New(fault.Conflict, "order_failed", order.Reason)
		}
		return order.Status == stratification.OrderActive, err
	})
	return order.ID, err
}

// results enters a laboratory's results for the samples of a plan, unless somebody has begun to record them.
func (f *furnishing) results(ctx context.Context, saved string, day time.Time) error {
	all, err := f.Samples.List(ctx, f.owner, false, ports.Query{Filters: []ports.Filter{{Name: "plan_uuid", Value: saved}}})
	if err != nil {
		return err
	}
	var found labtable.Table
	for s, err := range all.Each {
		switch {
		case err != nil:
			return err
		case s.Status != sample.StatusPlanned:
			return nil
		case s.Role == plan.RoleSample:
			found.Rows = append(found.Rows, resultOf(s, day))
		}
	}
	if len(found.Rows) == 0 {
		return nil
	}
	judged, err := f.Samples.Import(ctx, f.owner, soil.SampleImportOptions{Atomic: true}, func() (labtable.Table, error) { return found, nil })
	if err != nil {
		return err
	}
	for _, row := range judged.Rows {
		if row.Verdict == soil.SampleFail {
			return row.Errors.Err()
		}
	}
	return nil
}

// resultOf invents the laboratory's results for a sample: more carbon from zone to zone, and a scatter derived from its point.
func resultOf(s sample.Sample, day time.Time) labtable.Row {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(s.Point))
	scatter := float64(hash.Sum32()%1000)/1000 - 0.5
	hundredths := func(v float64) *float64 { return new(math.Round(100*v) / 100) }
	taken := day.Add(9 * time.Hour)
	return labtable.Row{Label: s.Label, Instead: -1, Says: labtable.Says{
		Taken: true, At: new(s.Planned), CollectedAt: &taken, CollectedBy: "Demo crew",
		SOCPct: hundredths(0.95 + 0.22*float64(s.Zone) + 0.3*scatter), BulkDensity: hundredths(1.42 - 0.03*float64(s.Zone) - 0.06*scatter),
		Method: "invented", Ref: fmt.Sprintf("DEMO-%d", s.ID), AnalysedAt: new(day.AddDate(0, 0, 14)),
	}}
}
