package layer

import (
	"cmp"
	"math"
	"slices"

	"tilth/core/stratification/internal/lowest"
)

const (
	minTangent = 0.001 // of the slope, in the wetness index
	// flowExponent concentrates the flow on steeper paths (Freeman 1991).
	flowExponent = 1.1
	// fillStep is the height, in metres, of a filled cell above the one that it drains to.
	fillStep = 1e-5
)

// Relief derives slope and topographic wetness from a digital elevation model in metres with
// square pixels, in a projected plane. Both have the model's grid; pixels that have no height, or not
// all eight neighbours with one, have no value.
//
// slope is in degrees, from the 3 × 3 window of Horn, "Hill shading and the reflectance map",
// Proceedings of the IEEE 69 (1981).
//
// wetness is ln(a / tan b) of Beven and Kirkby, Hydrological Sciences Bulletin 24 (1979): a is
// the area upslope for each metre of contour (m), tan b the slope's tangent, at least 0.001.
// Depressions are filled first (Barnes, Lehman and Mulla, "Priority-flood", Computers & Geosciences
// 62 (2014), algorithm 3); then every pixel, from the highest on, passes its area to all its lower
// neighbours in proportion to tan^1.1 (Freeman, "Calculating catchment area with divergent flow",
// Computers & Geosciences 17 (1991)). Inflow from beyond the model does not count, so the model
// should reach well beyond the fields.
func Relief(dem Surface) (slope, wetness Surface) {
	slope, wetness = dem, dem
	slope.Values, wetness.Values = make([]float64, len(dem.Values)), make([]float64, len(dem.Values))
	area := dem.flow()
	for i := range dem.Values {
		tangent := dem.hornTangent(i%dem.Cols, i/dem.Cols)
		slope.Values[i] = math.Atan(tangent) * 180 / math.Pi
		wetness.Values[i] = math.Log(area[i] / dem.CellX / max(tangent, minTangent))
	}
	return slope, wetness
}

// height returns the value of a pixel; NaN outside.
func (s Surface) height(col, row int) float64 {
	if col < 0 || row < 0 || col >= s.Cols || row >= s.Rows {
		return math.NaN()
	}
	return s.Values[row*s.Cols+col]
}

// gradient returns the tangents by which the land rises to the east and to the south, by Horn's differences; NaN where a neighbour is missing.
func (s Surface) gradient(col, row int) (dx, dy float64) {
	z := func(dc, dr int) float64 { return s.height(col+dc, row+dr) }
	dx = (z(1, -1) + 2*z(1, 0) + z(1, 1) - z(-1, -1) - 2*z(-1, 0) - z(-1, 1)) / (8 * s.CellX)
	dy = (z(-1, 1) + 2*z(0, 1) + z(1, 1) - z(-1, -1) - 2*z(0, -1) - z(1, -1)) / (8 * s.CellY)
	if math.IsNaN(z(0, 0)) {
		return math.NaN(), math.NaN()
	}
	return dx, dy
}

// hornTangent returns the slope's tangent by Horn's differences; NaN where a neighbour is missing.
func (s Surface) hornTangent(col, row int) float64 { return math.Hypot(s.gradient(col, row)) }

// aspect returns the direction that land with this gradient to the east and to the south faces, in degrees clockwise from north; NaN
// where it is flat: less steep than minTangent.
func aspect(dx, dy float64) float64 {
	if !(math.Hypot(dx, dy) >= minTangent) {
		return math.NaN()
	}
	return math.Mod(math.Atan2(-dx, dy)*180/math.Pi+360, 360)
}

// neighbours visits the pixels around a pixel that have a height, with their distance.
func (s Surface) neighbours(i int, visit func(j int, distance float64)) {
	col, row := i%s.Cols, i/s.Cols
	for dr := -1; dr <= 1; dr++ {
		for dc := -1; dc <= 1; dc++ {
			if (dr != 0 || dc != 0) && !math.IsNaN(s.height(col+dc, row+dr)) {
				visit((row+dr)*s.Cols+col+dc, math.Hypot(float64(dc)*s.CellX, float64(dr)*s.CellY))
			}
		}
	}
}

// flow returns the area (m²) that drains through each pixel, including its own.
func (s Surface) flow() []float64 {
	filled := s
	filled.Values = s.fillDepressions()
	area := make([]float64, len(s.Values))
	order := make([]int, 0, len(s.Values))
	for i, z := range s.Values {
		area[i] = math.NaN()
		if !math.IsNaN(z) {
			area[i] = s.CellX * s.CellY
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { // the highest first; those of equal height in row order
		return cmp.Or(cmp.Compare(filled.Values[b], filled.Values[a]), cmp.Compare(a, b))
	})
	for _, i := range order {
		share := func(j int, distance float64) float64 {
			return math.Pow(max(0, (filled.Values[i]-filled.Values[j])/distance), flowExponent)
		}
		total := 0.0
		filled.neighbours(i, func(j int, distance float64) { total += share(j, distance) })
		if total == 0 {
			continue // it drains over the edge of the model
		}
		filled.neighbours(i, func(j int, distance float64) { area[j] += float64(area[i] * (share(j, distance) / total)) })
	}
	return area
}

// fillDepressions raises every pixel so that a path leads from it, always slightly downwards, to
// the edge of the model or of its missing pixels.
func (s Surface) fillDepressions() []float64 {
	out := slices.Clone(s.Values)
	reached := make([]bool, len(out))
	var open lowest.Queue // pixels by their height
	for i, z := range out {
		around := 0
		s.neighbours(i, func(int, float64) { around++ })
		if !math.IsNaN(z) && around < 8 {
			open.Add(z, i)
			reached[i] = true
		}
	}
	for c, ok := open.Take(); ok; c, ok = open.Take() {
		s.neighbours(c.Number, func(j int, _ float64) {
			if !reached[j] {
				reached[j] = true
				out[j] = max(out[j], c.Value+fillStep)
				open.Add(out[j], j)
			}
		})
	}
	return out
}
