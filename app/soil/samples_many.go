package soil

import (
	"cmp"
	"context"

	"tilth/app"
	"tilth/app/external"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// sameSample finds the samples that items stand for: those with their external ids, or else those at their places that have
// none, which were left when a plan's samples were made.
func sameSample(ctx context.Context, tx ports.Repos, scope access.Scope, wanted []*sample.Sample) (map[string][]int64, error) {
	held, err := tx.SoilSamples.ByExternalID(ctx, scope, external.Distinct(wanted, external.Key[sample.Sample]))
	if err != nil {
		return nil, err
	}
	rounds := map[samplingRound]map[samplePlace]sample.Sample{}
	for _, w := range wanted {
		if w == nil || w.ExternalID == "" || len(held[w.ExternalID]) > 0 || w.PlanID == 0 {
			continue
		}
		there, err := atPlaces(ctx, tx, scope, rounds, w)
		if err != nil {
			return nil, err
		}
		if found, ok := there[samplePlace{w.Point, w.Depth}]; ok && found.ExternalID == "" {
			held[w.ExternalID] = []int64{found.ID}
		}
	}
	return held, nil
}

// samplingRound is one sampling of a plan.
type samplingRound struct{ plan, number int64 }

// atPlaces returns the samples of the round of a sample by their places, reading each round once.
func atPlaces(ctx context.Context, tx ports.Repos, scope access.Scope, read map[samplingRound]map[samplePlace]sample.Sample, of *sample.Sample) (map[samplePlace]sample.Sample, error) {
	round := samplingRound{of.PlanID, of.Round}
	if there, ok := read[round]; ok {
		return there, nil
	}
	all, err := tx.SoilSamples.OfPlan(ctx, scope, of.PlanID, of.Round)
	read[round] = map[samplePlace]sample.Sample{}
	for _, s := range all {
		read[round][samplePlace{s.Point, s.Depth}] = s
	}
	return read[round], err
}

// CreateMany makes samples at points of saved plans, all or none. Each wanted one names its plan by uuid, its point, depth
// and round. Faults: Invalid, Conflict (duplicate_external_id).
func (s *Samples) CreateMany(ctx context.Context, who access.Principal, wanted []farmapp.Wanted[sample.Sample], bulk bool) ([]sample.Sample, error) {
	if err := s.place(ctx, who, wanted, false); err != nil {
		return nil, err
	}
	drafts := make([]farmapp.Draft[sample.Sample], len(wanted))
	for i, w := range wanted {
		drafts[i] = w.New
	}
	return s.Records.Create(ctx, who, drafts, bulk)
}

// Upsert makes samples as CreateMany does, and changes existing ones: those with the same external ids, or without one
// at the same places. All or none. Faults: those of CreateMany.
func (s *Samples) Upsert(ctx context.Context, who access.Principal, wanted []farmapp.Wanted[sample.Sample], bulk bool) (farmapp.Written[sample.Sample], error) {
	if err := s.place(ctx, who, wanted, true); err != nil {
		return farmapp.Written[sample.Sample]{}, err
	}
	for i := range wanted {
		wanted[i].Over = s.completed(who, wanted[i].Over)
	}
	return s.Records.Upsert(ctx, who, wanted, bulk)
}

// UpdateMany changes samples, all or none, as Update changes one. The ids are distinct.
// Faults: NotFound, with the ids in details; Invalid; Conflict (duplicate_external_id).
func (s *Samples) UpdateMany(ctx context.Context, who access.Principal, ids []int64, wanted []farmapp.Wanted[sample.Sample]) (farmapp.Written[sample.Sample], error) {
	for i := range wanted {
		wanted[i].Over = s.completed(who, wanted[i].Over)
	}
	return s.Records.UpdateMany(ctx, who, ids, wanted)
}

// placeFree refuses to restore a sample if another has its label or its place by now: a plan's samples may be made again.
// Faults: Conflict (sample_replaced).
func placeFree(ctx context.Context, tx ports.Repos, scope access.Scope, back *sample.Sample) error {
	labelled, err := tx.SoilSamples.ByLabels(ctx, scope, []string{back.Label})
	if err != nil {
		return err
	}
	there, err := tx.SoilSamples.OfPlan(ctx, scope, back.PlanID, back.Round)
	if err != nil {
		return err
	}
	by, taken := labelled[back.Label]
	for _, s := range there {
		if (samplePlace{s.Point, s.Depth}) == (samplePlace{back.Point, back.Depth}) {
			by, taken = s, true
		}
	}
	if !taken {
		return nil
	}
	return fault.Newf(fault.Conflict, "sample_replaced", "The sample %d has taken its place or its label. Fix: delete that one first, or keep it.", by.ID).With("id", by.ID)
}

// place puts new samples at the points that they name, and adds what is wrong with that.
func (s *Samples) place(ctx context.Context, who access.Principal, wanted []farmapp.Wanted[sample.Sample], upsert bool) error {
	_, err := app.Read(ctx, s.Deps, who, access.Samples.Create, func(ctx context.Context, tx ports.Repos) (struct{}, error) {
		plans, rounds := map[string]plan.SamplePlan{}, map[samplingRound]map[samplePlace]sample.Sample{}
		for i := range wanted {
			draft := &wanted[i].New
			if draft.Unread {
				continue
			}
			if err := findPlan(ctx, tx, who.Scope(false), plans, draft); err != nil {
				return struct{}{}, err
			}
			if of, ok := plans[draft.Record.PlanUUID]; !ok || !s.placeOne(who, of, draft) {
				draft.Record.Label, draft.Record.Status = cmp.Or(draft.Record.Label, "none"), cmp.Or(draft.Record.Status, sample.StatusPlanned) // the point determines these
				continue
			}
			there, err := atPlaces(ctx, tx, who.Scope(false), rounds, &draft.Record)
			if err != nil {
				return struct{}{}, err
			}
			if found, ok := there[samplePlace{draft.Record.Point, draft.Record.Depth}]; ok && (!upsert || found.ExternalID != "") {
				draft.Errors.Addf("point", "The sample %d already has this point, depth and round.", found.ID)
			}
		}
		return struct{}{}, nil
	})
	return err
}

// findPlan reads the plan that a new sample names, once, and adds what is wrong with it.
func findPlan(ctx context.Context, tx ports.Repos, scope access.Scope, plans map[string]plan.SamplePlan, draft *farmapp.Draft[sample.Sample]) error {
	uuid := draft.Record.PlanUUID
	if uuid == "" {
		draft.Errors.Add("plan", "This is required for a sample that does not exist yet.")
		return nil
	}
	if _, known := plans[uuid]; !known {
		found, err := tx.SamplePlans.ByUUID(ctx, scope, uuid, true)
		if fault.Is(err, fault.NotFound) {
			draft.Errors.Add("plan", "No plan of your company has this uuid.")
			return nil
		}
		if err != nil {
			return err
		}
		plans[uuid] = found
	}
	if plans[uuid].Saved == nil {
		draft.Errors.Add("plan", "Save the plan first: samples are taken at the points of plans that no longer change.")
	}
	return nil
}

// placeOne fills in what a new sample gets from its point, and reports whether there is such a point.
func (s *Samples) placeOne(who access.Principal, of plan.SamplePlan, draft *farmapp.Draft[sample.Sample]) bool {
	r := &draft.Record
	wrong := sample.CheckDepths([]sample.Depth{r.Depth})
	for _, message := range fault.Messages(wrong["depths"]) {
		draft.Errors.Add("depth_to_cm", message)
	}
	if r.Round < 1 || r.Round > sample.MaxRound {
		draft.Errors.Addf("round", "A whole number from 1 to %d.", sample.MaxRound)
	}
	at, ok := sample.AtPoint(of, r.Point, r.Depth, r.Round)
	if !ok {
		draft.Errors.Addf("point", "The plan has no point %q with a place.", r.Point)
		return false
	}
	if at.ExternalID, at.Source = r.ExternalID, r.Source; r.Label != "" {
		at.Label = r.Label
	}
	if r.Composite != "" {
		at.Composite = r.Composite
	}
	if r.Status != "" {
		at.Status = r.Status
	}
	at.Collected, at.Lab, at.Notes = r.Collected, r.Lab, r.Notes
	draft.Record = *at
	s.complete(who, sample.Sample{Status: sample.StatusPlanned}, &draft.Record)
	pooledAlone(sample.Sample{}, draft)
	return len(wrong) == 0
}
