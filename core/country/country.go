// Package country is the list of country keys: snake_case names such as "spain" or
// "united_states", with their names, ISO 3166-1 codes and aliases, and the regions of tables
// of emission factors, in countries.csv. It holds no borders and no emission factors.
package country

import (
	_ "embed"
	"encoding/csv"
	"slices"
	"strings"
	"sync"
)

//go:embed countries.csv
var table string

// Regions are the regions of a country in tables of emission factors.
type Regions struct {
	Rice       string // of IPCC 2019 V4 ch5 Tables 5.11 and 5.11A
	Production string // where its fertilizers are assumed to be made; our own assignment
}

type index struct {
	keys    []string
	names   map[string]string // English name by key
	codes   map[string]string // ISO 3166-1 alpha-2 by key
	regions map[string]Regions
	byWord  map[string]string // key by folded key, name, alias or code
}

// list reads the table once.
var list = sync.OnceValue(func() *index {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic("country: the built-in table is broken: " + err.Error())
	}
	x := &index{names: map[string]string{}, codes: map[string]string{}, regions: map[string]Regions{}, byWord: map[string]string{}}
	for _, row := range rows[1:] { // key, name, iso2, iso3, rice_region, aliases, source, production_region
		key := row[0]
		x.keys, x.names[key], x.codes[key] = append(x.keys, key), row[1], row[2]
		x.regions[key] = Regions{Rice: row[4], Production: row[7]}
		for _, word := range append(row[:4:4], strings.Split(row[5], "|")...) {
			if word = Fold(word); word != "" {
				x.byWord[word] = key
			}
		}
	}
	return x
})

// Known reports whether a key is in the list.
func Known(key string) bool { return list().names[key] != "" }

// Name returns the English name of a key; empty where there is no such country.
func Name(key string) string { return list().names[key] }

// Code returns the code of a key, ISO 3166-1 alpha-2; empty where there is no such country.
func Code(key string) string { return list().codes[key] }

// Keys returns every key, in the order of the table.
func Keys() []string { return slices.Clone(list().keys) }

// EachRegions returns the regions of every country by key. The caller must not change the map.
func EachRegions() map[string]Regions { return list().regions }

// Parse returns the key of a country by its key, English name, alias ("turkey", "uk") or ISO 3166-1 code.
func Parse(word string) (key string, ok bool) {
	key, ok = list().byWord[Fold(word)]
	return key, ok
}

// plain replaces the letters with diacritics in the names of countries.
var plain = strings.NewReplacer("å", "a", "ã", "a", "á", "a", "ç", "c", "é", "e", "í", "i", "ô", "o", "ó", "o", "ü", "u", "ı", "i",
	"'", "", "’", "", "(", "", ")", "", "[", "", "]", "")

// Fold returns a name in the form of a key: lower case, without diacritics, brackets and
// apostrophes, other characters as one underscore.
func Fold(name string) string {
	words := strings.FieldsFunc(plain.Replace(strings.ToLower(name)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "_")
}
