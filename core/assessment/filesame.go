package assessment

import (
	"slices"
	"strings"
)

// Same reports whether a row holds what an export of the assessment holds in the same columns. An import then changes
// nothing, even where the assessment holds what no file can express, such as empty lists, blank texts, carriage
// returns, or an area that was sent as text.
func (h *Heading) Same(row *FileRow, a *Assessment, sheet Sheet) bool {
	if row.ResourceID != 0 && row.ResourceID != a.ResourceID {
		return false // named by another column
	}
	said := make(map[string]string, len(row.cells))
	for _, c := range row.cells {
		if strings.TrimSpace(c.Text) != "" {
			said[c.Name] = c.Text
		}
	}
	columns := make(map[string]bool, len(h.names))
	lists := map[string]bool{} // of which the file has a column: the row replaces them
	for _, name := range h.names {
		columns[name] = true
		if list, _, isList := strings.Cut(name, "["); isList {
			lists[list] = true
		}
	}
	for _, c := range h.table.Cells(a, sheet) {
		list, _, isList := strings.Cut(c.Name, "[")
		blank := strings.TrimSpace(c.Text) == ""
		switch text, there := said[c.Name]; {
		case blank && !there:
		case columns[c.Name] && there && sameText(text, c.Text):
			delete(said, c.Name)
		case there, columns[c.Name] && !slices.Contains(asked, c.Name), isList && lists[list]:
			return false
		}
	}
	return len(said) == 0
}

// asked are the columns that may be left empty where another names the farm or field.
var asked = []string{ColumnResourceType, ColumnResourceID}

// sameText compares texts as files keep them: without the carriage returns of line ends.
func sameText(a, b string) bool {
	plain := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	return plain(a) == plain(b)
}
