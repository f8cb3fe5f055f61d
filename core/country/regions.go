package country

import (
	"encoding/csv"
	"strings"
	"sync"
)

// Regions are the regions that tables of emission factors put a country in.
type Regions struct {
	// Rice is the region of IPCC 2019 V4 ch5 Tables 5.11 and 5.11A.
	Rice string
	// Production is where its fertilizers are taken to be made; our own assignment.
	Production string
}

var regions = sync.OnceValue(func() map[string]Regions {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic("country: the built-in table is broken: " + err.Error())
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	out := make(map[string]Regions, len(rows))
	for _, row := range rows[1:] {
		out[row[0]] = Regions{Rice: row[column["rice_region"]], Production: row[column["production_region"]]}
	}
	return out
})

// EachRegions returns the regions of every country by key; the map is the caller's to read
// and not to change.
func EachRegions() map[string]Regions { return regions() }
