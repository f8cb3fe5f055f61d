package credit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/credit"
	"tilth/core/fault"
)

func TestRefundOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	captured := credit.Transaction{ID: 9, CompanyID: 2, Kind: credit.Capture, Amount: 23_25, Product: credit.SoilMap, FieldID: 4, OrderID: 5}
	want := credit.Transaction{
		CompanyID: 2, CreatedAt: now, Kind: credit.Refund, Amount: 23_25, Product: credit.SoilMap, FieldID: 4, OrderID: 5, RefundOf: 9, Note: "hail",
	}
	got, err := credit.RefundOf(captured, 0, "hail", now)
	require.NoError(t, err)
	require.Equal(t, want, got)
	got, err = credit.RefundOf(captured, 1, "", now)
	require.NoError(t, err)
	require.Equal(t, credit.Amount(1), got.Amount)
	for _, amount := range []credit.Amount{23_26, -1} {
		_, err = credit.RefundOf(captured, amount, "", now)
		require.True(t, fault.Is(err, fault.Invalid))
		require.ErrorContains(t, err, "23.25")
	}
	for _, kind := range credit.Kinds {
		if other := captured; kind != credit.Capture {
			other.Kind = kind
			_, err = credit.RefundOf(other, 0, "", now)
			require.True(t, fault.Is(err, fault.Invalid), kind)
		}
	}
}

// The wallets of a statement are those by which the transactions were allowed.
func TestAfterIsWhatApplyGives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := credit.Wallet{Balance: credit.Amount(rapid.Int64Range(0, 1000).Draw(t, "balance"))}
		w.Held = credit.Amount(rapid.Int64Range(0, int64(w.Balance)).Draw(t, "held"))
		tx := credit.Transaction{
			Kind: rapid.SampledFrom(credit.Kinds).Draw(t, "kind"), Amount: credit.Amount(rapid.Int64Range(0, 1000).Draw(t, "amount")),
		}
		if next, err := w.Apply(tx.Kind, tx.Amount); err == nil && next != w.After(tx) {
			t.Fatalf("%s of %s: %+v, not %+v", tx.Kind, tx.Amount, w.After(tx), next)
		}
	})
}
