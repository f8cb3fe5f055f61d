package ghg

import (
	"slices"
	"strconv"
	"strings"
)

// MappingRow ties one input value to a factor row or to a literal. Key is a key of the factor tables, where
// {climate_region} and similar placeholders stand for the class of the general fields; "=x" is a literal;
// "@file:column" and "@section:field" refer elsewhere.
type MappingRow struct {
	Section, Field, Value, Key, Note string

	place int // in the mapping
}

// Literal returns the text after "=", and whether the row holds one.
func (r MappingRow) Literal() (string, bool) { return strings.CutPrefix(r.Key, "=") }

// Number returns the number after "=", and whether the row holds one.
func (r MappingRow) Number() (float64, bool) {
	text, literal := r.Literal()
	number, err := strconv.ParseFloat(text, 64)
	return number, literal && err == nil
}

// anyValue is the input value of a row that applies to every value.
const anyValue = "*"

// maxConditions is the maximum number of values that a row may require at once (a|b|c).
const maxConditions = 3

type mappingKey struct {
	section, field string
	values         [maxConditions]string
}

// Mapping is the one link between what a user may enter and the factors: an input value without a row does not exist.
type Mapping struct {
	rows  []MappingRow
	index map[mappingKey]int
}

// NewMapping indexes rows and takes ownership of them; of two rows for the same values the first applies.
func NewMapping(rows []MappingRow) *Mapping {
	m := &Mapping{rows: rows, index: make(map[mappingKey]int, len(rows))}
	for i := range rows {
		r := &rows[i]
		r.place = i
		key := mappingKey{section: r.Section, field: r.Field}
		copy(key.values[:], strings.Split(r.Value, "|"))
		if _, taken := m.index[key]; !taken {
			m.index[key] = i
		}
	}
	return m
}

// Rows returns every row in file order.
func (m *Mapping) Rows() []MappingRow { return m.rows }

// Values returns the values that an input field ("product", not its term "product/n") may take, in file order; of a row
// that requires several values at once, the first is this field's.
func (m *Mapping) Values(section, field string) []string {
	var out []string
	for _, r := range m.rows {
		name, _, _ := strings.Cut(r.Field, "/")
		value, _, _ := strings.Cut(r.Value, "|")
		if r.Section == section && name == field && value != anyValue && !slices.Contains(out, value) {
			out = append(out, value)
		}
	}
	return out
}

// Find returns the row of a term ("product/production") for an input value and the conditions that go with it ("urea",
// "europe"): the most specific row wins, then fewer conditions, then the row of any value.
func (m *Mapping) Find(section, field string, values ...string) (MappingRow, bool) {
	key := mappingKey{section: section, field: field}
	for n := copy(key.values[:], values); n > 0; n-- {
		if i, ok := m.index[key]; ok {
			return m.rows[i], true
		}
		key.values[n-1] = ""
	}
	key.values[0] = anyValue
	i, ok := m.index[key]
	if !ok {
		return MappingRow{}, false
	}
	return m.rows[i], true
}
