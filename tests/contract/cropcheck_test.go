package contract

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tilth/tests/realdata"

	"github.com/stretchr/testify/require"
)

// noDatabase is an address that cannot be opened: these commands must not try.
const noDatabase = "sqlite:/nowhere/at/all.db"

type (
	verdict struct {
		ID         string   `json:"id"`
		Verdict    string   `json:"verdict"`
		Confidence *float64 `json:"confidence"`
		Resembles  *string  `json:"resembles"`
		Reason     string   `json:"reason"`
		Ranking    []ranked `json:"ranking"`
	}
	ranked struct {
		Class    string  `json:"class"`
		Distance float64 `json:"distance"`
		Within   bool    `json:"within"`
	}
)

func cropCheck(t *testing.T, args ...string) (out []verdict) {
	t.Helper()
	text, errOut, status := run(t, noDatabase, "", append([]string{"crop-check"}, args...)...)
	require.Zero(t, status, errOut)
	for dec := json.NewDecoder(strings.NewReader(text)); dec.More(); {
		var v verdict
		require.NoError(t, dec.Decode(&v), text)
		out = append(out, v)
	}
	return out
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestCropCheckCommand(t *testing.T) {
	t.Parallel()
	curves, errOut, status := run(t, noDatabase, "", "curves", "show", "--built-in")
	require.Zero(t, status, errOut)
	file := write(t, "curves.csv", curves)
	// The curve of a class is a series of that class.
	series := "id,date,ndvi\nfew,2014-09-30,0.31\n"
	day := time.Date(2014, 9, 14, 0, 0, 0, 0, time.UTC)
	for _, line := range strings.Split(curves, "\n") {
		if f := strings.Split(line, ","); f[0] == "Soy_Cotton" {
			series += "cotton," + day.Format(time.DateOnly) + "," + f[4] + "\n"
			day = day.AddDate(0, 0, 16)
		}
	}
	for i := range 23 {
		series += "lake," + time.Date(2014, 9, 14+16*i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) + ",-0.2\n"
	}
	path := write(t, "series.csv", series)
	for _, more := range [][]string{nil, {"--json"}, {"--curves", file}} {
		got := cropCheck(t, append([]string{"--series", path, "--declared", "Soy_Cotton"}, more...)...)
		require.Len(t, got, 3)
		few, cotton, lake := got[0], got[1], got[2]
		require.Equal(t, "failed", lake.Verdict)
		require.Equal(t, "none", *lake.Resembles)
		require.Equal(t, "Soy_Cotton", *cotton.Resembles)
		require.Nil(t, few.Resembles)
		require.Equal(t, "few", few.ID)
		require.Equal(t, "pending", few.Verdict)
		require.Nil(t, few.Confidence)
		require.NotNil(t, few.Ranking)
		require.Empty(t, few.Ranking)
		require.Equal(t, "cotton", cotton.ID)
		require.Equal(t, "verified", cotton.Verdict)
		require.Greater(t, *cotton.Confidence, 0.9)
		require.Len(t, cotton.Ranking, 7)
		require.Equal(t, "Soy_Cotton", cotton.Ranking[0].Class)
		require.Contains(t, few.Reason, "Mato Grosso")
		require.Contains(t, cotton.Reason, "Mato Grosso")
	}
	require.Equal(t, "failed", cropCheck(t, "--series", path, "--declared", "Soy_Millet")[1].Verdict)
	require.Equal(t, "verified", cropCheck(t, "--series", path, "--declared", "Soy_Millet,Soy_Cotton")[1].Verdict)
	require.Contains(t, cropCheck(t, "--series", path, "--declared", "Rice")[1].Reason, "no curve for Rice")

	for status, calls := range map[int][][]string{
		2: {{"crop-check"}, {"crop-check", "--series", path}, {"curves", "build"}, {"curves", "grow"}},
		1: {{"crop-check", "--series", file, "--declared", "a"}, {"crop-check", "--series", path, "--declared", "a", "--curves", path}, {"crop-check", "--series", "nowhere.csv", "--declared", "a"}, {"curves", "build", "--samples", path, "--series", path}},
	} {
		for _, call := range calls {
			out, errOut, got := run(t, noDatabase, "", call...)
			require.Equal(t, status, got, "%v", call)
			require.NotEmpty(t, errOut, "%v", call)
			require.Empty(t, out, "%v", call)
		}
	}
}

func TestCurvesBuildGivesTheCurvesThatAreBuiltIn(t *testing.T) {
	t.Parallel()
	built, errOut, status := run(t, noDatabase, "", "curves", "build",
		"--samples", realdata.Path(t, "cropcheck", "mato_grosso_samples_open.csv"), "--series", realdata.Path(t, "cropcheck", "mato_grosso_series_open.csv"))
	require.Zero(t, status, errOut)
	shown, _, _ := run(t, noDatabase, "", "curves", "show", "--built-in")
	require.Equal(t, shown, built)
}

func TestCropCheckOfTheLabelledSeries(t *testing.T) {
	t.Parallel()
	series := realdata.Path(t, "cropcheck", "mato_grosso_series_open.csv")
	for _, class := range []string{"Soy_Corn", "Pasture"} {
		got := cropCheck(t, "--series", series, "--declared", class)
		require.Len(t, got, 857)
		for _, v := range got {
			within := slices.DeleteFunc(slices.Clone(v.Ranking), func(r ranked) bool { return !r.Within })
			if len(within) == 0 {
				require.Equal(t, "none", *v.Resembles, v.ID)
				require.Equal(t, "failed", v.Verdict, v.ID)
				continue
			}
			require.Equal(t, within[0].Class, *v.Resembles, v.ID)
			second := ranked{}
			if len(within) > 1 {
				second = within[1]
			}
			near := within[0].Class == class || second.Class == class && second.Distance < 1.15*within[0].Distance
			require.Contains(t, map[bool][]string{true: {"verified", "pending"}, false: {"failed", "pending"}}[near], v.Verdict, v.ID)
			require.True(t, v.Confidence == nil || *v.Confidence >= 0.5, v.ID)
			require.True(t, slices.IsSortedFunc(v.Ranking, func(a, b ranked) int { return cmp.Compare(a.Distance, b.Distance) }))
		}
	}
}
