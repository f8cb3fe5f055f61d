package operating

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// maxNote bounds the length of a transaction's note, in characters.
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

// ledger is the ledger of one company.
type ledger struct {
	ports.Wallet
	scope access.Scope
}

func (l ledger) Count(ctx context.Context, q ports.Query) (int64, error) {
	return l.CountTransactions(ctx, l.scope, q)
}

func (l ledger) Each(ctx context.Context, q ports.Query) iter.Seq2[credit.Transaction, error] {
	return l.Transactions(ctx, l.scope, q)
}

// Transactions returns the ledger of a company, newest first. Faults: NotFound.
func (o *Operating) Transactions(ctx context.Context, companyID int64, q ports.Query) (app.List[credit.Transaction], error) {
	if _, err := o.Company(ctx, companyID); err != nil {
		return app.List[credit.Transaction]{}, err
	}
	return app.ListAll(ctx, o.Store, q, func(tx ports.OperatorRepos) ports.Whole[credit.Transaction] {
		return ledger{tx.Wallet, access.Own(companyID)}
	}, nil)
}

// Statement returns the statement of a company's wallet; see [satellite.ProfileFiles.Statement]. Faults: NotFound, Invalid.
func (o *Operating) Statement(ctx context.Context, companyID int64, format string, from, to *time.Time) (func(w io.Writer) error, error) {
	if _, err := o.Company(ctx, companyID); err != nil {
		return nil, err
	}
	return o.Statements.Of(ctx, access.Own(companyID), format, from, to)
}

// CreditWallet adds credits to a company's wallet. Faults: Invalid, NotFound.
func (o *Operating) CreditWallet(ctx context.Context, companyID int64, amount credit.Amount, note string) (credit.Wallet, error) {
	if err := checkNote(note); err != nil {
		return credit.Wallet{}, err
	}
	if _, err := o.Company(ctx, companyID); err != nil {
		return credit.Wallet{}, err
	}
	// A company's Write, so that an Idempotency-Key can keep it from being repeated.
	return app.In(ctx, o.Store.Write, func(ctx context.Context, tx ports.Repos) (out credit.Wallet, err error) {
		return o.addCredit(ctx, tx.Wallet, tx.Audit, credit.Transaction{CompanyID: companyID, CreatedAt: o.Clock.Now(), Kind: credit.Credit, Amount: amount, Note: note})
	})
}

// addCredit posts a transaction that adds credits.
func (o *Operating) addCredit(ctx context.Context, ledger ports.Wallet, trail ports.AuditWriter, t credit.Transaction) (out credit.Wallet, err error) {
	wallet, err := ledger.Lock(ctx, access.Own(t.CompanyID))
	if err != nil {
		return out, err
	}
	if wallet.Balance > credit.MaxAmount-t.Amount {
		return out, fault.Field("amount", "The balance would be larger than a wallet can hold.")
	}
	if out, err = wallet.Apply(t.Kind, t.Amount); err != nil {
		return out, err
	}
	return out, o.post(ctx, ledger, trail, out, &t)
}

// SetPrice sets the price per hectare of a service. Faults: Invalid.
func (o *Operating) SetPrice(ctx context.Context, service string, perHa credit.Amount) error {
	if !slices.Contains(credit.Services, service) {
		return fault.Field("service", service+" is not a service; use one of "+strings.Join(credit.Services, ", ")+".")
	}
	if perHa <= 0 || perHa > credit.MaxAmount {
		return fault.Field("per_ha", "An amount above 0.")
	}
	return o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		now := o.Clock.Now()
		var was *priceAudited
		if before, ok, err := tx.Wallet.Price(ctx, service); err != nil {
			return err
		} else if ok {
			was = &priceAudited{(*credits)(&before)}
		}
		if err := tx.Prices.SetPrice(ctx, service, perHa, now); err != nil {
			return err
		}
		return tx.Trail.Add(ctx, o.ofInstallation(now, audit.Update, "price", service, audit.Diff(was, &priceAudited{(*credits)(&perHa)})))
	})
}

// Prices returns the prices of all services, in their order. SetAt is zero for a price that was never set: a profile then
// has the default, maps have the price of a profile, and any other service without a price cannot be ordered.
func (o *Operating) Prices(ctx context.Context) ([]ports.Price, error) {
	set, err := app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]ports.Price, error) {
		return tx.Prices.All(ctx)
	})
	out := make([]ports.Price, len(credit.Services))
	for i, service := range credit.Services {
		out[i].Service = service
		switch {
		case service == credit.ServiceProfile:
			out[i].PerHa = credit.DefaultProfilePrice
		case slices.Contains(credit.Products, credit.Product(service)):
			out[i].PerHa = out[0].PerHa // the profile is the first
		}
		if at := slices.IndexFunc(set, func(p ports.Price) bool { return p.Service == service }); at >= 0 {
			out[i] = set[at]
		}
	}
	return out, err
}

// Price returns the price of a service, as Prices does. Faults: NotFound.
func (o *Operating) Price(ctx context.Context, service string) (ports.Price, error) {
	all, err := o.Prices(ctx)
	if err != nil {
		return ports.Price{}, err
	}
	at := slices.Index(credit.Services, service)
	if at < 0 {
		return ports.Price{}, fault.Missing("service")
	}
	return all[at], nil
}

// RefundWanted describes a refund.
type RefundWanted struct {
	CompanyID   int64
	Transaction int64         // the capture
	Amount      credit.Amount // 0: all of it
	Note        string
}

// Refund returns a captured charge, up to its amount, and only once. The field still counts as
// charged. Faults: Invalid, NotFound, Conflict (already_refunded).
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
		return o.post(ctx, tx.Wallet, tx.Audit, wallet, &refund)
	})
	return wallet, refund, err
}
