package imagery_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/vegetation"
	"tilth/tests/realdata"
)

// rewritten copies a real archive, changing each of its items.
func rewritten(t *testing.T, name string, change func(properties, assets object)) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.CopyFS(dir, os.DirFS(realdata.Path(t, "satellite", name))))
	require.NoError(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") {
			return err
		}
		raw, err := os.ReadFile(path)
		require.NoError(t, err)
		var item object
		require.NoError(t, json.Unmarshal(raw, &item))
		if item["type"] != "Feature" {
			return nil
		}
		change(item["properties"].(object), item["assets"].(object))
		raw, err = json.Marshal(item)
		require.NoError(t, err)
		return os.WriteFile(path, raw, 0o600)
	}))
	return dir
}

// Whatever the metadata of the Slovenian scenes are made to state, their pixels are the same, and
// so is the series: the offset is neither applied twice nor silently forgotten.
func TestTheSlovenianSeriesDoesNotDependOnWhatTheMetadataSay(t *testing.T) {
	field := rectangle(t, 32633, 550000, 5086000, 556000, 5099000)
	series := func(dir string) vegetation.Series {
		return compute(t, openFolder(t, dir), field, vegetation.NDVI, "2023-08-01", "2023-08-31", vegetation.MaskStandard)
	}
	want := series(realdata.Path(t, "satellite", slovenia))
	require.NotEmpty(t, want.Observations)
	require.Empty(t, want.Warnings())
	const flag = "earthsearch:boa_offset_applied"
	for name, tt := range map[string]struct {
		change func(properties, assets object)
		basis  vegetation.OffsetBasis
	}{
		"the flag's first name": {func(p, _ object) { p["sentinel:boa_offset_applied"] = p[flag]; delete(p, flag) }, vegetation.OffsetByFlag},
		"no flag":               {func(p, _ object) { delete(p, flag) }, vegetation.OffsetByPixels},
		"not applied":           {func(p, _ object) { p[flag] = false }, vegetation.OffsetByPixels},
		"nothing but a baseline": {func(p, assets object) {
			delete(p, flag)
			for _, a := range assets {
				delete(a.(object), "raster:bands")
			}
		}, vegetation.OffsetByPixels},
	} {
		t.Run(name, func(t *testing.T) {
			got := series(rewritten(t, slovenia, tt.change))
			require.Equal(t, want.Profile(), got.Profile())
			for _, o := range got.Observations {
				for _, offset := range o.Offsets {
					require.Equal(t, vegetation.AppliedOffset{Item: offset.Item, Basis: tt.basis}, offset)
				}
			}
			if tt.basis != vegetation.OffsetByPixels {
				require.Empty(t, got.Warnings())
				return
			}
			require.Len(t, got.Warnings(), 1)
			require.Equal(t, vegetation.WarnOffsetByPixels, got.Warnings()[0].Code)
			require.Contains(t, got.Warnings()[0].Message, want.Observations[0].Date.Format("2006-01-02"))
		})
	}
}
