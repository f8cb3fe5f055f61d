package render_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render"
	"tilth/core/stratification/plan"
	"tilth/ports"
	"tilth/tests/shown"
)

func drawnSheet(t *testing.T, paper string, plan ports.ShownPlan) []byte {
	t.Helper()
	var out, again bytes.Buffer
	require.NoError(t, render.Charts{}.DrawSheet(t.Context(), &out, paper, plan))
	require.NoError(t, render.Charts{}.DrawSheet(t.Context(), &again, paper, plan))
	require.Equal(t, out.Bytes(), again.Bytes(), "the same plan gives the same sheet")
	look(t, paper+".pdf", out.Bytes())
	return out.Bytes()
}

func TestFieldSheets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]shown.Case{"one": shown.One, "scattered": shown.Scattered, "many": shown.Many} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := shown.Plan(t, c)
			for _, paper := range []string{ports.PaperA4, ports.PaperLetter} {
				require.True(t, bytes.HasPrefix(drawnSheet(t, paper, plan), []byte("%PDF-1.")))
			}
		})
	}
}

// A crew reads on paper what the plan holds.
func TestFieldSheetNamesEveryPoint(t *testing.T) {
	t.Parallel()
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("LEFT OUT: reading a field sheet back needs pdftotext (poppler-utils)")
	}
	plan := shown.Plan(t, shown.Scattered)
	plan.Map.About.Synthetic = true
	file := filepath.Join(t.TempDir(), "sheet.pdf")
	require.NoError(t, os.WriteFile(file, drawnSheet(t, ports.PaperA4, plan), 0o600))
	raw, err := exec.Command(reader, "-layout", file, "-").Output()
	require.NoError(t, err)
	text := string(raw)
	for _, p := range plan.Plan.Plan.Points {
		line := fmt.Sprintf("%.7f", p.LonLat.Y)
		require.Contains(t, text, line)
		at := strings.Index(text, line)
		row := text[strings.LastIndex(text[:at], "\n")+1 : at+strings.Index(text[at:], "\n")]
		for _, value := range []string{p.ID, fmt.Sprintf("%.7f", p.LonLat.X), fmt.Sprintf("%.2f", p.At.X), fmt.Sprintf("%.2f", p.At.Y)} {
			require.Contains(t, row, value)
		}
	}
	for _, words := range []string{
		plan.Plan.Plan.PlanUUID, plan.Map.Candidate.MapUUID, plan.Plan.AOI.UUID, "9007199254740991", "EPSG:32631", "Page 1 of", "Synthetic",
		"Field, along the way", "1. Αγρός", "2. Поле № 1", "Pièce \"à côté\"", "Ferme de l'Étang & <fils>", plan.Address, "Date", "Crew", "accuracy", "Signature", "76 samples of round 1",
	} {
		require.Contains(t, text, words)
	}
	for _, l := range plan.Labels {
		require.Regexp(t, regexp.QuoteMeta(l.Sample.Depth.String())+` +`+regexp.QuoteMeta(l.Sample.Label), text)
	}
	require.Equal(t, 4, strings.Count(text, "Signature"), "each field is signed for")
}

// A sheet of labels has one for each sample, in the order of the walk, and a long label is broken into lines.
func TestLabelsNameEverySample(t *testing.T) {
	t.Parallel()
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("LEFT OUT: reading labels back needs pdftotext (poppler-utils)")
	}
	plan := shown.Plan(t, shown.Scattered)
	plan.Labels = slices.Clone(plan.Labels)
	plan.Labels[0].Sample.Label = strings.Repeat("W", 64)
	for paper, perPage := range map[string]int{ports.PaperA4: 21, ports.PaperLetter: 30} {
		var out, again bytes.Buffer
		require.NoError(t, render.Charts{}.DrawLabels(t.Context(), &out, paper, plan))
		require.NoError(t, render.Charts{}.DrawLabels(t.Context(), &again, paper, plan))
		require.Equal(t, out.Bytes(), again.Bytes(), "the same labels are the same bytes")
		look(t, paper+".pdf", out.Bytes())
		file := filepath.Join(t.TempDir(), "labels.pdf")
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o600))
		raw, err := exec.Command(reader, "-raw", file, "-").Output()
		require.NoError(t, err)
		for _, l := range plan.Labels {
			require.Contains(t, out.String(), "/URI ("+l.Address+")")
		}
		pages := strings.Split(strings.TrimSuffix(string(raw), "\f"), "\f")
		require.Len(t, pages, (len(plan.Labels)+perPage-1)/perPage)
		for i, l := range plan.Labels[1:] {
			require.Contains(t, pages[(i+1)/perPage], l.Sample.Label)
		}
		for _, words := range []string{"Z1-R01 · 0-30 cm · reserve", "Поле № 1", "Round 1"} {
			require.Contains(t, string(raw), words)
		}
		require.Equal(t, 64, strings.Count(pages[0], "W"), "a long label is broken into lines")
	}
}

// Samples that are pooled have one label for each bag, which names their points; the field sheet names the bag at each.
func TestLabelsOfComposites(t *testing.T) {
	t.Parallel()
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("LEFT OUT: reading labels back needs pdftotext (poppler-utils)")
	}
	in := shown.Plan(t, shown.Scattered)
	in.Labels, in.Plan.Plan.Pooled = slices.Clone(in.Labels), 1
	points := map[string][]string{}
	for i := range in.Labels {
		if s := &in.Labels[i].Sample; s.Role == plan.RoleSample {
			s.Composite = plan.CompositeID(s.Zone, 1)
			points[s.CompositeLabel()] = append(points[s.CompositeLabel()], s.Point)
		}
	}
	read := func(name string, pdf []byte) string {
		look(t, name, pdf)
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, pdf, 0o600))
		raw, err := exec.Command(reader, "-raw", file, "-").Output()
		require.NoError(t, err)
		return string(raw)
	}
	var out bytes.Buffer
	require.NoError(t, render.Charts{}.DrawLabels(t.Context(), &out, ports.PaperA4, in))
	labels := read("bags.pdf", out.Bytes())
	sheet := read("sheet.pdf", drawnSheet(t, ports.PaperA4, in))
	for label, of := range points {
		require.Equal(t, 1, strings.Count(labels, label), label)
		require.Contains(t, labels, of[0])
		require.Contains(t, labels, fmt.Sprintf("%d points", len(of)))
		require.Equal(t, len(of), strings.Count(sheet, label), label)
	}
	require.NotContains(t, labels, "reserve")
	require.Contains(t, sheet, "share a bag")
}

func TestFieldSheetOnUnknownPaper(t *testing.T) {
	t.Parallel()
	require.Error(t, render.Charts{}.DrawSheet(t.Context(), io.Discard, "A0", shown.Plan(t, shown.North)))
}
