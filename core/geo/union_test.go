package geo_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
)

// lines is how many level lines the covered length is compared on.
const lines = 257

// spans returns where a level line lies in a geometry, by the even-odd rule: pairs of x.
func spans(m geo.MultiPolygon, y float64) (out [][2]float64) {
	var at []float64
	for _, polygon := range m {
		for _, ring := range polygon {
			for k := range ring {
				a, b := ring[k], ring[(k+1)%len(ring)] // rings may be open
				if (a.Y <= y) != (b.Y <= y) {
					at = append(at, a.X+(y-a.Y)/(b.Y-a.Y)*(b.X-a.X))
				}
			}
		}
	}
	slices.Sort(at)
	for k := 1; k < len(at); k += 2 {
		out = append(out, [2]float64{at[k-1], at[k]})
	}
	return out
}

// apart returns by how much two sets of spans differ, and the length of the first; the spans of
// each are merged here, so that overlaps count once.
func apart(a, b [][2]float64) (differ, length float64) {
	type end struct {
		x    float64
		a, b int
	}
	var ends []end
	for _, s := range a {
		ends = append(ends, end{s[0], 1, 0}, end{s[1], -1, 0})
	}
	for _, s := range b {
		ends = append(ends, end{s[0], 0, 1}, end{s[1], 0, -1})
	}
	slices.SortFunc(ends, func(p, q end) int { return int(math.Copysign(1, p.x-q.x)) })
	inA, inB := 0, 0
	for k, e := range ends {
		if k > 0 {
			width := e.x - ends[k-1].x
			if inA > 0 {
				length += width
			}
			if (inA > 0) != (inB > 0) {
				differ += width
			}
		}
		inA, inB = inA+e.a, inB+e.b
	}
	return differ, length
}

// requireUnion compares a union with its fields on level lines, where what the fields cover is
// computed without any overlay.
func requireUnion(t require.TestingT, whole geo.MultiPolygon, fields []geo.MultiPolygon) {
	var all geo.MultiPolygon
	for _, f := range fields {
		all = append(all, f...)
	}
	box := all.Bounds()
	differ, length, covered := 0.0, 0.0, 0.0
	for k := range lines {
		y := box.MinY + (float64(k)+0.4142135)/lines*(box.MaxY-box.MinY)
		var expected [][2]float64
		for _, f := range fields {
			expected = append(expected, spans(f, y)...)
		}
		d, l := apart(expected, spans(whole, y))
		differ, length = differ+d, length+l
		covered += l / lines * (box.MaxY - box.MinY)
	}
	require.LessOrEqual(t, differ, 1e-6*length, "the union lacks places, or has too many: %v", fields)
	require.InEpsilon(t, covered, whole.PlanarArea(), 0.05, "parts of the union overlap")
	require.True(t, whole.IsValid(), "%v of %v", whole, fields)
}

// drawNeighbours draws fields as they lie in a real register: overlapping, drawn twice, drawn twice a
// little apart, one along the other's edge, with a hole; in degrees or in metres.
func drawNeighbours(t *rapid.T) []geo.MultiPolygon {
	scale, at := 1e-3, geo.Position{X: rapid.Float64Range(-179, 179).Draw(t, "x"), Y: rapid.Float64Range(-60, 70).Draw(t, "y")}
	if rapid.Bool().Draw(t, "metres") {
		scale, at = 100, geo.Position{X: 500_000, Y: rapid.Float64Range(0, 9e6).Draw(t, "northing")}
	}
	decimals := rapid.SampledFrom([]float64{0, 1e5, 1e7}).Draw(t, "decimals") / scale * 1e-3
	vertex := func(x, y float64) geo.Position {
		p := geo.Position{X: at.X + x*scale, Y: at.Y + y*scale}
		if decimals > 0 {
			p = geo.Position{X: math.Round(p.X*decimals) / decimals, Y: math.Round(p.Y*decimals) / decimals}
		}
		return p
	}
	star := func(cx, cy, size float64, n int) geo.Ring {
		ring := make(geo.Ring, n)
		for i := range ring {
			r := size * rapid.Float64Range(0.5, 1).Draw(t, "r")
			sin, cos := math.Sincos(2 * math.Pi * (float64(i) + 0.3) / float64(n))
			ring[i] = vertex(cx+r*cos, cy+r*sin)
		}
		return append(ring, ring[0])
	}
	var fields []geo.MultiPolygon
	for range rapid.IntRange(1, 6).Draw(t, "fields") {
		cx, cy := rapid.Float64Range(-1, 1).Draw(t, "cx"), rapid.Float64Range(-1, 1).Draw(t, "cy")
		field := geo.MultiPolygon{{star(cx, cy, 1, rapid.IntRange(3, 24).Draw(t, "n"))}}
		if rapid.Bool().Draw(t, "hole") {
			hole := star(cx, cy, 0.2, 5)
			slices.Reverse(hole)
			field[0] = append(field[0], hole)
		}
		if field.IsValid() {
			fields = append(fields, field)
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "again") {
		if len(fields) == 0 {
			break
		}
		of := fields[rapid.IntRange(0, len(fields)-1).Draw(t, "of")]
		switch rapid.IntRange(0, 2).Draw(t, "how") {
		case 0:
			fields = append(fields, of)
		case 1: // nearly the same
			by := rapid.SampledFrom([]float64{1e-9, 1e-6, 1e-4, 1e-2}).Draw(t, "by") * scale
			shift := geo.Position{X: by * rapid.Float64Range(-1, 1).Draw(t, "dx"), Y: by * rapid.Float64Range(-1, 1).Draw(t, "dy")}
			fields = append(fields, geo.MultiPolygon{{moved(of[0][0], shift)}})
		case 2: // another one along an edge of it, with a vertex of its own on it
			a, b := of[0][0][0], of[0][0][1]
			mid := geo.Position{X: a.X + (b.X-a.X)*0.37, Y: a.Y + (b.Y-a.Y)*0.37}
			out := geo.Position{X: mid.X + (b.Y - a.Y), Y: mid.Y - (b.X - a.X)}
			fields = append(fields, geo.MultiPolygon{{{a, out, b, mid, a}}})
		}
	}
	return slices.DeleteFunc(fields, func(m geo.MultiPolygon) bool { return !m.IsValid() })
}

func moved(ring geo.Ring, by geo.Position) geo.Ring {
	out := make(geo.Ring, len(ring))
	for i, p := range ring {
		out[i] = geo.Position{X: p.X + by.X, Y: p.Y + by.Y}
	}
	return out
}

// The union covers what the fields cover, whatever the order in which they come.
func TestUnionCoversTheFields(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fields := drawNeighbours(t)
		if len(fields) == 0 {
			return
		}
		whole, err := geo.Union(nil, fields...)
		require.NoError(t, err)
		requireUnion(t, whole, fields)
		again, err := geo.Union(nil, fields...)
		require.NoError(t, err)
		require.Equal(t, whole, again)
		slices.Reverse(fields)
		other, err := geo.Union(nil, fields...)
		require.NoError(t, err)
		require.InEpsilon(t, whole.PlanarArea(), other.PlanarArea(), 1e-6)
	})
}

// The areas that two fields share and that they cover together add up to those of both.
func TestUnionAndIntersectionAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fields := drawNeighbours(t)
		if len(fields) < 2 {
			return
		}
		a, b := fields[0], fields[len(fields)-1]
		whole, err := geo.Union(nil, a, b)
		require.NoError(t, err)
		shared, err := geo.Intersection(nil, a, b)
		require.NoError(t, err)
		sum := a.PlanarArea() + b.PlanarArea()
		require.InDelta(t, sum, whole.PlanarArea()+shared.PlanarArea(), 1e-6*sum)
		require.True(t, shared.IsValid())
	})
}

func TestUnionOfParcels(t *testing.T) {
	t.Parallel()
	square := func(x, y, size float64) geo.Ring {
		return geo.Ring{{X: x, Y: y}, {X: x + size, Y: y}, {X: x + size, Y: y + size}, {X: x, Y: y + size}, {X: x, Y: y}}
	}
	hole := square(1, 1, 1)
	slices.Reverse(hole)
	for name, c := range map[string]struct {
		fields       []geo.MultiPolygon
		area         float64
		parts, holes int
	}{
		"a shared edge":            {[]geo.MultiPolygon{{{square(0, 0, 1)}}, {{square(1, 0, 1)}}}, 2, 1, 0},
		"half an edge":             {[]geo.MultiPolygon{{{square(0, 0, 2)}}, {{square(2, 1, 2)}}}, 8, 1, 0},
		"a corner":                 {[]geo.MultiPolygon{{{square(0, 0, 1)}}, {{square(1, 1, 1)}}}, 2, 2, 0},
		"twice":                    {[]geo.MultiPolygon{{{square(0, 0, 1)}}, {{square(0, 0, 1)}}}, 1, 1, 0},
		"one in another":           {[]geo.MultiPolygon{{{square(0, 0, 3)}}, {{square(1, 1, 1)}}}, 9, 1, 0},
		"a hole that is filled":    {[]geo.MultiPolygon{{{square(0, 0, 3), hole}}, {{square(1, 1, 1)}}}, 9, 1, 0},
		"a hole that stays":        {[]geo.MultiPolygon{{{square(0, 0, 3), hole}}, {{square(5, 0, 3)}}}, 17, 2, 1},
		"an island in a hole":      {[]geo.MultiPolygon{{{square(0, 0, 3), hole}}, {{square(1.25, 1.25, 0.5)}}}, 8.25, 2, 1},
		"four around a courtyard":  {[]geo.MultiPolygon{{{square(0, 0, 2)}}, {{square(2, -1, 2)}}, {{square(3, 1, 2)}}, {{square(1, 2, 2)}}}, 16, 1, 1},
		"apart":                    {[]geo.MultiPolygon{{{square(0, 0, 1)}}, {{square(4, 0, 1)}}}, 2, 2, 0},
		"nothing":                  {nil, 0, 0, 0},
		"one, as it is":            {[]geo.MultiPolygon{{{square(0.1, 0.2, 0.7)}}}, 0.49, 1, 0},
		"a geometry without parts": {[]geo.MultiPolygon{{{square(0, 0, 1)}}, nil}, 1, 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			whole, err := geo.Union(nil, c.fields...)
			require.NoError(t, err)
			holes := 0
			for _, polygon := range whole {
				holes += len(polygon) - 1
			}
			require.InDelta(t, c.area, whole.PlanarArea(), 1e-9)
			require.Equal(t, []int{c.parts, c.holes}, []int{len(whole), holes}, "%v", whole)
			require.True(t, whole.IsValid())
		})
	}
}

// crowd returns fields of n vertices each, on a grid on which neighbours overlap or all on one
// place, a little apart.
func crowd(fields, n int, stacked bool) []geo.MultiPolygon {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([]geo.MultiPolygon, fields)
	columns := int(math.Ceil(math.Sqrt(float64(fields))))
	for i := range out {
		cx, cy := float64(i%columns)*0.01, float64(i/columns)*0.01
		if stacked {
			cx, cy = 1e-6*random.Float64(), 1e-6*random.Float64()
		}
		ring := make(geo.Ring, n, n+1)
		for k := range ring {
			r := 0.006 * (0.98 + 0.02*random.Float64())
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
			ring[k] = geo.Position{X: 5 + cx + r*cos, Y: 52 + cy + r*sin}
		}
		out[i] = geo.MultiPolygon{{append(ring, ring[0])}}
	}
	return out
}

// Many fields, side by side or on top of one another, take a time that grows with their vertices.
func TestUnionOfManyFields(t *testing.T) {
	t.Parallel()
	for _, stacked := range []bool{false, true} {
		fields := crowd(60, 500, stacked)
		whole, err := geo.Union(nil, fields...)
		require.NoError(t, err)
		requireUnion(t, whole, fields)
	}
}

func BenchmarkUnion(b *testing.B) {
	for _, stacked := range []bool{false, true} {
		fields := crowd(500, 10_000, stacked)
		b.Run(fmt.Sprintf("500x10000,stacked=%v", stacked), func(b *testing.B) {
			for b.Loop() {
				if _, err := geo.Union(nil, fields...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The sides of a tongue a tenth of a millimetre wide, which are straight in degrees, cross in the plane.
func TestAProjectedTongueIsMadeValid(t *testing.T) {
	field := geo.MultiPolygon{{{
		{X: 500137.444095611572, Y: 5399999.555912017822},
		{X: 500072.036075592041, Y: 5400003.756237030029},
		{X: 500072.035961151123, Y: 5400003.756237030029},
		{X: 500252.363834381104, Y: 5400002.837162017822},
		{X: 500252.363834381104, Y: 5400050}, {X: 500000, Y: 5400050}, {X: 500000, Y: 5399900}, {X: 500137, Y: 5399900},
		{X: 500137.444095611572, Y: 5399999.555912017822},
	}}}
	require.False(t, field.IsValid())
	whole, err := geo.Union(nil, field)
	require.NoError(t, err)
	require.True(t, whole.IsValid())
	require.InDelta(t, field.PlanarArea(), whole.PlanarArea(), 1e-3)
}
