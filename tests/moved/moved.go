// Package moved compares the file of a company before a move with that of the same company after it: every row of every
// table, by its content. The ids of each kind of record are shifted by one distance. Every reference must be shifted by
// the distance of the records that it refers to, whatever column or text contains it.
package moved

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// differ is what may differ between the two files besides ids, with the reason. Nothing else may.
var differ = map[string]string{
	"api_keys.revoked_at":        "what let anyone in stays behind, so keys that were live are ended",
	"audit_entries[0]":           "the trail opens with the entry of the import, which names the ends of the old chains",
	"assessment_evidence.object": whereBytesLie, "sample_photos.object": whereBytesLie, "map_dates.object": whereBytesLie,
	"chain_checkpoints": "the chains are new: they are signed by the key of the installation that has them now",
	"chain_links":       "the chains are new: their salts are, and their positions follow the entry of the import",
}

const whereBytesLie = "it is where an installation keeps the bytes, whose SHA-256 is the same"

// told are columns whose values state what kind of ids their rows contain.
var told = map[string]string{
	"audit_entries": "resource", "assessments": "resource_type", "jobs": "kind", "ledger_transactions": "product", "field_charges": "product", "outline_charges": "product",
}

// file is the file of a company.
type file struct {
	tables map[string][]map[string]any
	ids    map[string]map[int64]bool
	sums   map[string]string // of the attached files, by table and id
}

// Same requires that two files of a company have the same content.
func Same(t testing.TB, first, second string) {
	t.Helper()
	a, b := read(t, first), read(t, second)
	require.Equal(t, slices.Sorted(maps.Keys(a.tables)), slices.Sorted(maps.Keys(b.tables)), "the tables")
	require.NotEmpty(t, b.tables["audit_entries"])
	require.Equal(t, "import", b.tables["audit_entries"][0]["action"], differ["audit_entries[0]"])
	delete(b.ids["audit_entries"], whole(b.tables["audit_entries"][0]["id"]))
	b.tables["audit_entries"] = b.tables["audit_entries"][1:]

	c := comparison{t: t, a: a, b: b, shifts: map[string]int64{}, pairs: map[string][][2]int64{}}
	for table, ids := range a.ids {
		c.shifts[table] = c.shift(table, ids, b.ids[table])
	}
	for _, table := range slices.Sorted(maps.Keys(a.tables)) {
		if _, other := differ[table]; other {
			continue
		}
		c.rows(table, a.tables[table], b.tables[table])
	}
	var empty []string
	for table, rows := range a.tables {
		if len(rows) == 0 {
			empty = append(empty, table)
		}
	}
	slices.Sort(empty)
	t.Logf("NOT COMPARED, for the company has no rows in them: %s", strings.Join(empty, ", "))
	for _, place := range slices.Sorted(maps.Keys(differ)) {
		t.Logf("MAY DIFFER: %s: %s", place, differ[place])
	}
	c.references()
	require.Len(t, b.sums, len(a.sums), "attached files")
	for name, sum := range a.sums {
		table, id, _ := strings.Cut(name, "/")
		moved := id
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			moved = strconv.FormatInt(n+c.shifts[table], 10)
		}
		require.Equal(t, sum, b.sums[table+"/"+moved], name)
	}
	require.Empty(t, c.wrong, "differences that nothing explains")
}

// differs records a difference; the first ones are enough.
func (c *comparison) differs(format string, args ...any) {
	const shown = 30
	if len(c.wrong) < shown {
		c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
	}
}

func read(t testing.TB, name string) file {
	t.Helper()
	archive, err := zip.OpenReader(name)
	require.NoError(t, err)
	defer func() { require.NoError(t, archive.Close()) }()
	out := file{map[string][]map[string]any{}, map[string]map[int64]bool{}, map[string]string{}}
	for _, f := range archive.File {
		in, err := f.Open()
		require.NoError(t, err)
		switch table, isTable := strings.CutPrefix(f.Name, "tables/"); {
		case isTable:
			table = strings.TrimSuffix(table, ".jsonl")
			out.tables[table] = []map[string]any{}
			for d := json.NewDecoder(in); ; {
				var row map[string]any
				d.UseNumber()
				if err := d.Decode(&row); err == io.EOF {
					break
				} else {
					require.NoError(t, err, f.Name)
				}
				out.tables[table] = append(out.tables[table], row)
				if id, ok := row["id"].(json.Number); ok {
					if out.ids[table] == nil {
						out.ids[table] = map[int64]bool{}
					}
					out.ids[table][whole(id)] = true
				}
			}
		case f.Name == "manifest.json":
			var manifest struct {
				Files []struct{ File, Of, Record, SHA256 string }
			}
			require.NoError(t, json.NewDecoder(in).Decode(&manifest))
			for _, one := range manifest.Files {
				if one.Of != "" {
					out.sums[one.Of+"/"+one.Record] = one.SHA256
				}
			}
		}
		require.NoError(t, in.Close())
	}
	return out
}

func whole(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return i
}

type comparison struct {
	t      testing.TB
	a, b   file
	shifts map[string]int64 // how far the ids of a table are shifted
	wrong  []string
	pairs  map[string][][2]int64 // the integers at a place, of all rows; where any two differ, they are ids
}

// shift returns the distance of the ids of a table, which is the same for all.
func (c *comparison) shift(table string, a, b map[int64]bool) int64 {
	c.t.Helper()
	from, to := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	require.Len(c.t, to, len(from), "ids of %s", table)
	for i := range from {
		require.Equal(c.t, to[0]-from[0], to[i]-from[i], "id %d of %s", from[i], table)
	}
	return to[0] - from[0]
}

func (c *comparison) rows(table string, a, b []map[string]any) {
	c.t.Helper()
	require.Len(c.t, b, len(a), table)
	for i := range a {
		at := table
		if kind, ok := a[i][told[table]].(string); ok {
			at += " of " + kind
		}
		c.object(fmt.Sprintf("%s, row %d", table, i+1), at, a[i], b[i])
	}
}

func (c *comparison) object(row, at string, a, b map[string]any) {
	if !slices.Equal(slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))) {
		c.differs("%s: %s has other members", row, at)
	}
	if member, ok := a["member"].(string); ok { // a change in the trail: its values are those of the member
		at += "[" + member + "]"
	}
	for name := range a {
		c.value(row, at+"."+name, a[name], b[name])
	}
}

func (c *comparison) value(row, at string, a, b any) {
	if _, may := differ[at]; may {
		return
	}
	switch one := a.(type) {
	case map[string]any:
		if other, ok := b.(map[string]any); ok {
			c.object(row, at, one, other)
			return
		}
	case []any:
		if other, ok := b.([]any); ok && len(one) == len(other) {
			for i := range one {
				c.value(row, at+"[]", one[i], other[i])
			}
			return
		}
	case json.Number:
		if other, ok := b.(json.Number); ok && !strings.ContainsAny(one.String()+other.String(), ".eE") {
			c.pairs[at] = append(c.pairs[at], [2]int64{whole(one), whole(other)})
			return
		}
	case string:
		if other, ok := b.(string); ok && strings.HasPrefix(at, "jobs of ") && strings.HasSuffix(at, ".key") && one != other { // it names the subject
			c.value(row, at, json.Number(one), json.Number(other))
			return
		}
		a = c.cited(at, one)
	}
	if !reflect.DeepEqual(a, b) {
		c.differs("%s: %s was %.80v and is %.80v", row, at, a, b)
	}
}

// naming is how texts name records by their ids, with the table of these records; at is the place, or empty for any place.
var naming = []struct {
	at, table string
	ids       *regexp.Regexp
}{
	{"", "assessment_evidence", regexp.MustCompile(`\bfile:(\d+)`)},
	{"map_orders.key", "fields", regexp.MustCompile(`\bfield (\d+)`)},
	{"map_orders.key", "seasons", regexp.MustCompile(`\bseason (\d+)`)},
}

// cited returns a text with the ids of the records that it names shifted.
func (c *comparison) cited(at, text string) string {
	for _, n := range naming {
		if n.at != "" && n.at != at {
			continue
		}
		text = n.ids.ReplaceAllStringFunc(text, func(all string) string {
			digits := n.ids.FindStringSubmatch(all)[1]
			id, _ := strconv.ParseInt(digits, 10, 64) // a handful of digits
			return strings.TrimSuffix(all, digits) + strconv.FormatInt(id+c.shifts[n.table], 10)
		})
	}
	return text
}

// references requires that the numbers at a place are the same in all rows, or are all shifted as the ids of one table,
// some of which they name.
func (c *comparison) references() {
	for _, at := range slices.Sorted(maps.Keys(c.pairs)) {
		pairs := c.pairs[at]
		if !slices.ContainsFunc(pairs, func(p [2]int64) bool { return p[0] != p[1] }) {
			continue
		}
		distance := pairs[0][1] - pairs[0][0]
		var of []string
		for table, shift := range c.shifts {
			if shift == distance && slices.ContainsFunc(pairs, func(p [2]int64) bool { return c.a.ids[table][p[0]] }) {
				of = append(of, table)
			}
		}
		slices.Sort(of)
		if len(of) == 0 {
			c.differs("%s moved by %d, as the ids of no table did that it names", at, distance)
		}
		for _, p := range pairs {
			if p[1]-p[0] != distance {
				c.differs("%s: %d became %d, and others moved as %v", at, p[0], p[1], of)
				break
			}
		}
	}
}
