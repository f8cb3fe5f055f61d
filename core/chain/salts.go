package chain

import (
	"strconv"
	"strings"
)

// Salts are the salts of the guarded values of a row: one secret, from which the salt of each value is derived, or,
// once a value is erased, "=" and a list with the salt of each value; an erased value has "#" and its digest instead. A
// row without guarded values has none.
type Salts string

// Erased is what stands in place of a value that was erased.
const Erased = `"[erased]"`

// salt is the salt of one value, or the digest that is left of an erased one.
type salt struct{ salt, erased string }

// values returns the salt of each of n values; ok is false where these are not n salts.
func (s Salts) values(n int) (out []salt, ok bool) {
	if n == 0 || s == "" {
		return nil, n == 0 && s == ""
	}
	out = make([]salt, n)
	list, explicit := strings.CutPrefix(string(s), "=")
	if !explicit {
		for i := range out {
			out[i].salt = digest(string(s), strconv.Itoa(i))
		}
		return out, true
	}
	parts := strings.Split(list, ",")
	if len(parts) != n {
		return nil, false
	}
	for i, part := range parts {
		if left, erased := strings.CutPrefix(part, "#"); erased {
			out[i].erased = left
		} else {
			out[i].salt = part
		}
	}
	return out, true
}

// digest returns what is hashed of a value: the digest of "SALT VALUE".
func (s salt) digest(value string) (string, bool) {
	if s.erased != "" {
		return s.erased, value == Erased
	}
	return digest(s.salt, value), true
}

// Erase erases guarded values of a row that is chained; erase decides which. It returns the row and the salts as they
// are stored from then on, and how many values it erased.
func Erase(row Row, salts Salts, erase func(f Field) bool) (Row, Salts, int) {
	var guarded []int
	for i, f := range row.Fields {
		if f.Guarded && f.Value != nil {
			guarded = append(guarded, i)
		}
	}
	all, ok := salts.values(len(guarded))
	if !ok {
		return row, salts, 0
	}
	erased, parts := 0, make([]string, len(all))
	row.Fields = append([]Field(nil), row.Fields...)
	for n, i := range guarded {
		f := row.Fields[i]
		if all[n].erased == "" && erase(f) {
			all[n].erased, _ = all[n].digest(*f.Value)
			row.Fields[i].Value = new(Erased)
			erased++
		}
		if parts[n] = all[n].salt; all[n].erased != "" {
			parts[n] = "#" + all[n].erased
		}
	}
	if erased == 0 {
		return row, salts, 0
	}
	return row, Salts("=" + strings.Join(parts, ",")), erased
}

// erased counts the values that were erased.
func (s Salts) erased() int64 { return int64(strings.Count(string(s), "#")) }

// Value is a guarded value with its salt, for those who recompute its digest. An erased one has
// neither.
type Value struct {
	Name   string
	Salt   string
	Value  string
	Erased bool
}

// Open returns the text that is hashed of a row, and its guarded values; nothing where its
// salts are not those of its values.
func (id ID) Open(row Row, salts Salts) (text string, values []Value) {
	for _, f := range row.Fields {
		if f.Guarded && f.Value != nil {
			values = append(values, Value{Name: f.Name, Value: *f.Value})
		}
	}
	all, ok := salts.values(len(values))
	if !ok {
		return "", nil
	}
	for i := range values {
		if values[i].Salt = all[i].salt; all[i].erased != "" {
			values[i].Value, values[i].Erased = "", true
		}
	}
	text, _ = id.Text(row, salts)
	return text, values
}
