package credit_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/credit"
)

func TestPiecesOfAChargedFieldAreCharged(t *testing.T) {
	t.Parallel()
	whole := credit.Land{CompanyID: 1, FieldID: 9, AreaM2: 100, Charged: true, OrderID: 7, Product: credit.VegetationIndexProfile}
	pieces := whole.Split([]credit.Land{{FieldID: 1, AreaM2: 60}, {FieldID: 2, AreaM2: 40}})
	for _, p := range pieces {
		require.True(t, p.Charged)
		require.EqualValues(t, 7, p.OrderID)
	}
	again := credit.Merge(credit.Land{CompanyID: 1, FieldID: 3, AreaM2: 100}, pieces)
	require.True(t, again.Charged)
	half := credit.Merge(credit.Land{CompanyID: 1, FieldID: 4, AreaM2: 150}, []credit.Land{again, {FieldID: 5, AreaM2: 50}})
	require.Equal(t, credit.Land{CompanyID: 1, FieldID: 4, AreaM2: 150, PaidM2: 100}, half)
	require.EqualValues(t, 50, credit.DueM2(half.AreaM2, half.Paid()))
	parts := half.Split([]credit.Land{{FieldID: 6, AreaM2: 75}, {FieldID: 7, AreaM2: 74}, {FieldID: 8, AreaM2: 1}})
	require.Equal(t, []int64{50, 49, 1}, []int64{parts[0].PaidM2, parts[1].PaidM2, parts[2].PaidM2})
}

// Whatever fields are split into and merged, and whichever are ordered: each square metre is paid for once, what was bought is
// what counts as paid, and once all fields are charged all land is paid for.
func TestLandIsPaidForOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var fields []credit.Land
		next, total, bought := int64(0), int64(0), int64(0)
		id := func() int64 { next++; return next }
		for range rapid.IntRange(1, 5).Draw(t, "fields") {
			area := rapid.Int64Range(2, 100_000_000).Draw(t, "area")
			fields, total = append(fields, credit.Land{CompanyID: 1, FieldID: id(), AreaM2: area}), total+area
		}
		order := func(i int) {
			if f := &fields[i]; !f.Charged {
				bought += credit.DueM2(f.AreaM2, f.Paid())
				*f = credit.Land{CompanyID: 1, FieldID: f.FieldID, AreaM2: f.AreaM2, Charged: true, OrderID: id(), Product: credit.VegetationIndexProfile}
			}
		}
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			i := rapid.IntRange(0, len(fields)-1).Draw(t, "field")
			switch rapid.SampledFrom([]string{"split", "merge", "order"}).Draw(t, "step") {
			case "split":
				if fields[i].AreaM2 < 2 {
					continue
				}
				cut := rapid.Int64Range(1, fields[i].AreaM2-1).Draw(t, "cut")
				pieces := fields[i].Split([]credit.Land{{FieldID: id(), AreaM2: cut}, {FieldID: id(), AreaM2: fields[i].AreaM2 - cut}})
				fields = append(append(fields[:i:i], fields[i+1:]...), pieces...)
			case "merge":
				j := rapid.IntRange(0, len(fields)-1).Draw(t, "other")
				if i == j {
					continue
				}
				merged := credit.Merge(credit.Land{CompanyID: 1, FieldID: id(), AreaM2: fields[i].AreaM2 + fields[j].AreaM2}, []credit.Land{fields[i], fields[j]})
				kept := []credit.Land{merged}
				for k, f := range fields {
					if k != i && k != j {
						kept = append(kept, f)
					}
				}
				fields = kept
			case "order":
				order(i)
			}
			var paid, area int64
			for _, f := range fields {
				paid, area = paid+f.Paid(), area+f.AreaM2
			}
			if paid != bought || area != total || paid > total {
				t.Fatalf("paid for %d of %d m², bought %d: %+v", paid, total, bought, fields)
			}
		}
		for i := range fields {
			order(i)
		}
		if bought != total {
			t.Fatalf("bought %d of %d m²", bought, total)
		}
	})
}
