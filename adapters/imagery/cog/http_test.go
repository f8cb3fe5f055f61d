package cog_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/remote"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

func patient() *remote.Client {
	return remote.New(remote.Options{Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, Jitter: func() float64 { return 0 }})
}

func serve(t *testing.T, handler http.HandlerFunc) cog.Source {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	source, err := cog.FromURL(patient(), server.URL+"/tile/B04.tif")
	require.NoError(t, err)
	return source
}

func serveFile(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "B04.tif", time.Time{}, bytes.NewReader(data))
	}
}

func TestReadsByRanges(t *testing.T) {
	data, dn := tiled(t, 200, 32)
	require.Greater(t, len(data), 20<<10, "the file is larger than the first request")
	var asked atomic.Int64
	source := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		serveFile(data)(w, r)
	})
	require.Equal(t, int64(-1), source.Size())
	f, err := cog.NewReader(1<<20).Open(t.Context(), source, "B04.tif")
	require.NoError(t, err)
	require.Equal(t, int64(len(data)), source.Size())
	got, err := f.Read(t.Context(), whole(f))
	require.NoError(t, err)
	require.Equal(t, dn, got.DN)
	require.LessOrEqual(t, asked.Load(), int64(3), "start, directory at the end, one run of blocks")
}

func TestAnswersThatAreTriedAgain(t *testing.T) {
	data, dn := tiled(t, 32, 16)
	reply := func(status int, contentRange string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", contentRange)
			w.WriteHeader(status)
			_, _ = w.Write(body)
		}
	}
	all := fmt.Sprintf("bytes 0-%d/%d", len(data)-1, len(data))
	for name, first := range map[string]http.HandlerFunc{
		"another range":      reply(206, fmt.Sprintf("bytes 1-%d/%d", len(data)-1, len(data)), data[1:]),
		"less than there is": reply(206, fmt.Sprintf("bytes 0-9/%d", len(data)), data[:10]),
		"no range named":     reply(206, "", data),
		"nonsense":           reply(206, "bytes 5-2/1", data),
		"beyond the end":     reply(206, fmt.Sprintf("bytes 0-%d/5", len(data)-1), data),
		"short body":         reply(206, all, data[:100]),
		"long body":          reply(206, all, append(bytes.Clone(data), 1)),
		"too busy":           reply(503, "", nil),
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			source := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if asked.Add(1) == 1 {
					first(w, r)
					return
				}
				serveFile(data)(w, r)
			})
			f, err := cog.NewReader(1<<20).Open(t.Context(), source, "B04.tif")
			require.NoError(t, err)
			got, err := f.Read(t.Context(), whole(f))
			require.NoError(t, err)
			require.Equal(t, dn, got.DN)
		})
	}
}

func TestServersThatCannotBeUsed(t *testing.T) {
	data, _ := tiled(t, 32, 16)
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		kind    fault.Kind
	}{
		"no ranges": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) }, fault.Invalid},
		"gone":      {http.NotFound, fault.NotFound},
		"away":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, fault.Unavailable},
		"empty":     {serveFile(nil), fault.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cog.NewReader(1<<20).Open(t.Context(), serve(t, tt.handler), "B04.tif")
			require.True(t, fault.Is(err, tt.kind), "%v", err)
			require.ErrorContains(t, err, "B04.tif")
		})
	}
}

// A file that is replaced while it is read is noticed, by its size or, where that is the same, by its tag or its age:
// the server compares the tag, or else the reader does. Opened again, the new file is read, and nothing of the old one.
func TestAFileThatIsReplacedIsNoticed(t *testing.T) {
	version := func(side int, plus uint16) ([]byte, []uint16) {
		dn := scenery(side, side, 16)
		for i := range dn {
			dn[i] += plus
		}
		return spec{width: side, height: side, tiled: true, blockW: 32, blockH: 32}.encode(t, dn), dn
	}
	before, old := version(200, 0)
	same, _ := version(200, 1)
	longer, _ := version(232, 1)
	tagged := func(value string) func(int) http.Header {
		return func(version int) http.Header { return http.Header{"Etag": {fmt.Sprintf(value, version)}} }
	}
	for name, tt := range map[string]struct {
		after  []byte
		header func(version int) http.Header
	}{
		"other size":     {longer, func(int) http.Header { return nil }},
		"other tag":      {same, tagged(`"v%d"`)},
		"other weak tag": {same, tagged(`W/"v%d"`)},
		"other age, without tag": {same, func(v int) http.Header {
			return http.Header{"Last-Modified": {fmt.Sprintf("Thu, 01 May 2025 11:00:%02d GMT", v)}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var replaced atomic.Bool
			source := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if replaced.Load() {
					maps.Copy(w.Header(), tt.header(1))
					serveFile(tt.after)(w, r)
					return
				}
				maps.Copy(w.Header(), tt.header(0))
				serveFile(before)(w, r)
			})
			reader := cog.NewReader(1 << 20)
			corner := vegetation.Window{Col: 199, Row: 199, Width: 1, Height: 1}
			pixel := func(f *cog.File) uint16 {
				got, err := f.Read(t.Context(), corner)
				require.NoError(t, err)
				return got.DN[0]
			}
			f, err := reader.Open(t.Context(), source, "B04.tif")
			require.NoError(t, err)
			require.Equal(t, old[200*200-1], pixel(f))
			replaced.Store(true)
			require.Equal(t, old[200*200-1], pixel(f), "kept from before")
			_, err = f.Read(t.Context(), whole(f))
			require.True(t, cog.Changed(err), "%v", err)
			require.True(t, fault.Is(err, fault.Unavailable), "%v", err)

			again, err := cog.FromURL(patient(), source.Address())
			require.NoError(t, err)
			f, err = reader.Open(t.Context(), again, "B04.tif")
			require.NoError(t, err)
			require.NotEqual(t, old[200*200-1], pixel(f), "nothing of the old file is mixed into the new one")
		})
	}
}

func TestAddressesThatAreNotRead(t *testing.T) {
	for _, address := range []string{"s3://bucket/B04.tif", "file:///B04.tif", "B04.tif", "://", "http://", "ftp://host/B04.tif"} {
		_, err := cog.FromURL(patient(), address)
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", address, err)
	}
}
