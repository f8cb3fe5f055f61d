package bench

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

func at[T any](v T) *T { return &v }

// assessed is an assessment with all 15 sections filled.
func assessed() ghg.Input {
	return ghg.Input{
		General: ghg.General{Year: 2024, AreaHa: 2, ClimateRegion: "tropical_moist", Country: "india"},
		Crop:    ghg.Crop{Type: "rice_paddy", YieldKg: at(11_000.0), CoProducts: []ghg.CoProduct{{Name: "straw", SharePct: 10}}},
		Soil:    ghg.Soil{Class: "high_activity_clay"},
		Fertilizers: []ghg.Fertilizer{
			{Product: "urea", KgPerHa: 150, AreaPct: 100}, {Product: "dap", KgPerHa: 100, AreaPct: 100}, {Product: "mop", KgPerHa: 60, AreaPct: 100},
		},
		OrganicInputs:  []ghg.OrganicInput{{Type: "cattle_manure", KgPerHa: 5000}, {Type: "straw", KgPerHa: 800, DaysBeforePlanting: at(40.0)}},
		CropProtection: []ghg.Protection{{Category: "herbicide", Applications: 1, TreatedPct: 100}, {Category: "insecticide", Applications: 2, TreatedPct: 100}},
		Seeds:          &ghg.Seeds{KgPerHa: 40, Origin: "purchased"},
		Residues: &ghg.Residues{
			Management:  []ghg.ResidueShare{{Practice: "incorporated", SharePct: 60}, {Practice: "burned", SharePct: 20}, {Practice: "removed", SharePct: 20}},
			StrawTiming: "lt_30d",
		},
		Rice:       &ghg.Rice{WaterRegime: "single_drainage", PreSeason: "non_flooded_lt_180d"},
		Irrigation: []ghg.Irrigation{{Method: "flood", WaterM3: 24_000, PowerSource: "electric", Source: "groundwater"}},
		FuelEnergy: []ghg.Fuel{{Carrier: "diesel", Amount: 90, Unit: "l", AllocationPct: 100}, {Carrier: "electricity_grid", Amount: 200, Unit: "kwh", AllocationPct: 50}},
		Machinery:  []ghg.Operation{{Operation: "combine_harvester", Passes: 1, AreaPct: 100}, {Operation: "rotary_hoe", Passes: 2, AreaPct: 100}},
		Transport:  []ghg.Journey{{Mode: "truck", WeightT: 11, DistanceKm: 40}},
		LandManagement: &ghg.LandState{
			Tillage: "reduced", CarbonInputs: "high", Changes: []ghg.LandChange{{Year: 2015, Tillage: "full", CarbonInputs: "medium", AreaPct: 100}},
		},
		LandUseChange:    []ghg.Conversion{{PreviousUse: "forest", ForestZone: "tropical_dry_asia_continental", Year: 2010, AreaPct: 20}},
		PerennialBiomass: []ghg.Perennial{{System: "shade_trees", AreaHa: at(0.2), PlantingYear: 2021}},
	}
}

func benchmarkGHG(b *testing.B, trace bool) {
	set, err := engine.FactorSet(ghg.IPCC2019)
	require.NoError(b, err)
	in := assessed()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ghg.Calculate(in, set, ghg.Options{Trace: trace}); err != nil {
			b.Fatal(err)
		}
	}
}

// One assessment with all 15 sections filled: under 50 µs without a trace, under 250 µs
// with it.
func BenchmarkGHG(b *testing.B)      { benchmarkGHG(b, false) }
func BenchmarkGHGTrace(b *testing.B) { benchmarkGHG(b, true) }

// 10,000 live results with their reports, on as many cores as there are.
func BenchmarkGHGLive10000(b *testing.B) {
	set, err := engine.FactorSet(ghg.IPCC2019)
	require.NoError(b, err)
	in := assessed()
	for b.Loop() {
		start := time.Now()
		var group sync.WaitGroup
		for worker := range runtime.GOMAXPROCS(0) {
			group.Go(func() {
				for i := worker; i < 10_000; i += runtime.GOMAXPROCS(0) {
					res, err := ghg.Calculate(in, set, ghg.Options{})
					if err != nil {
						b.Error(err)
						return
					}
					_ = report.New(res, report.About{Basis: "live"})
				}
			})
		}
		group.Wait()
		b.ReportMetric(10_000/time.Since(start).Seconds(), "results/s")
	}
}
