package render

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// Measures of a page, mm: A4 upright.
const (
	pageWidth   = 210.0
	pageMargin  = 15.0
	pageInner   = pageWidth - 2*pageMargin
	pageBottom  = 297.0 - 18
	lineOfText  = 4.4
	cellPadding = 1.0
)

// Sizes of letters, points.
const (
	sizeTitle   = 18
	sizeHeading = 12
	sizeText    = 9
	sizeCell    = 7.5
	sizeFoot    = 7
)

const pointsToMM = 25.4 / 72

type rgb struct{ r, g, b int }

var (
	inkRGB  = rgb{44, 42, 38}
	leafRGB = rgb{61, 107, 53}
	softRGB = rgb{120, 114, 104}
	lineRGB = rgb{214, 207, 192}
	headRGB = rgb{240, 244, 232}
)

// sheet is a document under way: a frame of pages with a foot, upon which headings, texts,
// facts, tables and pictures are set one below the other. The library keeps the first
// error, and end gives it.
type sheet struct{ pdf *fpdf.Fpdf }

// newSheet begins a document. foot stands at the bottom of each page, before its number.
// The time is that of what is told, so that the same content gives the same bytes.
func newSheet(title, foot string, at time.Time) sheet {
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(at.UTC())
	pdf.SetModificationDate(at.UTC())
	pdf.SetTitle(legible(title), true)
	pdf.SetProducer("Tilth", true)
	pdf.SetLang("en")
	for style, ttf := range weights {
		pdf.AddUTF8FontFromBytes("go", style, ttf)
	}
	pdf.SetMargins(pageMargin, pageMargin, pageMargin)
	pdf.SetAutoPageBreak(false, 0)
	pdf.AliasNbPages("{pages}")
	pdf.SetCellMargin(0)
	s := sheet{pdf}
	pdf.SetFooterFunc(func() {
		s.letters("", sizeFoot, softRGB)
		pdf.SetXY(pageMargin, pageBottom+4)
		pdf.CellFormat(pageInner-16, lineOfText, legible(foot), "", 0, "L", false, 0, "")
		pdf.CellFormat(16, lineOfText, fmt.Sprintf("page %d of {pages}", pdf.PageNo()), "", 0, "L", false, 0, "")
	})
	pdf.AddPage()
	return s
}

func (s sheet) letters(style string, size float64, color rgb) {
	s.pdf.SetFont("go", style, size)
	s.pdf.SetTextColor(color.r, color.g, color.b)
}

// room begins a new page where height mm are not left on this one.
func (s sheet) room(height float64) {
	if s.pdf.GetY()+height > pageBottom {
		s.pdf.AddPage()
	}
}

func (s sheet) space(height float64) { s.pdf.SetY(s.pdf.GetY() + height) }

// wrap breaks a text into the lines of a width, in the letters of now.
func (s sheet) wrap(text string, width float64) []string {
	lines := s.pdf.SplitText(legible(text), width)
	if len(lines) == 0 {
		return []string{""}
	}
	return lines
}

// paragraph sets a text over the whole width.
func (s sheet) paragraph(style string, size float64, color rgb, text string) {
	s.letters(style, size, color)
	height := size * pointsToMM * 1.4
	for _, line := range s.wrap(text, pageInner) {
		s.room(height)
		s.letters(style, size, color) // a new page has the letters of the foot
		s.pdf.SetX(pageMargin)
		s.pdf.CellFormat(pageInner, height, line, "", 1, "L", false, 0, "")
	}
}

// heading sets a heading that stays with what follows, of which at least below mm.
func (s sheet) heading(text string, below float64) {
	s.space(5)
	s.room(8 + below)
	s.paragraph("B", sizeHeading, leafRGB, text)
	s.space(1)
}

// facts sets names with their values in two columns side by side.
func (s sheet) facts(facts [][2]string) {
	const half, name = pageInner / 2, 32.0
	for i := 0; i < len(facts); i += 2 {
		pair := facts[i:min(i+2, len(facts))]
		s.letters("B", sizeText, inkRGB)
		lines, most := make([][]string, len(pair)), 1
		for j, fact := range pair {
			lines[j] = s.wrap(fact[1], half-name-4)
			most = max(most, len(lines[j]))
		}
		s.room(float64(most) * lineOfText)
		top := s.pdf.GetY()
		for j, fact := range pair {
			left := pageMargin + float64(j)*half
			s.letters("", sizeText, softRGB)
			s.pdf.SetXY(left, top)
			s.pdf.CellFormat(name, lineOfText, fact[0], "", 0, "L", false, 0, "")
			s.letters("B", sizeText, inkRGB)
			for n, line := range lines[j] {
				s.pdf.SetXY(left+name, top+float64(n)*lineOfText)
				s.pdf.CellFormat(half-name, lineOfText, line, "", 0, "L", false, 0, "")
			}
		}
		s.pdf.SetY(top + float64(most)*lineOfText + 0.6)
	}
}

// column is one of a table; width mm, figures stand to the right.
type column struct {
	head   string
	width  float64
	figure bool
}

// table sets rows under their heads, which are said again on each page.
func (s sheet) table(columns []column, rows [][]string) {
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.head
	}
	s.room(14)
	s.row(columns, heads, true)
	for _, cells := range rows {
		if s.pdf.GetY()+s.rowHeight(columns, cells, "") > pageBottom {
			s.pdf.AddPage()
			s.row(columns, heads, true)
		}
		s.row(columns, cells, false)
	}
	s.space(2)
}

const cellLine = sizeCell * pointsToMM * 1.35

func (s sheet) rowHeight(columns []column, cells []string, style string) float64 {
	s.letters(style, sizeCell, inkRGB)
	most := 1
	for i, c := range columns {
		most = max(most, len(s.wrap(cells[i], c.width-2*cellPadding)))
	}
	return float64(most)*cellLine + 2*cellPadding
}

func (s sheet) row(columns []column, cells []string, head bool) {
	style, color := "", inkRGB
	if head {
		style, color = "B", leafRGB
	}
	height, top, left := s.rowHeight(columns, cells, style), s.pdf.GetY(), pageMargin
	if head {
		s.pdf.SetFillColor(headRGB.r, headRGB.g, headRGB.b)
		width := 0.0
		for _, c := range columns {
			width += c.width
		}
		s.pdf.Rect(pageMargin, top, width, height, "F")
	}
	s.letters(style, sizeCell, color)
	for i, c := range columns {
		align := "L"
		if c.figure {
			align = "R"
		}
		for n, line := range s.wrap(cells[i], c.width-2*cellPadding) {
			s.pdf.SetXY(left+cellPadding, top+cellPadding+float64(n)*cellLine)
			s.pdf.CellFormat(c.width-2*cellPadding, cellLine, line, "", 0, align, false, 0, "")
		}
		left += c.width
	}
	s.pdf.SetDrawColor(lineRGB.r, lineRGB.g, lineRGB.b)
	s.pdf.SetLineWidth(0.15)
	s.pdf.Line(pageMargin, top+height, left, top+height)
	s.pdf.SetXY(pageMargin, top+height)
}

// picture sets a PNG of a width, mm; a code to be scanned is a picture as well.
func (s sheet) picture(name string, png []byte, width float64) {
	options := fpdf.ImageOptions{ImageType: "PNG"}
	info := s.pdf.RegisterImageOptionsReader(name, options, bytes.NewReader(png))
	if info == nil || info.Width() == 0 {
		return // the library has kept the error
	}
	height := width * info.Height() / info.Width()
	s.room(height)
	top := s.pdf.GetY()
	s.pdf.ImageOptions(name, pageMargin, top, width, height, false, options, 0, "")
	s.pdf.SetXY(pageMargin, top+height)
}

// end writes the document.
func (s sheet) end(w io.Writer) error {
	if err := s.pdf.Output(w); err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	return nil
}
