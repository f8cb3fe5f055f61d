package soil

import (
	"context"
	"io"
	"iter"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/stratification/generated"
	"tilth/core/stratification/seed"
	"tilth/ports"
)

// Generated holds the use cases that list what was generated from an order, saved or not.
type Generated struct {
	app.Deps
	Files ports.StratificationFiles
}

// WithSeed adds what is wrong with the choice of a seed to what is wrong with the parameters.
func WithSeed(problems error, choice seed.Choice) error {
	f := choice.Check()
	known, ok := fault.As(problems)
	if problems != nil && !ok || len(f) == 0 {
		return problems
	}
	if ok {
		f.Merge(known.Fields)
	}
	return f.Err()
}

// recordGenerated writes a record to the trail of its order.
func recordGenerated(ctx context.Context, tx ports.Repos, by audit.Entry, orderID int64, r generated.Record) error {
	return tx.Audit.Add(ctx, by.Of(generated.Action, access.StratificationOrders.Name, orderID, r.Changes()))
}

// List returns every call for maps and every plan of an order, newest first. Faults: NotFound (the order).
func (g *Generated) List(ctx context.Context, who access.Principal, orderID int64, q ports.AuditQuery) (app.List[generated.Entry], error) {
	need := access.SamplePlans.View.For("generated")
	if err := g.Gate.Require(ctx, who, access.StratificationMaps.View.PartOf(need)); err != nil {
		return app.List[generated.Entry]{}, err
	}
	q.Resource, q.RecordID, q.Action = access.StratificationOrders.Name, orderID, generated.Action
	return app.ReadList(ctx, g.Deps, app.Ask{Who: who, Need: need}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			if _, err := tx.StratificationOrders.Get(ctx, scope, orderID); err != nil {
				return 0, err
			}
			return tx.Audit.Count(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.AuditQuery) iter.Seq2[generated.Entry, error] {
			return entries(ctx, tx, scope, q)
		})
}

// entries reads the records of an order, and marks what of them is saved.
func entries(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.AuditQuery) iter.Seq2[generated.Entry, error] {
	return func(yield func(generated.Entry, error) bool) {
		saved, err := savedOf(ctx, tx, scope, q.RecordID)
		if err != nil {
			yield(generated.Entry{}, err)
			return
		}
		for found, err := range tx.Audit.Each(ctx, scope, q) {
			var entry generated.Entry
			if err == nil {
				entry, err = generated.Of(found)
			}
			for _, uuid := range entry.Made {
				if saved[uuid] {
					entry.Saved = append(entry.Saved, uuid)
				}
			}
			if !yield(entry, err) || err != nil {
				return
			}
		}
	}
}

// savedOf returns the uuids of the saved maps and plans of an order.
func savedOf(ctx context.Context, tx ports.Repos, scope access.Scope, orderID int64) (map[string]bool, error) {
	q := ports.Query{Filters: []ports.Filter{{Name: "order", Value: orderID}}}
	out := map[string]bool{}
	for m, err := range tx.StratificationMaps.EachSaved(ctx, scope, q, false) {
		if err != nil {
			return nil, err
		}
		out[m.Candidate.MapUUID] = true
	}
	for p, err := range tx.SamplePlans.EachSaved(ctx, scope, q, false) {
		if err != nil {
			return nil, err
		}
		out[p.Plan.PlanUUID] = true
	}
	return out, nil
}

// Export returns a function that writes all records of an order as CSV or XLSX. Faults: NotFound.
func (g *Generated) Export(ctx context.Context, who access.Principal, orderID int64, format string) (write func(w io.Writer) error, err error) {
	found, err := g.List(ctx, who, orderID, ports.AuditQuery{})
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error { return g.Files.WriteGenerated(w, format, found.Each) }, nil
}
