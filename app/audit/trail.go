// Package audit holds the use cases of a company's audit trail: reading it, and chaining and
// verifying it and the ledger. Writing an entry is part of every use case that changes a record, in
// its transaction; core/audit defines what is kept.
package audit

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/ports"
)

// Trail is the use case of reading the audit trail.
type Trail struct{ app.Deps }

// List returns the trail of the caller's company, newest first.
func (t *Trail) List(ctx context.Context, who access.Principal, q ports.AuditQuery) (app.List[audit.Entry], error) {
	return app.ListIn(ctx, t.Deps, app.Ask{Who: who, Need: access.AuditTrail.View}, q, func(tx ports.Repos) ports.AuditTrail { return tx.Audit })
}
