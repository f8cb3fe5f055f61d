package farming

import (
	"context"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/ports"
)

// The functions below write the audit trail, in the transaction of what it tells of.
// Every way to change a record ends in one of them.

// tell notes what was done to whole records: create or restore.
func (r *Records[T]) tell(ctx context.Context, tx ports.Repos, who access.Principal, action audit.Action, records []*T) error {
	by := audit.By(who, r.deps.Clock.Now())
	entries := make([]audit.Entry, len(records))
	for i, record := range records {
		entries[i] = by.Of(action, r.rules.name, r.rules.base(record).ID, audit.Diff(nil, record))
	}
	return tx.Audit.Add(ctx, entries...)
}

// tellChange notes what an update changed. One that changed nothing leaves no entry.
func (r *Records[T]) tellChange(ctx context.Context, tx ports.Repos, who access.Principal, before, after *T) error {
	changes := audit.Diff(before, after)
	if len(changes) == 0 {
		return nil
	}
	by := audit.By(who, r.deps.Clock.Now())
	return tx.Audit.Add(ctx, by.Of(audit.Update, r.rules.name, r.rules.base(after).ID, changes))
}

// tellDeletions notes a deleted record, and every one that was deleted along with it.
func (r *Records[T]) tellDeletions(ctx context.Context, tx ports.Repos, who access.Principal, record *T) error {
	by := audit.By(who, r.deps.Clock.Now())
	return tx.Audit.AddDeletions(ctx, by.Of(audit.Delete, r.rules.name, r.rules.base(record).ID, audit.Diff(record, nil)))
}
