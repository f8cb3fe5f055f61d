package render_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/render"
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

// A crew reads on paper what the plan says.
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
		"Поле № 1", "Αγρός", "Pièce \"à côté\"", "Ferme de l'Étang & <fils>", plan.Address,
	} {
		require.Contains(t, text, words)
	}
}

func TestFieldSheetOnUnknownPaper(t *testing.T) {
	t.Parallel()
	require.Error(t, render.Charts{}.DrawSheet(t.Context(), io.Discard, "A0", shown.Plan(t, shown.North)))
}
