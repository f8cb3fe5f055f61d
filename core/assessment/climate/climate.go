// Package climate is the monthly climate of places, as an operator's file holds it: cells of a grid, or stations.
package climate

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/geo"
	"tilth/core/ghg"
)

// Cell is the climate of a cell or station: twelve months, January first.
type Cell struct {
	At      geo.Position // degrees, WGS84
	Station string       // its name; empty for a cell
	Source  string       // of its figures: who published them, of which years
	Months  []ghg.ClimateMonth
}

// File is the cells of a file.
type File struct {
	digest string // SHA-256 of its bytes, hexadecimal
	maxKm  float64
	cells  []Cell // by latitude
}

// New returns a file, given the SHA-256 of its bytes, how far from a cell its climate applies, km, and its cells.
func New(digest string, maxKm float64, cells []Cell) *File {
	sorted := slices.SortedStableFunc(slices.Values(cells), func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.At.Y, b.At.Y), cmp.Compare(a.At.X, b.At.X))
	})
	return &File{digest, maxKm, sorted}
}

// Cells returns how many cells the file has.
func (f *File) Cells() int { return len(f.cells) }

// Found is the climate of the cell that is nearest to a place.
type Found struct {
	ghg.ClimateSource
	Months []ghg.ClimateMonth
}

// kmPerDegree is less than the length of a degree of latitude anywhere.
const kmPerDegree = 110.0

// Near returns the climate of the cell that is nearest to a place; nil where none is near enough. Of cells that are
// equally near it takes the southern one, then the western one.
func (f *File) Near(place geo.Position) *Found {
	lower := place.Y - f.maxKm/kmPerDegree
	begin, _ := slices.BinarySearchFunc(f.cells, lower, func(c Cell, y float64) int { return cmp.Compare(c.At.Y, y) })
	nearest, best := -1, math.Inf(1)
	for i := begin; i < len(f.cells) && f.cells[i].At.Y <= place.Y+f.maxKm/kmPerDegree; i++ {
		if km := geo.Distance(place, f.cells[i].At) / 1000; km <= f.maxKm && km < best {
			nearest, best = i, km
		}
	}
	if nearest < 0 {
		return nil
	}
	c := f.cells[nearest]
	return &Found{ghg.ClimateSource{
		Source: c.Source, SHA256: f.digest, Station: c.Station, Latitude: c.At.Y, Longitude: c.At.X, DistanceKm: math.Round(best*10) / 10,
	}, c.Months}
}
