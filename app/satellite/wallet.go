package satellite

import (
	"context"
	"io"
	"iter"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// Wallet returns the caller's wallet.
func (o *Profiles) Wallet(ctx context.Context, who access.Principal) (credit.Wallet, error) {
	return app.Read(ctx, o.Deps, who, access.Wallets.View, func(ctx context.Context, tx ports.Repos) (credit.Wallet, error) {
		return tx.Wallet.Get(ctx, who.Scope(false))
	})
}

// Transactions returns the ledger, newest first.
func (o *Profiles) Transactions(ctx context.Context, who access.Principal, q ports.Query) (app.List[credit.Transaction], error) {
	return app.ReadList(ctx, o.Deps, app.Ask{Who: who, Need: access.Wallets.View}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			return tx.Wallet.CountTransactions(ctx, scope, q)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.Query) iter.Seq2[credit.Transaction, error] {
			return tx.Wallet.Transactions(ctx, scope, q)
		})
}

// Purse is a company's wallet under its lock, in a transaction. The lock order of everything that touches money is: wallet, then
// order; an order is read for update after its purse. A new order is stored first, and claims the charge of its field: until then
// nobody else sees it, and a caller who places the same order waits for it while holding nothing more than that.
type Purse struct {
	Tx     ports.Repos
	Scope  access.Scope
	Now    time.Time
	wallet credit.Wallet
}

// LockPurse locks the wallet of a company until the transaction ends.
func LockPurse(ctx context.Context, tx ports.Repos, scope access.Scope, now time.Time) (Purse, error) {
	wallet, err := tx.Wallet.Lock(ctx, scope)
	return Purse{tx, scope, now, wallet}, err
}

// Afford refuses to hold more than is available. Faults: PaymentRequired (insufficient_credit).
func (p Purse) Afford(amount credit.Amount) error {
	if amount == 0 {
		return nil
	}
	_, err := p.wallet.Apply(credit.Hold, amount)
	return err
}

// Post writes one ledger transaction, with the wallet's new state; a zero amount leaves no line.
// Faults: PaymentRequired (insufficient_credit) for a hold of more than is available.
func (p Purse) Post(ctx context.Context, t credit.Transaction) error {
	if t.Amount == 0 {
		return nil
	}
	next, err := p.wallet.Apply(t.Kind, t.Amount)
	if err != nil {
		return err
	}
	t.CompanyID, t.CreatedAt = p.Scope.Company(), p.Now
	return p.Tx.Wallet.Post(ctx, p.Scope, next, &t)
}

// Statement returns a function that writes the statement of the caller's wallet over the days from and to, both
// inclusive in UTC, as CSV or XLSX. Without from it begins with the wallet, without to it ends now. All of it is as
// of one moment: what was posted before it was requested. Faults: Invalid.
func (f *ProfileFiles) Statement(ctx context.Context, who access.Principal, format string, from, to *time.Time) (func(w io.Writer) error, error) {
	if err := f.Orders.Gate.Require(ctx, who, access.Wallets.View); err != nil {
		return nil, err
	}
	return (&Statements{f.Orders.Store, f.Orders.Clock, f.Sheets}).Of(ctx, who.Scope(false), format, from, to)
}

// Statements makes the statements of wallets, whoever asks: its callers decide who may.
type Statements struct {
	Store  ports.Store
	Clock  ports.Clock
	Sheets ports.Sheets
}

// Of returns the statement of the wallet of a scope; see [ProfileFiles.Statement].
func (s *Statements) Of(ctx context.Context, scope access.Scope, format string, from, to *time.Time) (func(w io.Writer) error, error) {
	begin, end := time.Time{}, s.Clock.Now().Add(time.Microsecond) // the resolution of stored times
	if from != nil {
		begin = *from
	}
	if to != nil && to.AddDate(0, 0, 1).Before(end) {
		end = to.AddDate(0, 0, 1)
	}
	if from != nil && to != nil && to.Before(*from) {
		return nil, fault.Field("to", "The last day must not be before the first.")
	}
	return func(w io.Writer) error {
		span := ports.LedgerSpan{From: begin, To: end, Limit: statementPiece}
		opening, err := app.In(ctx, s.Store.Read, func(ctx context.Context, tx ports.Repos) (opening credit.Wallet, err error) {
			if span.Last, err = tx.Wallet.LastID(ctx, scope); err != nil {
				return opening, err
			}
			return tx.Wallet.At(ctx, scope, begin)
		})
		if err != nil {
			return err
		}
		next := func(ctx context.Context, tx ports.Repos) (piece []credit.Transaction, more bool, err error) {
			if piece, err = tx.Wallet.Between(ctx, scope, span); len(piece) > 0 {
				span.After = &piece[len(piece)-1]
			}
			return piece, int64(len(piece)) == span.Limit, err
		}
		return s.Sheets.StatementSheet(w, format, opening, runningBalance(opening, app.Pieces(ctx, s.Store, next)))
	}, nil
}

// statementPiece is the number of transactions of a statement that are read at a time.
const statementPiece = 1_000

// runningBalance applies transactions to a wallet one by one.
func runningBalance(w credit.Wallet, all iter.Seq2[credit.Transaction, error]) iter.Seq2[credit.StatementLine, error] {
	return func(yield func(credit.StatementLine, error) bool) {
		for t, err := range all {
			w = w.After(t)
			if !yield(credit.StatementLine{Transaction: t, Balance: w.Balance, Held: w.Held}, err) || err != nil {
				return
			}
		}
	}
}
