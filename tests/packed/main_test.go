package main

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesArePackedInTheirPlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	text, dice := bytes.Repeat([]byte("const a = 1\n"), 1000), make([]byte, 5000)
	_, err := rand.Read(dice)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.js"), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "b.woff2"), dice, 0o600))
	require.NoError(t, pack(folder))
	require.NoError(t, pack(folder), "what is packed stays")
	require.NoFileExists(t, filepath.Join(folder, "a.js"))
	require.NoFileExists(t, filepath.Join(folder, "b.woff2.gz"))
	content, err := os.ReadFile(filepath.Join(folder, "a.js.gz"))
	require.NoError(t, err)
	again, err := packed(text)
	require.NoError(t, err)
	require.Equal(t, again, content)
	r, err := gzip.NewReader(bytes.NewReader(content))
	require.NoError(t, err)
	require.True(t, r.ModTime.IsZero())
	require.Empty(t, r.Name)
	got, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Equal(t, text, got)
}
