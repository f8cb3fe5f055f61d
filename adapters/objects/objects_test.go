package objects_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/objects"
	"tilth/core/fault"
	"tilth/tests/s3test"
)

// each runs a test on every kind of store; age makes a stored file older than it is.
func each(t *testing.T, test func(t *testing.T, store objects.Store, age func(name string, to time.Time))) {
	t.Run("folder", func(t *testing.T) {
		f, dir := open(t)
		test(t, f, func(name string, to time.Time) { require.NoError(t, os.Chtimes(filepath.Join(dir, name), to, to)) })
	})
	t.Run("bucket", func(t *testing.T) {
		server := s3test.Start(t)
		b, err := objects.Open(server.Address("some/where"))
		require.NoError(t, err)
		test(t, b, func(name string, to time.Time) { server.Age(t, "some/where/"+name, to) })
	})
}

func open(t *testing.T) (objects.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "when needed")
	f, err := objects.Open("file:" + dir)
	require.NoError(t, err)
	return f, dir
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestObjects(t *testing.T) {
	each(t, func(t *testing.T, store objects.Store, _ func(string, time.Time)) {
		ctx := t.Context()
		require.NoError(t, store.Check(ctx))
		_, err := store.Open(ctx, "imports/a")
		require.True(t, fault.Is(err, fault.NotFound), "%v", err)
		require.NoError(t, store.Remove(ctx, "imports/a"), "what is not there need not be removed")

		size, err := store.Put(ctx, "imports/a", strings.NewReader("hello"))
		require.NoError(t, err)
		require.EqualValues(t, 5, size)
		_, err = store.Put(ctx, "imports/none", strings.NewReader(""))
		require.NoError(t, err)
		_, err = store.Put(ctx, "imports/rest", iotest.OneByteReader(io.NewSectionReader(strings.NewReader("hello"), 1, 3)))
		require.NoError(t, err)
		begun := strings.NewReader("hello")
		_, err = begun.Seek(3, io.SeekStart)
		require.NoError(t, err)
		_, err = store.Put(ctx, "b", begun)
		require.NoError(t, err)
		found, err := store.Names(ctx)
		require.NoError(t, err)
		require.Equal(t, []string{"b", "imports/a", "imports/none", "imports/rest"}, found)
		require.Equal(t, "ell", content(t, store, "imports/rest"))
		require.Equal(t, "lo", content(t, store, "b"), "from where the reader stood")
		require.Empty(t, content(t, store, "imports/none"))

		o, err := store.Open(ctx, "imports/a")
		require.NoError(t, err)
		require.EqualValues(t, 5, o.Size())
		text, err := io.ReadAll(io.NewSectionReader(o, 1, 3))
		require.NoError(t, err)
		require.Equal(t, "ell", string(text))
		p := make([]byte, 4)
		n, err := o.ReadAt(p, 3)
		require.Equal(t, "lo", string(p[:n]))
		require.ErrorIs(t, err, io.EOF)
		_, err = o.ReadAt(p, 5)
		require.ErrorIs(t, err, io.EOF)
		_, err = o.ReadAt(p, -1)
		require.Error(t, err)
		require.NoError(t, o.Close())

		_, err = store.Put(ctx, "imports/a", strings.NewReader("another"))
		require.NoError(t, err)
		require.Equal(t, "another", content(t, store, "imports/a"))
		require.NoError(t, store.Remove(ctx, "imports/a"))
		_, err = store.Open(ctx, "imports/a")
		require.True(t, fault.Is(err, fault.NotFound))
	})
}

func content(t *testing.T, store objects.Store, name string) string {
	t.Helper()
	o, err := store.Open(t.Context(), name)
	require.NoError(t, err)
	defer func() { require.NoError(t, o.Close()) }()
	text, err := io.ReadAll(io.NewSectionReader(o, 0, o.Size()))
	require.NoError(t, err)
	return string(text)
}

// unseen hides that a reader can be read again.
type unseen struct{ io.Reader }

// Any way of reading gets what was stored: archives and rasters read a little here and there.
func TestRangesOfAFile(t *testing.T) {
	const size = 3<<20 + 12345
	whole := make([]byte, size)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range whole {
		whole[i] = byte(random.Uint32())
	}
	each(t, func(t *testing.T, store objects.Store, _ func(string, time.Time)) {
		for i, from := range []io.Reader{bytes.NewReader(whole), unseen{bytes.NewReader(whole)}} {
			name := fmt.Sprintf("layers/%d.tif", i)
			n, err := store.Put(t.Context(), name, from)
			require.NoError(t, err)
			require.EqualValues(t, size, n)
			require.True(t, content(t, store, name) == string(whole))
			o, err := store.Open(t.Context(), name)
			require.NoError(t, err)
			for range 300 {
				off := random.IntN(size)
				p := make([]byte, 1+random.IntN(1<<random.IntN(21)))
				n, err := o.ReadAt(p, int64(off))
				require.True(t, bytes.Equal(p[:n], whole[off:min(off+len(p), size)]), "%d at %d", len(p), off)
				if n < len(p) {
					require.ErrorIs(t, err, io.EOF)
				} else {
					require.NoError(t, err)
				}
			}
			require.NoError(t, o.Close())
			_, err = io.ReadAll(io.NewSectionReader(o, 0, 10))
			require.Error(t, err, "closed")
		}
	})
}

func TestAFileIsWholeOrNotThere(t *testing.T) {
	each(t, func(t *testing.T, store objects.Store, _ func(string, time.Time)) {
		broken := errors.New("the sender left")
		for _, sent := range []int{4, 1 << 20} {
			_, err := store.Put(t.Context(), "imports/a", io.MultiReader(strings.NewReader(strings.Repeat("x", sent)), iotest.ErrReader(broken)))
			require.ErrorIs(t, err, broken)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := store.Put(ended, "imports/b", unseen{strings.NewReader("x")})
		require.ErrorIs(t, err, context.Canceled)
		_, err = store.Put(ended, "imports/b", strings.NewReader("x"))
		require.ErrorIs(t, err, context.Canceled)
		found, err := store.Names(t.Context())
		require.NoError(t, err)
		require.Empty(t, found, "nothing is left behind")
	})
	f, dir := open(t)
	_, err := f.Put(t.Context(), "imports/a", iotest.ErrReader(io.ErrClosedPipe))
	require.Error(t, err)
	require.Empty(t, names(t, filepath.Join(dir, "imports")))
}

func TestRemoveOlder(t *testing.T) {
	each(t, func(t *testing.T, store objects.Store, age func(string, time.Time)) {
		ctx := t.Context()
		require.NoError(t, store.RemoveOlder(ctx, "imports", time.Now()), "a folder that is not there is empty")
		for _, name := range []string{"imports/old", "imports/new", "importsandmore/old", "old"} {
			_, err := store.Put(ctx, name, strings.NewReader(name))
			require.NoError(t, err)
			if strings.HasSuffix(name, "old") {
				age(name, time.Now().Add(-48*time.Hour))
			}
		}
		require.NoError(t, store.RemoveOlder(ctx, "imports", time.Now().Add(-47*time.Hour)))
		found, err := store.Names(ctx)
		require.NoError(t, err)
		require.Equal(t, []string{"imports/new", "importsandmore/old", "old"}, found)
	})
}

func TestNamesStayInTheFolder(t *testing.T) {
	each(t, func(t *testing.T, store objects.Store, _ func(string, time.Time)) {
		for _, name := range []string{"../a", "/etc/passwd", "", "a/../../b"} {
			_, err := store.Put(t.Context(), name, strings.NewReader("x"))
			require.Error(t, err, name)
			_, err = store.Open(t.Context(), name)
			require.Error(t, err, name)
			require.Error(t, store.Remove(t.Context(), name), name)
			require.Error(t, store.RemoveOlder(t.Context(), name, time.Now()), name)
		}
	})
}

func TestAFolderThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	f, err := objects.Open("file:" + file)
	require.NoError(t, err)
	require.True(t, fault.Is(f.Check(t.Context()), fault.Unavailable))
	_, err = f.Put(t.Context(), "imports/a", strings.NewReader("x"))
	require.True(t, fault.Is(err, fault.Unavailable))
	for _, address := range []string{"", "file:", "ftp://bucket"} {
		_, err := objects.Open(address)
		require.Error(t, err)
	}
}
