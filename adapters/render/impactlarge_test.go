package render_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render"
	"tilth/core/ghg"
	"tilth/ports"
)

// large is a report of seven lists of that many items each.
func large(t testing.TB, items int) ports.ImpactDocument {
	t.Helper()
	return document(t, "Large", func(in *ghg.Input) {
		for i := range items {
			some := float64(i%90 + 1)
			in.Fertilizers = append(in.Fertilizers, ghg.Fertilizer{Product: []string{"urea", "dap", "can", "limestone"}[i%4], KgPerHa: some, AreaPct: 100})
			in.OrganicInputs = append(in.OrganicInputs, ghg.OrganicInput{Type: []string{"cattle_manure", "compost"}[i%2], KgPerHa: 10 * some})
			in.CropProtection = append(in.CropProtection, ghg.Protection{Category: "herbicide", Applications: 1, TreatedPct: some})
			in.Irrigation = append(in.Irrigation, ghg.Irrigation{Method: "sprinkler", WaterM3: some, PowerSource: []string{"diesel", "electric"}[i%2]})
			in.FuelEnergy = append(in.FuelEnergy, ghg.Fuel{Carrier: []string{"diesel", "electricity_grid"}[i%2], Amount: some, Unit: "mj", AllocationPct: 100})
			in.Machinery = append(in.Machinery, ghg.Operation{Operation: "mouldboard_plough", Passes: 1, AreaPct: some})
			in.Transport = append(in.Transport, ghg.Journey{Mode: "truck", WeightT: 1, DistanceKm: some})
		}
	})
}

// A report of seven lists of 500 items each, as the form allows.
func BenchmarkLargeImpactDocument(b *testing.B) {
	doc := large(b, 500)
	b.ReportMetric(float64(len(doc.Report.Trace)), "steps")
	for b.Loop() {
		var out bytes.Buffer
		require.NoError(b, render.Documents{}.PrintImpact(b.Context(), &out, doc))
		b.ReportMetric(float64(out.Len())/1e6, "MB")
	}
}
