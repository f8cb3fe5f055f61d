// Package pdf makes documents for paper: pages with a frame, texts, tables, drawings and QR
// codes. Lengths are millimetres from the upper left corner of the page, sizes of letters
// points. The same calls give the same bytes.
package pdf

import (
	"fmt"
	"io"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/golang/freetype/truetype"
	"github.com/wcharczuk/go-chart/v2/drawing"
	"github.com/wcharczuk/go-chart/v2/roboto"

	"tilth/core/fault"
)

// The papers.
const (
	A4     = "A4"     // 210 × 297 mm (ISO 216)
	Letter = "Letter" // 8.5 × 11 inches (ANSI A)
)

// Papers lists the papers.
var Papers = []string{A4, Letter}

// Margin is the edge of a page that stays empty but for its foot; Gap the space between blocks.
const (
	Margin = 15.0
	Gap    = 4.0

	footRoom  = 20.0 // below the text, with the foot in it
	footAt    = 11.0 // of the foot's line above the edge of the page
	lineRatio = 1.35 // height of a line over the size of its letters
	perPoint  = 25.4 / 72
)

// Sizes of letters.
const (
	TitleSize   = 18.0
	HeadingSize = 13.0
	TextSize    = 9.5
	SmallSize   = 8.0
)

// The colours of a document.
var (
	Ink  = drawing.ColorFromHex("2c2a26")
	Soft = drawing.ColorFromHex("6d675c")
	Rule = drawing.ColorFromHex("cfc9bb")
	Tint = drawing.ColorFromHex("f4f2ec")
)

// family is the typeface: that of the charts, Roboto Medium (Apache License 2.0), which the
// chart library brings. It has the Latin, Greek and Cyrillic letters.
const family = "Roboto"

// glyphs are the letters that the typeface has.
var glyphs = sync.OnceValues(func() (*truetype.Font, error) { return truetype.Parse(roboto.Roboto) })

// Head is what a document says of itself.
type Head struct {
	Paper   string // A4 or Letter
	Title   string
	Foot    string    // at the foot of every page, on the left
	Created time.Time // stands in the file: the time of what is shown, not of the drawing
}

// Document is a document in the making. Its first error is kept, and given by WriteTo.
type Document struct {
	f     *fpdf.Fpdf
	font  *truetype.Font
	width float64 // between the margins
	foot  float64 // where text ends
}

// New begins a document with its first page. Faults: Internal for an unknown paper.
func New(head Head) (*Document, error) {
	if head.Paper != A4 && head.Paper != Letter {
		return nil, fault.Newf(fault.Internal, "unknown_paper", "no paper %q", head.Paper)
	}
	font, err := glyphs()
	if err != nil {
		return nil, fmt.Errorf("read the typeface: %w", err)
	}
	d := &Document{f: fpdf.New("P", "mm", head.Paper, ""), font: font}
	d.f.AddUTF8FontFromBytes(family, "", roboto.Roboto)
	d.f.AliasNbPages("{nb}")
	d.f.SetCatalogSort(true)
	d.f.SetCreationDate(head.Created.UTC())
	d.f.SetModificationDate(head.Created.UTC())
	d.f.SetTitle(d.Printable(head.Title), true)
	d.f.SetCreator("Tilth", true)
	d.f.SetAutoPageBreak(false, 0)
	d.f.SetMargins(Margin, Margin, Margin)
	d.f.SetCellMargin(0)
	width, height := d.f.GetPageSize()
	d.width, d.foot = width-2*Margin, height-footRoom
	d.f.SetFooterFunc(func() {
		page := fmt.Sprintf("Page %d of {nb}", d.f.PageNo())
		d.letters(SmallSize, Soft)
		d.line(Margin, height-footAt-3, Margin+d.width)
		room := d.f.GetStringWidth("Page 999 of 999") + Gap
		d.f.Text(Margin, height-footAt+1, d.fit(head.Foot, d.width-room))
		d.f.Text(Margin+d.width-room+Gap, height-footAt+1, page)
	})
	d.f.AddPage()
	return d, nil
}

// Write ends the document. It gives the first error of all that was drawn.
func (d *Document) Write(w io.Writer) error {
	if err := d.f.Output(w); err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	return nil
}

// Width gives the room between the margins.
func (d *Document) Width() float64 { return d.width }

// Room gives the height that is left on the page.
func (d *Document) Room() float64 { return d.foot - d.f.GetY() }

// At gives where the next block begins, from the page's upper edge.
func (d *Document) At() float64 { return d.f.GetY() }

// MoveTo sets where the next block begins.
func (d *Document) MoveTo(y float64) { d.f.SetXY(Margin, y) }

// Page begins a page.
func (d *Document) Page() { d.f.AddPage() }

// Need begins a page where less than a height is left.
func (d *Document) Need(height float64) {
	if d.Room() < height && d.f.GetY() > Margin {
		d.Page()
	}
}

// Title writes the title of the document, over at most the given width.
func (d *Document) Title(text string, width float64) { d.wrapped(text, TitleSize, Ink, width) }

// Heading writes a heading, which stays with the lines that come after it.
func (d *Document) Heading(text string, with float64) {
	d.Need(HeadingSize*perPoint*lineRatio + with)
	d.wrapped(text, HeadingSize, Ink, d.width)
	d.f.Ln(1)
}

// Text writes a paragraph.
func (d *Document) Text(text string) { d.wrapped(text, TextSize, Ink, d.width) }

// Note writes a paragraph in small letters.
func (d *Document) Note(text string) { d.wrapped(text, SmallSize, Soft, d.width) }

// Space leaves a gap between blocks.
func (d *Document) Space() { d.f.Ln(Gap) }

func (d *Document) wrapped(text string, size float64, color drawing.Color, width float64) {
	d.letters(size, color)
	height := size * perPoint * lineRatio
	for _, line := range d.f.SplitText(d.Printable(text), width) {
		d.Need(height)
		d.letters(size, color) // a new page begins with the letters of the foot
		d.f.CellFormat(width, height, line, "", 1, "L", false, 0, "")
	}
}

// Fact is a name and what it stands for.
type Fact struct{ Name, Value string }

// Facts writes names and values in two columns of the given width, a line each or as many as a
// value needs.
func (d *Document) Facts(facts []Fact, width float64) {
	const names = 36.0
	height := TextSize * perPoint * lineRatio
	for _, fact := range facts {
		d.letters(TextSize, Ink)
		lines := d.f.SplitText(d.Printable(fact.Value), width-names)
		if len(lines) == 0 {
			lines = []string{""}
		}
		d.Need(height * float64(len(lines)))
		d.letters(TextSize, Soft)
		d.f.CellFormat(names, height, d.fit(fact.Name, names-2), "", 0, "L", false, 0, "")
		d.letters(TextSize, Ink)
		for _, line := range lines {
			d.f.SetX(Margin + names)
			d.f.CellFormat(width-names, height, line, "", 1, "L", false, 0, "")
		}
	}
}

// letters sets size and colour of what is written next.
func (d *Document) letters(size float64, color drawing.Color) {
	d.f.SetFont(family, "", size)
	d.f.SetTextColor(int(color.R), int(color.G), int(color.B))
}

// line draws a thin line.
func (d *Document) line(x0, y, x1 float64) {
	d.f.SetDrawColor(int(Rule.R), int(Rule.G), int(Rule.B))
	d.f.SetLineWidth(0.2)
	d.f.Line(x0, y, x1, y)
}

// fit shortens a text to a width, in the letters that are set.
func (d *Document) fit(text string, width float64) string {
	text = d.Printable(text)
	if d.f.GetStringWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 0 && d.f.GetStringWidth(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// unknownLetter stands for a letter that the typeface does not have.
const unknownLetter = '?'

// Printable gives a text in the letters that the typeface has, with a question mark for each
// other; any space or control character becomes a space. The library takes runes of the basic
// plane only.
func (d *Document) Printable(text string) string { return printable(d.font, text) }

func printable(font *truetype.Font, text string) string {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		switch {
		case r < ' ' || r == 0x7f || r == '\u00a0' || r == '\u2028' || r == '\u2029':
			r = ' '
		case r > 0xffff || font.Index(r) == 0:
			r = unknownLetter
		}
		out = append(out, r)
	}
	return string(out)
}
