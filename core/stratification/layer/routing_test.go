package layer

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/list"
)

// answered is a surface whose area upslope for each metre of contour is known everywhere.
type answered struct {
	z        func(x, y float64) float64
	gradient func(x, y float64) (float64, float64) // of z
	// spread is the divergence of the direction of flow, per metre.
	spread func(x, y float64) float64
	// begun is the area for each metre of contour where the way uphill ends; ok where it does.
	begun func(x, y float64) (area float64, ok bool)
	// within reports where it has heights; nil for everywhere.
	within func(x, y float64) bool
}

// area integrates da/dl = 1 - a div n along the line of flow from where it begins to a place (Gallant
// and Hutchinson, "A differential equation for specific catchment area", Water Resources Research 47
// (2011) W05535, equation 8).
func (s answered) area(x, y float64) float64 {
	const step = 0.5
	var spreads []float64
	for {
		if a, ok := s.begun(x, y); ok {
			for _, d := range slices.Backward(spreads) {
				k1 := 1 - a*d // the divergence hardly changes over a step
				k2 := 1 - (a+step/2*k1)*d
				a += step * k2
			}
			return a
		}
		gx, gy := s.gradient(x, y)
		norm := math.Hypot(gx, gy)
		mx, my := x+step/2*gx/norm, y+step/2*gy/norm
		gx, gy = s.gradient(mx, my)
		norm = math.Hypot(gx, gy)
		spreads = append(spreads, s.spread(mx, my))
		x, y = x+step*gx/norm, y+step*gy/norm
	}
}

// ranks returns the ranks of values; equal values have their mean rank.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}

func correlation(a, b []float64) float64 {
	var sa, sb, saa, sbb, sab float64
	for i := range a {
		sa, sb = sa+a[i], sb+b[i]
		saa, sbb, sab = saa+a[i]*a[i], sbb+b[i]*b[i], sab+a[i]*b[i]
	}
	n := float64(len(a))
	return (n*sab - sa*sb) / math.Sqrt((n*saa-sa*sa)*(n*sbb-sb*sb))
}

// The models of the surfaces.
const knownPixels, knownSize = 121, 5.0 // of a side; m
const knownHalf = knownSize * knownPixels / 2

// knownPlace returns where a pixel of the models lies, in metres from their middle.
func knownPlace(i int) (x, y float64) {
	return (float64(i%knownPixels)+0.5)*knownSize - knownHalf, knownHalf - (float64(i/knownPixels)+0.5)*knownSize
}

// knownSurfaces returns surfaces with a known answer, by name.
func knownSurfaces() map[string]answered {
	cone := func(sign float64) answered {
		return answered{
			z: func(x, y float64) float64 { return -0.1 * sign * math.Hypot(x, y) },
			gradient: func(x, y float64) (float64, float64) {
				r := math.Hypot(x, y)
				return -0.1 * sign * x / r, -0.1 * sign * y / r
			},
			spread: func(x, y float64) float64 { return sign / math.Hypot(x, y) },
		}
	}
	hill := cone(1)
	hill.begun = func(x, y float64) (float64, bool) { r := math.Hypot(x, y); return r / 2, r < 1 }
	hollow := cone(-1)
	hollow.begun = func(x, y float64) (float64, bool) { return 0, math.Hypot(x, y) >= knownHalf }
	hollow.within = func(x, y float64) bool { r := math.Hypot(x, y); return r <= knownHalf && r >= 2*knownSize }
	const p = 600.0
	edge := func(x, y float64) (float64, bool) { return 0, math.Abs(x) >= knownHalf || y <= -knownHalf }
	valley := answered{
		z:        func(x, y float64) float64 { return x*x/p/2 - 0.05*y },
		gradient: func(x, _ float64) (float64, float64) { return x / p, -0.05 },
		spread: func(x, _ float64) float64 {
			g := math.Hypot(x/p, 0.05)
			return (x*x/(p*p)/(g*g) - 1) / p / g
		},
		begun: edge,
	}
	plane := answered{
		z:        func(x, y float64) float64 { return -0.08*x - 0.05*y },
		gradient: func(float64, float64) (float64, float64) { return -0.08, -0.05 },
		spread:   func(float64, float64) float64 { return 0 },
		begun:    edge,
	}
	return map[string]answered{"hill": hill, "hollow": hollow, "valley": valley, "plane": plane}
}

// model returns the heights of a surface.
func (s answered) model() Surface {
	return relief(knownPixels, knownPixels, knownSize, func(c, r float64) float64 {
		x, y := knownPlace(int(r)*knownPixels + int(c))
		if s.within != nil && !s.within(x, y) {
			return math.NaN()
		}
		return s.z(x, y)
	})
}

// compared returns a third of the pixels of the models that are not beside a pit, a top or an edge.
func compared() (out []int) {
	for i := 0; i < knownPixels*knownPixels; i += 3 {
		x, y := knownPlace(i)
		if r := math.Hypot(x, y); r >= 3*knownSize && r <= knownHalf-3*knownSize {
			out = append(out, i)
		}
	}
	return out
}

// wetness returns the index of a surface at pixels.
func (s answered) wetness(pixels []int) []float64 {
	return list.Map(pixels, func(i int) float64 {
		x, y := knownPlace(i)
		gx, gy := s.gradient(x, y)
		return math.Log(s.area(x, y) / max(math.Hypot(gx, gy), minTangent))
	})
}

// at returns the values of a layer at pixels.
func at(values []float64, pixels []int) []float64 {
	return list.Map(pixels, func(i int) float64 { return values[i] })
}

// The wetness of multiple flow follows that of surfaces whose catchment areas are known.
func TestWetnessOfKnownSurfaces(t *testing.T) {
	pixels := compared()
	for name, s := range knownSurfaces() {
		_, wetness := Relief(s.model())
		rho := correlation(ranks(at(wetness.Values, pixels)), ranks(s.wetness(pixels)))
		t.Logf("%s: rank correlation %.3f over %d pixels", name, rho, len(pixels))
		require.GreaterOrEqual(t, rho, 0.99, name)
	}
}
