package geo_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/geo"
)

// rectangle is counter-clockwise.
func rectangle(west, south, east, north float64) geo.Ring { return hole(west, south, east, north) }

// cutOut is a hole in it.
func cutOut(west, south, east, north float64) geo.Ring { return box(west, south, east, north) }

func areas(parts geo.MultiPolygon) (out []float64) {
	for _, p := range parts {
		out = append(out, geo.MultiPolygon{p}.PlanarArea())
	}
	return out
}

func TestALineCutsAField(t *testing.T) {
	t.Parallel()
	square := geo.MultiPolygon{{rectangle(0, 0, 4, 4)}}
	comb := geo.MultiPolygon{{geo.Ring{{X: 0, Y: 0}, {X: 5, Y: 0}, {X: 5, Y: 4}, {X: 4, Y: 4}, {X: 4, Y: 1}, {X: 1, Y: 1}, {X: 1, Y: 4}, {X: 0, Y: 4}, {X: 0, Y: 0}}}}
	for name, c := range map[string]struct {
		field geo.MultiPolygon
		line  []geo.Position
		want  []float64
	}{
		"across":                    {square, []geo.Position{{X: 1, Y: -1}, {X: 1, Y: 5}}, []float64{4, 12}},
		"from corner to corner":     {square, []geo.Position{{X: 0, Y: 0}, {X: 4, Y: 4}}, []float64{8, 8}},
		"with a bend inside":        {square, []geo.Position{{X: 2, Y: -1}, {X: 2, Y: 2}, {X: 5, Y: 2}}, []float64{12, 4}},
		"with a bend outside":       {square, []geo.Position{{X: 1, Y: -1}, {X: 1, Y: 5}, {X: 3, Y: 5}, {X: 3, Y: -1}}, []float64{4, 8, 4}},
		"along the outline":         {square, []geo.Position{{X: 0, Y: -1}, {X: 0, Y: 5}}, []float64{16}},
		"beside it":                 {square, []geo.Position{{X: 9, Y: -1}, {X: 9, Y: 5}}, []float64{16}},
		"ending inside":             {square, []geo.Position{{X: 1, Y: -1}, {X: 1, Y: 2}}, []float64{16}},
		"inside altogether":         {square, []geo.Position{{X: 1, Y: 1}, {X: 2, Y: 2}}, []float64{16}},
		"round a place inside":      {square, []geo.Position{{X: 1, Y: 1}, {X: 3, Y: 1}, {X: 3, Y: 3}, {X: 1, Y: 3}, {X: 1, Y: 1}}, []float64{12, 4}},
		"crossing itself":           {square, []geo.Position{{X: -1, Y: 1}, {X: 3, Y: 1}, {X: 3, Y: 3}, {X: 1, Y: 3}, {X: 1, Y: -1}}, nil},
		"three times through":       {comb, []geo.Position{{X: -1, Y: 2}, {X: 6, Y: 2}}, []float64{7, 2, 2}},
		"through two parts":         {geo.MultiPolygon{{rectangle(0, 0, 1, 4)}, {rectangle(2, 0, 3, 4)}}, []geo.Position{{X: -1, Y: 1}, {X: 4, Y: 1}}, []float64{1, 3, 1, 3}},
		"through one of two":        {geo.MultiPolygon{{rectangle(0, 0, 1, 4)}, {rectangle(2, 0, 3, 4)}}, []geo.Position{{X: -1, Y: 1}, {X: 1.5, Y: 1}}, []float64{1, 3, 4}},
		"through a hole":            {geo.MultiPolygon{{rectangle(0, 0, 4, 4), cutOut(1, 1, 3, 3)}}, []geo.Position{{X: 2, Y: -1}, {X: 2, Y: 5}}, []float64{6, 6}},
		"to a hole":                 {geo.MultiPolygon{{rectangle(0, 0, 4, 4), cutOut(1, 1, 3, 3)}}, []geo.Position{{X: 2, Y: -1}, {X: 2, Y: 2}}, []float64{12}},
		"with a hole on one side":   {geo.MultiPolygon{{rectangle(0, 0, 4, 4), cutOut(2, 1, 3, 3)}}, []geo.Position{{X: 1, Y: -1}, {X: 1, Y: 5}}, []float64{4, 10}},
		"over a vertex of the hole": {geo.MultiPolygon{{rectangle(0, 0, 4, 4), cutOut(2, 1, 3, 3)}}, []geo.Position{{X: 2, Y: -1}, {X: 2, Y: 5}}, []float64{8, 6}},
	} {
		parts, err := geo.Cut(nil, c.field, c.line)
		require.NoError(t, err, name)
		for _, p := range parts {
			require.True(t, geo.MultiPolygon{p}.IsValid(), "%s: %v", name, p)
		}
		require.InDelta(t, c.field.PlanarArea(), parts.PlanarArea(), 1e-9, name)
		if c.want != nil {
			require.InDeltaSlice(t, c.want, areas(parts), 1e-9, "%s: %v", name, parts)
		}
	}
}

// Whatever the line: the parts are valid, do not overlap, and add up to the field.
func TestCutsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := func(name string) float64 { return float64(rapid.IntRange(-20, 120).Draw(t, name)) / 10_000 }
		var line []geo.Position
		for range rapid.IntRange(2, 8).Draw(t, "positions") {
			line = append(line, geo.Position{X: at("x"), Y: at("y")})
		}
		const m = 1e-3 // some hundred metres
		field := geo.MultiPolygon{
			{rectangle(0, 0, 6*m, 10*m), cutOut(1*m, 1*m, 3*m, 3*m), cutOut(3*m, 4*m, 5*m, 8*m)}, {rectangle(7*m, 2*m, 10*m, 9*m)},
		}
		parts, err := geo.Cut(nil, field, line)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts {
			if !(geo.MultiPolygon{p}).IsValid() {
				t.Fatalf("not valid: %v", p)
			}
		}
		if math.Abs(parts.PlanarArea()-field.PlanarArea()) > 1e-12 {
			t.Fatalf("%v is not %v", parts.PlanarArea(), field.PlanarArea())
		}
		var pieces []geo.MultiPolygon
		for _, p := range parts {
			pieces = append(pieces, geo.MultiPolygon{p})
		}
		fit, err := geo.Fitted(nil, field, pieces)
		if err != nil {
			t.Fatal(err)
		}
		if fit.Gap > 1 {
			t.Fatalf("a gap of %g m²", fit.Gap)
		}
		for _, beyond := range fit.Beyond {
			if beyond > 1 {
				t.Fatalf("%g m² beyond", beyond)
			}
		}
		for _, o := range fit.Overlaps {
			if o.M2 > 1 {
				t.Fatalf("an overlap of %g m²", o.M2)
			}
		}
	})
}
