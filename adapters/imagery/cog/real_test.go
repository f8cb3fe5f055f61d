package cog_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/image/tiff"

	"tilth/adapters/imagery/cog"
	"tilth/tests/realdata"
)

func TestEveryRealFileEqualsTheImageLibrary(t *testing.T) {
	files := 0
	err := filepath.WalkDir(realdata.Path(t, "satellite"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tif") {
			return err
		}
		files++
		source, err := cog.FromFile(path)
		require.NoError(t, err)
		f, err := cog.NewReader(8<<20).Open(t.Context(), source, path)
		require.NoError(t, err)
		got, err := f.Read(t.Context(), whole(f))
		require.NoError(t, err)
		in, err := os.Open(path)
		require.NoError(t, err)
		defer in.Close()
		img, err := tiff.Decode(in)
		require.NoError(t, err)
		require.Equal(t, img.Bounds().Dx()*img.Bounds().Dy(), len(got.DN), path)
		for i, v := range got.DN {
			if v != grey(img, i%got.Grid.Width, i/got.Grid.Width) {
				t.Fatalf("%s: pixel %d is %d", path, i, v)
			}
		}
		require.True(t, got.HasNoData, path)
		require.Contains(t, []int{32630, 32631, 32633}, got.Grid.EPSG, path)
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, files, 200)
}
