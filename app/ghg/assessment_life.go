package ghg

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/audit"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// Delete soft-deletes an assessment. Its sections and submitted versions stay, so that it
// can be restored as it was. agree is asked of it first, and may refuse.
// Faults: Unauthenticated, Forbidden, NotFound, and those of agree.
func (a *Assessments) Delete(ctx context.Context, who access.Principal, id int64, agree func(current Whole) error) error {
	scope, now := who.Scope(false), a.deps.Clock.Now()
	return app.Do(ctx, a.deps.Deps, who, access.Assessments.Delete, func(ctx context.Context, tx ports.Repos) error {
		record, err := lockWhole(ctx, tx, scope, id)
		if err != nil {
			return err
		}
		if err := agree(record); err != nil {
			return err
		}
		if _, err := tx.Assessments.SoftDelete(ctx, scope, []int64{id}, now); err != nil {
			return err
		}
		by := audit.By(who, now)
		return tx.Audit.AddCascade(ctx, by.Of(audit.Delete, access.Assessments.Name, id, a.changesOf(record, Whole{})))
	})
}

// Restore brings back an own assessment that was deleted within [farm.RestorePeriod], with
// its sections. Its farm or field may be deleted by now, as that of a live one may.
// Faults: Unauthenticated, Forbidden, NotFound, Invalid (not_deleted).
func (a *Assessments) Restore(ctx context.Context, who access.Principal, id int64) (Whole, error) {
	scope, now := who.Scope(false), a.deps.Clock.Now()
	return app.Write(ctx, a.deps.Deps, who, access.Assessments.Delete, func(ctx context.Context, tx ports.Repos) (out Whole, err error) {
		record, deletedAt, err := tx.Assessments.GetDeleted(ctx, scope, id, now.Add(-record.RestorePeriod))
		if fault.Is(err, fault.NotFound) {
			if _, live := tx.Assessments.Get(ctx, scope, id); live == nil {
				err = fault.New(fault.Invalid, "not_deleted", "This assessment is not deleted.")
			}
		}
		if err != nil {
			return out, err
		}
		if err := tx.Assessments.Undelete(ctx, scope, id, deletedAt, record.NextVersion(now)); err != nil {
			return out, err
		}
		if out, err = readWhole(ctx, tx, scope, id); err != nil {
			return out, err
		}
		a.startCompletion(ctx, tx, out.Assessment)
		if out.Status == assessment.Submitted { // a check ends when it finds its assessment deleted
			if err := AskVerification(ctx, tx, out.Assessment, out.UpdatedAt); err != nil {
				return out, err
			}
		}
		by := audit.By(who, now)
		return out, tx.Audit.AddCascade(ctx, by.Of(audit.Restore, access.Assessments.Name, id, a.changesOf(Whole{}, out)))
	})
}
