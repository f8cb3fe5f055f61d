package kept_test

import (
	"errors"
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

func TestWithoutAFolderEachProcessMakesItsOwn(t *testing.T) {
	t.Setenv(kept.Variable, "")
	var made atomic.Int64
	for range 2 {
		_, err := kept.Once("file", func() ([]byte, error) { made.Add(1); return nil, nil })
		require.NoError(t, err)
	}
	require.EqualValues(t, 2, made.Load())
}
