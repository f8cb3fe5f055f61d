package vegetation_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/vegetation"
)

func scene(dataset vegetation.DatasetCode, platform string, bands ...vegetation.Band) vegetation.Scene {
	s := vegetation.Scene{
		ID: string(dataset) + platform, Dataset: dataset, Platform: platform, SensedAt: sensed("2023-08-10T10:07:31Z"), Bands: map[vegetation.Band]bool{},
	}
	for _, b := range bands {
		s.Bands[b] = true
	}
	return s
}

func TestWhatIsAdjustedAndWhatIsNot(t *testing.T) {
	t.Parallel()
	const (
		s2, s30, l30, c2             = vegetation.SentinelL2A, vegetation.HLSS30, vegetation.HLSL30, vegetation.LandsatC2L2
		red, nir, narrow, edge, swir = vegetation.B04, vegetation.B08, vegetation.B8A, vegetation.B05, vegetation.B12
	)
	for _, c := range []struct {
		scene    vegetation.Scene
		index    vegetation.IndexCode
		adjusted string
		not      string
	}{
		{scene(s2, "sentinel-2a", red, nir, narrow), "NDVI", "[{B08 0.9983 -0.0001} {B04 0.9765 0.0009}]", "[brdf]"},
		{scene(s2, "sentinel-2b", red, nir, narrow), "NDVI", "[{B08 0.9966 0} {B04 0.9761 0.001}]", "[brdf]"},
		{scene(s2, "sentinel-2a", red, nir), "NDVI", "[{B04 0.9765 0.0009}]", "[B08 brdf]"},
		{scene(s2, "sentinel-2c", red, nir, narrow), "NDVI", "[]", "[B08 B04 brdf]"},
		{scene(s2, "sentinel-2", red, nir, narrow), "NDVI", "[]", "[B08 B04 brdf]"},
		{scene("", "sentinel-2a", nir, narrow, edge), "NDRE", "[{B08 0.9983 -0.0001}]", "[B05 brdf]"},
		{scene(s2, "sentinel-2b", nir, narrow, swir), "NBR", "[{B08 0.9966 0} {B12 0.9867 0.0004}]", "[brdf]"},
		{scene(s30, "sentinel-2a", red, nir, narrow), "NDVI", "[]", "[]"},
		{scene(s30, "sentinel-2a", red, nir), "NDVI", "[]", "[B08]"},
		{scene(s30, "sentinel-2b", nir, narrow, edge), "CIre", "[]", "[B05]"},
		{scene(l30, "landsat-8", red, nir), "NDVI", "[]", "[]"},
		{scene(c2, "landsat-9", red, nir), "NDVI", "[]", "[brdf]"},
		{scene(c2, "landsat-7", red, nir), "NDVI", "[{B08 0.8462 0.0412} {B04 0.9047 0.0061}]", "[brdf]"},
		{scene(c2, "landsat-5", red, nir), "NDVI", "[]", "[B08 B04 brdf]"},
	} {
		index, err := vegetation.ParseIndex(string(c.index))
		require.NoError(t, err)
		name := fmt.Sprint(c.scene.ID, c.scene.Bands, c.index)
		got := vegetation.Harmonise(c.scene, index)
		require.Equal(t, []string{c.adjusted, c.not}, []string{fmt.Sprint(got.Adjusted), fmt.Sprint(got.NotAdjusted)}, name)
		require.Equal(t, len(got.Adjusted) > 0 || got.Dataset == s30, got.Source != "", name)
		require.Equal(t, c.scene.Platform, got.Platform)
	}
}

func TestAdjustedReflectances(t *testing.T) {
	t.Parallel()
	l := layer(1000, 3000, constant(4))
	l.Adjusted = []vegetation.Adjustment{{Band: vegetation.B04, Slope: 0.9765, Offset: 0.0009}}
	composite := vegetation.NewComposite(cover(t, rectangle(0, 0, 10, 4)), ndvi, vegetation.MaskStandard)
	_, err := composite.Add(l)
	require.NoError(t, err)
	red := 0.9765*0.1 + 0.0009
	require.InDelta(t, (0.3-red)/(0.3+red), composite.Result(pass, nil).Observation.Value, 1e-12)
}

// No pass merges two data sets; those of a day come in the order in which they win; data sets that cannot have the index are left out.
func TestHarmonisedPasses(t *testing.T) {
	t.Parallel()
	scenes := []vegetation.Scene{
		scene(vegetation.SentinelL2A, "sentinel-2a"), scene(vegetation.HLSS30, "sentinel-2a"), scene(vegetation.LandsatC2L2, "landsat-8"), scene(vegetation.HLSL30, "landsat-8"),
	}
	passes := func(index vegetation.IndexCode, of vegetation.DatasetCode) (out []string) {
		for _, p := range (vegetation.Reading{Index: index, Dataset: of}).Passes(scenes, 9) {
			for _, s := range p.Scenes {
				out = append(out, string(s.Dataset))
			}
			out = append(out, "|")
		}
		return out
	}
	require.Equal(t, []string{"hls-l30", "|", "hls-s30", "|", "landsat-c2-l2", "|", "sentinel-2-l2a", "|"}, passes("NDVI", vegetation.Harmonised))
	require.Equal(t, []string{"hls-s30", "|", "sentinel-2-l2a", "|"}, passes("NDRE", vegetation.Harmonised))
	require.Equal(t, []string{"hls-s30", "|"}, passes("NDVI", vegetation.HLSS30))
	require.Len(t, passes("NDVI", vegetation.AllDatasets), 4+2, "as before: by platform")
	observed := func(of vegetation.DatasetCode, coverage float64) vegetation.Outcome {
		return vegetation.Outcome{Observation: &vegetation.Observation{Date: pass.Day, Coverage: coverage, Sensor: &vegetation.Sensor{Dataset: of}}}
	}
	winner := func(outcomes ...vegetation.Outcome) vegetation.DatasetCode {
		return vegetation.Assemble(vegetation.Reading{Index: "NDVI", Dataset: vegetation.Harmonised}, outcomes).Observations[0].Sensor.Dataset
	}
	require.Equal(t, vegetation.HLSL30, winner(observed(vegetation.HLSL30, 1), observed(vegetation.SentinelL2A, 1)))
	require.Equal(t, vegetation.SentinelL2A, winner(observed(vegetation.HLSL30, 0.8), observed(vegetation.SentinelL2A, 0.9)))
}

// Files that only harmonised readings look at do not change the dates of others.
func TestTheNarrowInfraredChangesHarmonisedDatesOnly(t *testing.T) {
	t.Parallel()
	with := fullScene()
	with.Bands = map[vegetation.Band]bool{vegetation.B04: true, vegetation.B08: true, vegetation.B8A: true}
	with.Auxiliary = "narrow"
	require.Equal(t, fingerprint(t, recipe, fullScene()), fingerprint(t, recipe, with))
	harmonised := recipe
	harmonised.Dataset = vegetation.Harmonised
	require.NotEqual(t, fingerprint(t, harmonised, fullScene()), fingerprint(t, harmonised, with))
	require.NotEqual(t, fingerprint(t, recipe, fullScene()), fingerprint(t, harmonised, fullScene()))
}
