package bench

import (
	"encoding/json"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/assessment"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// entered is an assessment as people enter it: the second worked example of ghg.md.
func entered(b *testing.B) (*assessment.Table, *assessment.Assessment, assessment.Sheet) {
	b.Helper()
	mapping, err := engine.Mapping()
	require.NoError(b, err)
	table := assessment.NewTable(mapping)
	amount := func(value float64, unit string) map[string]any { return map[string]any{"value": value, "unit": unit} }
	year := 2024
	record := &assessment.Assessment{
		ResourceType: assessment.OfFarm, ResourceID: 1, Year: &year, GrowingArea: amount(2, "ha"), AverageTemperature: amount(26, "celsius"),
		ClimateRegion: "tropical_moist", FarmCountry: "india", DataQuality: "all_actual_data",
	}
	sheet := assessment.Sheet{}
	for key, values := range map[string]assessment.Values{
		"crop":            {"crop_type": "rice_paddy", "harvested_yield": amount(5.5, "t/ha")},
		"soil":            {"soil_class": "high_activity_clay"},
		"fertilizers":     {"product": "urea", "rate": amount(220, "kg/ha")},
		"organic_inputs":  {"type": "cattle_manure", "rate": amount(5, "t/ha"), "days_before_planting": 20.0},
		"crop_protection": {"category": "herbicide", "applications": 1.0},
		"seeds":           {"rate": amount(40, "kg/ha"), "origin": "purchased"},
		"residues":        {"management": []any{map[string]any{"practice": "incorporated", "share_pct": 100.0}}, "straw_incorporation_timing": "lt_30d"},
		"rice":            {"water_regime": "continuously_flooded", "pre_season": "non_flooded_lt_180d"},
		"irrigation":      {"method": "flood", "water_volume": amount(12000, "m3/ha"), "power_source": "electric", "source": "groundwater"},
		"fuel_energy":     {"carrier": "diesel", "amount": amount(90, "l")},
		"land_management": {"tillage": "full", "carbon_inputs": "medium", "no_change_20y": true},
	} {
		sheet[key] = []assessment.Row{{ID: 1, Values: values}}
	}
	return table, record, sheet
}

// 10,000 live reports, from the entered data to the JSON of the response, on all cores:
// checks, snapshot, digest, calculation with its trace, report.
func BenchmarkLiveReports10000(b *testing.B) {
	const reports = 10_000
	table, record, sheet := entered(b)
	now := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	facts := assessment.Facts{Now: now, ResourceLive: true}
	one := func() error {
		_, warnings := table.Submittable(record, sheet, facts)
		in, _, _ := table.Normalise(record, sheet, facts)
		result, _, err := engine.BuiltIn{}.Calculate(b.Context(), in, "", ghg.Options{Trace: true})
		if err != nil {
			return err
		}
		_, err = json.Marshal(report.New(result, report.About{AssessmentID: 1, Basis: "live", ComputedAt: now, Warnings: assessment.Warnings(warnings)}))
		return err
	}
	require.NoError(b, one())
	for b.Loop() {
		start := time.Now()
		var group sync.WaitGroup
		var left, failed atomic.Int64
		left.Store(reports)
		for range runtime.GOMAXPROCS(0) {
			group.Go(func() {
				for left.Add(-1) >= 0 {
					if one() != nil {
						failed.Add(1)
					}
				}
			})
		}
		group.Wait()
		require.Zero(b, failed.Load())
		b.ReportMetric(reports/time.Since(start).Seconds(), "reports/s")
	}
}
