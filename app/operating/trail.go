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

// The functions below note what the command line does, in the transaction of what they tell
// of: in the trail of the company it concerns, or in the operator's own where that is none.
// The entries have no user; audit.CommandLine names who it was.

// noted notes a record of a company.
func noted[T any](ctx context.Context, tx ports.OperatorRepos, at time.Time, companyID int64, action audit.Action, resource string, id int64, before, after *T) error {
	entry := audit.Entry{CompanyID: companyID, At: at}
	return tx.Audit.Add(ctx, entry.Of(action, resource, id, audit.Diff(before, after)))
}

// notedOverall notes what belongs to no company.
func notedOverall[T any](ctx context.Context, tx ports.OperatorRepos, at time.Time, action audit.Action, resource, record string, before, after *T) error {
	return tx.Trail.Add(ctx, ports.OperatorEntry{At: at, Action: action, Resource: resource, Record: record, Changes: audit.Diff(before, after)})
}

// The records as the trails tell of them.
type (
	companyNoted struct{ UUID, Name string }
	userNoted    struct {
		Email, Name, Role string
		Disabled          bool
	}
	moneyNoted struct {
		Kind     credit.Kind
		Amount   credits
		RefundOf int64
		Note     string
	}
	priceNoted  struct{ PerHa *credits }
	cropsNoted  struct{ Imported, Total int64 }
	engineNoted struct{ Engine, FactorSet string }
	curvesNoted struct {
		Version, Scope string
		Classes        []string
	}
)

// credits stands in a trail as people write it.
type credits credit.Amount

// AuditValue implements audit.Summary.
func (c credits) AuditValue() any { return credit.Amount(c).String() }

// notedUser notes a user: in its company's trail, or, of an operator, in the operator's.
func notedUser(ctx context.Context, tx ports.OperatorRepos, at time.Time, u ports.User, action audit.Action, before, after *userNoted) error {
	if u.CompanyID == 0 {
		return notedOverall(ctx, tx, at, action, "user", u.Email, before, after)
	}
	return noted(ctx, tx, at, u.CompanyID, action, "user", u.ID, before, after)
}

// notedMoney notes a transaction of the ledger.
func notedMoney(ctx context.Context, tx ports.OperatorRepos, scope access.Scope, t credit.Transaction) error {
	what := moneyNoted{t.Kind, credits(t.Amount), t.RefundOf, t.Note}
	return noted(ctx, tx, t.CreatedAt, scope.Company(), audit.Create, "wallet", t.ID, nil, &what)
}

// Trail streams what the command line changed of the installation as a whole, newest first;
// at most limit entries where that is not 0.
func (o *Operating) Trail(ctx context.Context, limit int64) iter.Seq2[ports.OperatorEntry, error] {
	return app.Stream(ctx, o.deps.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) iter.Seq2[ports.OperatorEntry, error] {
		return tx.Trail.Each(ctx, limit)
	})
}
