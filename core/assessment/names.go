package assessment

import (
	"maps"
	"slices"
	"strconv"

	"tilth/core/fault"
)

// Known returns what was sent of a section, or of one item of a list, without the members that the table does not know,
// and their names by path. Read-only members are known, so that an answer can be sent back.
func (t *Table) Known(section string, raw any) (clean any, unknown fault.Fields) {
	s, ok := t.byKey[section]
	if !ok {
		return raw, nil
	}
	return knownMembers(s.Fields, raw, "id")
}

// knownMembers keeps the members of an object, or of each object of a list, that are fields or are listed in also.
func knownMembers(fields []Field, raw any, also ...string) (any, fault.Fields) {
	switch v := raw.(type) {
	case []any:
		out, unknown := make([]any, len(v)), fault.Fields{}
		for i := range v {
			below, wrong := knownMembers(fields, v[i], also...)
			out[i] = below
			unknown.Nest(strconv.Itoa(i), wrong)
		}
		return out, unknown
	case map[string]any:
		return knownOf(fields, v, also)
	}
	return raw, nil
}

func knownOf(fields []Field, object map[string]any, also []string) (any, fault.Fields) {
	out, unknown := make(map[string]any, len(object)), fault.Fields{}
	known := slices.Clone(also)
	for i := range fields {
		known = append(known, fields[i].Key)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) {
			unknown.Unknown(name, known)
			continue
		}
		out[name] = object[name]
		switch f := findField(fields, name); {
		case f == nil:
		case f.Kind == Amount:
			below, wrong := knownMembers(nil, object[name], "value", "unit")
			out[name] = below
			unknown.Nest(name, wrong)
		case f.Kind == Items:
			below, wrong := knownMembers(f.Fields, object[name])
			out[name] = below
			unknown.Nest(name, wrong)
		}
	}
	return out, unknown
}
