package farm

import (
	"fmt"
	"math"

	"tilth/core/country"
	"tilth/core/geo"
)

// WarnFar is the code of a field that lies far from its farm where a swap of its axes does not explain it.
const WarnFar = "far_from_farm"

const (
	// farMetres is how far a field may lie from its farm, or from the nearest other field of it.
	farMetres = 300_000
	// countryMargin is how far, in degrees, a field may lie outside the box of its country, which misses some islands.
	countryMargin = 3
)

// Surroundings are what is known about where a farm is.
type Surroundings struct {
	Location *geo.Position
	Country  string // key; empty where unknown
	Others   []Spot // of the farm's fields, including the one in question
}

// Spot is the approximate place of fields of a farm: the whole degrees nearest to their centres.
type Spot struct {
	Lon, Lat int
	Fields   int
}

// SpotOf returns the spot of a place.
func SpotOf(p geo.Position) Spot { return Spot{int(math.Round(p.X)), int(math.Round(p.Y)), 1} }

// Astray is a doubt about where a field lies.
type Astray struct {
	Code    string // [geo.WarnAxisSwap] or WarnFar
	Message string
	Swapped *geo.Position // the centre with its axes swapped, where that fits; else nil
}

// Doubt returns the doubt about a boundary in the light of the surroundings of its farm; ok is false where there is none.
func (s Surroundings) Doubt(b *geo.Boundary) (doubt Astray, ok bool) {
	if b == nil {
		return Astray{}, false
	}
	centre := b.Centroid()
	from, far := s.far(centre, SpotOf(centre))
	if !far {
		return Astray{}, false
	}
	swapped := geo.Position{X: centre.Y, Y: centre.X}
	at := fmt.Sprintf("The boundary lies at longitude %.4f, latitude %.4f, far from %s", centre.X, centre.Y, from)
	if s.abroad(centre) {
		s.Others = nil // the country says enough: the other fields may be swapped as well
	}
	if _, still := s.far(swapped, SpotOf(centre)); still || math.Abs(swapped.Y) > 90 {
		return Astray{WarnFar, at + ". Check the boundary, and the farm's location and country.", nil}, true
	}
	return Astray{geo.WarnAxisSwap, at + fmt.Sprintf("; with the axes swapped it lies at longitude %.4f, latitude %.4f, which fits. Longitude comes first.",
		swapped.X, swapped.Y), &swapped}, true
}

// far reports whether a place is far from the farm, and from which part of it. own is the spot in which the field itself is counted. Where the place
// is near the farm's location, nothing else is checked: the farm may lie at a border, and its other fields may be the astray ones.
func (s Surroundings) far(p geo.Position, own Spot) (from string, far bool) {
	if s.Location != nil {
		if d := geo.Distance(*s.Location, p); d > farMetres {
			return fmt.Sprintf("the farm's location (%.0f km)", d/1000), true
		}
		return "", false
	}
	if s.abroad(p) {
		return "the farm's country, " + country.Name(s.Country), true
	}
	others, itself := 0, false
	for _, o := range s.Others {
		if !itself && o.Lon == own.Lon && o.Lat == own.Lat {
			itself = true
			o.Fields--
		}
		spot := geo.Position{X: float64(o.Lon), Y: float64(o.Lat)} // for places up to half a degree away
		if o.Fields == 0 || s.abroad(spot) {
			continue
		}
		others += o.Fields
		if geo.Distance(spot, p) <= farMetres {
			return "", false
		}
	}
	return "the farm's other fields", others > 0
}

// abroad reports whether a place is far from the country of the farm.
func (s Surroundings) abroad(p geo.Position) bool {
	near, known := country.Near(s.Country, p.X, p.Y, countryMargin)
	return known && !near
}
