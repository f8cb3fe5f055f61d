package assessment

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tilth/core/fault"
)

// Column is a leaf of an assessment as a column of a file. In the name of a leaf inside a list, [] stands where a file
// counts the items from 0: fertilizers[].rate.value is fertilizers[0].rate.value, fertilizers[1].rate.value and so on.
type Column struct {
	Name  string
	Title string // "Fertilizers and lime: rate, value"
	Kind  Kind   // never Amount or Items
	Unit  string
	Enum  []string
}

// Cell is a value of a column as text.
type Cell struct{ Name, Text string }

// declarationColumns is the first part of the names of the declarations.
const declarationColumns = "section_declarations"

// Columns returns every column of a file of assessments: what is assessed, the general part, the sections, the declarations.
func (t *Table) Columns() []Column {
	out := []Column{
		{Name: "resource_type", Title: "Assessed", Kind: Choice, Enum: []string{string(OfFarm), string(OfField)}},
		{Name: "resource_id", Title: "Farm or field", Kind: Integer},
	}
	out = leaves(out, "", t.general.Title, t.general.Fields)
	for i := range t.sections {
		s := &t.sections[i]
		prefix := s.Key
		if s.Shape == List {
			prefix += "[]"
			out = append(out, Column{Name: prefix + ".id", Title: s.Title + ": id", Kind: Integer})
		}
		out = leaves(out, prefix+".", s.Title, s.Fields)
	}
	for _, key := range t.declarable() {
		out = append(out, Column{Name: declarationColumns + "." + key, Title: "Nothing here: " + key, Kind: Choice, Enum: []string{DeclaredNone}})
	}
	return out
}

func leaves(out []Column, prefix, title string, fields []Field) []Column {
	for i := range fields {
		f := &fields[i]
		if f.ReadOnly {
			continue
		}
		name, label := prefix+f.Key, title+": "+lowerFirst(f.Label)
		switch f.Kind {
		case Amount:
			out = append(out, Column{Name: name + ".value", Title: label + ", value", Kind: Number},
				Column{Name: name + ".unit", Title: label + ", unit", Kind: Choice, Enum: f.Units})
		case Items:
			out = leaves(out, name+"[].", label, f.Fields)
		default:
			out = append(out, Column{Name: name, Title: label, Kind: f.Kind, Unit: f.Unit, Enum: f.Enum})
		}
	}
	return out
}

// Cells returns the cells of a row that hold something, in the order of the columns, items by their number.
func (t *Table) Cells(a *Assessment, sheet Sheet) []Cell {
	out := []Cell{{"resource_type", string(a.ResourceType)}, {"resource_id", strconv.FormatInt(a.ResourceID, 10)}}
	out = cellsOf(out, "", t.general.Fields, a.values())
	for i := range t.sections {
		s := &t.sections[i]
		for n, row := range sheet[s.Key] {
			prefix := s.Key + "."
			if s.Shape == List {
				prefix = fmt.Sprintf("%s[%d].", s.Key, n)
				if row.ID != 0 {
					out = append(out, Cell{prefix + "id", strconv.FormatInt(row.ID, 10)})
				}
			}
			out = cellsOf(out, prefix, s.Fields, row.Values)
		}
	}
	for _, key := range t.declarable() {
		if a.Declarations.None(key) {
			out = append(out, Cell{declarationColumns + "." + key, DeclaredNone})
		}
	}
	return out
}

func cellsOf(out []Cell, prefix string, fields []Field, v Values) []Cell {
	for i := range fields {
		f := &fields[i]
		value, given := v[f.Key]
		if !given {
			continue
		}
		switch f.Kind {
		case Amount:
			parts, _ := value.(map[string]any)
			out = appendCell(out, prefix+f.Key+".value", parts["value"])
			out = appendCell(out, prefix+f.Key+".unit", parts["unit"])
		case Items:
			for n, item := range v.items(f.Key) {
				out = cellsOf(out, fmt.Sprintf("%s%s[%d].", prefix, f.Key, n), f.Fields, item)
			}
		default:
			out = appendCell(out, prefix+f.Key, value)
		}
	}
	return out
}

func appendCell(out []Cell, name string, value any) []Cell {
	switch v := value.(type) {
	case string:
		return append(out, Cell{name, v})
	case bool:
		return append(out, Cell{name, strconv.FormatBool(v)})
	}
	if n, ok := numeric(value); ok {
		return append(out, Cell{name, strconv.FormatFloat(n, 'g', -1, 64)})
	}
	return out
}

// Body reads the cells of a row as the body of an assessment, as a client sends it, for [Table.Check] and similar
// methods to check. Empty cells are ignored. What is wrong is listed by the name of the column.
func (t *Table) Body(cells []Cell) (map[string]any, fault.Fields) {
	kinds := t.columnKinds()
	body, wrong := map[string]any{}, fault.Fields{}
	for _, cell := range cells {
		if strings.TrimSpace(cell.Text) == "" {
			continue
		}
		general, indexes, ok := numbered(cell.Name)
		kind, known := kinds[general]
		if !ok || !known {
			wrong.Add(cell.Name, "There is no such column.")
			continue
		}
		value, message := cellValue(kind, cell.Text)
		if message == "" {
			message = place(body, strings.Split(general, "."), indexes, value)
		}
		if message != "" {
			wrong.Add(cell.Name, message)
		}
	}
	noGaps(body, "", wrong)
	if len(wrong) > 0 {
		return nil, wrong
	}
	return body, nil
}

func (t *Table) columnKinds() map[string]Kind {
	out := map[string]Kind{}
	for _, c := range t.Columns() {
		out[c.Name] = c.Kind
	}
	return out
}

// numbered takes the numbers of the items out of a name: fertilizers[1].rate.value is fertilizers[].rate.value and 1.
func numbered(name string) (general string, indexes []int, ok bool) {
	var b strings.Builder
	for {
		head, rest, found := strings.Cut(name, "[")
		b.WriteString(head)
		if !found {
			return b.String(), indexes, true
		}
		number, tail, closed := strings.Cut(rest, "]")
		n, err := strconv.ParseUint(number, 10, 16)
		if !closed || err != nil || n >= MaxItems {
			return "", nil, false
		}
		indexes = append(indexes, int(n))
		b.WriteString("[]")
		name = tail
	}
}

func cellValue(kind Kind, cell string) (value any, message string) {
	switch kind {
	case Number, Integer:
		n, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
		if _, finite := numeric(n); err != nil || !finite {
			return nil, fmt.Sprintf("%q is not a number; use a point for decimals and no other separators.", cell)
		}
		return n, ""
	case Flag:
		word := strings.ToLower(strings.TrimSpace(cell))
		if word != "true" && word != "false" {
			return nil, fmt.Sprintf("%q is neither true nor false.", cell)
		}
		return word == "true", ""
	case Text:
		return cell, ""
	}
	return strings.TrimSpace(cell), ""
}

// place puts a value at the place that its name states. Lists grow as far as the numbers of their items require.
func place(body map[string]any, names []string, indexes []int, value any) (message string) {
	for _, name := range names[:len(names)-1] {
		key, isList := strings.CutSuffix(name, "[]")
		if !isList {
			below, ok := body[key].(map[string]any)
			if !ok {
				below = map[string]any{}
				body[key] = below
			}
			body = below
			continue
		}
		list, _ := body[key].([]any)
		for len(list) <= indexes[0] {
			list = append(list, map[string]any{})
		}
		body[key] = list
		body, _ = list[indexes[0]].(map[string]any)
		indexes = indexes[1:]
	}
	last := names[len(names)-1]
	if _, twice := body[last]; twice {
		return "This column occurs twice."
	}
	body[last] = value
	return ""
}

// noGaps refuses empty items that stand before others: the paths of what is wrong would be those of other columns.
func noGaps(value any, path string, wrong fault.Fields) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			noGaps(below, strings.TrimPrefix(path+"."+key, "."), wrong)
		}
	case []any:
		for n, item := range v {
			name := fmt.Sprintf("%s[%d]", path, n)
			if m, ok := item.(map[string]any); ok && len(m) == 0 {
				wrong.Add(name, "This item is empty, but a later one is not; number the items from 0 without gaps.")
			}
			noGaps(item, name, wrong)
		}
	}
}

// Heading returns the columns that any of the rows fills, in the order of the table, items one after the other.
func (t *Table) Heading(rows ...[]Cell) []string {
	places := map[string]int{} // of columns, and of the first column of every list
	for i, c := range t.Columns() {
		places[c.Name] = i
		for end, r := range c.Name {
			if _, had := places[c.Name[:end+1]]; r == ']' && !had {
				places[c.Name[:end+1]] = i
			}
		}
	}
	ranks := map[string][]int{}
	for _, row := range rows {
		for _, cell := range row {
			if general, indexes, ok := numbered(cell.Name); ok && ranks[cell.Name] == nil {
				ranks[cell.Name] = rank(places, general, indexes)
			}
		}
	}
	return slices.SortedFunc(maps.Keys(ranks), func(a, b string) int { return slices.Compare(ranks[a], ranks[b]) })
}

// rank returns, for each list on the way to a column, its place and the number of the item, and last the place of the column.
func rank(places map[string]int, general string, indexes []int) []int {
	var out []int
	for end, r := range general {
		if r == ']' {
			out = append(out, places[general[:end+1]], indexes[0])
			indexes = indexes[1:]
		}
	}
	return append(out, places[general])
}
