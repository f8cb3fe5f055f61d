package audit

import (
	"context"
	"iter"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/ports"
)

// Trail is the use case of reading the audit trail.
type Trail struct {
	store ports.Store
	gate  *app.Gate
}

// New makes the use case.
func New(store ports.Store, gate *app.Gate) *Trail { return &Trail{store, gate} }

// List returns the trail of the caller's company, newest first.
// Faults: Unauthenticated, Forbidden.
func (t *Trail) List(ctx context.Context, who access.Principal, q ports.AuditQuery) (app.List[audit.Entry], error) {
	if err := t.gate.Require(ctx, who, access.AuditTrail.View); err != nil {
		return app.List[audit.Entry]{}, err
	}
	scope := who.Scope(false)
	return app.ReadList(ctx, t.store,
		func(ctx context.Context, tx ports.Repos) (int64, error) { return tx.Audit.Count(ctx, scope, q) },
		func(ctx context.Context, tx ports.Repos) iter.Seq2[audit.Entry, error] {
			return tx.Audit.Each(ctx, scope, q)
		})
}
