package assessment

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"tilth/core/fault"
)

// Columns of a file of assessments that are not fields of the table: which assessment a row is, how else its farm or
// field is identified, and what is only shown.
const (
	ColumnID           = "id"
	ColumnResourceType = "resource_type"
	ColumnResourceID   = "resource_id"
	ColumnExternalID   = "resource_external_id"
	ColumnResourceName = "resource_name"
	ColumnStatus       = "status"
	ColumnVersion      = "submitted_version"
)

// keyColumns identify the record of a row; shownColumns describe it, and an import ignores them.
var (
	keyColumns   = []string{ColumnID, ColumnExternalID, ColumnResourceName}
	shownColumns = []string{ColumnStatus, ColumnVersion}
)

// FileHeading returns the heading of a file: what identifies a row, the given columns of the table, and what is only shown.
func (t *Table) FileHeading(filled []Cell) []string {
	out := []string{ColumnID, ColumnResourceType, ColumnResourceID, ColumnExternalID, ColumnResourceName}
	for _, name := range t.Heading(filled) {
		if name != ColumnResourceType && name != ColumnResourceID {
			out = append(out, name)
		}
	}
	return append(out, shownColumns...)
}

// Template returns the heading of an empty file: every column once, lists with their first item.
func (t *Table) Template() []string {
	var cells []Cell
	for _, c := range t.Columns() {
		if name := strings.ReplaceAll(c.Name, "[]", "[0]"); !strings.HasSuffix(name, "[0].id") {
			cells = append(cells, Cell{Name: name})
		}
	}
	out := t.FileHeading(cells)
	return slices.DeleteFunc(out, func(name string) bool { return slices.Contains(shownColumns, name) })
}

// Heading is the parsed first line of a file.
type Heading struct {
	table   *Table
	names   []string
	covered map[string][][]string // by section, or general: the members that have a column, as the parts of their names
}

// ReadHeading parses the first line of a file. Unknown, repeated and unnumbered columns are refused by their names:
// what is silently ignored would be missed later.
func (t *Table) ReadHeading(names []string) (*Heading, fault.Fields) {
	kinds, wrong := t.columnKinds(), fault.Fields{}
	h := &Heading{table: t, names: names, covered: map[string][][]string{}}
	seen, unknown := map[string]bool{}, 0
	for _, name := range names {
		general, _, ok := numbered(name)
		_, known := kinds[general]
		switch {
		case name == "":
			wrong.Add(fault.NonField, "A column has no name.")
		case seen[name]:
			wrong.Add(name, "This column occurs twice.")
		case slices.Contains(keyColumns, name), slices.Contains(shownColumns, name):
		case !ok || !known:
			if unknown++; unknown > maxUnknownColumns {
				return h, wrong
			}
			wrong.Misplaced(name, t.unknownColumn(name, kinds))
		default:
			h.cover(general)
		}
		seen[name] = true
	}
	return h, wrong
}

// maxUnknownColumns is the maximum number of unknown columns that are named.
const maxUnknownColumns = 100

// itemNumber is the number of an item in the name of a column.
var itemNumber = regexp.MustCompile(`\[\d*\]`)

// unknownColumn returns the message that there is no such column, with the one that is probably meant.
func (t *Table) unknownColumn(name string, kinds map[string]Kind) string {
	const says = "There is no such column; the template has them all, and items are numbered from 0: fertilizers[0].product."
	known := slices.Concat(slices.Sorted(maps.Keys(kinds)), keyColumns, shownColumns)
	nearest := fault.Nearest(itemNumber.ReplaceAllString(name, "[]"), known)
	if nearest == "" {
		return says
	}
	numbers := itemNumber.FindAllString(name, -1)
	nearest = itemNumber.ReplaceAllStringFunc(nearest, func(string) string {
		number := "[]"
		if len(numbers) > 0 {
			number, numbers = numbers[0], numbers[1:]
		}
		if number == "[]" {
			return "[0]"
		}
		return number
	})
	if nearest == name { // an item too many
		return says
	}
	return "There is no such column" + fault.Meant(nearest)
}

// cover records that a column is present: its section and member; "fertilizers[]" has no member.
func (h *Heading) cover(general string) {
	first, rest, below := strings.Cut(general, ".")
	if key, isList := strings.CutSuffix(first, "[]"); isList {
		h.covered[key] = append(h.covered[key], nil)
		return
	}
	if _, isSection := h.table.byKey[first]; below && isSection || first == declarationColumns {
		h.covered[first] = append(h.covered[first], strings.Split(rest, "."))
		return
	}
	h.covered[secGeneral] = append(h.covered[secGeneral], strings.Split(general, "."))
}

// FileRow is a row of a file, parsed as far as is possible without other records.
type FileRow struct {
	Line         int64 // in the table, as a spreadsheet numbers it
	ID           int64 // the assessment that it names; 0: none
	ResourceType ResourceType
	ResourceID   int64
	ExternalID   string
	ResourceName string
	Body         map[string]any // as [Table.Body] returns it
	Errors       fault.Fields   // by column

	cells []Cell // what the row holds of the columns of the table
}

// Row reads the texts of a row, one for each column.
func (h *Heading) Row(texts []string) FileRow {
	out := FileRow{Errors: fault.Fields{}}
	cells := make([]Cell, 0, len(texts))
	for i, text := range texts {
		trimmed := strings.TrimSpace(text)
		switch name := h.names[i]; {
		case trimmed == "":
		case name == ColumnID:
			id, message := cellValue(Integer, trimmed)
			n, _ := id.(float64)
			if message != "" || n < 1 || n != float64(int64(n)) {
				out.Errors.Add(name, "The id of an assessment is a whole number above 0; leave it out for a new one.")
			}
			out.ID = int64(n)
		case name == ColumnExternalID:
			out.ExternalID = trimmed
		case name == ColumnResourceName:
			out.ResourceName = trimmed
		case slices.Contains(shownColumns, name):
		default:
			cells = append(cells, Cell{name, text})
		}
	}
	out.cells = cells
	body, wrong := h.table.Body(cells)
	if out.Errors.Merge(wrong); len(wrong) > 0 {
		return out
	}
	word, _ := body[ColumnResourceType].(string)
	id, _ := body[ColumnResourceID].(float64)
	if out.ResourceType = ResourceType(word); word != "" && !slices.Contains(ResourceTypes, out.ResourceType) {
		out.Errors.Addf(ColumnResourceType, "%q is not one of farm, field.", word)
	}
	if out.ResourceID = int64(id); id != 0 && (id < 1 || id != float64(out.ResourceID)) {
		out.Errors.Add(ColumnResourceID, "The id of a farm or field is a whole number above 0.")
	}
	if year, ok := body[keyYear].(float64); ok && (year != float64(int(year)) || year < 1 || year > yearsOfTheDraft) {
		out.Errors.Addf(keyYear, "A year from 1 to %d.", yearsOfTheDraft)
	}
	out.Body = body
	return out
}

// Year returns the assessment year of a row; nil where it has none.
func (r *FileRow) Year() *int { return yearOf(r.Body) }

func yearOf(body map[string]any) *int {
	if year, ok := body[keyYear].(float64); ok {
		y := int(year)
		return &y
	}
	return nil
}

// Over returns the general part, the sections and the declarations that a row asks for, merged over the existing ones;
// before is nil for a new assessment. A member that has a column takes the value of the row, even an empty one; one
// without a column stays. A list section with any column in the file is replaced. The items of a new assessment are
// new, whatever ids the row was exported with.
func (h *Heading) Over(row *FileRow, before *Assessment, sheet Sheet) (general Assessment, sections map[string]any, declarations any) {
	old, declared := map[string]any{}, map[string]any{}
	if before != nil {
		old = before.values()
		for key, word := range before.Declarations {
			declared[key] = word
		}
	}
	v := merged(h.without(secGeneral, old), row.Body)
	word := func(key string) string { s, _ := v[key].(string); return s }
	general = Assessment{
		ResourceType: row.ResourceType, ResourceID: row.ResourceID, Year: yearOf(v),
		ClimateRegion: word(keyClimate), FarmCountry: word(keyCountry), DataQuality: word(keyQuality),
	}
	general.GrowingArea, _ = v[keyArea].(map[string]any)
	general.AverageTemperature, _ = v[keyTemperature].(map[string]any)
	sections = map[string]any{}
	for key := range h.covered {
		section, isSection := h.table.byKey[key]
		switch {
		case !isSection:
		case section.Shape == List:
			sections[key] = itemsOf(row.Body[key], before == nil)
		default:
			changes, _ := row.Body[key].(map[string]any)
			sections[key] = merged(h.without(key, sheet.first(key)), changes)
		}
	}
	for key := range declared { // a section that the row fills in is no longer declared empty
		if s := sections[key]; s != nil && reflect.ValueOf(s).Len() > 0 {
			delete(declared, key)
		}
	}
	changes, _ := row.Body[declarationColumns].(map[string]any)
	return general, sections, merged(h.without(declarationColumns, declared), changes)
}

func itemsOf(list any, fresh bool) []any {
	items, _ := list.([]any)
	out := make([]any, 0, len(items))
	for _, item := range items {
		if m, ok := item.(map[string]any); ok && fresh {
			m = maps.Clone(m)
			delete(m, "id")
			item = m
		}
		out = append(out, item)
	}
	return out
}

// without returns an object without the members that have a column; an amount loses only the part that has one.
func (h *Heading) without(key string, old map[string]any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, old)
	for _, parts := range h.covered[key] {
		member, isList := strings.CutSuffix(parts[0], "[]")
		amount, isAmount := out[member].(map[string]any)
		if len(parts) == 1 || isList || !isAmount {
			delete(out, member)
			continue
		}
		amount = maps.Clone(amount)
		delete(amount, parts[1])
		if out[member] = amount; len(amount) == 0 {
			delete(out, member)
		}
	}
	return out
}
