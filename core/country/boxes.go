package country

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"
	"sync"
)

// The boxes of countries in degrees, to about a hundredth: of Natural Earth 1:110m (admin 0) and OpenStreetMap Nominatim, as
// dkoprowski/country-bounding-boxes compiles them (public domain); the parts of countries that lie apart are our own. A box
// whose west is east of its east crosses the 180th meridian.
//
//go:embed boxes.csv
var boxTable string

type box struct{ west, south, east, north float64 }

// boxes reads the table once.
var boxes = sync.OnceValue(func() map[string][]box {
	rows, err := csv.NewReader(strings.NewReader(boxTable)).ReadAll()
	if err != nil {
		panic("country: the built-in table of boxes is broken: " + err.Error())
	}
	out := map[string][]box{}
	for _, row := range rows[1:] {
		var v [4]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(row[i+1], 64); err != nil {
				panic("country: the built-in table of boxes is broken: " + err.Error())
			}
		}
		out[row[0]] = append(out[row[0]], box{v[0], v[1], v[2], v[3]})
	}
	return out
})

// Near reports whether a place lies in a box of a country, or at most margin degrees outside; known is false where the
// country has no box. Boxes also hold parts of neighbouring countries: what is near may still be abroad.
func Near(key string, lon, lat, margin float64) (near, known bool) {
	of := boxes()[key]
	for _, b := range of {
		if lat < b.south-margin || lat > b.north+margin {
			continue
		}
		west, east := lon >= b.west-margin, lon <= b.east+margin
		if west && east || b.west > b.east && (west || east) {
			return true, true
		}
	}
	return false, len(of) > 0
}
