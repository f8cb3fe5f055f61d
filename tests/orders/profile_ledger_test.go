package orders

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/app/operating"
	"tilth/app/satellite"
	"tilth/core/batch"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/indexmap"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// books is a ledger with its wallet, as stored.
type books struct {
	wallet credit.Wallet
	lines  []credit.Transaction
}

func (w *world) books(t require.TestingT, e estate) (out books) {
	w.read(func(tx ports.Repos) error {
		wallet, err := tx.Wallet.Get(w.t.Context(), e.scope)
		require.NoError(t, err)
		balance, held, err := tx.Wallet.Sum(w.t.Context(), e.scope)
		require.NoError(t, err)
		require.Equal(t, []credit.Amount{balance, held}, []credit.Amount{wallet.Balance, wallet.Held}, "the wallet is the sum of its entries")
		require.GreaterOrEqual(t, wallet.Held, credit.Amount(0))
		require.GreaterOrEqual(t, wallet.Available(), credit.Amount(0))
		out = books{wallet: wallet}
		for line, err := range tx.Wallet.Transactions(w.t.Context(), e.scope, ports.Query{}) {
			require.NoError(t, err)
			out.lines = append(out.lines, line)
		}
		return nil
	})
	return out
}

// check checks what must be true of the books at every moment.
func (b books) check(t require.TestingT) {
	captured, refunded := map[credit.Site]credit.Transaction{}, map[int64]bool{}
	spent := map[int64]credit.Transaction{} // captures, by id
	open := map[credit.Site]credit.Amount{} // held, by field or outline
	for i := len(b.lines) - 1; i >= 0; i-- {
		l := b.lines[i]
		of := credit.Site{FieldID: l.FieldID}
		if l.FieldID == 0 {
			of.Outline = l.Note
		}
		switch l.Kind {
		case credit.Hold:
			require.Zero(t, open[of], "a field is held for once at a time")
			require.NotContains(t, captured, of, "a field that was charged is not held for")
			open[of] = l.Amount
		case credit.Release, credit.Capture:
			require.Equal(t, open[of], l.Amount, "%s of what was held", l.Kind)
			delete(open, of)
			if l.Kind == credit.Capture {
				require.NotContains(t, captured, of, "a field is charged once")
				captured[of], spent[l.ID] = l, l
			}
		case credit.Refund:
			require.False(t, refunded[l.RefundOf], "a capture is refunded once")
			refunded[l.RefundOf] = true
			require.Contains(t, spent, l.RefundOf)
			require.Equal(t, spent[l.RefundOf].FieldID, l.FieldID)
			require.LessOrEqual(t, l.Amount, spent[l.RefundOf].Amount)
		}
	}
	held := credit.Amount(0)
	for _, amount := range open {
		held += amount
	}
	require.Equal(t, b.wallet.Held, held, "what is held is held for fields")
}

// Whatever is ordered, however the orders end, and whatever the operator credits and
// refunds: the books balance, and a field is charged once.
func TestTheBooksBalance(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		outcomes := map[string]func(vegetation.IndexCode) (vegetation.Series, error){
			"success": func(x vegetation.IndexCode) (vegetation.Series, error) { return dates(x, 2), nil },
			"empty":   func(x vegetation.IndexCode) (vegetation.Series, error) { return vegetation.Series{Index: x}, nil },
			"cloudy": func(x vegetation.IndexCode) (vegetation.Series, error) {
				return vegetation.Series{Index: x, Rejected: []vegetation.Rejection{{Date: date(2025, 4, 1), Reason: vegetation.ReasonCloud, Items: []string{"scene"}}}}, nil
			},
			"broken": func(vegetation.IndexCode) (vegetation.Series, error) {
				return vegetation.Series{}, fault.New(fault.Invalid, "broken", "broken")
			},
			"away": func(vegetation.IndexCode) (vegetation.Series, error) {
				return vegetation.Series{}, fault.New(fault.Unavailable, "away", "away")
			},
		}
		refunds, orders, mapped := 0, 0, 0
		rapid.Check(t, func(rt *rapid.T) {
			e := w.estate(credit.Amount(rapid.Int64Range(0, 300).Draw(rt, "beginning")), 2, past("a"), past("b"), w.running(), coming())
			// Half of the walks begin with a charged field, so that refunds occur.
			if rapid.Bool().Draw(rt, "charged") {
				_, err := w.op.CreditWallet(t.Context(), e.who.CompanyID, 300, "")
				require.NoError(rt, err)
				_, err = w.place(e, 0, 0)
				require.NoError(rt, err)
				w.computer.answer = outcomes["success"]
				w.work()
				spent := w.books(rt, e).lines[0]
				if rapid.Bool().Draw(rt, "refunded") {
					_, _, err = w.op.Refund(t.Context(), operating.RefundWanted{CompanyID: e.who.CompanyID, Transaction: spent.ID})
					require.NoError(rt, err)
					refunds++
				}
				w.books(rt, e).check(rt)
			}
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				switch rapid.SampledFrom([]string{"credit", "order", "order", "map", "map", "batch", "work", "work", "delete", "refund"}).Draw(rt, "step") {
				case "credit":
					_, err := w.op.CreditWallet(t.Context(), e.who.CompanyID, credit.Amount(rapid.Int64Range(1, 300).Draw(rt, "amount")), "")
					require.NoError(rt, err)
				case "order":
					before := w.books(rt, e)
					req := request(rt, e)
					quote, err := w.orders.Quote(t.Context(), e.who, req)
					require.NoError(rt, err)
					require.Equal(rt, before, w.books(rt, e), "a quote writes nothing")
					_, err = w.orders.Place(t.Context(), e.who, req)
					if fault.Is(err, fault.PaymentRequired) {
						require.Greater(rt, quote.Charge, quote.Available)
						break
					}
					require.True(rt, err == nil || fault.Is(err, fault.Conflict), "%v", err)
					after := w.books(rt, e)
					require.Equal(rt, quote.Charge, after.wallet.Held-before.wallet.Held, "what is held is what was quoted")
					orders++
				case "map":
					before := w.books(rt, e)
					req := mapRequest(rt, e)
					quote, err := w.maps.Quote(t.Context(), e.who, req)
					require.NoError(rt, err)
					require.Equal(rt, before, w.books(rt, e), "a quote writes nothing")
					_, err = w.maps.Place(t.Context(), e.who, req, 0)
					if fault.Is(err, fault.PaymentRequired) {
						require.Greater(rt, quote.Charge, quote.Available)
						break
					}
					require.True(rt, err == nil || fault.Is(err, fault.Conflict), "%v", err)
					after := w.books(rt, e)
					require.Equal(rt, quote.Charge, after.wallet.Held-before.wallet.Held, "what is held is what was quoted")
					mapped++
				case "delete": // of all orders of a field, as the field's deletion does
					field := e.fields[rapid.IntRange(0, len(e.fields)-1).Draw(rt, "field")].ID
					w.write(func(tx ports.Repos) error {
						return satellite.FailOfFields(t.Context(), tx, e.scope, []int64{field}, satellite.Ended{At: w.clock.Now(), Reason: "The field was deleted."})
					})
				case "batch":
					before := w.books(rt, e)
					ask := make([]satellite.ProfileRequest, rapid.IntRange(1, 6).Draw(rt, "orders"))
					for i := range ask {
						ask[i] = request(rt, e)
					}
					placed, err := w.orders.PlaceMany(t.Context(), e.who, ask, false)
					require.NoError(rt, err)
					created := 0
					for _, p := range placed {
						if p.Verdict == batch.Create {
							created++
						}
					}
					if created == 0 {
						require.Equal(rt, before, w.books(rt, e), "what is refused writes nothing")
					}
					orders += created
				case "work":
					w.computer.answer = outcomes[rapid.SampledFrom([]string{"success", "success", "empty", "cloudy", "broken", "away"}).Draw(rt, "outcome")]
					w.clock.move(rapid.SampledFrom([]time.Duration{vegetation.Retry.Max, vegetation.SearchAgain, 90 * 24 * time.Hour}).Draw(rt, "later"))
					w.work()
					w.settled(rt, e)
				case "refund":
					lines := w.books(rt, e).lines
					if spent := slices.DeleteFunc(slices.Clone(lines), func(l credit.Transaction) bool { return l.Kind != credit.Capture }); len(spent) > 0 {
						lines = append(spent, lines[0]) // mostly refundable ones, sometimes others
					}
					if len(lines) == 0 {
						break
					}
					line := rapid.SampledFrom(lines).Draw(rt, "line")
					_, _, err := w.op.Refund(t.Context(), operating.RefundWanted{
						CompanyID: e.who.CompanyID, Transaction: line.ID, Amount: rapid.SampledFrom([]credit.Amount{0, 0, 50, 150}).Draw(rt, "amount"),
					})
					require.True(rt, err == nil || fault.Is(err, fault.Invalid) || fault.Is(err, fault.Conflict), "%v", err)
					if err == nil {
						refunds++
					}
				}
				w.books(rt, e).check(rt)
			}
		})
		require.Positive(t, orders, "the walk ordered nothing")
		require.Positive(t, mapped, "the walk ordered no map")
		require.Positive(t, refunds, "the walk refunded nothing")
	})
}

// settled requires that every order agrees with its books: an active one has a point and a charged field, a pending
// one has a hold of its field or a charge, and one after its season does not wait for the archive.
func (w *world) settled(t require.TestingT, e estate) {
	var orders []vegetation.OrderState
	w.read(func(tx ports.Repos) error {
		for order, err := range tx.Orders.Each(w.t.Context(), e.scope, ports.Query{}) {
			require.NoError(t, err)
			orders = append(orders, order)
		}
		for order, err := range tx.Maps.Of(credit.VegetationIndexMap).Each(w.t.Context(), e.scope, ports.Query{}) {
			require.NoError(t, err)
			orders = append(orders, order)
		}
		return nil
	})
	w.read(func(tx ports.Repos) error {
		for _, order := range orders {
			charge, err := tx.Wallet.FieldCharge(w.t.Context(), e.scope, order.Site())
			switch order.Status {
			case vegetation.Active:
				require.NoError(t, err)
				require.True(t, charge.Captured)
				series, files := w.found(t, tx, e, order)
				require.NotEmpty(t, series.Observations, "no point, no charge")
				require.True(t, order.Product == "" || len(files) == len(series.Observations), "each date has its pixels")
			case vegetation.Failed:
				require.True(t, fault.Is(err, fault.NotFound) || charge.Captured || !charge.Of(order.Code(), order.ID), "a failed order holds nothing")
				require.NotEmpty(t, order.Reason)
			default:
				require.NoError(t, err)
				require.NotEmpty(t, order.Reason)
			}
		}
		return nil
	})
}

// found returns the result of an active order.
func (w *world) found(t require.TestingT, tx ports.Repos, e estate, order vegetation.OrderState) (series vegetation.Series, files []indexmap.File) {
	var err error
	if order.Product == "" {
		series, err = tx.Orders.Series(w.t.Context(), e.scope, order.ID, order.Reading())
	} else {
		series, files, err = tx.Maps.Of(order.Product).Dates(w.t.Context(), e.scope, order.ID)
	}
	require.NoError(t, err)
	return series, files
}

// mapRequest draws an order of a map: for a field or its outline, for a season or a date.
func mapRequest(rt *rapid.T, e estate) satellite.MapRequest {
	at := rapid.IntRange(0, len(e.fields)-1).Draw(rt, "field")
	req := satellite.MapRequest{Product: credit.VegetationIndexMap, Index: rapid.SampledFrom([]vegetation.IndexCode{vegetation.NDVI, vegetation.EVI}).Draw(rt, "index")}
	if rapid.IntRange(0, 3).Draw(rt, "outlined") == 0 {
		req.Boundary = e.fields[at].Boundary
	} else {
		req.FieldUUID = e.fields[at].UUID
	}
	if rapid.IntRange(0, 3).Draw(rt, "dated") == 0 {
		req.Terms.Day = new(date(2025, 4, 2))
	} else {
		req.SeasonID = e.seasons[rapid.IntRange(0, len(e.seasons)-1).Draw(rt, "season")].ID
	}
	return req
}

// request draws an order.
func request(rt *rapid.T, e estate) satellite.ProfileRequest {
	return satellite.ProfileRequest{
		FieldUUID: e.fields[rapid.IntRange(0, len(e.fields)-1).Draw(rt, "field")].UUID,
		SeasonID:  e.seasons[rapid.IntRange(0, len(e.seasons)-1).Draw(rt, "season")].ID, Index: vegetation.NDVI,
	}
}
