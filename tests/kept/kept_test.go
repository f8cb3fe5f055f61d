package kept_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/kept"
)

func TestAFileIsMadeOnce(t *testing.T) {
	t.Setenv(kept.Variable, t.TempDir())
	_, err := kept.Once("file", func() ([]byte, error) { return nil, errors.New("no space") })
	require.EqualError(t, err, "no space")
	whole := strings.Repeat("content ", 100_000)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			file, err := kept.Once("file", func() ([]byte, error) { return []byte(whole), nil })
			if err != nil || string(file) != whole {
				t.Errorf("%d bytes: %v", len(file), err)
			}
		})
	}
	wg.Wait()
	file, err := kept.Once("file", func() ([]byte, error) { panic("made again") })
	require.NoError(t, err)
	require.Equal(t, whole, string(file))
}

func TestAFolderIsMadeOnce(t *testing.T) {
	all := t.TempDir()
	t.Setenv(kept.Variable, all)
	_, err := kept.Folder("folder", func(string) error { return errors.New("no space") })
	require.EqualError(t, err, "no space")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			path, err := kept.Folder("folder", func(folder string) error {
				return os.WriteFile(filepath.Join(folder, "file"), []byte("content"), 0o600)
			})
			if err != nil {
				t.Error(err)
			}
			if file, err := os.ReadFile(filepath.Join(path, "file")); err != nil || string(file) != "content" {
				t.Errorf("%q: %v", file, err)
			}
		})
	}
	wg.Wait()
	path, err := kept.Folder("folder", func(string) error { panic("made again") })
	require.NoError(t, err)
	require.Equal(t, filepath.Join(all, "folder"), path)
	left, err := os.ReadDir(all)
	require.NoError(t, err)
	require.Len(t, left, 1, "what was made in vain is removed")

	t.Setenv(kept.Variable, "")
	path, err = kept.Folder("folder", func(string) error { panic("there is nowhere to put it") })
	require.NoError(t, err)
	require.Empty(t, path)
}

func TestWithoutAFolderEachProcessMakesItsOwn(t *testing.T) {
	t.Setenv(kept.Variable, "")
	var made atomic.Int64
	for range 2 {
		_, err := kept.Once("file", func() ([]byte, error) { made.Add(1); return nil, nil })
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, made.Load())
}
