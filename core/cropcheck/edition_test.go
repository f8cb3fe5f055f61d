package cropcheck_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/cropcheck"
	"tilth/core/fault"
)

func TestEditionsAreNamed(t *testing.T) {
	t.Parallel()
	good := cropcheck.Edition{Region: "mato-grosso", Version: "2026-1", Set: setOf(t, curveOf("a", 16, hump(100)))}
	require.NoError(t, good.Check())
	box := func(w, s, e, n float64) *cropcheck.Extent {
		return &cropcheck.Extent{West: w, South: s, East: e, North: n}
	}
	for name, c := range map[string]struct {
		change func(*cropcheck.Edition)
		field  string
	}{
		"no region":       {func(e *cropcheck.Edition) { e.Region = "" }, "region"},
		"capital":         {func(e *cropcheck.Edition) { e.Region = "Cerrado" }, "region"},
		"path":            {func(e *cropcheck.Edition) { e.Region = "../x" }, "region"},
		"no version":      {func(e *cropcheck.Edition) { e.Version = "" }, "version"},
		"reserved":        {func(e *cropcheck.Edition) { e.Version = cropcheck.BuiltInVersion }, "version"},
		"east of west":    {func(e *cropcheck.Edition) { e.Set.Extent = box(10, 0, 5, 1) }, "extent"},
		"beyond the pole": {func(e *cropcheck.Edition) { e.Set.Extent = box(0, 0, 5, 91) }, "extent"},
		"no number":       {func(e *cropcheck.Edition) { e.Set.Extent = box(0, math.NaN(), 5, 1) }, "extent"},
		"long scope":      {func(e *cropcheck.Edition) { e.Set.Scope = string(make([]byte, 1001)) }, "scope"},
	} {
		e := good
		c.change(&e)
		f, ok := fault.As(e.Check())
		require.True(t, ok, name)
		require.Contains(t, f.Fields, c.field, name)
	}
}

func TestCurvesInForce(t *testing.T) {
	t.Parallel()
	builtIn := setOf(t, curveOf("a", 16, hump(100)))
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	regions := func(all []cropcheck.Edition) (out []string) {
		for _, e := range all {
			out = append(out, e.Region+" "+e.Version)
		}
		return out
	}
	none := cropcheck.InForce(builtIn, nil)
	require.Equal(t, []string{"mato-grosso built-in"}, regions(none))
	require.True(t, none[0].BuiltIn())
	require.Equal(t, builtIn, none[0].Set)
	other := cropcheck.Edition{Region: "cerrado", Version: "1", ImportedAt: at}
	require.Equal(t, []string{"cerrado 1", "mato-grosso built-in"}, regions(cropcheck.InForce(builtIn, []cropcheck.Edition{other})))
	instead := cropcheck.Edition{Region: cropcheck.BuiltInRegion, Version: "2", ImportedAt: at}
	require.Equal(t, []string{"mato-grosso 2"}, regions(cropcheck.InForce(builtIn, []cropcheck.Edition{instead})))
}
