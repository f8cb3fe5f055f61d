package assessment

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"tilth/core/fault"
)

// Check reads a section as it was sent: an object, or the list of its items; nil is an empty section. It returns the
// rows with the members that the table knows, and what is wrong by JSON path: shapes, types, enumerations and bounds. A
// draft may be empty: [Table.Complete] decides whether all that is required is present.
func (t *Table) Check(section string, raw any) ([]Row, fault.Fields) {
	s, ok := t.byKey[section]
	if !ok {
		return nil, unknownSection(section)
	}
	if raw == nil {
		return nil, nil
	}
	if s.Shape == List {
		return s.list(raw)
	}
	row, wrong := s.item(raw)
	if len(wrong) > 0 {
		return nil, wrong
	}
	return []Row{{Values: row.Values}}, nil
}

// CheckItem reads the object of an object section, or one item of a list.
func (t *Table) CheckItem(section string, raw any) (Row, fault.Fields) {
	s, ok := t.byKey[section]
	if !ok {
		return Row{}, unknownSection(section)
	}
	return s.item(raw)
}

// Patch reads what was entered before with the members of raw merged over it as in RFC 7396: null removes a member, an
// amount keeps the part that is not sent, a nested list is replaced.
func (t *Table) Patch(section string, old Values, raw any) (Row, fault.Fields) {
	changes, ok := raw.(map[string]any)
	if !ok {
		return Row{}, nonField("An object is expected.")
	}
	return t.CheckItem(section, merged(old, changes))
}

func merged(old, changes map[string]any) map[string]any {
	out := make(map[string]any, len(old)+len(changes))
	maps.Copy(out, old)
	for k, v := range changes {
		below, isObject := v.(map[string]any)
		switch {
		case v == nil:
			delete(out, k)
		case isObject:
			have, _ := out[k].(map[string]any)
			out[k] = merged(have, below)
		default:
			out[k] = v
		}
	}
	return out
}

func (s *Section) list(raw any) ([]Row, fault.Fields) {
	items, ok := raw.([]any)
	if !ok {
		return nil, nonField("A list of objects is expected.")
	}
	if len(items) > MaxItems {
		return nil, nonField(fmt.Sprintf("At most %d items; this has %d.", MaxItems, len(items)))
	}
	wrong := fault.Fields{}
	rows := make([]Row, 0, len(items))
	seen := make(map[int64]bool, len(items))
	for i, item := range items {
		row, f := s.item(item)
		if row.ID != 0 && seen[row.ID] {
			f = fault.Fields{}
			f.Addf("id", "Item %d is in the list twice.", row.ID)
		}
		seen[row.ID] = true
		wrong.Nest(strconv.Itoa(i), f)
		rows = append(rows, row)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return rows, nil
}

// item reads an object with the id it carries.
func (s *Section) item(raw any) (Row, fault.Fields) {
	object, ok := raw.(map[string]any)
	if !ok {
		return Row{}, nonField("An object is expected.")
	}
	v, wrong := readObject(s.Fields, object)
	row := Row{Values: v}
	if id, ok := object["id"]; ok && id != nil {
		n, isNumber := numeric(id)
		if !isNumber || n != math.Trunc(n) || n < 1 || n > 1<<53 {
			wrong.Add("id", "The id of an item is a whole number above 0; leave it out for a new item.")
			return row, wrong
		}
		row.ID = int64(n)
	}
	return row, wrong
}

// readObject reads the members that the table knows; [Table.Known] names the others.
func readObject(fields []Field, object map[string]any) (Values, fault.Fields) {
	out, wrong := make(Values, len(object)), fault.Fields{}
	for i := range fields {
		f := &fields[i]
		raw, ok := object[f.Key]
		if !ok || raw == nil || f.ReadOnly {
			continue
		}
		clean, problem := f.read(raw)
		switch p := problem.(type) {
		case string:
			wrong.Add(f.Key, p)
		case fault.Fields:
			wrong.Nest(f.Key, p)
		default:
			if !empty(clean) {
				out[f.Key] = clean
			}
		}
	}
	for i := range fields {
		if message := fields[i].unitProblem(out); message != "" {
			wrong.Nest(fields[i].Key, fault.Fields{"unit": []string{message}})
		}
	}
	return out, wrong
}

// empty reports whether a value is none: an emptied text, or an amount with neither part.
func empty(clean any) bool {
	object, isAmount := clean.(map[string]any)
	return clean == "" || isAmount && len(object) == 0
}

// read returns the value of a field as it is stored, or what is wrong with it: a message, or messages by member.
func (f *Field) read(raw any) (clean, problem any) {
	switch f.Kind {
	case Amount:
		return f.readAmount(raw)
	case Items:
		return f.readItems(raw)
	}
	clean, message := f.scalar(raw)
	if message != "" {
		return nil, message
	}
	return clean, nil
}

func (f *Field) readAmount(raw any) (clean, problem any) {
	object, ok := raw.(map[string]any)
	if !ok {
		return nil, "An object with value and unit is expected."
	}
	out, wrong := make(map[string]any, 2), fault.Fields{}
	if v := object["value"]; v != nil {
		n, message := f.number(v)
		if message != "" {
			wrong.Add("value", message)
		}
		out["value"] = n
	}
	if u := object["unit"]; u != nil {
		if message := oneOf(u, f.Units); message != "" {
			wrong.Add("unit", message)
		}
		out["unit"] = u
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return out, nil
}

func (f *Field) readItems(raw any) (clean, problem any) {
	list, ok := raw.([]any)
	if !ok {
		return nil, "A list of objects is expected."
	}
	if len(list) > f.MaxItems {
		return nil, fmt.Sprintf("At most %d items; this has %d.", f.MaxItems, len(list))
	}
	out, wrong := make([]any, 0, len(list)), fault.Fields{}
	for i, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			wrong.Add(strconv.Itoa(i), "An object is expected.")
			continue
		}
		v, nested := readObject(f.Fields, object)
		wrong.Nest(strconv.Itoa(i), nested)
		out = append(out, map[string]any(v))
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return out, nil
}

// unitProblem returns a message where the unit of an amount is not one that the rest of its object allows.
func (f *Field) unitProblem(v Values) string {
	for _, rule := range f.UnitsWhen {
		if unit := v.unit(f.Key); unit != "" && rule.When.holds(v) && !slices.Contains(rule.Units, unit) {
			return fmt.Sprintf("%q does not measure %s; give one of %s.", unit, v.text(rule.When.Field), strings.Join(rule.Units, ", "))
		}
	}
	return ""
}

func nonField(message string) fault.Fields { return fault.Fields{fault.NonField: []string{message}} }

func unknownSection(key string) fault.Fields {
	return nonField(fmt.Sprintf("There is no section %q.", key))
}
