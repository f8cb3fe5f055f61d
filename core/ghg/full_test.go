package ghg_test

import (
	"tilth/core/ghg"
)

// full is an assessment with all 15 sections filled.
func full() ghg.Input {
	in := paddy()
	in.General.Year = 2024
	in.Crop.FarmGateYieldKg = ptr(10_500.0)
	in.Crop.CoProducts = []ghg.CoProduct{{Name: "straw", SharePct: 10, Basis: "economic"}}
	in.Fertilizers = append(in.Fertilizers,
		ghg.Fertilizer{Product: "dap", KgPerHa: 100, AreaPct: 80, Region: "china", Inhibitor: "both"},
		ghg.Fertilizer{Product: "custom", KgPerHa: 60, AreaPct: 50, NPct: ptr(30.0), P2O5Pct: ptr(5.0), K2OPct: ptr(8.0), NClass: "urea", Region: "europe"},
		ghg.Fertilizer{Product: "limestone", KgPerHa: 500, AreaPct: 100},
		ghg.Fertilizer{Product: "uan", KgPerHa: 90, AreaPct: 100, ManualProductionEF: ptr(1.1)})
	in.OrganicInputs = append(in.OrganicInputs,
		ghg.OrganicInput{Type: "straw", KgPerHa: 800, DaysBeforePlanting: ptr(40.0)},
		ghg.OrganicInput{Type: "other", KgPerHa: 700, NPct: ptr(1.5), DryMatterPct: ptr(60.0)},
		ghg.OrganicInput{Type: "biochar", KgPerHa: 300})
	in.CropProtection = append(in.CropProtection, ghg.Protection{Category: "fungicide", Applications: 2, TreatedPct: 50, KgPerHa: ptr(1.5), ActiveIngredientPct: ptr(40.0)})
	in.Residues.Management = []ghg.ResidueShare{
		{Practice: "incorporated", SharePct: 30}, {Practice: "left_on_field", SharePct: 10}, {Practice: "removed", SharePct: 10},
		{Practice: "burned", SharePct: 20}, {Practice: "grazed", SharePct: 10}, {Practice: "composted", SharePct: 10}, {Practice: "heaped", SharePct: 10},
	}
	in.Irrigation = append(in.Irrigation,
		ghg.Irrigation{Method: "sprinkler", WaterM3: 3000, PowerSource: "diesel", DistanceM: ptr(200.0)},
		ghg.Irrigation{Method: "drip", WaterM3: 300, Source: "mains"})
	in.FuelEnergy = append(in.FuelEnergy,
		ghg.Fuel{Carrier: "electricity_grid", Amount: 1000, Unit: "kwh", AllocationPct: 50},
		ghg.Fuel{Carrier: "wood", Amount: 500, Unit: "kg", AllocationPct: 100, Purpose: "drying"},
		ghg.Fuel{Carrier: "biodiesel", Amount: 50, Unit: "l", AllocationPct: 100},
		ghg.Fuel{Carrier: "district_heat", Amount: 100, Unit: "kwh", AllocationPct: 100})
	in.Machinery = []ghg.Operation{{Operation: "mouldboard_plough", Passes: 1, AreaPct: 100}, {Operation: "other", Passes: 2, AreaPct: 50, FuelLPerHa: ptr(6.0)}}
	in.Transport = []ghg.Journey{{Mode: "truck", WeightT: 11, DistanceKm: 40, Leg: "outbound"}, {Mode: "rail", WeightT: 11, DistanceKm: 400, Refrigerated: true}}
	in.LandManagement = &ghg.LandState{
		Tillage: "no_till", CarbonInputs: "high", CoverCrop: "legume",
		Changes: []ghg.LandChange{{Year: 2010, Tillage: "full", CarbonInputs: "low", AreaPct: 60}, {Year: 2019, Tillage: "reduced", CarbonInputs: "medium", AreaPct: 60}},
	}
	in.LandUseChange = []ghg.Conversion{
		{PreviousUse: "forest", ForestZone: "tropical_dry_asia_continental", Year: 2015, AreaPct: 20},
		{PreviousUse: "grassland", Year: 2008, AreaPct: 10},
		{PreviousUse: "perennial", Year: 2020, AreaPct: 5},
	}
	in.PerennialBiomass = []ghg.Perennial{
		{System: "shade_trees", AreaHa: ptr(0.2), PlantingYear: 2021},
		{System: "hedgerow", AreaHa: ptr(0.1), PlantingYear: 2015, GrowthTCHaYr: ptr(1.2), RemovedAreaHa: ptr(0.02)},
		{System: "orchard", AreaHa: ptr(0.3), PlantingYear: 2005, MeasuredStocks: []ghg.CarbonStock{{Year: 2020, TC: 5}, {Year: 2024, TC: 6}}},
	}
	return in
}
