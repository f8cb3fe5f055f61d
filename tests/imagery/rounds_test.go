package imagery_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/remote"
	"tilth/adapters/imagery/stac"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// round is the time that the line takes for a response, in the time of a synctest bubble: the time of a series there
// divided by round is the number of responses that it waited for one after another.
const round = 50 * time.Millisecond

// line leads to a store whose answers take a round each.
type line struct {
	store  *store
	silent string // path of a file that is never answered

	mu              sync.Mutex
	flying, highest int              // concurrent requests
	ranges          map[string][]int // how often each byte of a file was sent
	requests        int
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	l.requests++
	l.flying++
	l.highest = max(l.highest, l.flying)
	l.mu.Unlock()
	time.Sleep(round)
	if r.URL.Path == l.silent {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	answer := httptest.NewRecorder()
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	l.store.serve(answer, r)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flying--
	var first, last int
	if n, _ := fmt.Sscanf(answer.Header().Get("Content-Range"), "bytes %d-%d/", &first, &last); n == 2 {
		sent := l.ranges[r.URL.Path]
		if sent == nil {
			sent = make([]int, len(l.store.files[r.URL.Path]))
			l.ranges[r.URL.Path] = sent
		}
		for i := first; i <= last; i++ {
			sent[i]++
		}
	}
	return answer.Result(), nil
}

// over computes a series of a store over a line, and returns how many rounds it took.
func over(t *testing.T, s *store, requests int, field geo.MultiPolygon) (l *line, got vegetation.Series, rounds int) {
	t.Helper()
	l = &line{store: s, ranges: map[string][]int{}}
	synctest.Test(t, func(t *testing.T) {
		imagery, err := stac.New(s.URL, stac.Options{Remote: remote.Options{Transport: l, Requests: requests}})
		require.NoError(t, err)
		started := time.Now()
		got = compute(t, imagery, field, vegetation.NDVI, "2025-01-01", "2025-12-31", vegetation.MaskStandard)
		rounds = int(time.Since(started) / round)
	})
	return l, got, rounds
}

// A date waits three times in sequence: for the headers of its files, for its classes, and for its bands, wherever
// the field lies; the search of the archive comes before it. No byte is sent twice.
func TestADateWaitsThreeTimes(t *testing.T) {
	tile := 128 * 10.0
	for name, at := range map[string][2]float64{
		"in one block":       {2.5 * tile, 4.5 * tile},
		"across four blocks": {2 * tile, 4 * tile},
		"in the first block, which begins in the header": {0.5 * tile, 0.5 * tile},
	} {
		t.Run(name, func(t *testing.T) {
			x, y := large.OriginX+at[0], large.OriginY-at[1]
			field := rectangle(t, 32631, x-200, y-200, x+200, y+200)
			l, got, rounds := over(t, newStore(t, largeScene("clear", "2025-06-01T10:50:00Z", 4)), 0, field)
			require.Len(t, got.Observations, 1)
			require.LessOrEqual(t, rounds, 1+3)
			l.once(t)
		})
	}

	// Two tiles of one overflight, each clear over half of the field, are read at the same time.
	half := func(id, tile string, west bool) made {
		m := largeScene(id, "2025-06-01T10:50:00Z", 4)
		m.tile, m.scl = tile, func(x, _ float64) uint16 {
			if (x < large.OriginX+5*128*10) == west {
				return 4
			}
			return 0
		}
		return m
	}
	x, y := large.OriginX+5*tile, large.OriginY-4.5*tile
	l, got, rounds := over(t, newStore(t, half("west", "31TEL", true), half("east", "31TFL", false)), 0, rectangle(t, 32631, x-200, y-200, x+200, y+200))
	require.Len(t, got.Observations, 1)
	require.Equal(t, 1.0, got.Observations[0].Coverage)
	require.LessOrEqual(t, rounds, 1+3)
	l.once(t)
}

// once checks that no byte of a file was sent twice.
func (l *line) once(t *testing.T) {
	t.Helper()
	for path, sent := range l.ranges {
		require.LessOrEqual(t, slices.Max(sent), 1, path)
	}
}

// Dates are read concurrently: thirty-six wait little longer than their requests divided by the number that a host
// gets at a time, whatever the number of processors.
func TestDatesAreReadBesideEachOther(t *testing.T) {
	var scenes []made
	for i := range 36 {
		scenes = append(scenes, largeScene(fmt.Sprintf("date-%02d", i), fmt.Sprintf("2025-%02d-%02dT10:50:00Z", 1+i/3, 1+10*(i%3)), 4))
	}
	field := rectangle(t, 32631, 500000, 5000900, 500400, 5001300)
	for requests, upper := range map[int]int{16: 20, 4: 64} {
		l, got, rounds := over(t, newStore(t, scenes...), requests, field)
		require.Len(t, got.Observations, 36)
		require.Equal(t, requests, l.highest, "requests at a time")
		require.Less(t, l.requests, 1+36*7)
		require.LessOrEqual(t, rounds, upper)
		t.Logf("%d requests, %d at a time: %d rounds", l.requests, requests, rounds)
	}
}

// A file whose store never answers costs its date, and seconds: the other dates are complete, and so are the bands
// requested with it.
func TestASilentFileCostsItsDateAndSeconds(t *testing.T) {
	scenes := []made{
		largeScene("first", "2025-06-01T10:50:00Z", 4), largeScene("silent", "2025-06-11T10:50:00Z", 4), largeScene("last", "2025-06-21T10:50:00Z", 4),
	}
	field := rectangle(t, 32631, 500000, 5000900, 500400, 5001300)
	for _, path := range []string{"/files/silent/B04.tif", "/files/silent/SCL.tif", "/files/silent/B08.tif"} {
		l := &line{store: newStore(t, scenes...), silent: path, ranges: map[string][]int{}}
		synctest.Test(t, func(t *testing.T) {
			imagery, err := stac.New(l.store.URL, stac.Options{Remote: remote.Options{Transport: l}})
			require.NoError(t, err)
			started := time.Now()
			got := compute(t, imagery, field, vegetation.NDVI, "2025-01-01", "2025-12-31", vegetation.MaskStandard)
			require.Less(t, time.Since(started), 20*time.Second)
			require.Len(t, got.Observations, 2)
			require.Len(t, got.Rejected, 1)
			require.Equal(t, vegetation.ReasonError, got.Rejected[0].Reason)
			require.Contains(t, got.Rejected[0].Note, "made no progress")
		})
	}
}
