package indexmap_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/indexmap"
	"tilth/core/vegetation"
)

// linearOf undoes the curve of sRGB (IEC 61966-2-1).
func linearOf(c indexmap.Color) (out [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		if x := float64(v) / 255; x <= 0.04045 {
			out[i] = x / 12.92
		} else {
			out[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return out
}

func times(m [3][3]float64, v [3]float64) (out [3]float64) {
	for i, row := range m {
		out[i] = row[0]*v[0] + row[1]*v[1] + row[2]*v[2]
	}
	return out
}

// cielab is CIE 1976 L*a*b* for D65 (ISO/CIE 11664-4), of linear sRGB.
func cielab(rgb [3]float64) [3]float64 {
	xyz := times([3][3]float64{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}, rgb)
	f := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x, y, z := f(xyz[0]/0.95047), f(xyz[1]), f(xyz[2]/1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// oklab is Ottosson's space (2020), of linear sRGB.
func oklab(rgb [3]float64) [3]float64 {
	lms := times([3][3]float64{
		{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005},
	}, rgb)
	for i := range lms {
		lms[i] = math.Cbrt(lms[i])
	}
	return times([3][3]float64{
		{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099}, {0.0259040371, 0.7827717662, -0.8086757660},
	}, lms)
}

func apart(a, b [3]float64) float64 { return math.Hypot(a[0]-b[0], math.Hypot(a[1]-b[1], a[2]-b[2])) }

// sights are the kinds of colour vision: the matrices are those of severity 1 of Machado, Oliveira and Fernandes, "A
// physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15 (2009), for linear sRGB.
var sights = map[string][3][3]float64{
	"usual":        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

func seen(c indexmap.Color, sight [3][3]float64) [3]float64 {
	rgb := times(sight, linearOf(c))
	for i, v := range rgb {
		rgb[i] = min(1, max(0, v))
	}
	return rgb
}

// With every kind of colour vision a higher value is darker, and the colours of nine classes can be told apart: by more
// than 5 of CIELAB, where 2.3 is just noticed (Mahy, Van Eycken and Oosterlinck 1994).
func TestRampsAreReadByAll(t *testing.T) {
	for _, index := range vegetation.Indices() {
		s := indexmap.StyleOf(index.Code)
		require.Equal(t, index.Code, s.Index)
		require.Less(t, s.Low, s.High, index.Code)
		for name, sight := range sights {
			for i := 8; i < indexmap.Shades; i += 8 {
				before, after := cielab(seen(s.Colors[i-8], sight)), cielab(seen(s.Colors[i], sight))
				require.Less(t, after[0], before[0], "%s as %s: colour %d is not darker than %d", index.Code, name, i, i-8)
			}
			for n := indexmap.MinClasses; n <= indexmap.MaxClasses; n++ {
				for a := 1; a <= n; a++ {
					for b := a + 1; b <= n; b++ {
						d := apart(cielab(seen(s.OfClass(a, n), sight)), cielab(seen(s.OfClass(b, n), sight)))
						require.Greater(t, d, 5.0, "%s as %s: classes %d and %d of %d", index.Code, name, a, b, n)
					}
				}
			}
		}
	}
}

// Equal steps of a value are equal steps of colour, and every colour can be shown.
func TestRampsAreEven(t *testing.T) {
	for _, index := range vegetation.Indices() {
		s := indexmap.StyleOf(index.Code)
		const step = 15 // colours are rounded to whole numbers, which shows in single steps
		whole := 0.0
		var steps []float64
		for i := step; i < indexmap.Shades; i += step {
			d := apart(oklab(linearOf(s.Colors[i-step])), oklab(linearOf(s.Colors[i])))
			steps, whole = append(steps, d), whole+d
		}
		for i, d := range steps {
			require.InEpsilon(t, whole/float64(len(steps)), d, 0.08, "%s: step %d", index.Code, i)
		}
		require.Greater(t, whole, 0.6, "%s uses a small part of what can be seen", index.Code)
		different := map[indexmap.Color]bool{}
		for _, c := range s.Colors {
			different[c] = true
		}
		require.Greater(t, len(different), 9*indexmap.Shades/10, index.Code)
	}
}

func TestValuesHaveTheirColours(t *testing.T) {
	s := indexmap.StyleOf(vegetation.NDVI)
	for v, want := range map[float64]uint8{-1: 0, 0: 0, 0.5: 127, 1: 254, 3: 254, math.Inf(1): 254, math.Inf(-1): 0} {
		got, ok := s.Shade(v)
		require.True(t, ok)
		require.Equal(t, want, got, "%g", v)
	}
	_, ok := s.Shade(math.NaN())
	require.False(t, ok)
	narrow := s.Between(0.4, 0.6)
	got, _ := narrow.Shade(0.6)
	require.Equal(t, uint8(254), got)
	stops := narrow.Stops(11)
	require.Len(t, stops, 11)
	require.InDelta(t, 0.4, stops[0].Value, 1e-12)
	require.InDelta(t, 0.6, stops[10].Value, 1e-12)
	require.Equal(t, s.Colors[0], stops[0].Color)
	require.Equal(t, s.Colors[254], stops[10].Color)
	require.Regexp(t, "^#[0-9a-f]{6}$", stops[3].Color.Hex())
}
