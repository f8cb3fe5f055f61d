package render_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/adapters/render"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/ghg"
	"tilth/core/ghg/report"
	"tilth/ports"
)

func of[T any](v T) *T { return &v }

// document is a submitted report of rice with its trace.
func document(t testing.TB, resource string, change func(*ghg.Input)) ports.ImpactDocument {
	t.Helper()
	set, err := engine.FactorSet(ghg.IPCC2019)
	require.NoError(t, err)
	in := ghg.Input{
		General:     ghg.General{Year: 2024, AreaHa: 2, ClimateRegion: "tropical_moist", Country: "india"},
		Crop:        ghg.Crop{Type: "rice_paddy", YieldKg: of(11_000.0), CoProducts: []ghg.CoProduct{{Name: "солома", SharePct: 10, Basis: "economic"}}},
		Soil:        ghg.Soil{Class: "high_activity_clay"},
		Fertilizers: []ghg.Fertilizer{{Product: "urea", KgPerHa: 220, AreaPct: 100}},
		Rice:        &ghg.Rice{WaterRegime: "continuously_flooded", PreSeason: "non_flooded_lt_180d"},
		FuelEnergy:  []ghg.Fuel{{Carrier: "diesel", Amount: 90, Unit: "l", AllocationPct: 100}},
		PerennialBiomass: []ghg.Perennial{
			{System: "shade_trees", AreaHa: of(0.2), PlantingYear: 2021},
		},
	}
	if change != nil {
		change(&in)
	}
	result, err := ghg.Calculate(in, set, ghg.Options{Trace: true})
	require.NoError(t, err)
	if result.InputDigest, err = in.Digest(); err != nil {
		t.Fatal(err)
	}
	version := 3
	return ports.ImpactDocument{
		Subject: assessment.Subject{
			Company: "Κτήμα Ελιά", ResourceType: assessment.OfFarm, ResourceID: 7, Resource: resource, Year: 2024, Crop: "rice_paddy",
			Country: "india", ClimateRegion: "tropical_moist", DataQuality: "all_actual_data",
		},
		SubmittedBy: &access.Named{ID: 1, Name: "Zoë Łącka"},
		Evidence: []ports.ListedFile{{
			Frozen: evidence.Frozen{
				ID: 12, For: "fertilizers[0].rate", Name: "Rechnung März.pdf", Size: 48_213, SHA256: strings.Repeat("ab12", 16), Note: "Lieferung 7", UploadedAt: "2025-01-01T09:10:11.5Z",
			},
			By: access.Named{ID: 7, Name: "Ann Ñandú"},
		}},
		Report: report.New(result, report.About{
			AssessmentID: 7, Basis: "submitted", ResultVersion: &version, ComputedAt: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC),
			Warnings: []ghg.Warning{{Code: "odd", Item: "crop", Message: "Something is odd."}},
		}),
	}
}

func printed(t testing.TB, doc ports.ImpactDocument) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, render.Documents{}.PrintImpact(t.Context(), &out, doc))
	return out.Bytes()
}

// textOf reads the text of a document back with another program.
func textOf(t testing.TB, pdf []byte) string {
	t.Helper()
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("LEFT OUT: pdftotext is not installed, so the text of the document is not read back")
	}
	file := filepath.Join(t.TempDir(), "report.pdf")
	require.NoError(t, os.WriteFile(file, pdf, 0o600))
	text, err := exec.CommandContext(t.Context(), program, "-layout", file, "-").Output()
	require.NoError(t, err)
	return strings.Join(strings.Fields(strings.ReplaceAll(string(text), "\u00a0", " ")), " ")
}

// Everything that the report holds can be read in the document, in any of the scripts.
func TestImpactDocument(t *testing.T) {
	t.Parallel()
	doc := document(t, "Ферма «Рассвет» Ñandú", nil)
	pdf := printed(t, doc)
	require.True(t, bytes.HasPrefix(pdf, []byte("%PDF-")))
	require.Equal(t, pdf, printed(t, doc), "the same report, the same bytes")
	require.Less(t, len(pdf), 300<<10)
	look(t, "report.pdf", pdf)
	text := textOf(t, pdf)
	r := doc.Report
	for _, part := range []string{
		"Κτήμα Ελιά", "Ферма «Рассвет» Ñandú, 2024", "Zoë Łącka", "Submitted, version 3", "2025-01-02 03:04 UTC", "солома", "Something is odd.",
		fmt.Sprintf("%.3f", r.Totals.Emissions), fmt.Sprintf("%.3f to %.3f", r.Uncertainty.Low, r.Uncertainty.High), fmt.Sprintf("%.3f", *r.Totals.EmissionsPerT),
		r.InputDigest, r.FactorSet.Digest, r.Engine.ID, r.FactorSet.ID, "Rice methane", "Removals", "Page 1 of ",
		"Rechnung März.pdf: Lieferung 7", "48213 bytes", "Ann Ñandú, 2025-01-01", "09:10 UTC",
	} {
		require.Contains(t, text, part)
	}
	known := r.DataQuality.Factors
	require.NotNil(t, known)
	require.Contains(t, text, fmt.Sprintf("%d of %d factors unverified; %d from a secondary source. Their ranges: %d recalled, %d assumed",
		known.Unverified, known.Factors, known.Secondary, known.RangesRecalled, known.RangesAssumed))
	for _, l := range r.BySource {
		require.Contains(t, text, l.ValueStatus+" "+l.RangeStatus, "the statuses of every line")
		require.Contains(t, text, fmt.Sprintf("%.3f %.3f %.3f %.1f", l.Kg.CH4Fossil, l.Kg.CH4Biogenic, l.Kg.N2O, l.Kg.NotSplit), "its gases apart")
	}
	for _, part := range []string{
		"Land Sector and Removals Standard", "FLAG, land management", "Aircraft: no aircraft transport entered.", "Stated shares (used) Main product 90.0 %",
		"By mass Not possible: no mass entered of солома", "Not monitored", fmt.Sprintf("FLAG in all %.3f", r.Views.FLAG.Total),
	} {
		require.Contains(t, text, part)
	}
	require.Contains(t, strings.ReplaceAll(text, " ", ""), "ab12ab12ab12", "what a file is known by")
	for _, w := range r.Warnings[1:] {
		require.Contains(t, text, w.Message[:20])
	}
	plain := strings.ReplaceAll(text, " ", "")
	for _, step := range r.Trace {
		for _, in := range step.Inputs {
			require.Contains(t, plain, strings.ReplaceAll(in.Input, " ", ""), "every member of the snapshot")
			if in.From > 0 {
				require.Contains(t, text, fmt.Sprintf("step %d", in.From), "every step that a step uses")
			}
		}
		if step.Total != nil {
			require.Contains(t, plain, fmt.Sprintf("95%%:%.8gto%.8g", step.Total.Low, step.Total.High), "the range of every line and total")
		}
		require.Contains(t, text, strings.Join(strings.Fields(step.Equation), " "), "every equation")
		for _, f := range step.Factors {
			require.Contains(t, plain, strings.ReplaceAll(f.Key, " ", ""), "every factor")
		}
	}
}

// TestBasisOfPreparation: the document states what it covers, how it was made, with which data, and what it leaves out.
func TestBasisOfPreparation(t *testing.T) {
	t.Parallel()
	doc := document(t, "Farm", nil)
	text, r := textOf(t, printed(t, doc)), doc.Report
	for _, q := range report.ByInput(r) {
		require.Contains(t, text, fmt.Sprintf("%d %d %d %d %d", q.Entered, q.Defaults, q.Evidence.Factors, q.Evidence.Secondary, q.Evidence.Unverified), "the data of "+q.Section)
	}
	for _, part := range []string{
		"1 Scope and boundary", "2 Methods", "3 Data quality by input", "4 Exclusions", "5 Responsibility and review", "No second person has signed it",
		"Livestock outside the boundary", "Rice methane 1 ", "IPCC 2019 V4 ch5 Eq. 5.1",
	} {
		require.Contains(t, text, part)
	}
}

// Names that people may give, and reports with hardly anything or a great deal in them.
func TestImpactDocumentsOfAllKinds(t *testing.T) {
	t.Parallel()
	for name, resource := range map[string]string{
		"letters that the typeface lacks": "農場 🌾 ferme\x00\n\u202eevil", "none": "", "long": strings.Repeat("Langer Acker ", 60), "one word": strings.Repeat("x", 400),
	} {
		require.NotEmpty(t, printed(t, document(t, resource, nil)), name)
	}
	require.Contains(t, textOf(t, printed(t, document(t, "農場 ferme", nil))), "□□ ferme", "what is missing is seen to be missing")
	nothing := document(t, "Empty", func(in *ghg.Input) { *in = ghg.Input{} })
	require.Nil(t, nothing.Report.DataQuality.Factors, "nothing moves it, nothing is counted")
	nothing.Report.Trace, nothing.Report.ResultVersion, nothing.SubmittedBy = nil, nil, nil
	require.Contains(t, textOf(t, printed(t, nothing)), "Live data, not submitted")
	many := document(t, "Large", func(in *ghg.Input) {
		for range 100 {
			in.Fertilizers = append(in.Fertilizers, ghg.Fertilizer{Product: "dap", KgPerHa: 1, AreaPct: 100})
		}
	})
	require.Greater(t, len(many.Report.Trace), 500)
	require.NotEmpty(t, printed(t, many))
}
