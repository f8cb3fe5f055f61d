package credit_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/credit"
	"tilth/core/fault"
)

func TestChargeRoundsUpToTheHundredth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		price  credit.Amount
		areaM2 int64
		want   credit.Amount
	}{
		{1_00, 232_400, 23_24},         // 23.24 ha: exact
		{1_00, 232_401, 23_25},         // one square metre more costs a hundredth more
		{1_00, 1, 1},                   // the smallest field still costs the smallest amount
		{0, 232_400, 0},                // a free service
		{3_33, 10_000, 3_33},           // one hectare
		{2_50, 100_000_000, 25_000_00}, // ten thousand hectares
	} {
		require.Equal(t, c.want, credit.Charge(c.price, c.areaM2), "%v × %d m²", c.price, c.areaM2)
	}
}

// A charge is never less than price × area, and less than a hundredth above it.
func TestChargeIsTheSmallestThatCovers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		price := rapid.Int64Range(0, 1_000_000).Draw(t, "price")
		area := rapid.Int64Range(0, 100_000_000).Draw(t, "area")
		got := int64(credit.Charge(credit.Amount(price), area))
		if got*10_000 < price*area || (got-1)*10_000 >= price*area && got > 0 {
			t.Fatalf("charge %d of price %d over %d m²", got, price, area)
		}
	})
}

func TestParseAmount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]credit.Amount{"12": 12_00, "12.5": 12_50, "12.50": 12_50, "0.01": 1, "007": 7_00} {
		got, err := credit.ParseAmount(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "0", "0.00", "-5", "1.005", "1,5", "abc", ".5", "5.", "1e3", "NaN", "99999999999999999999", " 5"} {
		_, err := credit.ParseAmount(text)
		require.True(t, fault.Is(err, fault.Invalid), text)
	}
	require.Equal(t, "-12.05", credit.Amount(-1205).String())
}

// Whatever is done to a wallet: entries of a transaction sum to zero, balance and held
// are the sums of the entries, and nothing becomes negative.
func TestLedgerBalances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var wallet credit.Wallet
		sums := map[credit.Account]credit.Amount{}
		var open []credit.Amount // holds
		spent := credit.Amount(0)
		post := func(kind credit.Kind, amount credit.Amount) bool {
			next, err := wallet.Apply(kind, amount)
			if err != nil {
				if kind == credit.Hold && fault.Is(err, fault.PaymentRequired) && amount > wallet.Available() {
					return false
				}
				t.Fatalf("%s of %s refused: %v", kind, amount, err)
			}
			wallet = next
			total := credit.Amount(0)
			for _, e := range credit.Entries(kind, amount) {
				sums[e.Account] += e.Amount
				total += e.Amount
			}
			if total != 0 {
				t.Fatalf("entries of %s sum to %s", kind, total)
			}
			return true
		}
		t.Repeat(map[string]func(*rapid.T){
			"credit": func(t *rapid.T) { post(credit.Credit, credit.Amount(rapid.Int64Range(1, 10_000).Draw(t, "amount"))) },
			"hold": func(t *rapid.T) {
				amount := credit.Amount(rapid.Int64Range(0, 10_000).Draw(t, "amount"))
				if post(credit.Hold, amount) {
					open = append(open, amount)
				}
			},
			"settle": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip("nothing is held")
				}
				kind := rapid.SampledFrom([]credit.Kind{credit.Capture, credit.Release}).Draw(t, "kind")
				post(kind, open[0])
				if kind == credit.Capture {
					spent += open[0]
				}
				open = open[1:]
			},
			"refund": func(t *rapid.T) {
				if spent == 0 {
					t.Skip("nothing is spent")
				}
				post(credit.Refund, 1)
				spent--
			},
			"": func(t *rapid.T) {
				if wallet.Held != sums[credit.Held] || wallet.Available() != sums[credit.Available] || wallet.Balance != wallet.Held+wallet.Available() {
					t.Fatalf("wallet %+v, entries %v", wallet, sums)
				}
				if wallet.Held < 0 || wallet.Available() < 0 {
					t.Fatalf("negative: %+v", wallet)
				}
			},
		})
	})
}

func TestWalletRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	w := credit.Wallet{Balance: 10_00, Held: 4_00}
	_, err := w.Apply(credit.Hold, 6_01)
	f, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, "insufficient_credit", f.Code)
	require.Equal(t, map[string]any{"required": 6.01, "available": 6.0}, f.Details)
	for _, kind := range []credit.Kind{credit.Capture, credit.Release} {
		_, err := w.Apply(kind, 4_01)
		require.True(t, fault.Is(err, fault.Internal), kind)
	}
	_, err = w.Apply("gift", 1)
	require.Error(t, err)
	_, err = w.Apply(credit.Credit, -1)
	require.Error(t, err)
}
