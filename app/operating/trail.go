package operating

import (
	"context"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/ports"
)

// Operators' actions are recorded in the same transaction: in the trail of the company concerned, or in the
// operators' own if there is none. Entries of the command line have no user; audit.CommandLine names who it was.

// entry begins an entry in the trail of a company.
func (o *Operating) entry(companyID int64, at time.Time) audit.Entry {
	e := audit.Entry{CompanyID: companyID, At: at}
	if o.by != nil {
		e.User, e.Operator = &access.Named{ID: o.by.UserID, Name: o.by.Name}, true
	}
	return e
}

// ofInstallation returns an entry about something that belongs to no company.
func (o *Operating) ofInstallation(at time.Time, action audit.Action, resource, record string, changes []audit.Change) ports.OperatorEntry {
	return ports.OperatorEntry{At: at, User: o.entry(0, at).User, Action: action, Resource: resource, Record: record, Changes: changes}
}

// The forms in which the trails store the records.
type (
	companyAudited struct{ UUID, Name string }
	userAudited    struct {
		Email, Name, Role string
		Disabled          bool
	}
	moneyAudited struct {
		Kind     credit.Kind
		Amount   credits
		RefundOf int64
		Note     string
	}
	priceAudited  struct{ PerHa *credits }
	cropsAudited  struct{ Imported, Total int64 }
	engineAudited struct{ Engine, FactorSet string }
	curvesAudited struct {
		Version, Scope string
		Classes        []string
	}
)

// credits are stored in a trail in the form in which people write them.
type credits credit.Amount

// AuditValue implements audit.Summary.
func (c credits) AuditValue() any { return credit.Amount(c).String() }

// auditUser records a change of a user: in its company's trail or, for an operator, in the operators'.
func (o *Operating) auditUser(ctx context.Context, tx ports.OperatorRepos, at time.Time, u ports.User, action audit.Action, changes []audit.Change) error {
	if u.CompanyID == 0 {
		return tx.Trail.Add(ctx, o.ofInstallation(at, action, "user", u.Email, changes))
	}
	return tx.Audit.Add(ctx, o.entry(u.CompanyID, at).Of(action, "user", u.ID, changes))
}

// post writes a transaction of the ledger, with its entry in the trail.
func (o *Operating) post(ctx context.Context, ledger ports.Wallet, trail ports.AuditWriter, wallet credit.Wallet, t *credit.Transaction) error {
	if err := ledger.Post(ctx, access.Own(wallet.CompanyID), wallet, t); err != nil {
		return err
	}
	what := moneyAudited{t.Kind, credits(t.Amount), t.RefundOf, t.Note}
	return trail.Add(ctx, o.entry(wallet.CompanyID, t.CreatedAt).Of(audit.Create, "wallet", t.ID, audit.Diff(nil, &what)))
}

// Trail returns the operators' changes to the installation as a whole, newest first.
func (o *Operating) Trail(ctx context.Context, q ports.Query) (app.List[ports.OperatorEntry], error) {
	return app.ListAll(ctx, o.Store, q, func(tx ports.OperatorRepos) ports.Whole[ports.OperatorEntry] { return tx.Trail }, nil)
}
