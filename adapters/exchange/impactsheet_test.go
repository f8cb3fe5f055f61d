package exchange_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/adapters/exchange"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
)

var update = flag.Bool("update", false, "write the files that the tests compare with")

func impactDocument(t *testing.T) ports.ImpactDocument {
	t.Helper()
	set, err := engine.FactorSet(ghg.IPCC2019)
	require.NoError(t, err)
	result, err := ghg.Calculate(ghg.Input{
		General:     ghg.General{Year: 2024, AreaHa: 10, ClimateRegion: "cool_temperate_moist", Country: "france"},
		Crop:        ghg.Crop{Type: "winter_wheat"},
		Fertilizers: []ghg.Fertilizer{{Product: "urea", KgPerHa: 200, AreaPct: 100, Region: "europe"}},
	}, set, ghg.Options{Trace: true})
	require.NoError(t, err)
	// The digest of the factor set changes with every edition of its tables.
	result.FactorSet.Version, result.FactorSet.Digest = "1", "abc"
	return ports.ImpactDocument{
		Evidence: []ports.ListedFile{{
			Frozen: evidence.Frozen{
				ID: 12, For: "fertilizers[0].rate", Name: "=invoice.pdf", Media: "application/pdf", Size: 48_213, SHA256: "ab12", Note: "Delivery, \"7\"",
				UploadedAt: "2025-01-02T03:04:05Z", UploadedBy: 7,
			},
			By: access.Named{ID: 7, Name: "Ann"},
		}},
		Subject: assessment.Subject{Company: "=HYPERLINK(\"x\")", ResourceType: assessment.OfField, ResourceID: 3, Resource: "Поле, \"верхнее\"", Year: 2024},
		Report: report.New(result, report.About{
			AssessmentID: 3, Basis: "live", ComputedAt: time.Date(2025, 1, 2, 3, 4, 5, 600, time.UTC),
			Warnings: []ghg.Warning{{Code: "odd", Item: "crop", Message: "+1"}},
		}),
	}
}

func TestImpactSheet(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, exchange.Sheets{}.ImpactSheet(&out, ports.CSV, impactDocument(t)))
	golden := filepath.Join("testdata", "impact.csv")
	if *update {
		require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), out.String())

	rows, err := csv.NewReader(&out).ReadAll()
	require.NoError(t, err, "every record has every column")
	kinds := map[string]int{}
	for _, row := range rows[1:] {
		kinds[row[0]]++
		for _, cell := range row {
			require.False(t, cell != "" && (cell[0] == '=' || cell[0] == '+' || cell[0] == '@'), "a spreadsheet takes %q for a formula", cell)
		}
	}
	for _, kind := range []string{"about", "total", "evidence", "emission", "warning", "step", "input", "factor"} {
		require.Positive(t, kinds[kind], kind)
	}
}
