package views_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/ghg"
	"tilth/core/ghg/views"
)

func ptr[T any](v T) *T { return &v }

// anyResult draws a result of lines that an engine can answer with.
func anyResult(t *rapid.T) ghg.Result {
	labels := slices.Sorted(maps.Keys(ghg.Labels()))
	res := ghg.Result{Warming: ghg.Masses{1, 29.8, 27, 273, 1}, MainSharePct: 100, Engine: ghg.Identity{ID: ghg.EngineID}}
	for range rapid.IntRange(0, 12).Draw(t, "lines") {
		l := ghg.Line{
			Label: rapid.SampledFrom(labels).Draw(t, "label"), Scope: rapid.IntRange(1, 3).Draw(t, "scope"),
			Model:       rapid.SampledFrom([]string{"any", ghg.ModelAircraft, ghg.ModelStationary}).Draw(t, "model"),
			BiogenicCO2: rapid.Float64Range(0, 1e5).Draw(t, "biogenic"),
		}
		for gas := range l.Kg {
			l.Kg[gas] = rapid.Float64Range(0, 1e5).Draw(t, "kg")
			l.CO2e += ghg.CO2e(l.Kg[gas], res.Warming[gas])
		}
		res.Lines = append(res.Lines, l)
		res.Emissions += l.CO2e
		res.BiogenicCO2 += l.BiogenicCO2
	}
	for _, label := range slices.Sorted(maps.Keys(ghg.RemovalLabels())) {
		kg := rapid.Float64Range(0, 1e5).Draw(t, "removed")
		res.Removals = append(res.Removals, ghg.Line{Label: label, CO2e: kg})
		res.Removed += kg
	}
	if rapid.Bool().Draw(t, "with a yield") {
		res.ProductT = rapid.Float64Range(0.1, 1e4).Draw(t, "product")
	}
	for range rapid.IntRange(0, 3).Draw(t, "co-products") {
		c := ghg.CoProduct{Name: "other", SharePct: rapid.Float64Range(0, 30).Draw(t, "pct")}
		if rapid.Bool().Draw(t, "with a mass") {
			c.MassT, c.PricePerT = ptr(rapid.Float64Range(0.1, 1e4).Draw(t, "t")), ptr(rapid.Float64Range(0, 500).Draw(t, "price"))
			res.PricePerT = ptr(rapid.Float64Range(1, 500).Draw(t, "main price"))
		}
		res.CoProducts = append(res.CoProducts, c)
		res.MainSharePct -= c.SharePct
	}
	return res
}

func sum[T any](of []T, figure func(T) float64) (total float64) {
	for _, v := range of {
		total += figure(v)
	}
	return total
}

func ofPart(p views.Part) float64 { return p.CO2e }

// TestViewsAddUp: the parts of each view are the emissions, its removals the removals, and the shares of the products the
// whole, by each way to share that is possible.
func TestViewsAddUp(t *testing.T) {
	t.Parallel()
	const rounding = 2e-5 // t; each figure is rounded to the gram
	rapid.Check(t, func(t *rapid.T) {
		res := anyResult(t)
		v := views.Of(res)
		for _, parts := range [][]views.Part{v.LandSector.Parts, v.FLAG.Parts, v.Product.Parts} {
			require.InDelta(t, res.Emissions/1000, sum(parts, ofPart), rounding)
			if res.Emissions > 0 {
				require.InDelta(t, 1, sum(parts, func(p views.Part) float64 { return p.Share }), 1e-5)
			}
		}
		require.InDelta(t, v.FLAG.Total, v.FLAG.Parts[0].CO2e+v.FLAG.Parts[1].CO2e, rounding)
		removed := sum(v.LandSector.Removals, func(r views.Removal) float64 { return r.CO2e })
		for _, figure := range []float64{removed, v.FLAG.Removals, v.Product.Removals} {
			require.InDelta(t, res.Removed/1000, figure, rounding)
		}
		require.InDelta(t, res.BiogenicCO2/1000, v.LandSector.BiogenicProductCO2+v.LandSector.LandBiogenicCO2, rounding)
		require.Len(t, v.Product.Allocations, 3)
		for _, a := range v.Product.Allocations {
			require.Equal(t, a.Method == views.ByStatedShare, a.Used)
			require.Equal(t, a.NotPossible == "", len(a.Products) > 0, a.NotPossible)
			if len(a.Products) == 0 {
				continue
			}
			require.Len(t, a.Products, 1+len(res.CoProducts))
			require.InDelta(t, 100, sum(a.Products, func(s views.ProductShare) float64 { return s.SharePct }), 1e-5)
			require.InDelta(t, res.Emissions/1000, sum(a.Products, func(s views.ProductShare) float64 { return s.CO2e }), rounding)
			for _, s := range a.Products {
				require.InDelta(t, s.CO2e, sum(s.Parts, ofPart), rounding)
			}
		}
	})
}

// TestEveryLabelHasARule: no line is put anywhere by chance, and the guide prints the table.
func TestEveryLabelHasARule(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "ghg.md"))
	require.NoError(t, err)
	met := map[string]bool{}
	for _, r := range views.Rules() {
		met[r.Label] = true
		of := "`" + r.Label + "`"
		if r.Model != "" {
			of += " (`" + r.Model + "`)"
		}
		if r.Scope != 0 {
			of += " scope " + string(rune('0'+r.Scope))
		}
		require.Contains(t, string(guide), strings.Join([]string{"| " + of, "`" + r.LandSector + "`", "`" + r.FLAG + "`", "`" + r.Product + "`", r.Why + " |"}, " | "))
	}
	require.Equal(t, slices.Sorted(maps.Keys(ghg.Labels())), slices.Sorted(maps.Keys(met)))
}

func part(parts []views.Part, name string) float64 {
	for _, p := range parts {
		if p.Part == name {
			return p.CO2e
		}
	}
	return -1
}

// TestWhereLinesStand checks the cases that are easy to get wrong.
func TestWhereLinesStand(t *testing.T) {
	t.Parallel()
	line := func(label, model string, scope int, gas ghg.Gas) ghg.Line {
		l := ghg.Line{Label: label, Model: model, Scope: scope}
		l.Kg[gas] = 1000
		l.CO2e = 1000
		return l
	}
	of := func(l ghg.Line) views.Views {
		return views.Of(ghg.Result{Lines: []ghg.Line{l}, Emissions: l.CO2e, Warming: ghg.Masses{1, 1, 1, 1, 1}, MainSharePct: 100, Engine: ghg.Identity{ID: ghg.EngineID}})
	}
	for _, c := range []struct {
		name                string
		line                ghg.Line
		land, flag, product string
	}{
		{"a plough", line(ghg.LabelMachinery, "machinery_fuel", 1, ghg.CO2), views.NonLand, views.FLAGManagement, views.Fossil},
		{"its fuel's way to the tank", line(ghg.LabelMachinery, "fuel_upstream", 3, ghg.NotSplit), views.NonLand, views.NonFLAG, views.Fossil},
		{"a dryer", line(ghg.LabelCombustion, ghg.ModelStationary, 1, ghg.CO2), views.NonLand, views.NonFLAG, views.Fossil},
		{"methane of a biofuel", line(ghg.LabelCombustion, "fuel_combustion", 1, ghg.CH4Biogenic), views.NonLand, views.FLAGManagement, views.Biogenic},
		{"fertilizer made", line(ghg.LabelProduction, "fertilizer_production", 3, ghg.NotSplit), views.NonLand, views.FLAGManagement, views.Fossil},
		{"lime", line(ghg.LabelLiming, "liming", 1, ghg.CO2), views.LandManagement, views.FLAGManagement, views.Fossil},
		{"a flight", line(ghg.LabelTransport, ghg.ModelAircraft, 3, ghg.CO2), views.NonLand, views.NonFLAG, views.Aircraft},
		{"a trailer on the farm", line(ghg.LabelTransport, "on_farm_transport", 1, ghg.CO2), views.NonLand, views.FLAGManagement, views.Fossil},
		{"rice", line(ghg.LabelRice, "rice_methane", 1, ghg.CH4Biogenic), views.LandManagement, views.FLAGManagement, views.Biogenic},
		{"cleared forest", line(ghg.LabelLandUse, "land_conversion", 1, ghg.CO2), views.LandUseChange, views.FLAGLandUse, views.LandUseChange},
	} {
		v := of(c.line)
		require.InDelta(t, 1, part(v.LandSector.Parts, c.land), 1e-9, c.name)
		require.InDelta(t, 1, part(v.FLAG.Parts, c.flag), 1e-9, c.name)
		require.InDelta(t, 1, part(v.Product.Parts, c.product), 1e-9, c.name)
		require.Equal(t, c.product == views.Aircraft, v.Product.AircraftNote == "", c.name)
	}
	their := ghg.Result{Lines: []ghg.Line{line(ghg.LabelTransport, "theirs", 3, ghg.NotSplit)}, Engine: ghg.Identity{ID: "theirs"}}
	require.Equal(t, views.AircraftNotApart, views.Of(their).Product.AircraftNote)
}

// TestAllocationsBesideTheStatedShares: 10 t of grain at 200 and 5 t of straw at 40 share by mass 2 : 1, by value 10 : 1; a
// product without a mass or a price is named.
func TestAllocationsBesideTheStatedShares(t *testing.T) {
	t.Parallel()
	res := ghg.Result{
		Emissions: 11_000, ProductT: 10, MainSharePct: 80, PricePerT: ptr(200.0),
		CoProducts: []ghg.CoProduct{{Name: "straw", SharePct: 20, MassT: ptr(5.0), PricePerT: ptr(40.0)}},
	}
	perT := func(method string, product int) float64 {
		for _, a := range views.Of(res).Product.Allocations {
			if a.Method == method {
				return *a.Products[product].PerT
			}
		}
		return 0
	}
	require.InDelta(t, 0.88, perT(views.ByStatedShare, 0), 1e-9)
	require.InDelta(t, 11.0/15, perT(views.ByMass, 0), 1e-6)
	require.InDelta(t, 11.0/15, perT(views.ByMass, 1), 1e-6)
	require.InDelta(t, 1.0, perT(views.ByValue, 0), 1e-9)
	require.InDelta(t, 0.2, perT(views.ByValue, 1), 1e-9)

	res.PricePerT = nil
	require.Equal(t, "not possible: no price entered of main_product", views.Of(res).Product.Allocations[2].NotPossible)
	res.CoProducts[0].MassT = nil
	require.Equal(t, "not possible: no mass entered of straw", views.Of(res).Product.Allocations[1].NotPossible)
}

// TestMonitoringOfRemovals: a removal states whether measurements, a model or a default show it.
func TestMonitoringOfRemovals(t *testing.T) {
	t.Parallel()
	res := ghg.Result{Removals: []ghg.Line{
		{Label: ghg.RemovalHedgerows, Model: "perennial_growth", CO2e: 4}, {Label: ghg.RemovalPerennial, Model: ghg.ModelMeasuredStock, CO2e: 3},
		{Label: ghg.RemovalSoil, Model: "soil_carbon", Section: "soil", CO2e: 2}, {Label: ghg.RemovalSoil, Model: "soil_carbon", Section: "land_use_change", CO2e: 1},
	}}
	of := func(method string) (out []string) {
		res.SoilCarbon = nil
		if method != "" {
			res.SoilCarbon = &ghg.SoilEstimates{Method: method}
		}
		for _, r := range views.Of(res).LandSector.Removals {
			out = append(out, r.Monitoring)
		}
		return out
	}
	none, measured, modelled := views.MonitoringNone, views.MonitoringMeasured, views.MonitoringModelled
	require.Equal(t, []string{none, measured, none, none}, of(""))
	require.Equal(t, []string{none, measured, none, none}, of(ghg.SoilTier1))
	require.Equal(t, []string{none, measured, modelled, none}, of(ghg.SoilTier2))
	require.Equal(t, []string{none, measured, measured, none}, of(ghg.SoilMeasured), "land converted within 20 years keeps the default")
}
