package indexmap

import (
	"math"
	"slices"
	"strings"

	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/vegetation"
)

// Combination is three bands that make the red, the green and the blue of a picture.
type Combination struct {
	Code  string // as in addresses
	Name  string // for people
	Bands [3]vegetation.Band
	// White is the reflectance from which each band is at full brightness; 0 is black. Both are the same for all fields
	// and dates, as is the curve between them, so that pictures can be compared.
	White [3]float64
}

// The reflectances that are white. Few soils and no crops reflect more of visible light than 0.3; of the near infrared, dense crops reflect up
// to 0.6.
const (
	whiteVisible  = 0.3
	whiteInfrared = 0.6
)

// Gamma is the degree to which dark land is brightened: crops reflect 0.03 to 0.1 of visible light, and a linear scale
// of sRGB values, which stand for less light than their share, would leave them nearly black.
const Gamma = 1.6

// Combinations are all combinations.
var Combinations = []Combination{
	{"true-colour", "True colours", [3]vegetation.Band{vegetation.B04, vegetation.B03, vegetation.B02}, [3]float64{whiteVisible, whiteVisible, whiteVisible}},
	{"false-colour", "False colours: near infrared as red", [3]vegetation.Band{vegetation.B08, vegetation.B04, vegetation.B03}, [3]float64{whiteInfrared, whiteVisible, whiteVisible}},
}

// CombinationCodes are the codes of the combinations.
func CombinationCodes() []string {
	return list.Map(Combinations, func(c Combination) string { return c.Code })
}

// ParseCombination returns the combination with a code. Fault: Invalid (style).
func ParseCombination(code string) (Combination, error) {
	if i := slices.IndexFunc(Combinations, func(c Combination) bool { return c.Code == code }); i >= 0 {
		return Combinations[i], nil
	}
	return Combination{}, fault.Field("style", "Give one of "+strings.Join(CombinationCodes(), ", ")+", or leave it out.")
}

// Missing returns the bands of the combination that a scene does not have.
func (c Combination) Missing(s vegetation.Scene) []vegetation.Band {
	return slices.DeleteFunc(slices.Clone(c.Bands[:]), func(b vegetation.Band) bool { return s.Bands[b] })
}

// Photo is what the scenes of a date show on the pixels of a layer, including clouds.
type Photo struct {
	Combination
	Reflectances [3][]float64 // of each band, in the order of the layer's values; NaN where a scene shows nothing
}

// Color returns the colour of a pixel; false where there is none.
func (p *Photo) Color(i int) (Color, bool) {
	var out [3]uint8
	for n, of := range p.Reflectances {
		if math.IsNaN(of[i]) {
			return Color{}, false
		}
		out[n] = uint8(math.Round(255 * math.Pow(min(1, max(0, of[i]/p.White[n])), 1/Gamma)))
	}
	return Color{out[0], out[1], out[2]}, true
}
