package pdf_test

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
	chart "github.com/wcharczuk/go-chart/v2"

	"tilth/adapters/render/internal/pdf"
)

// sample is a document with everything in it.
func sample(t *testing.T, paper, name string) []byte {
	t.Helper()
	d, err := pdf.New(pdf.Head{Paper: paper, Title: name, Foot: strings.Repeat(name+" ", 20), Created: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	d.Title(name, d.Width()-40)
	require.NoError(t, d.QR("https://tilth.example/api/v1.2/soil/stratification/sample-plan/0b8e4dbe/", pdf.Margin+d.Width()-35, pdf.Margin, 35))
	d.Facts([]pdf.Fact{{"Area of interest", name}, {"Note", strings.Repeat("many words ", 40)}}, d.Width()-40)
	d.Heading("A drawing", 60)
	require.NoError(t, d.Draw(pdf.Margin, d.At(), 80, 800, 400, func(r chart.Renderer) error {
		chart.Draw.Box(r, chart.Box{Right: 800, Bottom: 400}, chart.Style{FillColor: pdf.Tint, StrokeColor: pdf.Ink, StrokeWidth: 4})
		chart.Draw.Text(r, name, 100, 200, chart.Style{FontSize: 30, FontColor: pdf.Ink})
		chart.Style{FillColor: pdf.Rule, StrokeColor: pdf.Ink, StrokeWidth: 3}.WriteToRenderer(r)
		r.Circle(60, 600, 200)
		r.FillStroke()
		r.MoveTo(400, 300)
		r.ArcTo(400, 300, 60, 60, 0, 2)
		r.Close()
		r.FillStroke()
		return nil
	}))
	d.MoveTo(d.At() + 44)
	d.Space()
	var rows [][]pdf.Cell
	for i := range 90 {
		rows = append(rows, append(pdf.Text(fmt.Sprint(i+1), name, "4.7123456"), pdf.Cell{Box: true}, pdf.Cell{Text: "zone", Mark: pdf.Soft}))
	}
	d.Table([]pdf.Column{{"No.", 12, true}, {"Name", 60, false}, {"Longitude", 30, true}, {"Done", 15, false}, {"Zone", 20, false}}, rows)
	d.Note("The end.")
	var out bytes.Buffer
	require.NoError(t, d.Write(&out))
	if dir := os.Getenv("TILTH_PICTURES"); dir != "" { // a person looks at it where a folder is named
		require.NoError(t, os.WriteFile(filepath.Join(dir, "document-"+paper+".pdf"), out.Bytes(), 0o600))
	}
	return out.Bytes()
}

func TestTheSameDocumentTwiceIsTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, paper := range pdf.Papers {
		require.Equal(t, sample(t, paper, "Поле Ängern Αγρός"), sample(t, paper, "Поле Ängern Αγρός"))
	}
}

func TestTextCanBeReadBack(t *testing.T) {
	t.Parallel()
	reader, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("LEFT OUT: reading a document back needs pdftotext (poppler-utils)")
	}
	file := filepath.Join(t.TempDir(), "document.pdf")
	require.NoError(t, os.WriteFile(file, sample(t, pdf.A4, "Поле Ängern Αγρός"), 0o600))
	text, err := exec.Command(reader, "-layout", file, "-").Output()
	require.NoError(t, err)
	for _, words := range []string{"Поле Ängern Αγρός", "Page 1 of 3", "Page 3 of 3", "many words", "90", "The end."} {
		require.Contains(t, string(text), words)
	}
	require.Equal(t, 3, strings.Count(string(text), "Longitude"), "the head of a table is on each of its pages")
}

// Letters that the typeface does not have, and those the library would stumble over, are shown
// as such.
func TestLettersThatThereAreNone(t *testing.T) {
	t.Parallel()
	d, err := pdf.New(pdf.Head{Paper: pdf.A4, Title: "𝄞 农田 🌾", Foot: "🌾"})
	require.NoError(t, err)
	require.Equal(t, "? ?? ? a b", d.Printable("𝄞 农田 🌾\ta\u2028b"))
	sample(t, pdf.A4, "𝄞 农田 🌾 \x00\xff")
	_, err = pdf.New(pdf.Head{Paper: "A0"})
	require.Error(t, err)
}
