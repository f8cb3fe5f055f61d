package assessment

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tilth/core/fault"
)

// groups are those of the detail view. The sections of a group are those that name it.
var groups = []Group{
	{Key: "general", Label: "General"}, {Key: "crop", Label: "Crop"}, {Key: "soil", Label: "Soil"},
	{Key: "inputs", Label: "Inputs"}, {Key: "field_practices", Label: "Field practices"}, {Key: "energy", Label: "Energy"},
	{Key: "carbon_stocks", Label: "Carbon stocks"}, {Key: "results", Label: "Results"},
}

// Groups returns the groups of the detail view with their sections. The group general
// holds the general part, and results what was calculated: neither has sections.
func (t *Table) Groups() []Group {
	out := slices.Clone(groups)
	for i := range out {
		for _, s := range t.sections {
			if s.Group == out[i].Key {
				out[i].Sections = append(out[i].Sections, s.Key)
			}
		}
	}
	return out
}

// View returns a group of the detail view. Faults: Invalid (group), which lists the existing groups.
func (t *Table) View(group string) (Group, error) {
	var keys []string
	for _, g := range t.Groups() {
		if g.Key == group {
			return g, nil
		}
		keys = append(keys, g.Key)
	}
	return Group{}, fault.Field("group", fmt.Sprintf("%q is not a group; the groups are %s.", group, strings.Join(keys, ", ")))
}

// Enforce returns the required fields of a group that are missing or invalid, as nested details. An empty group means all
// of them.
func (t *Table) Enforce(group string, a *Assessment, sheet Sheet, facts Facts) (fault.Fields, error) {
	if group != "" {
		if _, err := t.View(group); err != nil {
			return nil, err
		}
	}
	state, violations := t.examine(a, sheet, facts)
	wrong := fault.Fields{}
	for _, one := range state.Sections {
		if s := t.byKey[one.Section]; !one.Applies || group != "" && group != cmp.Or(s, &t.general).Group {
			continue
		}
		for _, m := range one.Missing {
			wrong.AddAt(m.Path, m.Message)
		}
	}
	for _, v := range violations {
		s, known := t.byKey[sectionOf(v.Path)]
		if known && (group == "" || s.Group == group) && v.Code != "required" {
			wrong.AddAt(v.Path, v.Message)
		}
	}
	return wrong, nil
}

// sectionOf returns the section, or the member of the general part, that a path begins with.
func sectionOf(path string) string {
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end]
	}
	return path
}

// Issue is a required field with the number of assessments that lack it.
type Issue struct {
	Section string
	Field   string // "fertilizers[].rate"
	Label   string // of the field
	Count   int64
	Message string // what to enter
}

// TopIssues makes the lines of a dashboard from the numbers of assessments that lack a field, by [Missing.Field]: the most
// frequent first, then by section and field. Names that the table does not have are left out.
func (t *Table) TopIssues(lacking map[string]int64) []Issue {
	var out []Issue
	for _, path := range slices.Sorted(maps.Keys(lacking)) {
		if s, field := t.locate(path); field != nil && lacking[path] > 0 {
			out = append(out, Issue{s.Key, path, field.Label, lacking[path], s.ask(field)})
		}
	}
	slices.SortStableFunc(out, func(a, b Issue) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Section, b.Section), cmp.Compare(a.Field, b.Field))
	})
	return out
}

// locate finds the section and the field of a [Missing.Field]; the field is nil where the table has none.
func (t *Table) locate(path string) (*Section, *Field) {
	names := strings.Split(strings.ReplaceAll(path, "[]", ""), ".")
	if len(names) == 1 { // the general part has no prefix
		return &t.general, t.general.field(names[0])
	}
	s, known := t.byKey[names[0]]
	if !known {
		return nil, nil
	}
	f := s.field(names[1])
	if f != nil && len(names) == 3 {
		f = findField(f.Fields, names[2])
	}
	return s, f
}
