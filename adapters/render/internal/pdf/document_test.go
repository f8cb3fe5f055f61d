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

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/ports"
)

// sample is a document with everything in it.
func sample(t *testing.T, paper, name string) []byte {
	t.Helper()
	d, err := pdf.New(nil, pdf.Head{Paper: paper, Title: name, Foot: strings.Repeat(name+" ", 20), Created: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	d.Narrow(40)
	d.Text(name, draw.Title)
	require.NoError(t, d.QR("https://tilth.example/api/v1.2/soil/stratification/sample-plan/0b8e4dbe/", pdf.Margin+d.Width()-35, pdf.Margin, 35))
	d.Facts([]pdf.Fact{{"Area of interest", name}, {"Note", strings.Repeat("many words ", 40)}}, 1)
	d.Narrow(0)
	d.Figures([]pdf.Figure{{"Emissions", "1.5", "t"}, {"Removals", "2", "t"}, {"Balance", "−0.5", "t"}, {"More", "3", strings.Repeat("long ", 30)}})
	d.Heading("A drawing", 60)
	d.Draw(44, 1800, func(c draw.Canvas) {
		c.Box(draw.Box{Right: 800, Bottom: 400}, draw.Style{Fill: draw.Tint, Edge: draw.Ink, Width: 4})
		c.Write(name, 100, 200, draw.Letters{Size: 30, Color: draw.Ink})
		c.Text(name, draw.Point{X: 60, Y: 390}, draw.Letters{Size: 20, Color: draw.Leaf}, true)
		c.Circle(draw.Point{X: 600, Y: 200}, 60, draw.Style{Fill: draw.Veil, Edge: draw.Ink, Width: 3})
	})
	var rows [][]pdf.Cell
	for i := range 90 {
		rows = append(rows, append(pdf.Row(fmt.Sprint(i+1), name, "4.7123456"), pdf.Cell{Box: true}, pdf.Cell{Text: "zone", Mark: draw.Soft}))
	}
	d.Table([]pdf.Column{pdf.Right("No.", 12), pdf.Left("Name", 60), pdf.Right("Longitude", 30), pdf.Left("Done", 15), pdf.Left("Zone", 20)}, rows)
	d.Text("The end.", draw.Note)
	var out bytes.Buffer
	require.NoError(t, d.Write(&out))
	if dir := os.Getenv("TILTH_PICTURES"); dir != "" { // a person looks at it where a folder is named
		require.NoError(t, os.WriteFile(filepath.Join(dir, "document-"+paper+".pdf"), out.Bytes(), 0o600))
	}
	return out.Bytes()
}

func TestTheSameDocumentTwiceIsTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, paper := range []string{ports.PaperA4, ports.PaperLetter} {
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
	require.NoError(t, os.WriteFile(file, sample(t, ports.PaperA4, "Поле Ängern Αγρός"), 0o600))
	text, err := exec.Command(reader, "-layout", file, "-").Output()
	require.NoError(t, err)
	for _, words := range []string{"Поле Ängern Αγρός", "Page 1 of 3", "Page 3 of 3", "many words", "90", "The end."} {
		require.Contains(t, string(text), words)
	}
	require.Equal(t, 3, strings.Count(string(text), "Longitude"), "the head of a table is on each of its pages")
}

// Letters that the typeface does not have, and those the library would stumble over, are shown
// as boxes.
func TestLettersThatThereAreNone(t *testing.T) {
	t.Parallel()
	require.Equal(t, "□ □□ □ a b", draw.Printable("𝄞 农田 🌾\ta\u2028b\x00"))
	sample(t, ports.PaperA4, "𝄞 农田 🌾 \x00\xff")
	_, err := pdf.New(nil, pdf.Head{Paper: "A0"})
	require.Error(t, err)
}
