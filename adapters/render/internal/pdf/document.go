// Package pdf makes documents for paper: pages with a foot, on which headings, texts, facts, tables
// and drawings stand one below the other. Lengths are millimetres from the upper left corner of the
// page. The same calls give the same bytes. Colours and letters are those of the package draw.
package pdf

import (
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"tilth/adapters/render/internal/draw"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/ports"
)

// Margin is the edge of a page that stays empty except for its foot; Gap is the space between blocks.
const (
	Margin = 15.0
	Gap    = draw.Gap / draw.PerMM

	footRoom  = 20.0 // below the text, with the foot in it
	footAt    = 14.0 // of the foot's rule above the edge of the page
	lineRatio = 1.35 // height of a line over the size of its letters
	baseline  = 0.98 // of a line, over the size of its letters
	perPoint  = 25.4 / 72

	blockSteps = 64 // cost of a line of a text or a row of a table, in points of a path
	family     = "Go"
)

// Head describes a document.
type Head struct {
	Paper   string // one of ports.PaperA4 and ports.PaperLetter
	Title   string
	Foot    string    // at the foot of every page, on the left
	Created time.Time // written to the file: the time of what is shown, not of the drawing
	Bare    bool      // pages without a foot and without empty edges, on which everything is placed
}

// Document is a document that is being written. It keeps its first error, which Write returns.
type Document struct {
	f      *fpdf.Fpdf
	budget *effort.Budget
	width  float64 // between the margins
	text   float64 // of texts and facts
	foot   float64 // where blocks end

	set    *draw.Letters // the letters in force; nil: unknown
	style  *draw.Style   // of shapes, likewise
	texts  map[textKey]brokenText
	split  int          // how many texts were broken into lines
	widths map[int]bool // in pixels, of the images
}

// textKey is a text as it is measured: tables repeat units, sources and keys by the thousand.
type textKey struct {
	text  string
	size  float64
	bold  bool
	width float64
}

// brokenText is a text in lines, with their widths.
type brokenText struct {
	lines  []string
	widths []float64
}

// maxTexts bounds the texts that are kept measured.
const maxTexts = 1 << 14

// New begins a document with its first page. Drawing ends when the budget is spent; a block, a
// point of a path or a letter of a drawing is a step of it. Faults: Internal for an unknown paper.
func New(budget *effort.Budget, head Head) (*Document, error) {
	if head.Paper != ports.PaperA4 && head.Paper != ports.PaperLetter {
		return nil, fault.Newf(fault.Internal, "unknown_paper", "no paper %q", head.Paper)
	}
	d := &Document{budget: budget, f: fpdf.New("P", "mm", head.Paper, "")}
	d.f.AddUTF8FontFromBytes(family, "", draw.Regular)
	d.f.AddUTF8FontFromBytes(family, "B", draw.Bold)
	d.f.AliasNbPages("{nb}")
	d.f.SetCatalogSort(true)
	d.f.SetCreationDate(head.Created.UTC())
	d.f.SetModificationDate(head.Created.UTC())
	d.f.SetTitle(draw.Printable(head.Title), true)
	d.f.SetCreator("Tilth", true)
	d.f.SetProducer("Tilth", true)
	d.f.SetLang("en")
	d.f.SetAutoPageBreak(false, 0)
	d.f.SetMargins(Margin, Margin, Margin)
	d.f.SetCellMargin(0)
	width, height := d.f.GetPageSize()
	d.width, d.text, d.foot = width-2*Margin, width-2*Margin, height-footRoom
	if head.Bare {
		d.foot = height
		d.f.AddPage()
		return d, nil
	}
	d.f.SetFooterFunc(func() {
		const number = 20.0 // room for the number of the page
		d.rule(height-footAt, d.width)
		d.put(d.lines(head.Foot, draw.Note, d.width-number)[:1], Margin, height-footAt+1, draw.Note)
		d.put([]string{fmt.Sprintf("Page %d of {nb}", d.f.PageNo())}, Margin+d.width-number, height-footAt+1, draw.Note)
	})
	d.f.AddPage()
	return d, nil
}

// Write ends the document. It returns the first error of all that was drawn.
func (d *Document) Write(w io.Writer) error {
	if err := d.budget.Err(); err != nil {
		return err
	}
	if err := d.f.Output(w); err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	return nil
}

// Width returns the room between the margins.
func (d *Document) Width() float64 { return d.width }

// Room returns the height that is left on the page.
func (d *Document) Room() float64 { return d.foot - d.f.GetY() }

// At returns where the next block begins, from the page's upper edge.
func (d *Document) At() float64 { return d.f.GetY() }

// MoveTo sets where the next block begins.
func (d *Document) MoveTo(y float64) { d.f.SetXY(Margin, y) }

// Page begins a page. The foot of the page before has changed the letters and the style.
func (d *Document) Page() {
	d.f.AddPage()
	d.set, d.style = nil, nil
}

// Need begins a page where less than a height is left.
func (d *Document) Need(height float64) {
	if err := d.budget.Spend(blockSteps); err != nil {
		d.f.SetError(err) // nothing more is drawn
	}
	if d.Room() < height && d.f.GetY() > Margin {
		d.Page()
	}
}

// Space leaves a gap between blocks; none at the top of a page.
func (d *Document) Space() {
	if d.At() > Margin {
		d.MoveTo(d.At() + Gap)
	}
}

// Narrow keeps the texts and facts that follow at a distance from the right margin.
func (d *Document) Narrow(by float64) { d.text = d.width - by }

// Text writes a paragraph.
func (d *Document) Text(text string, l draw.Letters) {
	for _, line := range d.lines(text, l, d.text) {
		d.Need(lineHeight(l))
		y := d.At()
		d.put([]string{line}, Margin, y, l)
		d.MoveTo(y + lineHeight(l))
	}
}

// Heading writes a heading on the same page as what follows it, or at least the given height of
// that.
func (d *Document) Heading(text string, below float64) {
	d.Space()
	d.Need(lineHeight(draw.Heading) + below)
	d.Text(text, draw.Heading)
	d.MoveTo(d.At() + 1)
}

func lineHeight(l draw.Letters) float64 { return l.Size * perPoint * lineRatio }

// lines breaks a text into lines of a width, at least one.
func (d *Document) lines(text string, l draw.Letters, width float64) []string {
	return d.broken(text, l, width).lines
}

// broken breaks a text into lines of a width, and keeps the result for equal texts.
func (d *Document) broken(text string, l draw.Letters, width float64) brokenText {
	key := textKey{text, l.Size, l.Bold, width}
	if known, ok := d.texts[key]; ok {
		return known
	}
	d.letters(l)
	d.split++
	out := brokenText{lines: d.f.SplitText(draw.Printable(text), width)}
	if len(out.lines) == 0 {
		out.lines = []string{""}
	}
	for _, line := range out.lines {
		out.widths = append(out.widths, d.f.GetStringWidth(line))
	}
	if d.texts == nil || len(d.texts) >= maxTexts {
		d.texts = make(map[textKey]brokenText)
	}
	d.texts[key] = out
	return out
}

func (d *Document) put(lines []string, x, y float64, l draw.Letters) {
	d.letters(l)
	for i, line := range lines {
		d.f.Text(x, y+float64(i)*lineHeight(l)+l.Size*perPoint*baseline, line)
	}
}

// letters sets the letters of what is measured or written next.
func (d *Document) letters(l draw.Letters) {
	if d.set != nil && *d.set == l {
		return
	}
	d.set = &l
	style := ""
	if l.Bold {
		style = "B"
	}
	d.f.SetFont(family, style, l.Size)
	d.f.SetTextColor(int(l.Color.R), int(l.Color.G), int(l.Color.B))
}

// rule draws a thin line from the left margin.
func (d *Document) rule(y, width float64) {
	d.shape(draw.Style{Edge: draw.Rule, Width: 0.7})
	d.f.Line(Margin, y, Margin+width, y)
}

// shape sets the colours and the width of what is drawn next.
func (d *Document) shape(s draw.Style) {
	if d.style != nil && *d.style == s {
		return
	}
	d.style = &s
	d.f.SetFillColor(int(s.Fill.R), int(s.Fill.G), int(s.Fill.B))
	d.f.SetDrawColor(int(s.Edge.R), int(s.Edge.G), int(s.Edge.B))
	d.f.SetLineWidth(s.Width / draw.PerMM)
}
