// Package trail holds the use case of reading the audit trail. Writing it is part of
// every use case that changes a record.
package trail

import (
	"context"
	"iter"

	"tilth/app/gate"
	"tilth/app/listing"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/ports"
)

// Trail is the use case of reading the audit trail.
type Trail struct {
	store ports.Store
	gate  *gate.Gate
}

// New makes the use case.
func New(store ports.Store, gate *gate.Gate) *Trail { return &Trail{store, gate} }

// List gives the trail of the caller's company, newest first.
// Faults: Unauthenticated, Forbidden.
func (t *Trail) List(ctx context.Context, who access.Principal, q ports.AuditQuery) (listing.Of[audit.Entry], error) {
	if err := t.gate.Require(ctx, who, access.AuditTrail.View); err != nil {
		return listing.Of[audit.Entry]{}, err
	}
	scope := who.Scope(false)
	return listing.Read(ctx, t.store,
		func(ctx context.Context, tx ports.Repos) (int64, error) { return tx.Audit.Count(ctx, scope, q) },
		func(ctx context.Context, tx ports.Repos) iter.Seq2[audit.Entry, error] {
			return tx.Audit.Each(ctx, scope, q)
		})
}
