package phenology_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/phenology"
	"tilth/core/vegetation"
)

// told is a cycle as the second witness reports it.
type told struct {
	Start, End, Integral *float64
	Peak, Base, Top      float64
}

// A second program, written from the definitions in another language, finds the same cycles: in the real series of a Spanish
// field, and in drawn ones of one crop or two with gaps and noise.
func TestASecondWitnessFindsTheSameCycles(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NO SECOND WITNESS of phenology: it needs python3 (Debian: apt-get install python3)")
	}
	series := map[string][]vegetation.Weighted{}
	for seed := range uint64(6) {
		r := random(seed)
		first, second := growth{0.2, 0.8, 60, 130}, growth{0.15, 0.5 + r.Float64()/4, 210, 280}
		both := func(day float64) float64 { return max(first.at(day), second.at(day)) }
		series[fmt.Sprintf("drawn %d", seed)] = seen(r, both, 0, 360, 5, 0.5, 0.02)
	}
	if real := os.Getenv("TILTH_REAL_DATA"); real == "" {
		t.Log("NO REAL SERIES: TILTH_REAL_DATA is not set")
	} else {
		series["Spain 2019"] = accepted(t, filepath.Join(real, "satellite", "reference", "spain_ndvi.csv"))
	}
	for name, points := range series {
		witnessed := witness(t, python, points)
		found := phenology.OfPoints(points, phenology.DefaultSettings())
		require.Len(t, found.Cycles, len(witnessed), name)
		for i, c := range found.Cycles {
			w := witnessed[i]
			require.InDelta(t, w.Base, *c.Base.Value, 1e-6, name)
			same(t, name, &w.Peak, c.Peak)
			if c.Peak.Date == nil {
				continue
			}
			require.InDelta(t, w.Top, *c.PeakValue.Value, 1e-6, name)
			same(t, name, w.Start, c.Start)
			same(t, name, w.End, c.End)
			if c.Integral.Value != nil {
				require.InDelta(t, *w.Integral, *c.Integral.Value, 1e-4, name)
			}
		}
	}
}

// same compares a day with that of the witness, which also reports days in gaps and the highest value so far.
func same(t *testing.T, name string, day *float64, m phenology.Moment) {
	t.Helper()
	if m.Date == nil {
		require.NotEmpty(t, m.Reason, name)
		return
	}
	require.NotNil(t, day, name)
	require.Equal(t, int64(math.Round(*day)), m.Date.Unix()/86400, name)
}

func witness(t *testing.T, python string, points []vegetation.Weighted) (out []told) {
	t.Helper()
	var in, result, said bytes.Buffer
	for _, p := range points {
		fmt.Fprintf(&in, "%s,%v,%v\n", p.Date.Format(time.DateOnly), p.Value, p.Weight)
	}
	command := exec.CommandContext(t.Context(), python, "testdata/witness.py")
	command.Stdin, command.Stdout, command.Stderr = &in, &result, &said
	require.NoError(t, command.Run(), said.String())
	require.NoError(t, json.Unmarshal(result.Bytes(), &out))
	return out
}

// accepted reads a reference series: its dates with at least half of the pixels.
func accepted(t *testing.T, path string) (out []vegetation.Weighted) {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	require.NoError(t, err)
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return v
	}
	for _, row := range rows[1:] {
		day, err := time.Parse(time.DateOnly, row[0])
		require.NoError(t, err)
		if coverage := number(row[2]) / number(row[1]); coverage >= 0.5 {
			out = append(out, vegetation.Weighted{Date: day, Value: number(row[3]), Weight: coverage})
		}
	}
	return out
}
