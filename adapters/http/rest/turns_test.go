package rest_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/core/access"
)

// works is an interface whose requests take as long as a test decides.
type works struct {
	*rig
	took time.Duration

	mu      sync.Mutex
	begun   []string // names of the bodies whose work began
	answers map[int]int
}

func newWorks(t *testing.T) *works {
	w := &works{took: time.Second, answers: map[int]int{}}
	w.rig = newRig(t, func(c *rest.Config) {
		c.Processors, c.BulkShare, c.MaxBody, c.BodyMemory = 2, 0.2, 1<<20, 4<<20
		c.Authenticate = func(_ context.Context, token string) (who access.Principal, err error) {
			_, err = fmt.Sscan(token, &who.CompanyID)
			who.UserID = who.CompanyID
			return who, err
		}
	})
	work := func(ctx context.Context, _ *rest.Call, in rest.JSON[map[string]string]) (map[string]string, error) {
		w.mu.Lock()
		w.begun = append(w.begun, in.Body["a"][:2])
		w.mu.Unlock()
		select {
		case <-time.After(w.took):
			return map[string]string{"b": strings.Repeat("y", 100_000)}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	rest.Handle(w.api, rest.Route{Method: http.MethodPost, Path: "thing/", OperationID: "thing", Summary: "S", Tag: "T"}, work)
	rest.Handle(w.api, rest.Route{Method: http.MethodPost, Path: "open/", OperationID: "open", Summary: "S", Tag: "T", Public: true}, work)
	return w
}

func (w *works) names() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.begun)
}

func (w *works) statuses() map[int]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.answers)
}

// large is the body of a bulk, named by two characters.
func large(name string) io.Reader { return body(name, 100_000) }

func body(name string, size int) io.Reader {
	return strings.NewReader(`{"a":"` + name + strings.Repeat("x", size) + `"}`)
}

// send makes a company send a body, and waits until everything that can proceed has.
func (w *works) send(ctx context.Context, company int, text io.Reader) *httptest.ResponseRecorder {
	out := httptest.NewRecorder()
	go w.serve(ctx, out, company, "thing/", text)
	synctest.Wait()
	return out
}

func (w *works) serve(ctx context.Context, to http.ResponseWriter, company int, path string, text io.Reader) {
	req := httptest.NewRequestWithContext(ctx, http.MethodPost, base+path, text)
	req.Header.Set("Authorization", fmt.Sprint("Bearer ", company))
	req.Header.Set("Content-Type", "application/json")
	w.api.ServeHTTP(to, req)
	if answered, ok := to.(*httptest.ResponseRecorder); ok {
		w.mu.Lock()
		w.answers[answered.Code]++
		w.mu.Unlock()
	}
}

// pass lets some time pass.
func (w *works) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// One large body of a company that sends many is worked on at a time. Those of other companies come
// in between, and short ones at once.
func TestLargeBodiesTakeTurnsByCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorks(t)
		for n := range 4 {
			w.send(t.Context(), 1, large(fmt.Sprint("1", n)))
		}
		w.send(t.Context(), 2, large("20"))
		w.send(t.Context(), 3, large("30"))
		w.send(t.Context(), 1, body("1s", 10))
		w.pass(time.Minute)
		require.Equal(t, []string{"10", "1s", "20", "30"}, w.names()[:4])
		require.ElementsMatch(t, []string{"11", "12", "13"}, w.names()[4:])
		require.Equal(t, map[int]int{200: 7}, w.statuses())
	})
}

func TestTooManyLargeBodiesAreRefusedUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorks(t)
		for range 9 {
			w.send(t.Context(), 1, large("10"))
		}
		unread := large("11").(*strings.Reader)
		refused := w.send(t.Context(), 1, unread)
		require.Equal(t, http.StatusTooManyRequests, refused.Code)
		require.NotEmpty(t, refused.Header().Get("Retry-After"))
		require.NotZero(t, unread.Len())
		w.pass(time.Minute)
		require.Equal(t, map[int]int{200: 9, 429: 1}, w.statuses())
	})
}

// While others are at work the large bodies of a company take their share of the time, and no more.
func TestACompanyRestsAfterALargeBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorks(t)
		for range 3 {
			w.send(t.Context(), 1, large("10"))
		}
		w.pass(3 * time.Second)
		require.Equal(t, map[int]int{200: 3}, w.statuses(), "nobody else is here")
		bystander, leave := context.WithCancel(t.Context())
		go func() {
			for bystander.Err() == nil {
				w.serve(bystander, discard{}, 2, "thing/", body("2s", 10))
			}
		}()
		before := len(w.names())
		for range 6 {
			w.send(t.Context(), 1, large("10"))
		}
		w.pass(16 * time.Second)
		begun := 0
		for _, name := range w.names()[before:] {
			if name == "10" {
				begun++
			}
		}
		require.Equal(t, 4, begun, "at 0, 5, 10 and 15 s")
		leave()
		w.pass(time.Minute)
		require.Equal(t, map[int]int{200: 9}, w.statuses())
	})
}

// A company whose requests work more than its share has one worked on at a time while others are at
// work. The others are not held back. Afterwards the company again has as many worked on as it sends.
func TestACompanyThatWorksMoreThanItsShareTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorks(t)
		for range 10 {
			w.send(t.Context(), 1, body("1a", 10))
		}
		w.send(t.Context(), 2, body("2a", 10))
		require.Len(t, w.names(), 11, "nobody has worked yet")
		w.pass(200 * time.Millisecond)
		for range 3 {
			w.send(t.Context(), 1, body("1b", 10))
		}
		w.send(t.Context(), 2, body("2b", 10))
		require.Equal(t, []string{"1b", "2b"}, w.names()[11:])
		w.pass(time.Second)
		require.Equal(t, []string{"1b", "2b", "1b"}, w.names()[11:], "one when the other is done")
		w.pass(time.Second)
		require.Equal(t, []string{"1b", "2b", "1b", "1b"}, w.names()[11:])
		w.pass(time.Minute)
		w.send(t.Context(), 2, body("2c", 10))
		w.send(t.Context(), 1, body("1c", 10))
		w.send(t.Context(), 1, body("1c", 10))
		require.Equal(t, []string{"2c", "1c", "1c"}, w.names()[15:])
		w.pass(time.Minute)
		require.Equal(t, map[int]int{200: 18}, w.statuses())
	})
}

// discard is a writer for an answer that nobody reads.
type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// A caller that leaves while its body waits or is worked on passes the turn on.
func TestWhoLeavesLeavesTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorks(t)
		ctx, leave := context.WithCancel(t.Context())
		w.send(ctx, 1, large("10"))
		w.send(ctx, 2, large("20"))
		w.send(ctx, 2, large("21"))
		w.send(t.Context(), 3, large("30"))
		leave()
		synctest.Wait()
		require.Equal(t, []string{"10", "30"}, w.names())
		w.pass(time.Minute)
		require.Equal(t, http.StatusOK, w.send(t.Context(), 2, body("2s", 10)).Code)
	})
}

// stalled is a writer whose reader takes nothing.
type stalled struct {
	discard
	end chan struct{}
}

func (s stalled) Write(p []byte) (int, error) { <-s.end; return len(p), nil }

func TestAStalledReaderHoldsNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorks(t)
		reader := stalled{end: make(chan struct{})}
		go w.serve(t.Context(), reader, 1, "thing/", large("10"))
		synctest.Wait()
		w.send(t.Context(), 2, large("20"))
		w.pass(3 * time.Second)
		require.Equal(t, map[int]int{200: 1}, w.statuses())
		close(reader.end)
	})
}

// The bodies under way take no more memory than there is, and no company takes all of it.
func TestBodiesThatAreReadShareTheMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorks(t)
		var ends []*io.PipeWriter
		arrive := func(company, size int) *httptest.ResponseRecorder {
			in, out := io.Pipe()
			ends = append(ends, out)
			answer := w.send(t.Context(), company, in)
			go func() { _, _ = io.Copy(out, body("xx", size)) }()
			synctest.Wait()
			return answer
		}
		const almost = 1<<20 - 100
		for range 20 {
			arrive(1, 1000)
		}
		require.Empty(t, w.statuses(), "what has not arrived takes no room")
		for range 4 {
			arrive(1, almost)
		}
		require.Equal(t, map[int]int{429: 2}, w.statuses())
		arrive(2, almost)
		require.Equal(t, map[int]int{429: 2}, w.statuses(), "another company has room")
		for _, end := range ends {
			_ = end.Close()
		}
		w.pass(time.Minute)
		require.Equal(t, map[int]int{429: 2, 200: 23}, w.statuses())
	})
}

func TestStrangersSendNoLargeBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorks(t)
		out := httptest.NewRecorder()
		w.serve(t.Context(), out, 0, "open/", large("00"))
		require.Equal(t, http.StatusRequestEntityTooLarge, out.Code)
	})
}

// Making the pieces of long lists and files is work too. While others are at work, a company that makes several has
// one made at a time; otherwise all are made at once.
func TestLongAnswersTakeTurnsPieceByPiece(t *testing.T) {
	pieces := func(each func() bool) {
		for range 8 {
			time.Sleep(time.Second)
			if !each() {
				return
			}
		}
	}
	piece := strings.Repeat("x", 70_000)
	for _, address := range []string{"list/?page=all", "file/"} {
		for others, takes := range map[bool][2]time.Duration{false: {8 * time.Second, 9 * time.Second}, true: {20 * time.Second, 25 * time.Second}} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorks(t)
				w.took = time.Millisecond
				rest.Handle(w.api, rest.Route{Method: http.MethodGet, Path: "list/", OperationID: "list", Summary: "S", Tag: "T", Query: query.PageParams()},
					func(_ context.Context, _ *rest.Call, q rest.Values) (rest.List[string], error) {
						return rest.NewList(q.Page(), rest.Listing[string]{Count: query.MaxPageSize + 1, Each: func(yield func(string, error) bool) {
							pieces(func() bool { return yield(piece, nil) })
						}})
					})
				rest.Handle(w.api, rest.Route{Method: http.MethodGet, Path: "file/", OperationID: "file", Summary: "S", Tag: "T", Media: []string{"text/plain"}},
					func(context.Context, *rest.Call, rest.Values) (rest.Raw, error) {
						return rest.Raw{ContentType: "text/plain", Write: func(to io.Writer) (err error) {
							pieces(func() bool {
								_, err = io.WriteString(to, piece)
								return err == nil
							})
							return err
						}}, nil
					})
				began := time.Now()
				var answers sync.WaitGroup
				for range 3 {
					answers.Go(func() {
						out := httptest.NewRecorder()
						req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, base+address, nil)
						req.Header.Set("Authorization", "Bearer 1")
						w.api.ServeHTTP(out, req)
						if out.Code != http.StatusOK || out.Body.Len() < 8*70_000 {
							t.Errorf("%d, %d bytes", out.Code, out.Body.Len())
						}
					})
				}
				ended := make(chan struct{})
				go func() { answers.Wait(); close(ended) }()
				for alive := true; alive; {
					select {
					case <-ended:
						alive = false
					case <-time.After(500 * time.Millisecond):
						if others {
							w.send(t.Context(), 2, body("2s", 10))
						}
					}
				}
				took := time.Since(began)
				require.GreaterOrEqual(t, took, takes[0], "%s, others %t", address, others)
				require.LessOrEqual(t, took, takes[1], "%s, others %t", address, others)
			})
		}
	}
}
