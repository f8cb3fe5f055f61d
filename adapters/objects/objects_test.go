package objects_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/objects"
	"tilth/core/fault"
)

func open(t *testing.T) (*objects.Folder, string) {
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
	ctx := context.Background()
	f, dir := open(t)
	_, err := f.Open(ctx, "imports/a")
	require.True(t, fault.Is(err, fault.NotFound))
	require.NoError(t, f.Remove(ctx, "imports/a"), "what is not there need not be removed")

	size, err := f.Put(ctx, "imports/a", strings.NewReader("hello"))
	require.NoError(t, err)
	require.EqualValues(t, 5, size)
	o, err := f.Open(ctx, "imports/a")
	require.NoError(t, err)
	require.EqualValues(t, 5, o.Size())
	text, err := io.ReadAll(io.NewSectionReader(o, 1, 3))
	require.NoError(t, err)
	require.Equal(t, "ell", string(text))
	require.NoError(t, o.Close())
	require.NoError(t, f.Remove(ctx, "imports/a"))
	require.Empty(t, names(t, filepath.Join(dir, "imports")))
}

func TestAFileIsWholeOrNotThere(t *testing.T) {
	f, dir := open(t)
	broken := errors.New("the sender left")
	_, err := f.Put(context.Background(), "imports/a", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = f.Put(ended, "imports/b", strings.NewReader("x"))
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, names(t, filepath.Join(dir, "imports")), "nothing is left behind")
}

func TestRemoveOlder(t *testing.T) {
	ctx := context.Background()
	f, dir := open(t)
	require.NoError(t, f.RemoveOlder(ctx, "imports", time.Now()), "a folder that is not there is empty")
	for _, name := range []string{"imports/old", "imports/new"} {
		_, err := f.Put(ctx, name, strings.NewReader(name))
		require.NoError(t, err)
	}
	past := time.Now().Add(-48 * time.Hour)
	require.NoError(t, os.Chtimes(filepath.Join(dir, "imports", "old"), past, past))
	require.NoError(t, f.RemoveOlder(ctx, "imports", past.Add(time.Hour)))
	require.Equal(t, []string{"new"}, names(t, filepath.Join(dir, "imports")))
}

func TestNamesStayInTheFolder(t *testing.T) {
	f, _ := open(t)
	for _, name := range []string{"../a", "/etc/passwd", ""} {
		_, err := f.Put(context.Background(), name, strings.NewReader("x"))
		require.Error(t, err, name)
		_, err = f.Open(context.Background(), name)
		require.Error(t, err, name)
	}
}

func TestAFolderThatCannotBeUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	f, err := objects.Open("file:" + file)
	require.NoError(t, err)
	_, err = f.Put(context.Background(), "imports/a", strings.NewReader("x"))
	require.True(t, fault.Is(err, fault.Unavailable))
	for _, address := range []string{"", "file:", "s3://bucket"} {
		_, err := objects.Open(address)
		require.Error(t, err)
	}
}
