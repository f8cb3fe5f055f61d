package cog_test

import (
	"bytes"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/imagery/cog"
	"tilth/core/vegetation"
)

// Blocks that memory has no room for come from disk, even in another process; a header is read once per process.
func TestBlocksComeFromDisk(t *testing.T) {
	dn := scenery(300, 200, 16)
	data := spec{width: 300, height: 200, tiled: true, blockW: 128, blockH: 128, codec: 8, predictor: 2}.encode(t, dn)
	var asked atomic.Int64
	source := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("ETag", `"v1"`)
		serveFile(data)(w, r)
	})
	dir, pixels := t.TempDir(), int64(0)
	process := func() *cog.File {
		f, err := cog.NewReader(0).KeepOnDisk(dir, 64<<20, slog.New(slog.DiscardHandler)).Open(t.Context(), source, "B04.tif")
		require.NoError(t, err)
		return f
	}
	f := process()
	headers := asked.Load()
	_, err := f.Read(t.Context(), whole(f))
	require.NoError(t, err)
	pixels = asked.Load() - headers
	require.Positive(t, pixels)
	for _, f := range []*cog.File{f, process()} {
		asked.Store(0)
		rapid.Check(t, func(r *rapid.T) {
			w := vegetation.Window{Col: rapid.IntRange(0, 299).Draw(r, "col"), Row: rapid.IntRange(0, 199).Draw(r, "row")}
			w.Width, w.Height = rapid.IntRange(1, 300-w.Col).Draw(r, "width"), rapid.IntRange(1, 200-w.Row).Draw(r, "height")
			got, err := f.Read(t.Context(), w)
			require.NoError(r, err)
			for row := range w.Height {
				require.Equal(r, dn[(w.Row+row)*300+w.Col:][:w.Width], got.DN[row*w.Width:][:w.Width])
			}
		})
		require.Zero(t, asked.Load())
	}
}

// A file that may have changed unnoticed is not kept beyond the process: one whose server states neither tag nor age.
// Nor is a small block of a local file, which unpacks as fast. A block of another state of a file is not used for it.
func TestWhatIsNotKeptOnDisk(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	encode := func() ([]byte, []uint16) {
		dn := make([]uint16, 256*256)
		for i := range dn {
			dn[i] = uint16(random.Uint32())
		}
		return spec{width: 256, height: 256, tiled: true, blockW: 128, blockH: 128, codec: 1}.encode(t, dn), dn
	}
	var dn []uint16
	var data []byte
	header := http.Header{}
	source := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		http.ServeContent(w, r, "x.tif", time.Time{}, bytes.NewReader(data))
	})
	dir := t.TempDir()
	read := func(source cog.Source) []uint16 {
		f, err := cog.NewReader(0).KeepOnDisk(dir, 64<<20, slog.New(slog.DiscardHandler)).Open(t.Context(), source, "x.tif")
		require.NoError(t, err)
		got, err := f.Read(t.Context(), whole(f))
		require.NoError(t, err)
		return got.DN
	}
	again := func() cog.Source {
		s, err := cog.FromURL(patient(), source.Address())
		require.NoError(t, err)
		return s
	}
	for range 2 {
		data, dn = encode()
		require.Equal(t, dn, read(again()))
	}
	local := filepath.Join(t.TempDir(), "x.tif")
	require.NoError(t, os.WriteFile(local, data, 0o600))
	small, err := cog.FromFile(local)
	require.NoError(t, err)
	require.Equal(t, dn, read(small))
	kept, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, kept)

	for _, tag := range []string{`"one"`, `"two"`} {
		data, dn = encode()
		header.Set("ETag", tag)
		require.Equal(t, dn, read(again()), tag)
	}
	kept, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.NotEmpty(t, kept)
}
