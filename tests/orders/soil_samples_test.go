package orders

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/identity"
	"tilth/adapters/permission"
	"tilth/app"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/stratification/labtable"
	soilplan "tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/ports"
	"tilth/tests/realdata"
	"tilth/tests/rig"
)

// voorst is what was published about the samples of Voorst (Brus, "Spatial Sampling with R"), in g/kg.
type voorst struct {
	Published struct {
		Sizes map[string]int `json:"N_h"`
		Table struct {
			N         map[string]int             `json:"n_h"`
			Means     map[string]float64         `json:"sample_means"`
			Variances map[string]float64         `json:"sample_variances"`
			MeanOf    struct{ Value float64 }    `json:"mean"`
			SEOf      struct{ Value float64 }    `json:"standard_error"`
			CI        struct{ Value [2]float64 } `json:"ci95_df_n_minus_H"`
		} `json:"stratified_estimate_from_table"`
	} `json:"published"`
}

var voorstStrata = []string{"BA", "EA", "PA", "RA", "XF"}

func readVoorst(t *testing.T) (v voorst) {
	t.Helper()
	content, err := os.ReadFile(realdata.Path(t, "stratification", "voorst-expected.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &v))
	return v
}

// saved stores a saved plan on a map of five strips that are as large as the strata of Voorst.
func (w *soilWorld) saved(e soilEstate, v voorst) soilplan.SamplePlan {
	w.t.Helper()
	order, err := w.place(e)
	require.NoError(w.t, err)
	ids := identity.Random{}
	of := zoning.Map{OrderID: order.ID, AOI: order.AOI, CreatedAt: w.clock.Now()}
	of.Candidate.MapUUID = ids.UUID()
	params := soilplan.DefaultParams()
	plan := soilplan.Plan{PlanUUID: ids.UUID(), Params: params, ProbabilitySample: true}
	for h, name := range voorstStrata {
		west := 6 + float64(h)/100
		strip := geo.MultiPolygon{{{{X: west, Y: 52}, {X: west + 0.01, Y: 52}, {X: west + 0.01, Y: 52.1}, {X: west, Y: 52.1}, {X: west, Y: 52}}}}
		of.Candidate.Zones = append(of.Candidate.Zones, zoning.Zone{
			Number: h + 1, AreaHa: float64(v.Published.Sizes[name]) * 0.0625, Geometry: strip, Outline: strip,
		})
		n := v.Published.Table.N[name]
		plan.PerZone = append(plan.PerZone, soilplan.ZonePlan{Zone: h + 1, Samples: n})
		for i := range n + 1 {
			p := soilplan.Point{
				ID: fmt.Sprintf("Z%d-%02d", h+1, i+1), Zone: h + 1, Role: soilplan.RoleSample,
				LonLat: &geo.Position{X: west + 0.005, Y: 52.01 + float64(i)/1000},
			}
			if i == n {
				p.ID, p.Role = fmt.Sprintf("Z%d-R01", h+1), soilplan.RoleReserve
			}
			plan.Points = append(plan.Points, p)
		}
		plan.Samples += n
	}
	record := soilplan.SamplePlan{OrderID: order.ID, AOI: order.AOI, Plan: plan, CreatedAt: w.clock.Now()}
	require.NoError(w.t, w.db.Write(w.t.Context(), func(ctx context.Context, tx ports.Repos) error {
		if err := tx.StratificationMaps.Put(ctx, e.scope, []*zoning.Map{&of}); err != nil {
			return err
		}
		record.Map = of
		return tx.SamplePlans.Put(ctx, e.scope, &record)
	}))
	return record
}

func (w *soilWorld) save(e soilEstate, plan soilplan.SamplePlan) {
	w.t.Helper()
	plan.Saved = &zoning.Saving{Name: "n", Tag: "t", At: w.clock.Now(), By: e.who.UserID}
	require.NoError(w.t, w.db.Write(w.t.Context(), func(ctx context.Context, tx ports.Repos) error {
		return tx.SamplePlans.Save(ctx, e.scope, plan)
	}))
}

func (w *soilWorld) sampling() *soil.Samples {
	door := app.NewGate(permission.New(w.db), w.db, w.clock)
	deps := app.Deps{Store: w.db, Gate: door, Clock: w.clock, IDs: identity.Random{}}
	return &soil.Samples{Deps: deps, Records: soil.NewSampleRecords(deps)}
}

func (w *soilWorld) samples(s *soil.Samples, who access.Principal, filters ...ports.Filter) (out []sample.Sample) {
	w.t.Helper()
	found, err := s.List(w.t.Context(), who, false, ports.Query{Filters: filters})
	require.NoError(w.t, err)
	for sample, err := range found.Each {
		require.NoError(w.t, err)
		out = append(out, sample)
	}
	require.EqualValues(w.t, len(out), found.Count)
	return out
}

// spread returns the i-th of n values with a mean and a variance.
func spread(i, n int, mean, variance float64) float64 {
	centre := float64(n-1) / 2
	sd := math.Sqrt(float64(n) * (float64(n)*float64(n) - 1) / 12 / float64(n-1)) // of 0 to n-1
	return mean + (float64(i)-centre)/sd*math.Sqrt(variance)
}

// results returns an import row for every sample, with the values of Voorst in per cent.
func (v voorst) results(samples []sample.Sample, more float64) (table labtable.Table) {
	at := map[int]int{}
	for _, s := range samples {
		if s.Role == soilplan.RoleReserve {
			continue
		}
		name, i := voorstStrata[s.Zone-1], at[s.Zone]
		at[s.Zone]++
		soc := spread(i, v.Published.Table.N[name], v.Published.Table.Means[name], v.Published.Table.Variances[name])/10 + more
		density := 1.25
		table.Rows = append(table.Rows, labtable.Row{Label: s.Label, Instead: -1, Says: labtable.Says{SOCPct: &soc, BulkDensity: &density, CollectedBy: "Crew"}})
	}
	return table
}

// From a saved plan to the estimate that was published for Voorst, through the use cases, and
// the change to a second round at the same points.
func TestEstimateOfVoorst(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		v, ctx := readVoorst(t), t.Context()
		w := newSoilWorld(t, database)
		e, stranger := w.estate(10_000_00), w.estate(0)
		s := w.sampling()
		plan := w.saved(e, v)
		day := begin.Truncate(24 * time.Hour)
		req := soil.SampleRequest{Plan: plan.Plan.PlanUUID, Depths: []sample.Depth{sample.DepthOf(0, 30)}, Round: 1}
		_, err := s.Plan(ctx, e.who, req)
		require.True(t, fault.Is(err, fault.Conflict), "a candidate has no samples: %v", err)
		w.save(e, plan)
		_, err = s.Plan(ctx, stranger.who, req)
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		for i, want := range []soil.PlannedSamples{
			{PlanUUID: req.Plan, Round: 1, Created: 45}, {PlanUUID: req.Plan, Round: 1, Existing: 45}, {PlanUUID: req.Plan, Round: 1, Existing: 45, Day: &day},
		} {
			req.Day = want.Day
			made, err := s.Plan(ctx, e.who, req)
			require.NoError(t, err)
			require.Equal(t, want, made, "call %d", i)
		}
		ask := soil.EstimateRequest{Plan: req.Plan, Round: 1, Confidence: 0.95}
		_, err = s.Estimate(ctx, e.who, ask)
		require.True(t, fault.Is(err, fault.Conflict), "nothing is analysed: %v", err)

		all := w.samples(s, e.who)
		rows := v.results(all, 0)
		judged, err := s.Import(ctx, e.who, soil.SampleImportOptions{Preview: true}, func() (labtable.Table, error) { return rows, nil })
		require.NoError(t, err)
		require.Len(t, judged.Rows, 40)
		require.Contains(t, judged.Rows[0].Remarks[0], "the day of round 1, 2026-03-01")
		require.Equal(t, all, w.samples(s, e.who), "a preview stores nothing")
		judged, err = s.Import(ctx, e.who, soil.SampleImportOptions{Atomic: true}, func() (labtable.Table, error) { return rows, nil })
		require.NoError(t, err)
		require.Equal(t, soil.SampleUpdate, judged.Rows[39].Verdict, "%v", judged.Rows[39].Errors)
		require.Equal(t, sample.StatusAnalysed, judged.Rows[39].Status)
		got, err := s.Estimate(ctx, e.who, ask)
		require.NoError(t, err)
		soc := got.Report.SOC
		require.Empty(t, soc.Reasons)
		require.InDelta(t, v.Published.Table.MeanOf.Value, 10*soc.Mean.Mean, 0.02)
		require.InDelta(t, v.Published.Table.SEOf.Value, 10*soc.Mean.Spread.SE, 0.05)
		require.InDelta(t, 17.64, soc.Mean.Spread.DF, 0.01)
		published := 10 * soc.Mean.Spread.SE * 2.03011 // Student's quantile of n-H = 35; that of 17.64 is 2.10401
		require.InDelta(t, v.Published.Table.CI.Value[0], 10*soc.Mean.Mean-published, 0.02)
		require.InDelta(t, v.Published.Table.CI.Value[1], 10*soc.Mean.Mean+published, 0.02)
		require.InDelta(t, 2.10401, (soc.Mean.Spread.High-soc.Mean.Mean)/soc.Mean.Spread.SE, 1e-3)
		require.InDelta(t, soc.Mean.Mean*1.25*30, got.Report.Stock.Mean.Mean, 1e-9, "t C/ha")
		require.Nil(t, got.Report.Equivalent, "one depth interval does not allow it")

		// A second round at the same points, 0.5 % more everywhere: no uncertainty is left.
		req.Round = 2
		_, err = s.Plan(ctx, e.who, req)
		require.NoError(t, err)
		_, err = s.Import(ctx, e.who, soil.SampleImportOptions{Atomic: true}, func() (labtable.Table, error) {
			return v.results(w.samples(s, e.who, ports.Filter{Name: "round", Value: int64(2)}), 0.5), nil
		})
		require.NoError(t, err)
		ask.Round, ask.Compare, ask.CompareRound = 2, req.Plan, 1
		got, err = s.Estimate(ctx, e.who, ask)
		require.NoError(t, err)
		require.InDelta(t, 0.5, got.Change.SOC.Mean.Mean, 1e-9)
		require.InDelta(t, 0, got.Change.SOC.Mean.Spread.SE, 1e-9)
		require.True(t, got.Change.SOC.Zones[0].Paired)
		require.InDelta(t, 0.5*1.25*30, got.Change.Stock.Mean.Mean, 1e-9)

		// Others see none of it, and it is hidden with the area of interest.
		require.Empty(t, w.samples(s, stranger.who))
		_, err = s.Retrieve(ctx, stranger.who, false, all[0].ID)
		require.True(t, fault.Is(err, fault.NotFound))
		_, err = s.Estimate(ctx, stranger.who, ask)
		require.True(t, fault.Is(err, fault.NotFound))
		judged, err = s.Import(ctx, stranger.who, soil.SampleImportOptions{}, func() (labtable.Table, error) { return rows, nil })
		require.True(t, fault.Is(err, fault.Invalid), "no row is theirs: %v", err)
		require.Equal(t, soil.SampleFail, judged.Rows[0].Verdict)
		require.NoError(t, w.aois.Delete(ctx, e.who, e.aoi.ID))
		require.Empty(t, w.samples(s, e.who))
	})
}
