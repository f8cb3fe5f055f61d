package operating

import (
	"context"
	"iter"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/ports"
)

// What the command line does is recorded in the transaction that does it: in the trail of the company it concerns,
// or in the operator's own where that is none. The entries have no user; audit.CommandLine names who it was.

// entry begins an entry in the trail of a company.
func entry(companyID int64, at time.Time) audit.Entry {
	return audit.Entry{CompanyID: companyID, At: at}
}

// ofInstallation is an entry about what belongs to no company.
func ofInstallation(at time.Time, action audit.Action, resource, record string, changes []audit.Change) ports.OperatorEntry {
	return ports.OperatorEntry{At: at, Action: action, Resource: resource, Record: record, Changes: changes}
}

// The records as the trails store them.
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

// credits are stored in a trail as people write them.
type credits credit.Amount

// AuditValue implements audit.Summary.
func (c credits) AuditValue() any { return credit.Amount(c).String() }

// auditUser records a change of a user: in its company's trail, or, of an operator, in the operator's.
func auditUser(ctx context.Context, tx ports.OperatorRepos, at time.Time, u ports.User, action audit.Action, changes []audit.Change) error {
	if u.CompanyID == 0 {
		return tx.Trail.Add(ctx, ofInstallation(at, action, "user", u.Email, changes))
	}
	return tx.Audit.Add(ctx, entry(u.CompanyID, at).Of(action, "user", u.ID, changes))
}

// post writes a transaction of the ledger, with its entry in the trail.
func post(ctx context.Context, tx ports.OperatorRepos, scope access.Scope, wallet credit.Wallet, t *credit.Transaction) error {
	if err := tx.Wallet.Post(ctx, scope, wallet, t); err != nil {
		return err
	}
	what := moneyAudited{t.Kind, credits(t.Amount), t.RefundOf, t.Note}
	return tx.Audit.Add(ctx, entry(scope.Company(), t.CreatedAt).Of(audit.Create, "wallet", t.ID, audit.Diff(nil, &what)))
}

// Trail streams what the command line changed of the installation as a whole, newest first;
// at most limit entries where that is not 0.
func (o *Operating) Trail(ctx context.Context, limit int64) iter.Seq2[ports.OperatorEntry, error] {
	return app.Stream(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) iter.Seq2[ports.OperatorEntry, error] {
		return tx.Trail.Each(ctx, limit)
	})
}
