package layer

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// answered is a surface whose area upslope for each metre of contour is known everywhere.
type answered struct {
	z        func(x, y float64) float64
	gradient func(x, y float64) (float64, float64) // of z
	// spread is the divergence of the direction of flow, per metre.
	spread func(x, y float64) float64
	// begun is the area for each metre of contour where the way uphill ends; ok where it does.
	begun func(x, y float64) (area float64, ok bool)
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

// ranks returns the ranks of values, of equal ones their mean.
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

// The wetness of multiple flow follows that of surfaces whose catchment areas are known.
func TestWetnessOfKnownSurfaces(t *testing.T) {
	const n, size = 121, 5.0
	half := size * n / 2
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
	hollow.begun = func(x, y float64) (float64, bool) { return 0, math.Hypot(x, y) >= half }
	const p = 600.0
	edge := func(x, y float64) (float64, bool) { return 0, math.Abs(x) >= half || y <= -half }
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
	for name, s := range map[string]answered{"a hill": hill, "a hollow": hollow, "a valley": valley, "a plane": plane} {
		dem := relief(n, n, size, func(c, r float64) float64 { return s.z((c+0.5)*size-half, half-(r+0.5)*size) })
		if name == "a hollow" { // its water begins on a circle and leaves by a hole
			for i := range dem.Values {
				if r := math.Hypot((float64(i%n)+0.5)*size-half, half-(float64(i/n)+0.5)*size); r > half || r < 2*size {
					dem.Values[i] = math.NaN()
				}
			}
		}
		_, wetness := Relief(dem)
		var got, want []float64
		for i, v := range wetness.Values {
			x, y := (float64(i%n)+0.5)*size-half, half-(float64(i/n)+0.5)*size
			if r := math.Hypot(x, y); math.IsNaN(v) || i%3 > 0 || r < 3*size || r > half-3*size { // beside the pit, the top and the edge
				continue
			}
			gx, gy := s.gradient(x, y)
			got = append(got, v)
			want = append(want, math.Log(s.area(x, y)/max(math.Hypot(gx, gy), minTangent)))
		}
		rho := correlation(ranks(got), ranks(want))
		t.Logf("%s: rank correlation %.3f over %d pixels", name, rho, len(got))
		require.GreaterOrEqual(t, rho, 0.93, name)
	}
}
