package farm_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/agronomy"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
)

// stripes cuts a rectangle into pieces of given widths.
func stripes(t require.TestingT, widths []float64) (pieces []farm.Field, whole farm.Field) {
	outline := func(west, east float64) *geo.Boundary {
		b, err := geo.NewBoundary(nil, geo.MultiPolygon{{{{X: 10 + west, Y: 50}, {X: 10 + east, Y: 50}, {X: 10 + east, Y: 50.01}, {X: 10 + west, Y: 50.01}, {X: 10 + west, Y: 50}}}}, geo.DefaultLimits())
		require.NoError(t, err)
		return &b
	}
	at := 0.0
	for _, w := range widths {
		at += w
	}
	whole = farm.Field{Meta: record.Meta{ID: 7}, Boundary: outline(0, at), DeclaredAreaHa: new(12.5)}
	at = 0
	for _, w := range widths {
		pieces = append(pieces, whole.Piece("p", *outline(at, at+w)))
		at += w
	}
	return pieces, whole
}

// Totals add up over the pieces; rates per hectare are the same on each.
func TestPiecesAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		widths := rapid.SliceOfN(rapid.Float64Range(0.0005, 0.005), 2, 10).Draw(t, "widths")
		pieces, whole := stripes(t, widths)
		total := farm.Fertilization{Amount: &agronomy.Amount{Value: rapid.Float64Range(0.1, 1e6).Draw(t, "kg"), Unit: agronomy.Kg}, TreatedAreaHa: new(3.0), FieldAreaHa: whole.KnownAreaHa()}
		rate := farm.Fertilization{Amount: &agronomy.Amount{Value: 150, Unit: agronomy.KgPerHa}}
		var sum, treated, declared, shares float64
		for i, share := range farm.Shares(pieces) {
			one := total.OnPiece(share)
			sum, treated, declared, shares = sum+one.Amount.Value, treated+*one.TreatedAreaHa, declared+*pieces[i].DeclaredAreaHa, shares+share
			require.Equal(t, rate, rate.OnPiece(share))
			require.InDelta(t, *total.Rates().Mass, *one.Rates().Mass, 1e-3)
			require.EqualValues(t, 7, pieces[i].Lineage.SplitFrom)
		}
		for name, off := range map[string]float64{"amount": sum/total.Amount.Value - 1, "treated": treated/3 - 1, "declared": declared/12.5 - 1, "shares": shares - 1} {
			if math.Abs(off) > 1e-6 {
				t.Fatalf("%s is off by %g", name, off)
			}
		}
		require.Equal(t, 3.0, *total.TreatedAreaHa, "the field keeps its own")
	})
}

func TestMergedFieldsKeepWhatIsAlike(t *testing.T) {
	t.Parallel()
	parts := []farm.Field{
		{Meta: record.Meta{ID: 9}, SoilType: "loam", Tenure: "owned", Irrigated: new(true), DeclaredAreaHa: new(2.0)},
		{Meta: record.Meta{ID: 4}, SoilType: "loam", Tenure: "leased", Irrigated: new(true), DeclaredAreaHa: new(3.0)},
	}
	got := farm.Merged("both", parts, nil)
	require.Equal(t, []any{"loam", "", true, 5.0}, []any{got.SoilType, got.Tenure, *got.Irrigated, *got.DeclaredAreaHa})
	require.Equal(t, []int64{4, 9}, got.Lineage.MergedFrom)
	parts[1].DeclaredAreaHa, parts[1].Irrigated = nil, nil
	got = farm.Merged("both", parts, nil)
	require.Nil(t, got.DeclaredAreaHa)
	require.Nil(t, got.Irrigated)
}

func TestCultivationsOfMergedFields(t *testing.T) {
	t.Parallel()
	sown := func(id, field, season, crop int64) farm.Cultivation {
		return farm.Cultivation{Meta: record.Meta{ID: id}, Field: record.Ref{ID: field}, Season: record.Ref{ID: season}, Crop: record.Ref{ID: crop}}
	}
	all := []farm.Cultivation{sown(1, 1, 1, 1), sown(2, 1, 2, 1), sown(3, 2, 1, 1), sown(4, 2, 2, 2), sown(5, 1, 1, 1), sown(6, 3, 3, 1)}
	var groups [][]int64
	for _, group := range farm.Together(all) {
		var ids []int64
		for _, c := range group {
			ids = append(ids, c.ID)
		}
		groups = append(groups, ids)
	}
	require.Equal(t, [][]int64{{1, 3, 5}, {2}, {4}, {6}}, groups)
	mixed := farm.Mixed(all)
	require.Len(t, mixed, 1, "a field without a cultivation in a season contradicts nothing")
	require.EqualValues(t, 2, mixed[0].Season.ID)
}
