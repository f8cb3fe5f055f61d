package contract

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func rowsOfFile(t *testing.T, name string) map[string][]map[string]any {
	t.Helper()
	archive, err := zip.OpenReader(name)
	require.NoError(t, err)
	defer func() { require.NoError(t, archive.Close()) }()
	out := map[string][]map[string]any{}
	for _, f := range archive.File {
		table, is := strings.CutPrefix(f.Name, "tables/")
		if !is {
			continue
		}
		in, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		table = strings.TrimSuffix(table, ".jsonl")
		out[table] = nil
		for line := range strings.Lines(string(text)) {
			var row map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &row))
			out[table] = append(out[table], row)
		}
	}
	return out
}

// rewritten copies a file of a company with the contents of some entries changed; nil removes an entry. If honest, the
// manifest is changed to match.
func rewritten(t *testing.T, from string, honest bool, change map[string]func([]byte) []byte) string {
	t.Helper()
	archive, err := zip.OpenReader(from)
	require.NoError(t, err)
	defer func() { require.NoError(t, archive.Close()) }()
	to := filepath.Join(t.TempDir(), "changed.zip")
	file, err := os.Create(to)
	require.NoError(t, err)
	w := zip.NewWriter(file)
	digests := map[string][2]string{}
	for _, f := range archive.File {
		in, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		before := hexOf(text)
		if f.Name == "manifest.json" && honest {
			for _, sums := range digests {
				text = bytes.ReplaceAll(text, []byte(sums[0]), []byte(sums[1]))
			}
		}
		if do := change[f.Name]; do != nil {
			if text = do(text); text == nil {
				continue
			}
		}
		digests[f.Name] = [2]string{before, hexOf(text)}
		entry, err := w.Create(f.Name)
		require.NoError(t, err)
		_, err = entry.Write(text)
		require.NoError(t, err)
	}
	if do := change["+"]; do != nil {
		entry, err := w.Create("extra")
		require.NoError(t, err)
		_, err = entry.Write(do(nil))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, file.Close())
	return to
}

func hexOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
