package exchange

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tilth/adapters/exchange/internal/delimited"
	"tilth/core/fault"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/layer"
)

// maxCellLines bounds the lines of a table of cells; a boundary may leave some of them out.
const maxCellLines = 4 * frame.MaxCells

var placeColumns = []string{"row", "col", "x", "y"}

var missingValues = []string{"", "na", "nan", "null", "none"}

// ReadCells reads a table of cells: CSV with a header and one line per cell. The columns row and
// col, or x and y, or all four, give its place. The layers are the columns named among the others,
// or all others where none is named. A layer's value may be missing (empty, NA, NaN).
func ReadCells(r io.Reader, layers []string) (layer.Table, error) {
	in, header, err := delimited.Open(r, "cells")
	if err != nil {
		return layer.Table{}, err
	}
	t := cellTable{lines: in, at: map[string]int{}, columns: map[string][]float64{}}
	if err := t.choose(header, layers); err != nil {
		return layer.Table{}, err
	}
	line := 1
	err = in.Each(func(record []string) error {
		if line++; line > maxCellLines {
			return fault.Field("cells", fmt.Sprintf("The file has more than %d cells.", maxCellLines))
		}
		return t.add(record, line)
	})
	if err != nil {
		return layer.Table{}, err
	}
	return t.table()
}

type cellTable struct {
	lines   *delimited.Reader
	at      map[string]int // column of each name that is read
	layers  []string
	columns map[string][]float64
}

func (t *cellTable) choose(header, layers []string) error {
	var others []string
	seen := map[string]int{}
	for j, name := range header {
		if _, twice := seen[name]; twice {
			return fault.Field("cells", fmt.Sprintf("The column %q occurs twice.", name))
		}
		seen[name] = j
		if !slices.Contains(placeColumns, name) {
			others = append(others, name)
		}
	}
	if len(layers) == 0 {
		layers = others
	}
	for _, name := range layers {
		j, ok := seen[name]
		if !ok || slices.Contains(placeColumns, name) {
			return fault.Field("layers", fmt.Sprintf("There is no layer %q; the columns are %s.", name, strings.Join(others, ", ")))
		}
		t.at[name] = j
	}
	t.layers = layers
	for _, name := range placeColumns {
		if j, ok := seen[name]; ok {
			t.at[name] = j
		}
	}
	for _, pair := range [][2]string{{"row", "col"}, {"x", "y"}} {
		_, first := seen[pair[0]]
		_, second := seen[pair[1]]
		if first != second {
			return fault.Field("cells", fmt.Sprintf("The columns %s and %s must be given together.", pair[0], pair[1]))
		}
	}
	return nil
}

func (t *cellTable) add(record []string, line int) error {
	for name, j := range t.at {
		text := strings.TrimSpace(record[j])
		v, err := t.lines.Number(text)
		if !slices.Contains(placeColumns, name) && slices.Contains(missingValues, strings.ToLower(text)) {
			v, err = math.NaN(), nil
		}
		if err != nil {
			return fault.Field("cells", fmt.Sprintf("Line %d: %s is %q, which is not a number.", line, name, text))
		}
		t.columns[name] = append(t.columns[name], v)
	}
	return nil
}

func (t *cellTable) table() (layer.Table, error) {
	out := layer.Table{Row: t.columns["row"], Col: t.columns["col"], X: t.columns["x"], Y: t.columns["y"]}
	if out.Row == nil && out.X == nil {
		return out, fault.Field("cells", "The file needs the columns row and col, or x and y, and a line for each cell.")
	}
	for _, name := range t.layers {
		out.Layers = append(out.Layers, layer.Layer{Name: name, Values: t.columns[name], Source: "the table's column " + name})
	}
	return out, nil
}
