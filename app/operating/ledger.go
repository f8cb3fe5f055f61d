package operating

import (
	"context"
	"iter"
	"time"
	"unicode/utf8"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// maxNote bounds the note of a transaction, in characters.
const maxNote = 500

func checkNote(note string) error {
	if utf8.RuneCountInString(note) > maxNote {
		return fault.Field("note", "At most 500 characters.")
	}
	return nil
}

// Wallet returns the wallet of a company. Faults: NotFound.
func (o *Operating) Wallet(ctx context.Context, companyID int64) (credit.Wallet, error) {
	return ofCompany(ctx, o, companyID, func(ctx context.Context, tx ports.OperatorRepos) (credit.Wallet, error) {
		return tx.Wallet.Get(ctx, access.Own(companyID))
	})
}

// Transactions streams the ledger of a company, newest first; at most limit lines where that
// is not 0. Faults: NotFound.
func (o *Operating) Transactions(ctx context.Context, companyID, limit int64) (iter.Seq2[credit.Transaction, error], error) {
	if _, err := o.Company(ctx, companyID); err != nil {
		return nil, err
	}
	return app.Stream(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) iter.Seq2[credit.Transaction, error] {
		return tx.Wallet.Transactions(ctx, access.Own(companyID), ports.Query{Limit: limit})
	}), nil
}

// RefundWanted says what is to be refunded.
type RefundWanted struct {
	CompanyID   int64
	Transaction int64         // the capture
	Amount      credit.Amount // 0: all of it
	Note        string
}

// Refund returns a captured charge, at most its amount, and once. The field counts as charged still.
// Faults: Invalid, NotFound, Conflict (already_refunded).
func (o *Operating) Refund(ctx context.Context, in RefundWanted) (wallet credit.Wallet, refund credit.Transaction, err error) {
	if err := checkNote(in.Note); err != nil {
		return wallet, refund, err
	}
	err = o.inCompany(ctx, in.CompanyID, func(ctx context.Context, tx ports.OperatorRepos, scope access.Scope, now time.Time) error {
		before, err := tx.Wallet.Lock(ctx, scope)
		if err != nil {
			return err
		}
		captured, err := tx.Wallet.Transaction(ctx, scope, in.Transaction)
		if err != nil {
			return err
		}
		if refund, err = credit.RefundOf(captured, in.Amount, in.Note, now); err != nil {
			return err
		}
		if done, err := tx.Wallet.Refunded(ctx, scope, captured.ID); err != nil || done {
			if done {
				err = fault.Newf(fault.Conflict, "already_refunded", "Transaction %d was refunded already.", captured.ID)
			}
			return err
		}
		if wallet, err = before.Apply(credit.Refund, refund.Amount); err != nil {
			return err
		}
		return post(ctx, tx, scope, wallet, &refund)
	})
	return wallet, refund, err
}
