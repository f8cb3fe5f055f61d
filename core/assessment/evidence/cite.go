package evidence

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"tilth/core/assessment"
	"tilth/core/fault"
)

// citation is how a text cites a file: file:12.
var citation = regexp.MustCompile(`\bfile:([0-9]{1,18})\b`)

// Cite is a place of an assessment whose text cites a file.
type Cite struct {
	Section string
	Item    int // place in a list; -1: the section is one object
	Member  string
	File    int64
}

// Path returns the place as clients write it: fertilizers[2].manual_ef_note.
func (c Cite) Path() string {
	if c.Item < 0 {
		return c.Section + "." + c.Member
	}
	return fmt.Sprintf("%s[%d].%s", c.Section, c.Item, c.Member)
}

// Cites returns the files that the texts of a section cite, in order of their places.
func Cites(section assessment.Section, rows []assessment.Row) (out []Cite) {
	for i, row := range rows {
		if section.Shape != assessment.List {
			i = -1
		}
		for _, key := range slices.Sorted(maps.Keys(row.Values)) {
			text, _ := row.Values[key].(string)
			for _, found := range citation.FindAllStringSubmatch(text, -1) {
				id, _ := strconv.ParseInt(found[1], 10, 64) // so few digits always fit
				out = append(out, Cite{section.Key, i, key, id})
			}
		}
	}
	return out
}

// AllCites returns the files that the texts of all sections cite.
func AllCites(t *assessment.Table, sheet assessment.Sheet) (out []Cite) {
	for _, section := range t.Sections() {
		out = append(out, Cites(section, sheet[section.Key])...)
	}
	return out
}

// Unknown returns the cites whose files are not attached.
func Unknown(cites []Cite, attached []File) []Cite {
	return slices.DeleteFunc(slices.Clone(cites), func(c Cite) bool {
		return slices.ContainsFunc(attached, func(f File) bool { return f.ID == c.File })
	})
}

// Findings are the violations of cites whose files are not attached.
func Findings(unknown []Cite) []assessment.Finding {
	var out []assessment.Finding
	for _, c := range unknown {
		out = append(out, assessment.Finding{Code: "evidence_unknown", Path: c.Path(), Message: c.message()})
	}
	return out
}

// Wrong returns what is wrong with a section whose texts cite files that are not attached.
func Wrong(unknown []Cite) fault.Fields {
	wrong := fault.Fields{}
	for _, c := range unknown {
		one := fault.Fields{c.Member: []string{c.message()}}
		if c.Item >= 0 {
			one = fault.Fields{strconv.Itoa(c.Item): one}
		}
		wrong.Merge(one)
	}
	return wrong
}

func (c Cite) message() string {
	return fmt.Sprintf("No file %d is attached to this assessment. Fix: attach it first, and cite the id in the answer as file:ID.", c.File)
}
