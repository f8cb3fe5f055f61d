package spill_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/internal/spill"
)

const rowBytes = 100

var shape = spill.Shape{Rows: 50, RowBytes: rowBytes}

func block(seed uint64) []byte {
	out := make([]byte, 50*rowBytes)
	random := rand.New(rand.NewPCG(seed, 1))
	for i := range out {
		out[i] = byte(random.Uint32())
	}
	return out
}

// rows returns rows without their checksums.
func rows(f *spill.Folder, name string, from, to int) ([]byte, bool) {
	stored, ok := f.Rows(name, shape, from, to, nil)
	out := []byte{}
	for row := range slices.Chunk(stored, shape.Stored()) {
		out = append(out, row[:rowBytes]...)
	}
	return out, ok
}

func open(dir string, upper int64) *spill.Folder {
	return spill.New(dir, upper, slog.New(slog.DiscardHandler))
}

// files returns the files of a folder, and their bytes.
func files(t *testing.T, dir string) (paths []string, bytes int64) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			info, err := entry.Info()
			require.NoError(t, err)
			paths, bytes = append(paths, path), bytes+info.Size()
		}
		return err
	}))
	return paths, bytes
}

func TestRowsOfWhatIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	open(dir, 1<<20).Put(t.Context(), "a", block(1), rowBytes)
	f := open(dir, 1<<20) // after a restart
	for _, span := range [][2]int{{0, 50}, {7, 9}, {49, 50}, {3, 3}} {
		got, ok := rows(f, "a", span[0], span[1])
		require.True(t, ok)
		require.True(t, bytes.Equal(block(1)[span[0]*rowBytes:span[1]*rowBytes], got))
	}
	_, ok := rows(f, "b", 0, 1)
	require.False(t, ok)
	var none *spill.Folder
	none.Put(t.Context(), "a", block(1), rowBytes)
	_, ok = rows(none, "a", 0, 1)
	require.False(t, ok)
}

// A file that was cut, or in which a bit flipped, counts as missing, and is removed.
func TestWhatIsDamagedIsMissing(t *testing.T) {
	dir := t.TempDir()
	f := open(dir, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		f.Put(t.Context(), "a", block(1), rowBytes)
		paths, _ := files(t, dir)
		require.Len(t, paths, 1)
		data, err := os.ReadFile(paths[0])
		require.NoError(t, err)
		if at := random.IntN(len(data)); at%2 == 0 {
			data = data[:at]
		} else {
			data[at] ^= 1 << random.IntN(8)
		}
		require.NoError(t, os.WriteFile(paths[0], data, 0o600))
		_, ok := rows(f, "a", 0, 50)
		require.False(t, ok)
		paths, _ = files(t, dir)
		require.Empty(t, paths)
	}
}

// Two processes share a folder: together they keep within its bound, except for a part each, and what was used last stays.
func TestAFolderIsBounded(t *testing.T) {
	dir := t.TempDir()
	const upper = 400_000
	one, other := open(dir, upper), open(dir, upper)
	name := func(i int) string { return fmt.Sprint("block ", i) }
	age := func() {
		paths, _ := files(t, dir)
		for _, path := range paths {
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime().Add(-2*time.Hour)))
		}
	}
	for i := range 200 {
		age()
		_, kept := rows(one, name(0), 0, 1)
		require.True(t, kept || i == 0, "it is used all the time")
		f := one
		if i%2 == 1 {
			f = other
		}
		f.Put(t.Context(), name(i), block(uint64(i)), rowBytes)
		_, size := files(t, dir)
		require.LessOrEqual(t, size, int64(upper+2*upper/32))
	}
	_, size := files(t, dir)
	require.Greater(t, size, int64(upper*3/4))
	_, kept := rows(one, name(199), 0, 1)
	require.True(t, kept)
	_, kept = rows(one, name(1), 0, 1)
	require.False(t, kept)
}

func TestWhatIsTooLargeOrCannotBeWrittenIsNotKept(t *testing.T) {
	dir := t.TempDir()
	f := open(dir, 32*5000-1)
	f.Put(t.Context(), "a", block(1), rowBytes)
	paths, _ := files(t, dir)
	require.Empty(t, paths)

	blocked := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(blocked, nil, 0o600))
	var log bytes.Buffer
	f = spill.New(blocked, 1<<20, slog.New(slog.NewTextHandler(&log, nil)))
	for range 3 {
		f.Put(t.Context(), "a", block(1), rowBytes)
	}
	require.Equal(t, 1, bytes.Count(log.Bytes(), []byte("cannot be kept on disk")))
	_, ok := rows(f, "a", 0, 1)
	require.False(t, ok)
}

// A later sweep removes what a process left unfinished, however many read and write meanwhile.
func TestManyShareAFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "aa"), 0o700))
	left := filepath.Join(dir, "aa", ".new-1")
	require.NoError(t, os.WriteFile(left, []byte("half"), 0o600))
	require.NoError(t, os.Chtimes(left, time.Time{}, time.Now().Add(-2*time.Hour)))
	var crowd sync.WaitGroup
	for range 8 {
		f := open(dir, 200_000)
		crowd.Go(func() {
			for i := range 100 {
				name := fmt.Sprint(i % 60)
				if got, ok := rows(f, name, 10, 20); ok {
					if !bytes.Equal(got, block(uint64(i % 60))[10*rowBytes:20*rowBytes]) {
						t.Error("other rows")
					}
					continue
				}
				f.Put(t.Context(), name, block(uint64(i%60)), rowBytes)
			}
		})
	}
	crowd.Wait()
	_, err := os.Stat(left)
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, size := files(t, dir)
	require.LessOrEqual(t, size, int64(200_000+8*200_000/32))
}
