package pdf

import (
	"github.com/boombuler/barcode/qr"
	"github.com/wcharczuk/go-chart/v2/drawing"
)

// Column is a column of a table.
type Column struct {
	Title string
	Width float64
	Right bool // aligned to the right, as figures are
}

// Cell is a cell of a table: a text, or a box to tick; Mark is a dot of that colour before the
// text.
type Cell struct {
	Text string
	Box  bool
	Mark drawing.Color
}

// Text makes a row of texts.
func Text(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

const (
	rowHeight = 6.4
	cellRoom  = 1.2 // to the left and right of a text
	tickBox   = 3.4
	markSize  = 1.3 // radius
)

// Table writes a table, its head again on each page. Texts that are too long for their column
// are shortened.
func (d *Document) Table(columns []Column, rows [][]Cell) {
	d.Need(3 * rowHeight)
	d.tableHead(columns)
	for i, row := range rows {
		if d.Room() < rowHeight {
			d.Page()
			d.tableHead(columns)
		}
		y := d.f.GetY()
		if i%2 == 1 {
			d.f.SetFillColor(int(Tint.R), int(Tint.G), int(Tint.B))
			d.f.Rect(Margin, y, widthOf(columns), rowHeight, "F")
		}
		d.letters(SmallSize+0.5, Ink)
		x := Margin
		for j, c := range columns {
			d.cell(c, row[j], x, y)
			x += c.Width
		}
		d.line(Margin, y+rowHeight, Margin+widthOf(columns))
		d.MoveTo(y + rowHeight)
	}
}

func widthOf(columns []Column) float64 {
	sum := 0.0
	for _, c := range columns {
		sum += c.Width
	}
	return sum
}

func (d *Document) tableHead(columns []Column) {
	d.letters(SmallSize, Soft)
	x, y := Margin, d.f.GetY()
	for _, c := range columns {
		d.cell(c, Cell{Text: c.Title}, x, y)
		x += c.Width
	}
	d.f.SetDrawColor(int(Ink.R), int(Ink.G), int(Ink.B))
	d.f.SetLineWidth(0.35)
	d.f.Line(Margin, y+rowHeight, Margin+widthOf(columns), y+rowHeight)
	d.MoveTo(y + rowHeight)
}

func (d *Document) cell(c Column, cell Cell, x, y float64) {
	if cell.Box {
		d.f.SetDrawColor(int(Ink.R), int(Ink.G), int(Ink.B))
		d.f.SetLineWidth(0.25)
		d.f.Rect(x+cellRoom, y+(rowHeight-tickBox)/2, tickBox, tickBox, "D")
		return
	}
	left, room := x+cellRoom, c.Width-2*cellRoom
	if !cell.Mark.IsZero() {
		d.f.SetFillColor(int(cell.Mark.R), int(cell.Mark.G), int(cell.Mark.B))
		d.f.SetDrawColor(int(Soft.R), int(Soft.G), int(Soft.B))
		d.f.SetLineWidth(0.15)
		d.f.Circle(left+markSize, y+rowHeight/2, markSize, "FD")
		left, room = left+2*markSize+cellRoom, room-2*markSize-cellRoom
	}
	text := d.fit(cell.Text, room)
	if c.Right {
		left += room - d.f.GetStringWidth(text)
	}
	d.f.Text(left, y+rowHeight/2+1.1, text)
}

// QR draws a QR code (ISO/IEC 18004) of a text with its quiet zone, level M of error
// correction.
func (d *Document) QR(text string, x, y, size float64) error {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return err
	}
	const quiet = 4 // modules that the standard asks for
	n := code.Bounds().Dx()
	module := size / float64(n+2*quiet)
	d.f.SetFillColor(0, 0, 0)
	for row := range n {
		for from := 0; from < n; { // runs of black modules
			black := func(col int) bool { r, _, _, _ := code.At(col, row).RGBA(); return r == 0 }
			if !black(from) {
				from++
				continue
			}
			to := from
			for to < n && black(to) {
				to++
			}
			d.f.Rect(x+float64(from+quiet)*module, y+float64(row+quiet)*module, float64(to-from)*module, module, "F")
			from = to
		}
	}
	return nil
}
