package farm

import (
	"context"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/ports"
)

// The functions below write the audit trail, in the transaction of what it tells of.
// Every way to change a record ends in one of them.

// notedNew notes new records.
func (r *Records[T]) notedNew(ctx context.Context, tx ports.Repos, who access.Principal, records []*T) error {
	by := audit.By(who, r.deps.Clock.Now())
	entries := make([]audit.Entry, len(records))
	for i, record := range records {
		entries[i] = by.Of(audit.Create, r.rules.Access.Name, r.rules.Meta(record).ID, audit.Diff(nil, record))
	}
	return tx.Audit.Add(ctx, entries...)
}

// notedChange notes what an update changed. One that changed nothing leaves no entry.
func (r *Records[T]) notedChange(ctx context.Context, tx ports.Repos, who access.Principal, before, after *T) error {
	changes := audit.Diff(before, after)
	if len(changes) == 0 {
		return nil
	}
	by := audit.By(who, r.deps.Clock.Now())
	return tx.Audit.Add(ctx, by.Of(audit.Update, r.rules.Access.Name, r.rules.Meta(after).ID, changes))
}

// notedCascade notes a record deleted or restored, and every one that went along with it.
func (r *Records[T]) notedCascade(ctx context.Context, tx ports.Repos, who access.Principal, action audit.Action, record *T) error {
	changes := audit.Diff(nil, record)
	if action == audit.Delete {
		changes = audit.Diff(record, nil)
	}
	by := audit.By(who, r.deps.Clock.Now())
	return tx.Audit.AddCascade(ctx, by.Of(action, r.rules.Access.Name, r.rules.Meta(record).ID, changes))
}
