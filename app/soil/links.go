package soil

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification/link"
	soilplan "tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// Links holds the use cases of the signed links on labels and field sheets.
type Links struct{ app.Deps }

// The actions of the audit trail for the links of a plan.
const (
	issueLink  audit.Action = "issue_link"
	revokeLink audit.Action = "revoke_link"
)

// printing is a link with the samples that are printed with it.
type printing struct {
	link    link.Link
	samples []sample.Sample // of the round
}

// print returns a link of a plan. Printing the same twice on one day yields one link. Faults: NotFound; Invalid (round); Conflict
// (no_samples) for labels of a round without samples.
//
// A field sheet shows what follows from its plan; labels are records of samples, and need the permission to see those too.
func (l *Links) print(ctx context.Context, who access.Principal, planUUID string, kind link.Kind, round int64) (printing, error) {
	needs := []access.Permission{access.SamplePlans.View}
	if kind == link.Label {
		needs = append(needs, access.Samples.View)
	}
	if err := l.Gate.Require(ctx, who, needs...); err != nil {
		return printing{}, err
	}
	scope, now := who.Scope(false), l.Clock.Now()
	return app.In(ctx, l.Store.Write, func(ctx context.Context, tx ports.Repos) (out printing, err error) {
		plan, err := tx.SamplePlans.ByUUIDForUpdate(ctx, scope, planUUID) // so that two concurrent printings share one link, too
		if err != nil {
			return out, err
		}
		if out.samples, err = samplesOf(ctx, tx, scope, plan.ID, round, kind == link.Label); err != nil {
			return out, err
		}
		made := link.New(kind, plan.ID, round, l.IDs.Secret(), now)
		made.CreatedBy = &record.Ref{ID: who.UserID, Name: who.Name}
		if out.link, err = tx.PlanLinks.Latest(ctx, scope, made); err == nil && out.link.Today(now) || err != nil && !fault.Is(err, fault.NotFound) {
			return out, err
		}
		out.link = made
		if err := tx.PlanLinks.Insert(ctx, scope, &out.link); err != nil {
			return out, err
		}
		return out, tx.Audit.Add(ctx, audit.By(who, now).Of(issueLink, access.SamplePlans.Name, plan.ID, audit.Diff(nil, &out.link)))
	})
}

// planned returns the samples of a plan in a round. Faults: NotFound; Invalid (round); Conflict (no_samples).
func (l *Links) planned(ctx context.Context, who access.Principal, planUUID string, round int64) ([]sample.Sample, error) {
	if err := l.Gate.Require(ctx, who, access.Samples.View); err != nil {
		return nil, err
	}
	return app.Read(ctx, l.Deps, who, access.SamplePlans.View, func(ctx context.Context, tx ports.Repos) ([]sample.Sample, error) {
		plan, err := tx.SamplePlans.ByUUID(ctx, who.Scope(false), planUUID, false)
		if err != nil {
			return nil, err
		}
		return samplesOf(ctx, tx, who.Scope(false), plan.ID, round, true)
	})
}

// samplesOf returns the samples of a plan in a round. Faults: Invalid (round); Conflict (no_samples) where they are needed.
func samplesOf(ctx context.Context, tx ports.Repos, scope access.Scope, planID, round int64, needed bool) ([]sample.Sample, error) {
	if round < 1 || round > sample.MaxRound {
		return nil, fault.Field("round", fmt.Sprintf("A whole number from 1 to %d.", sample.MaxRound))
	}
	out, err := tx.SoilSamples.OfPlan(ctx, scope, planID, round)
	if err == nil && needed && len(out) == 0 {
		err = fault.Newf(fault.Conflict, "no_samples", "The plan has no samples in round %d, and labels and packages are those of samples. "+
			"Fix: save the plan, and make its samples for the depths that are taken.", round)
	}
	return out, err
}

// List returns the links of the caller's company, including revoked and expired ones.
func (l *Links) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[link.Link], error) {
	return app.ReadList(ctx, l.Deps, app.Ask{Who: who, Need: access.SamplePlans.View}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return tx.PlanLinks.Count(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.Query) iter.Seq2[link.Link, error] {
			return tx.PlanLinks.Each(ctx, scope, q)
		})
}

// Revoke ends a link for good: the codes of that printing no longer open anything. Faults: NotFound.
func (l *Links) Revoke(ctx context.Context, who access.Principal, id int64) error {
	scope, now := who.Scope(false), l.Clock.Now()
	return app.Do(ctx, l.Deps, who, access.SamplePlans.Edit, func(ctx context.Context, tx ports.Repos) error {
		found, err := tx.PlanLinks.Get(ctx, scope, id)
		if err != nil {
			return err
		}
		if err := tx.PlanLinks.Revoke(ctx, scope, id, now); err != nil {
			return err
		}
		return tx.Audit.Add(ctx, audit.By(who, now).Of(revokeLink, access.SamplePlans.Name, found.PlanID, audit.Diff(&found, nil)))
	})
}

// Opened is what the holder of a printed code sees.
type Opened struct {
	Link    link.Link
	Plan    soilplan.SamplePlan // in full
	Fields  []string            // names of the fields, in the order in which the points refer to them
	Samples []sample.Sample     // one for a label; those of the round for a field sheet
}

// Open returns what a token opens; no password is asked for. A token that is unknown, forged, revoked or expired is not
// found, and neither is that of a sample or plan that is gone. Faults: NotFound.
func (l *Links) Open(ctx context.Context, text string) (out Opened, err error) {
	missing := fault.Missing("link")
	token, ok := link.Parse(text)
	if !ok {
		return out, missing
	}
	out.Link, err = app.In(ctx, l.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (link.Link, error) {
		return tx.PlanLinks.ByID(ctx, token.Link)
	})
	if err != nil {
		return Opened{}, err
	}
	if !out.Link.Opens(token, l.Clock.Now()) {
		return Opened{}, missing
	}
	err = l.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error { return out.read(ctx, tx, token) })
	if fault.Is(err, fault.NotFound) {
		err = missing
	}
	return out, err
}

// read reads what a verified token opens.
func (o *Opened) read(ctx context.Context, tx ports.Repos, token link.Token) (err error) {
	scope := access.Own(o.Link.CompanyID)
	if o.Plan, err = tx.SamplePlans.ByUUID(ctx, scope, o.Link.PlanUUID, true); err != nil {
		return err
	}
	if o.Link.Kind == link.Label {
		one, err := tx.SoilSamples.Get(ctx, scope, token.Subject)
		if err != nil {
			return err
		}
		o.Samples = []sample.Sample{one}
	} else if o.Samples, err = tx.SoilSamples.OfPlan(ctx, scope, o.Link.PlanID, o.Link.Round); err != nil {
		return err
	}
	order, err := tx.StratificationOrders.Get(ctx, scope, o.Plan.OrderID)
	if err != nil {
		return err
	}
	fields, err := shownFields(ctx, tx, scope, order)
	for _, f := range fields {
		o.Fields = append(o.Fields, f.Name)
	}
	return err
}

// inWalkingOrder returns the labels of samples in the order in which the crew comes to their points, the uppermost depth
// of a point first. address returns the address in the code of a sample.
func inWalkingOrder(plan soilplan.Plan, samples []sample.Sample, address func(id int64) string) []ports.ShownLabel {
	place := make(map[string]int, len(plan.Points))
	for i, p := range plan.Points {
		place[p.ID] = i
	}
	sorted := slices.Clone(samples)
	slices.SortStableFunc(sorted, func(a, b sample.Sample) int {
		return cmp.Or(cmp.Compare(place[a.Point], place[b.Point]), cmp.Compare(a.Depth.FromMm, b.Depth.FromMm))
	})
	out := make([]ports.ShownLabel, len(sorted))
	for i, s := range sorted {
		out[i] = ports.ShownLabel{Sample: s, Address: address(s.ID)}
	}
	return out
}
