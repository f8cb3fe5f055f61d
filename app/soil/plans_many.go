package soil

import (
	"context"
	"fmt"

	"tilth/app"
	"tilth/app/external"
	farmapp "tilth/app/farm"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/fault"
	soilplan "tilth/core/stratification/plan"
	"tilth/ports"
)

// PlanSaving is a plan to be saved: the one with a uuid or, without, the saved one that the external id stands for.
type PlanSaving struct {
	UUID   string
	As     SaveAs
	Errors fault.Fields // what is wrong with its part of the request
}

// SaveMany saves plans, all or none, and returns the outcome of each. Keyed ones are matched by external id: a saved plan that
// has it stays as it is, except for its origin. Faults: Invalid, Conflict (tag_taken, plan_saved, duplicate_external_id).
func (p *Plans) SaveMany(ctx context.Context, who access.Principal, all []PlanSaving, keyed, bulk bool) (farmapp.Written[soilplan.SamplePlan], error) {
	return app.Write(ctx, p.Deps, who, access.SamplePlans.Create, func(ctx context.Context, tx ports.Repos) (out farmapp.Written[soilplan.SamplePlan], err error) {
		m := &savingMany{tx: tx, scope: who.Scope(false), errs: make([]fault.Fields, len(all))}
		if err := m.match(ctx, all, keyed); err != nil {
			return out, err
		}
		for i, one := range all {
			if len(m.errs[i]) > 0 {
				continue
			}
			saved, outcome, err := p.saveOne(ctx, m, who, one)
			if known, ok := fault.As(err); ok && known.Kind == fault.Invalid {
				m.errs[i].MergeNew(known.Fields)
				continue
			}
			if err != nil {
				return out, err
			}
			out.Records, out.Outcomes = append(out.Records, saved), append(out.Outcomes, outcome)
		}
		if bulk {
			return out, batch.Refuse(m.errs, "items")
		}
		return out, m.errs[0].Err()
	})
}

// savingMany holds plans that are saved in one transaction.
type savingMany struct {
	tx    ports.Repos
	scope access.Scope
	errs  []fault.Fields
}

// match finds the plans that are meant.
func (m *savingMany) match(ctx context.Context, all []PlanSaving, keyed bool) error {
	held := map[string][]int64{}
	if keyed {
		if err := m.tx.SamplePlans.HoldKeys(ctx, m.scope); err != nil {
			return err
		}
		var keys []string
		for _, one := range all {
			keys = append(keys, one.As.ExternalID)
		}
		var err error
		if held, err = m.tx.SamplePlans.ByExternalID(ctx, m.scope, keys); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for i := range all {
		one, f := &all[i], fault.Fields{}
		f.Merge(one.Errors)
		m.errs[i] = f
		key := one.As.ExternalID
		f.AddIf(keyed && key == "", external.Member, "This is required: plans are matched by it.")
		f.AddIf(key != "" && seen[key], external.Member, "An earlier item refers to the same record.")
		seen[key] = true
		if ids := held[key]; len(ids) > 0 {
			found, err := m.tx.SamplePlans.GetSaved(ctx, m.scope, ids[0], false)
			switch {
			case fault.Is(err, fault.NotFound):
				f.Addf(external.Member, "The external id %q belongs to the plan %d, whose area of interest is deleted.", key, ids[0])
			case err != nil:
				return err
			case one.UUID != "" && one.UUID != found.Plan.PlanUUID:
				f.Addf(external.Member, "The external id %q belongs to the saved plan %s, which does not change. Fix: leave map_uuid out, or give another.", key, found.Plan.PlanUUID)
			default:
				one.UUID = found.Plan.PlanUUID
			}
		}
		f.AddIf(one.UUID == "" && len(f) == 0, "map_uuid", "This is required for a plan that is not saved yet.")
	}
	return nil
}

// saveOne saves a plan, and returns its outcome.
func (p *Plans) saveOne(ctx context.Context, m *savingMany, who access.Principal, one PlanSaving) (soilplan.SamplePlan, farmapp.Outcome, error) {
	before, err := m.tx.SamplePlans.ByUUID(ctx, m.scope, one.UUID, false)
	if fault.Is(err, fault.NotFound) {
		err = fault.Field("map_uuid", fmt.Sprintf("No plan of your company has the uuid %s.", one.UUID))
	}
	if err != nil {
		return before, "", err
	}
	saved, err := p.save(ctx, m.tx, who, one.UUID, one.As)
	switch {
	case err != nil:
		return saved, "", err
	case before.Saved == nil:
		return saved, farmapp.Created, nil
	case before.Saved.External != saved.Saved.External:
		return saved, farmapp.Updated, nil
	}
	return saved, farmapp.Unchanged, nil
}
