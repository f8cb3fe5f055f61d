package soil

import (
	"context"
	"time"

	"tilth/app/soil/rounds"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/ports"
)

// CarbonRequest specifies the samples from which a map of soil carbon is made.
type CarbonRequest struct {
	Plan         string   // uuid of a saved plan of the area; empty: that of the newest analysed samples
	Round        int64    // 0: with a plan round 1, without one that of the newest samples
	FromCm, ToCm *float64 // nil: the range that was analysed
	Confidence   *float64 // nil: the default for zones
}

func (r CarbonRequest) check(f fault.Fields) {
	f.AddIf(r.Round < 0 || r.Round > sample.MaxRound, "round", "A whole number from 1 to %d.", sample.MaxRound)
	f.AddIf(r.Round > 0 && r.Plan == "", "round", "Name the plan whose round it is.")
	f.AddIf(r.Confidence != nil && !(*r.Confidence >= 0.5 && *r.Confidence <= 0.999), "confidence", "A number from 0.5 to 0.999.")
}

// settle returns the order of a map: what it is made from, and the grid of its zones. Nothing is held if the
// samples do not suffice. Faults: Invalid (plan, depth_from); Conflict (samples_missing, aoi_changed).
func (r CarbonRequest) settle(ctx context.Context, tx ports.Repos, scope access.Scope, aoi stratification.AOI) (*carbon.Map, frame.Settings, error) {
	var none frame.Settings
	survey, round, err := r.survey(ctx, tx, scope, aoi)
	if err != nil {
		return nil, none, err
	}
	order, err := readyOrder(ctx, tx, scope, round.Plan.OrderID)
	if err != nil {
		return nil, none, err
	}
	_, lacks, err := round.CarbonMap(survey)
	if err == nil && len(lacks) > 0 {
		err = carbon.Missing(survey, lacks)
	}
	return &carbon.Map{Survey: survey, ZonesUUID: round.Plan.Map.Candidate.MapUUID}, order.Grid, err
}

// survey returns what a map is made from, with the round of samples.
func (r CarbonRequest) survey(ctx context.Context, tx ports.Repos, scope access.Scope, aoi stratification.AOI) (carbon.Survey, sample.Round, error) {
	s := carbon.Survey{PlanUUID: r.Plan, Round: max(r.Round, 1), Confidence: zoning.DefaultParams().Confidence}
	if r.Confidence != nil {
		s.Confidence = *r.Confidence
	}
	if r.Plan == "" {
		newest, err := newestAnalysed(ctx, tx, scope, aoi)
		if err != nil {
			return s, sample.Round{}, err
		}
		s.PlanUUID, s.Round = newest.PlanUUID, newest.Round
	}
	round, err := rounds.Read(ctx, tx, scope, s.PlanUUID, s.Round)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return s, round, err
	}
	if err != nil || round.Plan.AOI.ID != aoi.ID || round.Plan.Saved == nil {
		return s, round, fault.Field("plan", "The area of interest has no saved plan of that map_uuid.")
	}
	from, to, some := round.Depths()
	if !some {
		return s, round, carbon.Missing(s, []carbon.Lack{{What: "none is analysed"}})
	}
	s.FromCm, s.ToCm, err = depthsWithin(from, to, r.FromCm, r.ToCm)
	return s, round, err
}

// newestAnalysed returns the analysed sample of an area of interest that was taken last.
func newestAnalysed(ctx context.Context, tx ports.Repos, scope access.Scope, aoi stratification.AOI) (sample.Sample, error) {
	var newest sample.Sample
	at := time.Time{}
	q := ports.Query{Filters: []ports.Filter{{Name: "aoi", Value: aoi.ID}, {Name: "status", Value: string(sample.StatusAnalysed)}}}
	for s, err := range tx.SoilSamples.Each(ctx, scope, q) {
		if err != nil {
			return newest, err
		}
		if taken := s.Collected.At; taken.After(at) || taken.Equal(at) && s.Round > newest.Round {
			newest, at = s, taken
		}
	}
	if newest.ID == 0 {
		return newest, carbon.Missing(carbon.Survey{Round: 1}, []carbon.Lack{{What: "no sample of a saved plan of the area is analysed"}})
	}
	return newest, nil
}

// mapCarbon makes the map of an order from the samples as they are now.
func mapCarbon(ctx context.Context, tx ports.Repos, scope access.Scope, order stratification.OrderState) (carbon.Map, error) {
	s := order.Carbon.Survey
	round, err := rounds.Read(ctx, tx, scope, s.PlanUUID, s.Round)
	if err != nil {
		return carbon.Map{}, err
	}
	made, lacks, err := round.CarbonMap(s)
	if err == nil && len(lacks) > 0 {
		missing := carbon.Missing(s, lacks)
		missing.Kind = fault.Invalid // a fault of the order: a retry does not help
		return made, missing
	}
	return made, err
}
