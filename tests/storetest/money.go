package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/persistence"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// post applies a transaction to a company's wallet, as the use cases do.
func post(ctx context.Context, db ports.Store, scope access.Scope, tx credit.Transaction) (credit.Transaction, error) {
	err := db.Write(ctx, func(ctx context.Context, repos ports.Repos) error {
		wallet, err := repos.Wallet.Lock(ctx, scope)
		if err != nil {
			return err
		}
		next, err := wallet.Apply(tx.Kind, tx.Amount)
		if err != nil {
			return err
		}
		return repos.Wallet.Post(ctx, scope, next, &tx)
	})
	return tx, err
}

// balanced asserts that a wallet is the sum of its entries, and returns it.
func balanced(t require.TestingT, w *world, scope access.Scope) (out credit.Wallet) {
	w.read(func(tx ports.Repos) error {
		wallet, err := tx.Wallet.Get(w.ctx, scope)
		require.NoError(t, err)
		balance, held, err := tx.Wallet.Sum(w.ctx, scope)
		require.NoError(t, err)
		require.Equal(t, wallet.Balance, balance, "the balance is the sum of the entries")
		require.Equal(t, wallet.Held, held)
		require.GreaterOrEqual(t, wallet.Held, credit.Amount(0))
		require.GreaterOrEqual(t, wallet.Balance, wallet.Held)
		out = wallet
		return nil
	})
	return out
}

func testLedger(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope
	require.Equal(t, credit.Wallet{CompanyID: scope.Company()}, balanced(t, w, scope), "a wallet that was never used is empty")
	first, err := post(w.ctx, w, scope, credit.Transaction{Kind: credit.Credit, Amount: 100_00, CreatedAt: w.clock.Now(), Note: "start"})
	require.NoError(t, err)
	hold, err := post(w.ctx, w, scope, credit.Transaction{
		Kind: credit.Hold, Amount: 30_00, CreatedAt: w.clock.Now(), Product: credit.VegetationIndexProfile, FieldID: w.ours.field.ID, OrderID: 7,
	})
	require.NoError(t, err)
	require.Equal(t, credit.Wallet{CompanyID: scope.Company(), Balance: 100_00, Held: 30_00}, balanced(t, w, scope))
	w.read(func(tx ports.Repos) error {
		require.Equal(t, []credit.Transaction{hold, first}, collect(t, tx.Wallet.Transactions(w.ctx, scope, ports.Query{})), "newest first")
		require.Equal(t, []credit.Transaction{first}, collect(t, tx.Wallet.Transactions(w.ctx, scope, ports.Query{Limit: 1, Offset: 1})))
		require.Empty(t, collect(t, tx.Wallet.Transactions(w.ctx, w.theirs.scope, ports.Query{})))
		require.Empty(t, collect(t, tx.Wallet.Transactions(w.ctx, access.SharedWith(scope.Company()), ports.Query{})))
		n, err := tx.Wallet.CountTransactions(w.ctx, scope, ports.Query{})
		require.EqualValues(t, 2, n)
		return err
	})

	// The database itself refuses what would unbalance the books.
	db := raw(t, w.address)
	for _, statement := range []string{
		"UPDATE ledger_entries SET amount = 0", "DELETE FROM ledger_entries", "UPDATE ledger_transactions SET note = 'x'",
		"DELETE FROM ledger_transactions", "UPDATE wallets SET held = balance + 1", "UPDATE wallets SET balance = -1, held = 0",
	} {
		_, err := db.Exec(statement)
		require.Error(t, err, statement)
	}
	err = w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		return tx.Wallet.Post(ctx, w.theirs.scope, credit.Wallet{CompanyID: scope.Company()}, &credit.Transaction{Kind: credit.Credit, Amount: 1})
	})
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)

	// Many spend at once, on two replicas: each credit can be held only once.
	replicas := []*persistence.Database{w.Database, open(t, w.address, w.clock, w.ids)}
	held := 0
	for _, err := range together(12, func(i int) error {
		_, err := post(w.ctx, replicas[i%2], scope, credit.Transaction{Kind: credit.Hold, Amount: 10_00, CreatedAt: w.clock.Now()})
		return err
	}) {
		if err == nil {
			held++
		} else {
			require.True(t, fault.Is(err, fault.PaymentRequired), "%v", err)
		}
	}
	require.Equal(t, 7, held)
	require.Equal(t, credit.Amount(0), balanced(t, w, scope).Available())
}

// testLedgerMachine runs random transactions against the arithmetic of the core, each
// run in a company of its own.
func testLedgerMachine(t *testing.T, b Backend) {
	w := newWorld(t, b)
	rapid.Check(t, func(rt *rapid.T) {
		company := ports.Company{UUID: w.ids.UUID(), CreatedAt: w.clock.Now()}
		company.Name = company.UUID
		w.operate(func(tx ports.OperatorRepos) error { return tx.Accounts.CreateCompany(w.ctx, &company, nil) })
		scope, model, count := access.Own(company.ID), credit.Wallet{CompanyID: company.ID}, int64(0)
		for range rapid.IntRange(1, 8).Draw(rt, "transactions") {
			kind := rapid.SampledFrom([]credit.Kind{credit.Credit, credit.Hold, credit.Capture, credit.Release, credit.Refund}).Draw(rt, "kind")
			amount := credit.Amount(rapid.Int64Range(0, 50_00).Draw(rt, "amount"))
			next, refused := model.Apply(kind, amount)
			_, err := post(w.ctx, w, scope, credit.Transaction{Kind: kind, Amount: amount, CreatedAt: w.clock.Now()})
			require.Equal(rt, refused == nil, err == nil, "%v, %v", refused, err)
			if refused == nil {
				model, count = next, count+1
			}
		}
		require.Equal(rt, model, balanced(rt, w, scope))
		w.read(func(tx ports.Repos) error {
			n, err := tx.Wallet.CountTransactions(w.ctx, scope, ports.Query{})
			require.Equal(rt, count, n)
			return err
		})
	})
	require.Equal(t, credit.Wallet{CompanyID: w.ours.scope.Company()}, balanced(t, w, w.ours.scope), "other companies' wallets are untouched")
}

func testCharges(t *testing.T, b Backend) {
	w := newWorld(t, b)
	testChargeOf(t, w, credit.Site{FieldID: w.ours.field.ID})
	testChargeOf(t, w, credit.Site{Outline: "6fb1"})
	testPrices(t, w)
}

func testChargeOf(t *testing.T, w *world, of credit.Site) {
	t.Helper()
	scope := w.ours.scope
	charge := credit.FieldCharge{CompanyID: scope.Company(), Site: of, OrderID: 1, Product: credit.VegetationIndexMap, Amount: 5_00}
	find := func(s access.Scope) (out credit.FieldCharge, err error) {
		readErr := w.Read(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			out, err = tx.Wallet.FieldCharge(ctx, s, of)
			return nil
		})
		require.NoError(t, readErr)
		return out, err
	}
	w.write(func(tx ports.Repos) error { return tx.Wallet.PutFieldCharge(w.ctx, scope, charge) })
	got, err := find(scope)
	require.NoError(t, err)
	require.Equal(t, charge, got)
	_, err = find(w.theirs.scope)
	require.True(t, fault.Is(err, fault.NotFound))

	charge.OrderID = 2
	w.write(func(tx ports.Repos) error { return tx.Wallet.PutFieldCharge(w.ctx, scope, charge) })
	got, _ = find(scope)
	require.Equal(t, charge, got, "a held charge passes to another order")
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Wallet.DropFieldCharge(w.ctx, w.theirs.scope, of))
		return nil
	})
	_, err = find(scope)
	require.NoError(t, err, "another company drops nothing of ours")
	w.write(func(tx ports.Repos) error { return tx.Wallet.DropFieldCharge(w.ctx, scope, of) })
	_, err = find(scope)
	require.True(t, fault.Is(err, fault.NotFound))

	claim := func(tx ports.Repos, s access.Scope, charge credit.FieldCharge) bool {
		claimed, err := tx.Wallet.ClaimFieldCharge(w.ctx, s, charge)
		require.NoError(t, err)
		return claimed
	}
	w.write(func(tx ports.Repos) error {
		require.True(t, claim(tx, scope, charge))
		other := charge
		other.OrderID = 3
		require.False(t, claim(tx, scope, other), "whoever claims first has it")
		return nil
	})
	got, err = find(scope)
	require.NoError(t, err)
	require.Equal(t, charge, got)

	charge.Captured = true
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Wallet.PutFieldCharge(w.ctx, scope, charge))
		again := charge
		again.OrderID, again.Captured = 3, false
		err := tx.Wallet.PutFieldCharge(w.ctx, scope, again)
		require.True(t, fault.Is(err, fault.Conflict), "%v", err)
		return tx.Wallet.DropFieldCharge(w.ctx, scope, of)
	})
	got, err = find(scope)
	require.NoError(t, err)
	require.Equal(t, charge, got, "a captured charge stays for good")
}

func testPrices(t *testing.T, w *world) {
	t.Helper()
	w.operate(func(tx ports.OperatorRepos) error {
		_, ok, err := tx.Wallet.Price(w.ctx, credit.ServiceSTR)
		require.NoError(t, err)
		require.False(t, ok)
		require.NoError(t, tx.Prices.SetPrice(w.ctx, credit.ServiceSTR, 2_50, w.clock.Now()))
		require.NoError(t, tx.Prices.SetPrice(w.ctx, credit.ServiceSTR, 3_00, w.clock.Now()))
		price, ok, err := tx.Wallet.Price(w.ctx, credit.ServiceSTR)
		require.True(t, ok)
		require.Equal(t, credit.Amount(3_00), price)
		return err
	})
}
