package engine

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"tilth/core/country"
	"tilth/core/ghg"
)

// digests of the factor sets: results name them, so a set never changes under its
// version. A changed row is a new edition, with a note in docs/ghg.md.
var digests = map[string]string{
	ghg.IPCC2019: "11906d598a620720fb77cea2cf815a6185bf7ef71f093133bee9a312a599cbd8",
	ghg.IPCC2006: "74c60d31dd0d4e9156f80077320f9d75eae5bab071dcbb7e983fdaa146ae5e65",
}

func TestFactorSets(t *testing.T) {
	t.Parallel()
	for id, digest := range digests {
		set, err := FactorSet(id)
		require.NoError(t, err)
		require.Equal(t, digest, set.Digest, "%s changed: raise its version, and announce it in docs/ghg.md", id)
		for _, zone := range set.Mapping().Values("general", "climate_region") {
			require.NotEmpty(t, zone)
		}
		require.Len(t, set.Mapping().Values("general", "climate_region"), 10)
		require.Len(t, set.Mapping().Values("crop", "crop_type"), 36)
		require.Equal(t, []string{"wet", "dry"}, set.Mapping().Values("soil_n2o", "ef4"))
		require.Equal(t, []string{"full", "reduced", "no_till"}, set.Mapping().Values("land_management", "tillage"))
		for _, key := range set.Mapping().Values("general", "farm_country") {
			require.True(t, key == "none" || country.Known(key), key)
		}
	}
	_, err := FactorSet("theirs")
	require.ErrorContains(t, err, "theirs")
}

// TestBrokenTables: a table that cannot be trusted is not loaded at all.
func TestBrokenTables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, from, to, says string }{
		"no row":          {"soil_n2o.csv", "ef4.wet,", "ef4.moist,", "ef4.wet"},
		"a row twice":     {"soil_n2o.csv", "ef4.wet,", "ef4.dry,", "two rows"},
		"no number":       {"soil_n2o.csv", "ef5,0.011", "ef5,some", "ef5"},
		"outside a range": {"soil_n2o.csv", "ef5,0.011", "ef5,0.11", "outside its range"},
		"half a range":    {"soil_n2o.csv", "Table 11.3,0,0.02,verified", "Table 11.3,0,,verified", "upper"},
		"no status":       {"soil_n2o.csv", "Table 11.3,0,0.02,verified", "Table 11.3,0,0.02,certain", "status"},
		"a zone without":  {"soc_factors_2019.csv", "f_mg.no_till.boreal_dry,", "f_mg.no_till.polar,", "boreal_dry"},
		"no warming":      {"mapping.csv", "general,gwp_set/n2o,ar6,", "general,gwp_set/n2o,ar7,", "gwp_set/n2o"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			names, err := fs.Glob(data, "data/*.csv")
			require.NoError(t, err)
			for _, name := range names {
				text, err := fs.ReadFile(data, name)
				require.NoError(t, err)
				files[name] = &fstest.MapFile{Data: text}
			}
			file := files["data/"+c.file]
			changed := strings.Replace(string(file.Data), c.from, c.to, 1)
			require.NotEqual(t, string(file.Data), changed)
			file.Data = []byte(changed)
			_, err = editionsOf(func() (ghg.FactorTables, error) { return readTables(files) })[ghg.IPCC2019]()
			require.ErrorContains(t, err, c.says)
		})
	}
}
