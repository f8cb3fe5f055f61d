package storms

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/tests/rig"
)

// failing is the share of requests that fail.
const failing = 0.2

// source simulates a STAC API over the synthetic archive, and the store of its files. A fifth
// of all requests fail, each in one of several ways. Which requests fail is drawn from the
// seed, from what is requested and from how often it was requested before, not from the order
// in which many workers arrive. It refuses fields south of an edge for good, as an API does
// that finds a request wrong.
type source struct {
	*httptest.Server
	seed   uint64
	dir    string
	refuse float64 // degrees of latitude; fields that reach south of it are refused
	scenes []scene

	mu       sync.Mutex
	asked    map[string]uint64 // by what was asked for
	played   map[string]int    // faults, by their names
	requests int
	searches map[string]int // by the first part of the address, which names the program
	watch    map[string]watcher
	out      outage
}

// outage is a file that a program does not get, a number of times.
type outage struct {
	name, file string
	left       int
}

// scene is an item of the archive.
type scene struct {
	item map[string]any // its hrefs are paths below the root of the archive
	at   time.Time
	bbox [4]float64
}

// watcher waits for a number of searches of one program.
type watcher struct {
	at      int
	reached chan struct{}
}

func newSource(t *testing.T, seed uint64, refuse float64) *source {
	t.Helper()
	s := &source{
		seed: seed, dir: rig.Archive(t).Dir, refuse: refuse,
		asked: map[string]uint64{}, played: map[string]int{}, searches: map[string]int{}, watch: map[string]watcher{},
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*", "*", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		s.scenes = append(s.scenes, s.read(t, file))
	}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *source) read(t *testing.T, file string) scene {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var known struct {
		BBox       [4]float64 `json:"bbox"`
		Properties struct {
			Datetime time.Time `json:"datetime"`
		} `json:"properties"`
	}
	require.NoError(t, json.Unmarshal(raw, &known))
	out := scene{at: known.Properties.Datetime, bbox: known.BBox}
	require.NoError(t, json.Unmarshal(raw, &out.item))
	folder, err := filepath.Rel(s.dir, filepath.Dir(file))
	require.NoError(t, err)
	for _, asset := range out.item["assets"].(map[string]any) {
		a := asset.(map[string]any)
		a["href"] = path.Join(filepath.ToSlash(folder), a["href"].(string))
	}
	return out
}

// address is the address given to a program; name identifies the program in the counts.
func (s *source) address(name string) string { return s.URL + "/" + name }

// after returns a channel that is closed when a program has made n more searches.
func (s *source) after(name string, n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := watcher{s.searches[name] + n, make(chan struct{})}
	s.watch[name] = w
	return w.reached
}

// fail makes the next n requests of a program for a file fail.
func (s *source) fail(name, file string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out = outage{name, file, n}
}

func (s *source) serve(w http.ResponseWriter, r *http.Request) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	what := rest + " " + r.Header.Get("Range") + " " + string(body)
	if fail := s.fate(name, rest, what); fail != nil {
		fail(w, r)
		return
	}
	if rest == "search" {
		s.search(w, name, body)
		return
	}
	http.ServeFile(w, r, filepath.Join(s.dir, filepath.FromSlash(path.Clean("/"+rest))))
}

// fate counts a request and decides its outcome; nil: it is answered.
func (s *source) fate(name, rest, what string) http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	s.asked[what]++
	if rest == "search" {
		s.searches[name]++
		if w, ok := s.watch[name]; ok && s.searches[name] >= w.at {
			close(w.reached)
			delete(s.watch, name)
		}
	}
	if s.out.left > 0 && s.out.name == name && strings.HasPrefix(rest, s.out.file) {
		s.out.left--
		return faults[0].play
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(what))
	draw := rand.New(rand.NewPCG(s.seed^sum.Sum64(), s.asked[what]))
	if draw.Float64() >= failing {
		return nil
	}
	fault := faults[draw.IntN(len(faults))]
	s.played[fault.name]++
	return fault.play
}

// faults are the ways in which requests fail.
var faults = []struct {
	name string
	play http.HandlerFunc
}{
	{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }},
	{"503", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }},
	{"429", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	}},
	{"cut body", cut},
	{"reset", reset},
}

// cut promises more than it sends, both for a page and for a range.
func cut(w http.ResponseWriter, r *http.Request) {
	part := []byte(`{"type":"FeatureCollection","features":[`)
	w.Header().Set("Content-Length", "16384")
	if span := r.Header.Get("Range"); span != "" {
		var first, last int
		_, _ = fmt.Sscanf(span, "bytes=%d-%d", &first, &last)
		w.Header().Set("Content-Length", strconv.Itoa(last-first+1))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", first, last))
		w.WriteHeader(http.StatusPartialContent)
		part = part[:min(len(part), last-first)]
	}
	_, _ = w.Write(part)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// reset ends the connection abruptly: the other side sees ECONNRESET.
func reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// search answers with the scenes of a place and time.
func (s *source) search(w http.ResponseWriter, name string, body []byte) {
	var ask struct {
		Intersects geo.MultiPolygon `json:"intersects"`
		Datetime   string           `json:"datetime"`
	}
	if err := json.Unmarshal(body, &ask); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	from, to, _ := strings.Cut(ask.Datetime, "/")
	first, err1 := time.Parse(time.RFC3339, from)
	last, err2 := time.Parse(time.RFC3339, to)
	place := ask.Intersects.Bounds()
	if err1 != nil || err2 != nil || place.MinY < s.refuse {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	features := []any{}
	for _, one := range s.scenes {
		if one.at.Before(first) || one.at.After(last) || one.bbox[0] > place.MaxX || one.bbox[2] < place.MinX || one.bbox[1] > place.MaxY || one.bbox[3] < place.MinY {
			continue
		}
		features = append(features, s.absolute(name, one.item))
	}
	w.Header().Set("Content-Type", "application/geo+json")
	_ = json.NewEncoder(w).Encode(map[string]any{"type": "FeatureCollection", "features": features, "links": []any{}})
}

// absolute returns an item whose files have the addresses of the requesting program.
func (s *source) absolute(name string, item map[string]any) map[string]any {
	out, assets := map[string]any{}, map[string]any{}
	for key, value := range item {
		out[key] = value
	}
	for key, value := range item["assets"].(map[string]any) {
		asset := map[string]any{}
		for k, v := range value.(map[string]any) {
			asset[k] = v
		}
		asset["href"] = s.address(name) + "/" + asset["href"].(string)
		assets[key] = asset
	}
	out["assets"] = assets
	return out
}

// share returns the number of requests, the share that failed, and the faults by name.
func (s *source) share() (requests int, share float64, played map[string]int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, count := range s.played {
		n += count
	}
	return s.requests, float64(n) / float64(s.requests), s.played
}
