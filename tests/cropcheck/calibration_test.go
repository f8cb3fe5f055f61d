package cropcheck

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/cropcheck"
	"tilth/tests/rig"
)

func realSamples(t *testing.T) []cropcheck.Sample {
	t.Helper()
	samples, err := os.Open(rig.RealData(t, "cropcheck", "mato_grosso_samples_open.csv"))
	require.NoError(t, err)
	defer samples.Close()
	series, err := os.Open(rig.RealData(t, "cropcheck", "mato_grosso_series_open.csv"))
	require.NoError(t, err)
	defer series.Close()
	all, err := exchange.Curves{}.ReadSamples(samples, series)
	require.NoError(t, err)
	require.Len(t, all, 857)
	return all
}

func TestExplore(t *testing.T) {
	all := realSamples(t)
	for _, s := range [][]cropcheck.Sample{withoutEVI(all), all} {
		j := crossValidate(t, s)
		T := cropcheck.FitTemperature(labelled(j))
		t.Log(topShare(j, 1), topShare(j, 2), T)
	}
}
