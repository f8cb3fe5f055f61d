package pdf

import (
	"slices"

	"tilth/adapters/render/internal/draw"
)

// Column is a column of a table.
type Column struct {
	Title string
	Width float64
	Right bool // aligned to the right, as figures are
}

// Left makes a column of texts.
func Left(title string, width float64) Column { return Column{Title: title, Width: width} }

// Right makes a column of figures.
func Right(title string, width float64) Column {
	return Column{Title: title, Width: width, Right: true}
}

// Cell is a cell of a table: a text, or a box to tick; Mark is a dot of that colour before the
// text.
type Cell struct {
	Text string
	Box  bool
	Mark draw.Color
}

// Row makes a row of texts.
func Row(texts ...string) []Cell {
	out := make([]Cell, len(texts))
	for i, t := range texts {
		out[i].Text = t
	}
	return out
}

const (
	cellRoom  = 1.1 // around a text
	boxHeight = 6.4 // of a row with a box: it is written on by hand
	tickBox   = 3.4
	markSize  = 1.3 // radius
)

// Table writes a table, and repeats its head on each page. Texts that are too long for their column
// are broken into lines.
func (d *Document) Table(columns []Column, rows [][]Cell) {
	head, titles := draw.Letters{Size: draw.Small.Size, Bold: true, Color: draw.Leaf}, make([]Cell, len(columns))
	width := 0.0
	for i, c := range columns {
		titles[i].Text = c.Title
		width += c.Width
	}
	begin := func() {
		d.shape(draw.Style{Fill: draw.Tint})
		d.f.Rect(Margin, d.At(), width, d.rowHeight(columns, titles, head), "F")
		d.row(columns, titles, head)
	}
	d.Need(2 * boxHeight)
	begin()
	for _, row := range rows {
		if d.Room() < d.rowHeight(columns, row, draw.Small) {
			d.Page()
			begin()
		}
		d.row(columns, row, draw.Small)
		d.rule(d.At(), width)
	}
	d.MoveTo(d.At() + 1)
}

// HeightOf returns the height of the rows of a table.
func (d *Document) HeightOf(columns []Column, rows [][]Cell) float64 {
	height := 0.0
	for _, row := range rows {
		height += d.rowHeight(columns, row, draw.Small)
	}
	return height
}

// cell returns the lines of a cell, and where they begin in it.
func (d *Document) cell(c Column, cell Cell, l draw.Letters) (text brokenText, left float64) {
	left = cellRoom
	if cell.Mark.A > 0 {
		left += 2*markSize + cellRoom
	}
	return d.broken(cell.Text, l, c.Width-left-cellRoom), left
}

// above returns the room above the first line of a row.
func above(row []Cell, l draw.Letters) float64 {
	if slices.ContainsFunc(row, func(c Cell) bool { return c.Box }) {
		return (boxHeight - lineHeight(l)) / 2
	}
	return cellRoom
}

func (d *Document) rowHeight(columns []Column, row []Cell, l draw.Letters) float64 {
	upper := 1
	for i, c := range columns {
		text, _ := d.cell(c, row[i], l)
		upper = max(upper, len(text.lines))
	}
	return float64(upper)*lineHeight(l) + 2*above(row, l)
}

func (d *Document) row(columns []Column, row []Cell, l draw.Letters) {
	x, y, height := Margin, d.At(), d.rowHeight(columns, row, l)
	top := y + above(row, l)
	middle := top + lineHeight(l)/2
	for i, c := range columns {
		text, left := d.cell(c, row[i], l)
		if row[i].Box {
			d.shape(draw.Style{Edge: draw.Ink, Width: 1})
			d.f.Rect(x+cellRoom, middle-tickBox/2, tickBox, tickBox, "D")
		}
		if row[i].Mark.A > 0 {
			d.shape(draw.Style{Fill: row[i].Mark, Edge: draw.Soft, Width: 0.6})
			d.f.Circle(x+cellRoom+markSize, middle, markSize, "FD")
		}
		for n, line := range text.lines {
			at := x + left
			if c.Right {
				at = x + c.Width - cellRoom - text.widths[n]
			}
			d.put([]string{line}, at, top+float64(n)*lineHeight(l), l)
		}
		x += c.Width
	}
	d.MoveTo(y + height)
}
