package render

import (
	"cmp"
	"fmt"
	"time"

	"tilth/adapters/render/internal/draw"
	"tilth/adapters/render/internal/pdf"
	"tilth/ports"
)

// printFiles lists the files that are attached as evidence.
func printFiles(d *pdf.Document, files []ports.ListedFile) {
	if len(files) == 0 {
		return
	}
	d.Heading("Evidence", 30)
	d.Text("Files that are attached to the assessment. Texts cite them by their number as file:NUMBER. "+
		"A file is the same if its SHA-256 is.", draw.Muted)
	var rows [][]pdf.Cell
	for _, f := range files {
		name := f.Name
		if f.Note != "" {
			name += ": " + f.Note
		}
		by := cmp.Or(f.By.Name, fmt.Sprintf("user %d", f.By.ID)) + ", " + minuteOf(f.UploadedAt)
		rows = append(rows, pdf.Row(fmt.Sprint(f.ID), name, cmp.Or(f.For, "all of it"), fmt.Sprintf("%d bytes", f.Size), by, f.SHA256))
	}
	d.Table([]pdf.Column{
		pdf.Left("No.", 12), pdf.Left("File", 46), pdf.Left("Evidence of", 30), pdf.Right("Size", 24), pdf.Left("Attached by", 34), pdf.Left("SHA-256", 34),
	}, rows)
}

// minuteOf returns a time stored in a version, to the minute in UTC.
func minuteOf(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return at.UTC().Format("2006-01-02 15:04 UTC")
}
