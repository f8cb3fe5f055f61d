package satellite

import (
	"context"
	"io"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// Statement returns the statement of the caller's wallet over the days from and to, both
// inclusive in UTC, to be written as CSV when the answer is. Without from it begins with the
// wallet, without to it ends now. All of it is of one moment.
// Faults: Unauthenticated, Forbidden, Invalid.
func (f *ProfileFiles) Statement(ctx context.Context, who access.Principal, from, to *time.Time) (func(w io.Writer) error, error) {
	if err := f.Orders.deps.Gate.Require(ctx, who, access.Wallets.View); err != nil {
		return nil, err
	}
	begin, end := time.Time{}, f.Orders.deps.Clock.Now().Add(time.Microsecond) // the grain of stored times
	if from != nil {
		begin = *from
	}
	if to != nil && to.AddDate(0, 0, 1).Before(end) {
		end = to.AddDate(0, 0, 1)
	}
	if from != nil && to != nil && to.Before(*from) {
		return nil, fault.Field("to", "The last day must not be before the first.")
	}
	scope := who.Scope(false)
	return func(w io.Writer) error {
		return f.Orders.deps.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
			opening, err := tx.Wallet.At(ctx, scope, begin)
			if err != nil {
				return err
			}
			return f.Sheets.StatementSheet(w, opening, runningBalance(opening, tx.Wallet.Between(ctx, scope, begin, end)))
		})
	}, nil
}

// runningBalance runs a wallet along its transactions.
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
