package geo_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
)

func parse(t require.TestingT, coordinates string) (geo.Boundary, error) {
	typ := "Polygon"
	if strings.HasPrefix(strings.ReplaceAll(coordinates, " ", ""), "[[[[") {
		typ = "MultiPolygon"
	}
	return geo.ParseGeoJSON(nil, fmt.Appendf(nil, `{"type":%q,"coordinates":%s}`, typ, coordinates), geo.DefaultLimits())
}

// messageOf returns the one message of a refusal and checks its form.
func messageOf(t require.TestingT, err error) string {
	require.Error(t, err)
	f, ok := fault.As(err)
	require.True(t, ok, "%v is no fault", err)
	require.Equal(t, fault.Invalid, f.Kind)
	require.Len(t, f.Fields, 1)
	messages, ok := f.Fields[geo.BoundaryField].([]string)
	require.True(t, ok)
	require.Len(t, messages, 1)
	return messages[0]
}

const (
	square = `[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]`
	inner  = `[[10.002,50.002],[10.004,50.002],[10.004,50.004],[10.002,50.004],[10.002,50.002]]`
)

func TestParseGeoJSONAccepts(t *testing.T) {
	whole, err := parse(t, `[`+square+`]`)
	require.NoError(t, err)
	for _, c := range []struct{ name, document string }{
		{"feature", `{"type":"Feature","properties":{"a":1},"geometry":{"type":"Polygon","coordinates":[` + square + `]}}`},
		{"type last", `{"coordinates":[` + square + `],"crs":null,"type":"Polygon"}`},
		{"one part", `{"type":"MultiPolygon","coordinates":[[` + square + `]]}`},
		{"open ring", `{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.01,50.01],[10,50.01]]]}`},
		{"heights", `{"type":"Polygon","coordinates":[[[10,50,7],[10.01,50,7],[10.01,50.01,7,1],[10,50.01,8],[10,50,9]]]}`},
		{"clockwise", `{"type":"Polygon","coordinates":[[[10,50],[10,50.01],[10.01,50.01],[10.01,50],[10,50]]]}`},
		{"repeated", `{"type":"Polygon","coordinates":[[[10,50],[10,50],[10.01,50],[10.01,50.01],[10.01,50.01],[10,50.01],[10,50],[10,50]]]}`},
		{"spike outwards", `{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.02,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]}`},
		{"spike on spike", `{"type":"Polygon","coordinates":[[[10,50],[10.01,50],[10.02,50],[10.02,51],[10.02,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]}`},
		{"spike half back", `{"type":"Polygon","coordinates":[[[10,50],[10.03,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]]}`},
		{"spike at the seam", `{"type":"Polygon","coordinates":[[[10,49.99],[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50],[10,49.99]]]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := geo.ParseGeoJSON(nil, []byte(c.document), geo.DefaultLimits())
			require.NoError(t, err)
			require.InEpsilon(t, whole.AreaHa(), b.AreaHa(), 1e-12)
			require.Equal(t, 4, b.Vertices())
			require.Empty(t, b.Warnings())
			require.Equal(t, geo.Box{MinX: 10, MinY: 50, MaxX: 10.01, MaxY: 50.01}, b.Bounds())
			ring := b.Geometry()[0][0]
			require.Len(t, ring, 5)
			require.Equal(t, ring[0], ring[4])
			require.Positive(t, planeArea(ring), "outer rings run counter-clockwise")
		})
	}
}

func TestParseGeoJSONAcceptsTouches(t *testing.T) {
	for _, c := range []struct {
		name, coordinates string
		parts             int
	}{
		{"hole", `[` + square + `,` + inner + `]`, 1},
		{"hole touches the edge once", `[` + square + `,[[10,50.005],[10.002,50.004],[10.002,50.006],[10,50.005]]]`, 1},
		{"holes touch once", `[` + square + `,` + inner + `,[[10.004,50.004],[10.006,50.004],[10.006,50.006],[10.004,50.004]]]`, 1},
		{"parts touch at a corner", `[[` + square + `],[[[10.01,50.01],[10.02,50.01],[10.02,50.02],[10.01,50.01]]]]`, 2},
		{"parts touch at two corners", `[[` + square + `],[[[10.01,50.01],[10.01,50.03],[9.99,50.03],[10,50.01],[10.005,50.02],[10.01,50.01]]]]`, 2},
		{"island in a hole", `[[` + square + `,` + inner + `],[[[10.0025,50.0025],[10.0035,50.0025],[10.003,50.003],[10.0025,50.0025]]]]`, 2},
		{"island touches the hole's corners", `[[` + square + `,` + inner + `],[[[10.002,50.002],[10.003,50.0025],[10.004,50.004],[10.003,50.003],[10.002,50.002]]]]`, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := parse(t, c.coordinates)
			require.NoError(t, err)
			require.Len(t, b.Geometry(), c.parts)
			for _, polygon := range b.Geometry() {
				for i, ring := range polygon {
					require.Equal(t, i == 0, planeArea(ring) > 0, "winding of ring %d", i)
				}
			}
			require.NoError(t, simple(b.Geometry()).Validate(), "the oracle agrees")
		})
	}
}

func TestParseGeoJSONRefuses(t *testing.T) {
	ring := func(positions string) string { return `{"type":"Polygon","coordinates":[[` + positions + `]]}` }
	polygon := func(rings ...string) string {
		return `{"type":"Polygon","coordinates":[` + strings.Join(rings, ",") + `]}`
	}
	parts := func(rings ...string) string {
		return `{"type":"MultiPolygon","coordinates":[[` + strings.Join(rings, "],[") + `]]}`
	}
	for _, c := range []struct{ name, document, says string }{
		{"no JSON", `{"type":`, "not a GeoJSON"},
		{"array", `[1]`, "not a GeoJSON"},
		{"null", `null`, "no type"},
		{"no type", `{}`, "no type"},
		{"point", `{"type":"Point","coordinates":[10,50]}`, `"Point"`},
		{"collection", `{"type":"FeatureCollection","features":[]}`, "FeatureCollection"},
		{"feature without geometry", `{"type":"Feature","geometry":null}`, "no geometry"},
		{"feature of a feature", `{"type":"Feature","geometry":{"type":"Feature","geometry":null}}`, `"Feature"`},
		{"no coordinates", `{"type":"Polygon"}`, "no coordinates"},
		{"empty", `{"type":"Polygon","coordinates":[]}`, "no rings"},
		{"empty multi", `{"type":"MultiPolygon","coordinates":[]}`, "empty"},
		{"empty part", `{"type":"MultiPolygon","coordinates":[[]]}`, "no rings"},
		{"too shallow", `{"type":"Polygon","coordinates":[[10,50],[11,50]]}`, "should be an array"},
		{"too deep", `{"type":"Polygon","coordinates":[[[[10,50]]]]}`, "should be"},
		{"object", `{"type":"Polygon","coordinates":{"a":1}}`, "an object"},
		{"string ordinate", ring(`["10",50]`), "a string"},
		{"null ordinate", ring(`[null,50]`), "null"},
		{"one ordinate", ring(`[10],[11],[12]`), "longitude and latitude"},
		{"many ordinates", ring(`[1,2,3,4,5]`), "more than 4"},
		{"infinite", ring(`[1e999,50],[10,51],[11,51]`), "out of range"},
		{"two positions", ring(`[10,50],[11,50]`), "at least 4"},
		{"degenerate", ring(`[10,50],[10.1,50],[10,50],[10,50]`), "at least 4"},
		{"bow tie", ring(`[10,50],[10.01,50.01],[10.01,50],[10,50.01],[10,50]`), "crosses itself at (10.005000, 50.005000)"},
		{"pinched", ring(`[10,50],[10.01,50],[10.005,50.005],[10.01,50.01],[10,50.01],[10.005,50.005],[10,50]`), "touches itself at (10.005000, 50.005000)"},
		{"flat", ring(`[10,50],[10.01,50],[10.02,50],[10,50]`), "spike"},
		{"back along itself", ring(`[10,50],[10.01,50],[10.01,50.01],[10.012,50.01],[10.012,49.99],[10.01,49.99],[10.01,50.005],[10,50.005],[10,50]`), "itself"},
		{"swapped", ring(`[50,100],[50.01,100],[50.01,100.01]`), "swapped"},
		{"projected", ring(`[344130,4626620],[344230,4626620],[344230,4626720]`), "projected"},
		{"east of 180", ring(`[179.99,10],[180.01,10],[180.01,10.01],[179.99,10.01]`), "two fields"},
		{"across 180", ring(`[179.99,10],[-179.99,10],[-179.99,10.01],[179.99,10.01]`), "two fields"},
		{"both sides of 180", parts(`[[179.99,10],[180,10],[180,10.01],[179.99,10]]`, `[[-180,10],[-179.99,10],[-180,10.01],[-180,10]]`), "two fields"},
		{"stray vertex", ring(`[10,50],[10.01,50],[0,0],[10,50]`), "edge of"},
		{"too large", ring(`[10,50],[10.5,50],[10.5,50.5],[10,50.5]`), "at most 10000 ha"},
		{"too small", ring(`[10,50],[10.000001,50],[10.000001,50.000001]`), "at least 1 m²"},
		{"hole outside", polygon(square, `[[11,50],[11.01,50],[11,50.01],[11,50]]`), "Hole 1 lies outside"},
		{"hole around", polygon(inner, square), "Hole 1 lies outside"},
		{"hole crosses", polygon(square, `[[10.005,50.005],[10.02,50.004],[10.02,50.006],[10.005,50.005]]`), "The outer ring and hole 1 cross at"},
		{"hole shares an edge", polygon(square, `[[10,50],[10.005,50],[10.005,50.005],[10,50]]`), "share an edge"},
		{"hole is the outer ring", polygon(square, square), "share an edge"},
		{"hole cuts in two", polygon(square, `[[10,50],[10.01,50.01],[10.005,50.008],[10,50]]`), "falls apart"},
		{"chain of holes cuts in two", polygon(square, `[[10,50.005],[10.005,50.004],[10.005,50.006],[10,50.005]]`,
			`[[10.005,50.004],[10.01,50.005],[10.006,50.006],[10.005,50.004]]`), "falls apart"},
		{"nested holes", polygon(square, inner, `[[10.0025,50.0025],[10.0035,50.0025],[10.003,50.003],[10.0025,50.0025]]`), "overlap"},
		{"crossing holes", polygon(square, inner, `[[10.003,50.003],[10.005,50.003],[10.005,50.005],[10.003,50.003]]`), "Hole 1 and hole 2 cross"},
		{"crossing parts", parts(square, `[[10.005,50.005],[10.02,50.006],[10.02,50.02],[10.005,50.005]]`), "Parts 1 and 2"},
		{"part in a part", parts(square, inner), "Parts 1 and 2 overlap"},
		{"part around a part", parts(inner, square), "Parts 1 and 2 overlap"},
		{"parts share an edge", parts(square, `[[10.01,50],[10.02,50],[10.02,50.01],[10.01,50.01],[10.01,50]]`), "share an edge"},
		{"parts cross through vertices", parts(`[[10,50],[10.01,50],[10.02,50],[10.02,50.01],[10.01,50.01],[10,50.01],[10,50]]`,
			`[[10.01,50],[10.015,49.99],[10.02,50],[10.01,50.01],[10.005,50.02],[10.0075,50.01],[10.01,50]]`), "Parts 1 and 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := geo.ParseGeoJSON(nil, []byte(c.document), geo.DefaultLimits())
			require.Contains(t, messageOf(t, err), c.says)
		})
	}
}

func TestNewBoundaryRefusesWhatJSONCannotSay(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := geo.NewBoundary(nil, geo.MultiPolygon{{{{X: 1, Y: 1}, {X: bad, Y: 1}, {X: 1, Y: 2}}}}, geo.DefaultLimits())
		require.Contains(t, messageOf(t, err), "finite")
	}
	_, err := geo.NewBoundary(nil, nil, geo.DefaultLimits())
	require.Contains(t, messageOf(t, err), "empty")
	_, err = geo.NewBoundary(nil, geo.MultiPolygon{{}}, geo.DefaultLimits())
	require.Contains(t, messageOf(t, err), "no rings")
}

func TestNewBoundaryLeavesItsArgument(t *testing.T) {
	clockwise := geo.MultiPolygon{{{{X: 10, Y: 50}, {X: 10, Y: 50.01}, {X: 10.01, Y: 50.01}, {X: 10.01, Y: 50}}}}
	_, err := geo.NewBoundary(nil, clockwise, geo.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, geo.Ring{{X: 10, Y: 50}, {X: 10, Y: 50.01}, {X: 10.01, Y: 50.01}, {X: 10.01, Y: 50}}, clockwise[0][0])
}

func TestVertexLimit(t *testing.T) {
	limits := geo.DefaultLimits()
	for _, closed := range []bool{true, false} {
		raw, err := json.Marshal(geo.MultiPolygon{{circle(10, 50, 0.01, limits.MaxVertices, closed)}})
		require.NoError(t, err)
		b, err := geo.ParseGeoJSON(nil, raw, limits)
		require.NoError(t, err)
		require.Equal(t, limits.MaxVertices, b.Vertices())

		raw, err = json.Marshal(geo.MultiPolygon{{circle(10, 50, 0.01, limits.MaxVertices+1, closed)}})
		require.NoError(t, err)
		_, err = geo.ParseGeoJSON(nil, raw, limits)
		require.Contains(t, messageOf(t, err), "10000 vertices")
	}
}

func TestWarnings(t *testing.T) {
	codes := func(coordinates string) []string {
		b, err := parse(t, coordinates)
		require.NoError(t, err)
		var out []string
		for _, w := range b.Warnings() {
			require.NotEmpty(t, w.Message)
			out = append(out, w.Code)
		}
		return out
	}
	at := func(lon, lat float64) string {
		raw, err := json.Marshal([][][2]float64{{{lon, lat}, {lon + 0.002, lat}, {lon + 0.002, lat + 0.002}, {lon, lat}}})
		require.NoError(t, err)
		return string(raw)
	}
	require.Equal(t, []string{geo.WarnSliver}, codes(`[[[10,50],[10.0001,50],[10.0001,50.0001],[10,50]]]`))
	require.Equal(t, []string{geo.WarnAxisSwap}, codes(at(-15.8, -47.9)), "Brasília swapped")
	require.Equal(t, []string{geo.WarnAxisSwap}, codes(at(28.6, 77.2)), "Delhi swapped")
	require.Equal(t, []string{geo.WarnAxisSwap}, codes(at(-34.6, -58.4)), "Buenos Aires swapped")
	for name, p := range map[string][2]float64{
		"Brasília": {-47.9, -15.8}, "Delhi": {77.2, 28.6}, "Tromsø": {18.9, 69.6}, "Tierra del Fuego": {-67.7, -53.8},
		"Southland": {168.3, -46.4}, "Chatham": {-176.5, -44}, "Tasmania": {147, -42}, "Valladolid": {-4.87, 41.77},
		"no land either way": {-150, -60},
	} {
		require.Empty(t, codes(at(p[0], p[1])), name)
	}
}

func TestRestoreBoundaryKeepsTheRecord(t *testing.T) {
	b, err := parse(t, `[`+square+`,`+inner+`]`)
	require.NoError(t, err)
	raw, err := json.Marshal(b.Geometry())
	require.NoError(t, err)
	var stored geo.MultiPolygon
	require.NoError(t, json.Unmarshal(raw, &stored))
	require.Equal(t, b, geo.RestoreBoundary(stored, b.Measures()))
	require.False(t, b.IsZero())
	require.True(t, geo.Boundary{}.IsZero())
}

func TestMultiPolygonJSON(t *testing.T) {
	one := geo.MultiPolygon{{{{X: 1, Y: 2}, {X: 3, Y: 2}, {X: 3, Y: 4}, {X: 1, Y: 2}}}}
	raw, err := json.Marshal(one)
	require.NoError(t, err)
	require.Equal(t, `{"type":"Polygon","coordinates":[[[1,2],[3,2],[3,4],[1,2]]]}`, string(raw))
	raw, err = json.Marshal(append(one, one...))
	require.NoError(t, err)
	require.Equal(t, `{"type":"MultiPolygon","coordinates":[[[[1,2],[3,2],[3,4],[1,2]]],[[[1,2],[3,2],[3,4],[1,2]]]]}`, string(raw))
	_, err = json.Marshal(geo.MultiPolygon{{{{X: math.NaN()}}}})
	require.Error(t, err)
	for _, bad := range []string{`[]`, `{}`, `{"type":"Point","coordinates":[1,2]}`, `{"type":"Polygon","coordinates":[[[1]]]}`} {
		var m geo.MultiPolygon
		require.Error(t, json.Unmarshal([]byte(bad), &m), bad)
	}
}

func edgesOf(m geo.MultiPolygon) (n int) {
	for _, polygon := range m {
		for _, ring := range polygon {
			n += len(ring)
		}
	}
	return n
}

func TestHostileShapesAreRefusedQuickly(t *testing.T) {
	comb := func(dx, dy float64) geo.Ring { // long parallel teeth whose boxes all overlap
		var r geo.Ring
		for i := range 4999 {
			s := float64(i) * 1e-6
			if i%2 == 0 {
				r = append(r, geo.Position{X: 10 + s, Y: 50 - s}, geo.Position{X: 10 + dx + s, Y: 50 + dy - s})
			} else {
				r = append(r, geo.Position{X: 10 + dx + s, Y: 50 + dy - s}, geo.Position{X: 10 + s, Y: 50 - s})
			}
		}
		return append(r, geo.Position{X: 9.99, Y: 49.98}, geo.Position{X: 9.98, Y: 49.99})
	}
	var fan geo.MultiPolygon // triangles round one point, every pair touching there
	for i := range 3000 {
		sin, cos := math.Sincos(float64(i) / 3000 * 2 * math.Pi)
		sin2, cos2 := math.Sincos((float64(i) + 0.5) / 3000 * 2 * math.Pi)
		fan = append(fan, geo.Polygon{{{X: 10, Y: 50}, {X: 10 + 0.01*cos, Y: 50 + 0.01*sin}, {X: 10 + 0.01*cos2, Y: 50 + 0.01*sin2}}})
	}
	var crosses geo.Ring // a scribble: most edges cross most others
	for i := range 9999 {
		sin, cos := math.Sincos(float64(i) * 3.1)
		crosses = append(crosses, geo.Position{X: 10 + 0.01*cos, Y: 50 + 0.01*sin})
	}
	var above, below geo.Ring // two saws whose teeth meet tip to tip
	for i := range 990 {
		x := 10 + float64(i)*1e-5
		above = append(above, geo.Position{X: x, Y: 50}, geo.Position{X: x + 5e-6, Y: 50.001})
		below = append(below, geo.Position{X: x, Y: 50}, geo.Position{X: x + 5e-6, Y: 49.999})
	}
	above = append(above, geo.Position{X: 10.01, Y: 50.01}, geo.Position{X: 10, Y: 50.01})
	below = append(below, geo.Position{X: 10.01, Y: 49.99}, geo.Position{X: 10, Y: 49.99})
	for _, c := range []struct {
		name string
		m    geo.MultiPolygon
		says string // empty: valid
	}{
		{"diagonal comb", geo.MultiPolygon{{comb(0.05, 0.05)}}, ""},
		{"slanted comb", geo.MultiPolygon{{comb(0.05, 0.02)}}, ""},
		{"fan", fan, "touch one another in more than"},
		{"scribble", geo.MultiPolygon{{crosses}}, "crosses itself"},
		{"saws", geo.MultiPolygon{{above}, {below}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			budget := effort.Of(t.Context(), 0)
			_, err := geo.NewBoundary(budget, c.m, geo.DefaultLimits())
			pairs := float64(edgesOf(c.m)) * float64(edgesOf(c.m)) / 2
			t.Logf("%d steps, %.2f for each pair of edges", budget.Spent(), float64(budget.Spent())/pairs)
			require.Less(t, float64(budget.Spent()), 20*pairs, "a few looks at every pair of edges")
			if c.says == "" {
				require.NoError(t, err)
				return
			}
			require.Contains(t, messageOf(t, err), c.says)
		})
	}
}

func TestPropertyBoundary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawStar(t)
		b, err := geo.NewBoundary(nil, m, geo.DefaultLimits())
		require.NoError(t, err)
		require.NoError(t, simple(b.Geometry()).Validate())

		// Winding, start and notation do not matter.
		other := geo.MultiPolygon{{slices.Clone(m[0][0])}}
		slices.Reverse(other[0][0])
		turn := rapid.IntRange(0, len(other[0][0])-1).Draw(t, "turn")
		other[0][0] = append(other[0][0][turn:], other[0][0][:turn]...)
		again, err := geo.NewBoundary(nil, other, geo.DefaultLimits())
		require.NoError(t, err)
		require.InEpsilon(t, b.AreaHa(), again.AreaHa(), 1e-9)
		require.InEpsilon(t, b.PerimeterM(), again.PerimeterM(), 1e-9)

		raw, err := json.Marshal(b.Geometry())
		require.NoError(t, err)
		back, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
		require.NoError(t, err)
		require.Equal(t, b, back, "reading what was written changes nothing")

		box, c := b.Bounds(), b.Centroid()
		require.True(t, box.MinX < c.X && c.X < box.MaxX && box.MinY < c.Y && c.Y < box.MaxY)
	})
}

// TestPropertyValidityAgreesWithOracle gives small random integer shapes, which touch and cross in
// every way, to the rules and to simplefeatures.
func TestPropertyValidityAgreesWithOracle(t *testing.T) {
	limits := geo.Limits{MinAreaM2: 0, MaxAreaHa: math.Inf(1), MaxVertices: 1000}
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		ring := rapid.Custom(func(t *rapid.T) geo.Ring {
			n := rapid.IntRange(3, 6).Draw(t, "n")
			size := rapid.IntRange(1, 8).Draw(t, "size")
			x, y := rapid.IntRange(0, 8).Draw(t, "x"), rapid.IntRange(0, 8).Draw(t, "y")
			out := make(geo.Ring, n, n+1)
			for i := range out {
				out[i] = geo.Position{
					X: float64(x+rapid.IntRange(0, size).Draw(t, "dx")) / 64,
					Y: float64(y+rapid.IntRange(0, size).Draw(t, "dy")) / 64,
				}
			}
			return append(out, out[0])
		})
		m := geo.MultiPolygon(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) geo.Polygon {
			return rapid.SliceOfN(ring, 1, 3).Draw(t, "rings")
		}), 1, 3).Draw(t, "parts"))
		b, err := geo.NewBoundary(nil, m, limits)
		oracle := simple(m).Validate()
		if err == nil {
			accepted++
			require.NoError(t, simple(b.Geometry()).Validate(), "what is accepted is sound once its spikes are gone")
			require.InDelta(t, geo.AreaM2(m), geo.AreaM2(b.Geometry()), 1000,
				"and encloses what was sent: the smallest shape of the grid has a million square metres; a straight edge cut in two bends by a few")
			return
		}
		refused++
		message := messageOf(t, err)
		require.True(t, oracle != nil || holeOutside(t, m),
			"ours: %s; only holes that touch their outer ring from outside are overlooked by the oracle", message)
	})
	require.Positive(t, accepted)
	require.Positive(t, refused)
}
