package farm_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/agronomy"
	"tilth/core/farm"
	"tilth/core/record"
)

func p(x float64) *float64 { return &x }

func fertilization(change func(*farm.Fertilization)) farm.Fertilization {
	r := farm.Fertilization{Cultivation: record.Ref{ID: 1}, Product: "dap", Amount: &agronomy.Amount{Value: 200, Unit: agronomy.KgPerHa}}
	if change != nil {
		change(&r)
	}
	r.Normalise()
	return r
}

func TestFertilizationCheck(t *testing.T) {
	t.Parallel()
	good := fertilization(nil)
	require.Empty(t, good.Check())
	require.Equal(t, farm.BasisOxide, good.NutrientBasis)
	bare := farm.Fertilization{Cultivation: record.Ref{ID: 1}}
	bare.Normalise()
	require.Empty(t, bare.Check(), "all but the cultivation is optional")
	exact := fertilization(func(r *farm.Fertilization) {
		r.Nutrients = farm.Nutrients{N: p(33.3), P2O5: p(33.3), K2O: p(33.3), S: p(0.1)}
	})
	require.Empty(t, exact.Check(), "a hundred per cent is possible")
	for field, bad := range map[string]func(*farm.Fertilization){
		"cultivation_id":      func(r *farm.Fertilization) { r.Cultivation.ID = 0 },
		"applied_on":          func(r *farm.Fertilization) { at := time.Date(1800, 1, 1, 0, 0, 0, 0, time.UTC); r.AppliedOn = &at },
		"product":             func(r *farm.Fertilization) { r.Product = "gold" },
		"amount":              func(r *farm.Fertilization) { r.Amount.Unit = "" },
		"density_kg_per_l":    func(r *farm.Fertilization) { r.Amount.Unit = agronomy.LPerHa },
		"treated_area_ha":     func(r *farm.Fertilization) { r.TreatedAreaHa = p(0) },
		"nutrient_basis":      func(r *farm.Fertilization) { r.NutrientBasis = "ionic" },
		"inhibitor":           func(r *farm.Fertilization) { r.Inhibitor = "x" },
		"application_method":  func(r *farm.Fertilization) { r.ApplicationMethod = "thrown" },
		"incorporation_hours": func(r *farm.Fertilization) { r.IncorporationHours = p(-1) },
		"dry_matter_pct":      func(r *farm.Fertilization) { r.DryMatterPct = p(math.NaN()) },
		"mgo_pct":             func(r *farm.Fertilization) { r.Nutrients.MgO = p(101) },
	} {
		r := fertilization(bad)
		require.Contains(t, r.Check(), field)
	}
	for name, amount := range map[string]float64{"zero": 0, "negative": -1, "NaN": math.NaN(), "infinite": math.Inf(1), "huge": 2e9} {
		r := fertilization(func(r *farm.Fertilization) { r.Amount.Value = amount })
		require.Contains(t, r.Check(), "amount", name)
	}
	over := fertilization(func(r *farm.Fertilization) { r.Nutrients = farm.Nutrients{N: p(60), K2O: p(40.1)} })
	require.Len(t, over.Check(), 2, "both parts are named")
	forms := fertilization(func(r *farm.Fertilization) { r.Forms = farm.NitrogenForms{Nitrate: p(50), Urea: p(51)} })
	require.Contains(t, forms.Check(), "n_urea_share_pct")
}

func TestTreatedArea(t *testing.T) {
	t.Parallel()
	r := fertilization(func(r *farm.Fertilization) { r.TreatedAreaHa = p(10.5) })
	require.Empty(t, r.CheckTreatedArea(p(10)))
	require.Empty(t, r.CheckTreatedArea(nil), "the area of the field is not known")
	require.Contains(t, r.CheckTreatedArea(p(9.99)), "treated_area_ha")
}

func TestRates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change           func(*farm.Fertilization)
		mass, n, p2o, k2 *float64
	}{
		"of the catalog":      {nil, p(200), p(36), p(92), p(0)},
		"stated over catalog": {func(r *farm.Fertilization) { r.Nutrients.N = p(20) }, p(200), p(40), p(92), p(0)},
		"elemental": {func(r *farm.Fertilization) {
			r.NutrientBasis = "elemental"
			r.Nutrients = farm.Nutrients{P2O5: p(20), K2O: p(10)}
		}, p(200), p(36), p(91.6536), p(24.0922)},
		"no product": {func(r *farm.Fertilization) { r.Product = ""; r.Nutrients.N = p(10) }, p(200), p(20), nil, nil},
		"organic": {func(r *farm.Fertilization) {
			r.Product = "cattle_slurry"
			r.DensityKgPerL = p(1)
			r.Amount = &agronomy.Amount{Value: 30, Unit: agronomy.M3PerHa}
		}, p(30_000), p(78), nil, nil},
		"no amount": {func(r *farm.Fertilization) { r.Amount = nil }, nil, nil, nil, nil},
		"total": {func(r *farm.Fertilization) {
			r.Amount.Unit = agronomy.Tonne
			r.Amount.Value = 1
			r.TreatedAreaHa = p(5)
			r.FieldAreaHa = p(10)
		}, p(200), p(36), p(92), p(0)},
		"total, whole field":   {func(r *farm.Fertilization) { r.Amount.Unit = agronomy.Kg; r.FieldAreaHa = p(10) }, p(20), p(3.6), p(9.2), p(0)},
		"total, unknown field": {func(r *farm.Fertilization) { r.Amount.Unit = agronomy.Kg }, nil, nil, nil, nil},
	} {
		r := fertilization(c.change)
		require.Equal(t, farm.Rates{Mass: c.mass, N: c.n, P2O5: c.p2o, K2O: c.k2}, r.Rates(), name)
	}
}
