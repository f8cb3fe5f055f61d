package imagery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/remote"
	"tilth/adapters/imagery/stac"
	"tilth/core/vegetation"
	"tilth/ports"
)

// store plays a STAC API and the store of its files, and counts what it sends.
type store struct {
	*httptest.Server
	items []object
	files map[string][]byte // by path

	mu     sync.Mutex
	sent   map[string]int // bytes of bodies, by path
	asked  map[string]int // requests of files, by path
	faults []fault        // of the next requests of files; then none
	every  fault          // of every request of one file
	of     string         // the path of that file
	naps   []time.Duration
}

// fault answers instead of a file; it returns false if the file is to be sent after all.
type fault func(w http.ResponseWriter, r *http.Request, data []byte) bool

func newStore(t *testing.T, scenes ...made) *store {
	t.Helper()
	s := &store{files: map[string][]byte{}, sent: map[string]int{}, asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	for _, m := range scenes {
		item, files := m.item()
		for _, asset := range item["assets"].(object) {
			a := asset.(object)
			path := "/files/" + m.id + "/" + a["href"].(string)
			s.files[path], a["href"] = files[a["href"].(string)], s.URL+path
		}
		s.items = append(s.items, item)
	}
	return s
}

// counter counts the bytes of a body.
type counter struct {
	http.ResponseWriter
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.n += n
	return n, err
}

func (s *store) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.files[r.URL.Path]
	if !ok {
		_ = json.NewEncoder(w).Encode(object{"type": "FeatureCollection", "features": s.items, "links": []object{}})
		return
	}
	s.asked[r.URL.Path]++
	w.Header().Set("ETag", fmt.Sprintf(`"%08x"`, crc32.ChecksumIEEE(data)))
	if r.URL.Path == s.of && s.every(w, r, data) {
		return
	}
	if len(s.faults) > 0 {
		next := s.faults[0]
		s.faults = s.faults[1:]
		if next(w, r, data) {
			return
		}
	}
	c := &counter{ResponseWriter: w}
	http.ServeContent(c, r, "x.tif", time.Time{}, bytes.NewReader(data))
	s.sent[r.URL.Path] += c.n
}

func (s *store) client(t *testing.T) ports.Imagery {
	t.Helper()
	return s.reading(t, nil)
}

// reading returns a client that reads files with a reader.
func (s *store) reading(t *testing.T, files *cog.Reader) ports.Imagery {
	t.Helper()
	c, err := stac.New(s.URL, stac.Options{Files: files, Remote: remote.Options{
		Jitter: func() float64 { return 0 },
		Sleep: func(ctx context.Context, d time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.naps = append(s.naps, d)
			return ctx.Err()
		},
	}})
	require.NoError(t, err)
	return c
}

// total returns the number of bytes sent of files whose path contains a word, and resets it.
func (s *store) total(word string) (bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, n := range s.sent {
		if strings.Contains(path, word) {
			bytes += n
			delete(s.sent, path)
		}
	}
	return bytes
}

// large is a grid of 8 × 8 tiles of 128 pixels, as files of 2 MB and 0.26 MB.
var large = vegetation.Grid{EPSG: 32631, OriginX: 499000, OriginY: 5011000, PixelX: 10, PixelY: 10, Width: 1024, Height: 1024}

// largeBands are the bands of every large scene.
var largeBands = sync.OnceValues(func() (red, nir []byte) {
	texture := func(base uint16) surface {
		return func(x, y float64) uint16 { return base + uint16(int(x/10)*31+int(y/10)*17)%100 }
	}
	return geotiff(large, 16, texture(500)), geotiff(large, 16, texture(3000))
})

func largeScene(id, at string, class uint16) made {
	return made{id: id, at: at, tile: "31TEL", orbit: 8, grid: large, scl: flat(class), bands: largeBands}
}

// Bytes over HTTP for a field-date: at most 1.05 × (the blocks it needs + 16 KiB a file).
// A cloudy date reads no band, and a second field in the same blocks reads nothing at all.
func TestBytesOverHTTP(t *testing.T) {
	s := newStore(t, largeScene("clear", "2025-06-01T10:50:00Z", 4), largeScene("cloudy", "2025-06-11T10:50:00Z", 9))
	imagery := s.client(t)
	tile := 128 * 10.0 // side of a block of a 10 m band, in metres
	left, top := large.OriginX+2*tile, large.OriginY-4*tile
	// In the middle of block 2/4 of the 10 m bands, and of block 1/2 of the classes.
	series := compute(t, imagery, rectangle(t, 32631, left+400, top-800, left+800, top-400), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.Len(t, series.Observations, 1)
	require.Len(t, series.Rejected, 1)
	require.Equal(t, vegetation.ReasonCloud, series.Rejected[0].Reason)

	// The headers of all files come at once; no pixels of the bands are read.
	require.LessOrEqual(t, s.total("cloudy/B04"), headerRead)
	require.LessOrEqual(t, s.total("cloudy/B08"), headerRead)
	require.LessOrEqual(t, float64(s.total("cloudy")), 1.05*(tileBytes+headerRead))
	needed := 2*2*tileBytes + tileBytes + 3*headerRead
	got := s.total("clear")
	require.LessOrEqual(t, float64(got), 1.05*float64(needed))
	require.Greater(t, got, 2*2*tileBytes+tileBytes, "the pixels did come over the wire")
	t.Logf("a clear field-date: %d bytes, %.3f of the bound's base", got, float64(got)/float64(needed))

	again := compute(t, imagery, rectangle(t, 32631, left+600, top-1000, left+1100, top-500), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.Len(t, again.Observations, 1)
	require.Zero(t, s.total(""), "a second field in the same blocks")

	// A field across the corner of four blocks needs all four, and three of them are new.
	compute(t, imagery, rectangle(t, 32631, left-300, top-300, left+300, top+300), vegetation.NDVI, "2025-06-01", "2025-06-05", vegetation.MaskStandard)
	require.LessOrEqual(t, float64(s.total("clear")), 1.05*(3*2*2*tileBytes+3*tileBytes))
}

// status answers with a status, and optionally a header.
func status(code int, header ...string) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
		if len(header) == 2 {
			w.Header().Set(header[0], header[1])
		}
		w.WriteHeader(code)
		return true
	}
}

// cutOff sends a part of the range and drops the connection.
func cutOff(w http.ResponseWriter, _ *http.Request, data []byte) bool {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-16383/%d", len(data)))
	w.Header().Set("Content-Length", "16384")
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(data[:1000])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// elsewhere answers with a range other than the requested one.
func elsewhere(w http.ResponseWriter, _ *http.Request, data []byte) bool {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes 100-199/%d", len(data)))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(data[100:200])
	return true
}

// short declares the right range and sends less.
func short(w http.ResponseWriter, r *http.Request, data []byte) bool {
	var first, last int
	_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last)
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(data)))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(data[first:min(last, first+10)])
	return true
}

func TestFaultsOnTheWayPass(t *testing.T) {
	field := rectangle(t, 32631, 500000, 5000900, 500400, 5001300)
	scenes := []made{largeScene("clear", "2025-06-01T10:50:00Z", 4)}
	want := compute(t, folder(t, scenes...), field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	for name, tt := range map[string]struct {
		fault fault
		nap   time.Duration
	}{
		"429 with Retry-After": {status(429, "Retry-After", "7"), 7 * time.Second},
		"500":                  {status(500), 250 * time.Millisecond},
		"503 with Retry-After": {status(503, "Retry-After", "3"), 3 * time.Second},
		"cut off":              {cutOff, 250 * time.Millisecond},
		"wrong Content-Range":  {elsewhere, 250 * time.Millisecond},
		"truncated body":       {short, 250 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, scenes...)
			// The first answer for each file's header and block is bad.
			for range 6 {
				s.faults = append(s.faults, tt.fault, func(http.ResponseWriter, *http.Request, []byte) bool { return false })
			}
			got := compute(t, s.client(t), field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
			require.True(t, want.Same(got), "from another address, but the same: %+v", got)
			require.NotEmpty(t, s.naps)
			require.Equal(t, tt.nap, s.naps[0])
		})
	}
}

// A permanent fault costs its date, or, if the source itself is unavailable, the series.
func TestFaultsThatStay(t *testing.T) {
	field := rectangle(t, 32631, 500000, 5000900, 500400, 5001300)
	for name, tt := range map[string]struct {
		fault fault
		note  string
	}{
		"gone":                  {status(404), "no longer holds B08.tif"},
		"gone for good":         {status(410), "no longer holds B08.tif"},
		"an expired link":       {status(403), "does not serve B08.tif"},
		"no ranges":             {func(w http.ResponseWriter, _ *http.Request, d []byte) bool { _, _ = w.Write(d); return true }, "does not serve byte ranges"},
		"a truncated file":      {truncated(10_000), "B08.tif cannot be read"},
		"a page, not a picture": {func(w http.ResponseWriter, r *http.Request, _ []byte) bool { return serveBytes(w, r, []byte("<html>")) }, "B08.tif cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, largeScene("first", "2025-06-01T10:50:00Z", 4), largeScene("second", "2025-06-11T10:50:00Z", 4))
			s.of, s.every = "/files/first/B08.tif", tt.fault
			got := compute(t, s.client(t), field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
			require.Len(t, got.Observations, 1)
			require.Len(t, got.Rejected, 1)
			require.Equal(t, vegetation.ReasonError, got.Rejected[0].Reason)
			require.Contains(t, got.Rejected[0].Note, tt.note)
		})
	}
}

// truncated serves the file as if it ended after length bytes.
func truncated(length int) fault {
	return func(w http.ResponseWriter, r *http.Request, data []byte) bool { return serveBytes(w, r, data[:length]) }
}

func serveBytes(w http.ResponseWriter, r *http.Request, data []byte) bool {
	http.ServeContent(w, r, "x.tif", time.Time{}, bytes.NewReader(data))
	return true
}

// An object that is replaced between its header and its pixels, by one of the same size, is read again from the new one.
func TestAnObjectThatChangesIsReadAnew(t *testing.T) {
	field := rectangle(t, 32631, 500000, 5000900, 500400, 5001300)
	before, after := largeScene("scene", "2025-06-01T10:50:00Z", 4), largeScene("scene", "2025-06-01T10:50:00Z", 4)
	after.bands = func() (red, nir []byte) {
		red, _ = largeBands()
		return red, geotiff(large, 16, flat(4321))
	}
	want := compute(t, folder(t, after), field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	s := newStore(t, before)
	_, files := after.item()
	s.of = "/files/scene/B08.tif"
	s.every = func(http.ResponseWriter, *http.Request, []byte) bool {
		s.files[s.of] = files["B08.tif"] // from the next request on
		return false
	}
	got := compute(t, s.client(t), field, vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.True(t, want.Same(got), "%+v", got)
	require.Equal(t, 4, s.asked[s.of], "the header, a block that is refused, the new header, its block")
}

func TestAnItemThatCannotBeUnderstoodCostsItsDate(t *testing.T) {
	s := newStore(t, largeScene("sound", "2025-06-01T10:50:00Z", 4), largeScene("broken", "2025-06-11T10:50:00Z", 4))
	delete(s.items[1], "bbox")
	got := compute(t, s.client(t), rectangle(t, 32631, 500000, 5000900, 500400, 5001300), vegetation.NDVI, "2025-06-01", "2025-06-30", vegetation.MaskStandard)
	require.Len(t, got.Observations, 1)
	require.Len(t, got.Rejected, 1)
	r := got.Rejected[0]
	require.Equal(t, day("2025-06-11"), r.Date)
	require.Equal(t, vegetation.ReasonError, r.Reason)
	require.Equal(t, []string{"broken"}, r.Items)
	require.Contains(t, r.Note, "neither geometry nor bbox")
	require.False(t, got.NoSCL, "a broken item says nothing of the archive's classification")
}
