package moving

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"tilth/core/audit"
	"tilth/core/chain"
)

// IDs maps the ids of a file to new ones: those of each table move by one distance, so that their order stays and no
// list of them is needed.
type IDs struct {
	Spans  map[string]Span  // as the manifest says
	Shifts map[string]int64 // by table
	Named  map[string]map[int64]int64
	// Named holds the new ids of records that the installation has itself, by table and old id: crops.
}

// Move returns the new id of an id of a table. ok is false where the file has no such id.
func (m IDs) Move(table string, id int64) (moved int64, ok bool) {
	if named, is := m.Named[table]; is {
		moved, ok = named[id]
		return moved, ok
	}
	if span, known := m.Spans[table]; !known || !span.Has(id) {
		return 0, false
	}
	return id + m.Shifts[table], true
}

// Path leads to ids within JSON: members separated by dots, [] for every item of a list, such as
// "fields[].series.order_id". The ids are those of a table.
type Path struct{ Path, Table string }

// MoveJSON moves the ids within a JSON value as [Decoded] returns it. 0, null and missing values stay; an id that the
// file does not have becomes 0, which is no id.
func (m IDs) MoveJSON(value any, paths []Path) {
	for _, p := range paths {
		m.walk(value, strings.Split(strings.TrimPrefix(strings.ReplaceAll(p.Path, "[]", ".[]"), "."), "."), p.Table)
	}
}

func (m IDs) walk(value any, steps []string, table string) any {
	if len(steps) == 0 {
		if number, is := value.(json.Number); is {
			id, _ := number.Int64()
			moved, _ := m.Move(table, id)
			return json.Number(strconv.FormatInt(moved, 10))
		}
		return value
	}
	switch v := value.(type) {
	case []any:
		for i := range v {
			if steps[0] == "[]" {
				v[i] = m.walk(v[i], steps[1:], table)
			}
		}
	case map[string]any:
		if below, there := v[steps[0]]; there {
			v[steps[0]] = m.walk(below, steps[1:], table)
		}
	}
	return value
}

var cited = regexp.MustCompile(`\bfile:([0-9]{1,15})\b`)

// MoveCites moves the ids of the files that texts within a value cite, file:12. The id of a file that the table does not have stays.
func (m IDs) MoveCites(value any, table string) any {
	switch v := value.(type) {
	case string:
		return cited.ReplaceAllStringFunc(v, func(found string) string {
			id, _ := strconv.ParseInt(found[len("file:"):], 10, 64) // so few digits always make a number
			if moved, ok := m.Move(table, id); ok {
				return "file:" + strconv.FormatInt(moved, 10)
			}
			return found
		})
	case []any:
		for i := range v {
			v[i] = m.MoveCites(v[i], table)
		}
	case map[string]any:
		for name := range v {
			v[name] = m.MoveCites(v[name], table)
		}
	}
	return value
}

// members holds the members of records that are ids, as the audit trail names them, with the tables that they refer to.
var members = map[string]string{
	"farm_id": "farms", "field_id": "fields", "season_id": "seasons", "crop_id": "crops", "cultivation_id": "cultivations",
	"aoi_id": "aois", "plan_id": "stratification_plans", "map_id": "stratification_maps", "user_id": "users", "changed_by_id": "users",
	"merged_from": "fields", "replaced_by": "fields", "split_from": "fields", "refund_of": "ledger_transactions",
	"order": "stratification_orders", "order_id": "stratification_orders",
}

// resources holds the tables of the resources that an assessment may be of.
var resources = map[string]string{"farm": "farms", "field": "fields"}

// MoveChanges moves the ids within the changes of an entry of the audit trail: those of members that are references. An id
// that the file does not know, of a record of another company, stays as it was written.
func (m IDs) MoveChanges(changes []audit.Change) {
	kind := ""
	for _, c := range changes {
		for _, side := range []any{c.After, c.Before} {
			if word, is := side.(string); is && c.Member == "resource_type" {
				kind = word
			}
		}
	}
	for i, c := range changes {
		table := members[c.Member]
		if c.Member == "resource_id" {
			table = resources[kind]
		}
		if table != "" {
			changes[i].Before, changes[i].After = m.moveKnown(c.Before, table), m.moveKnown(c.After, table)
		}
	}
}

func (m IDs) moveKnown(value any, table string) any {
	switch v := value.(type) {
	case json.Number:
		if id, err := v.Int64(); err == nil {
			if moved, ok := m.Move(table, id); ok {
				return json.Number(strconv.FormatInt(moved, 10))
			}
		}
	case []any:
		for i := range v {
			v[i] = m.moveKnown(v[i], table)
		}
	}
	return value
}

// Decoded reads one JSON value, and keeps its numbers as they are written.
func Decoded(raw []byte) (value any, err error) {
	err = chain.Decode(raw, &value)
	return value, err
}
