// Package country is the list of country keys: snake_case names as in "spain" or
// "united_states", with their ISO 3166-1 codes beside them in countries.csv. It holds
// no borders and no emission factors.
package country

import (
	_ "embed"
	"encoding/csv"
	"strings"
	"sync"
)

//go:embed countries.csv
var table string

// keys reads the first column of the table once.
var keys = sync.OnceValue(func() map[string]bool {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic("country: the built-in table is broken: " + err.Error())
	}
	out := make(map[string]bool, len(rows))
	for _, row := range rows[1:] {
		out[row[0]] = true
	}
	return out
})

// Known reports whether a key is in the list.
func Known(key string) bool { return keys()[key] }
