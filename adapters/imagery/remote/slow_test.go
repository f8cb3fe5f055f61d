package remote_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/remote"
	"tilth/core/fault"
)

// transport answers requests in a test's own time.
type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// flow is a body of some length that sends a number of bytes a second.
type flow struct {
	ctx         context.Context
	speed, left int
}

func (f *flow) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(time.Second):
		n := min(f.speed, f.left, len(p))
		f.left -= n
		return n, nil
	case <-f.ctx.Done():
		return 0, f.ctx.Err()
	}
}

func (f *flow) Close() error { return nil }

// flowing answers with a body.
func flowing(speed, length int) transport {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: &flow{r.Context(), speed, length}}, nil
	}
}

func silent(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// read requests a page and reads all of it.
func read(ctx context.Context, client *remote.Client) error {
	return client.Do(ctx, "the page", func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, "http://example.org/", nil)
	}, func(answer *http.Response) error {
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			return remote.Again(err)
		}
		return nil
	})
}

// A server that is silent, or drips, costs seconds: three tries of five seconds and two pauses.
func TestASourceWithoutProgressIsGivenUpSoon(t *testing.T) {
	for name, tt := range map[string]struct {
		answer transport
		within time.Duration
		times  int // of patience
	}{
		"silent":               {silent, 17 * time.Second, 1},
		"drips":                {flowing(1, 1<<20), 17 * time.Second, 1},
		"silent to a patient":  {silent, 92 * time.Second, 6},
		"steady but unbounded": {flowing(2000, 1<<30), 3*2*time.Minute + 2*time.Second, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started, tries := time.Now(), 0
				client := remote.New(remote.Options{Jitter: func() float64 { return 0 }, Transport: transport(func(r *http.Request) (*http.Response, error) {
					tries++
					return tt.answer(r)
				})})
				err := read(t.Context(), client.Patient(tt.times))
				f, ok := fault.As(err)
				require.True(t, ok && f.Kind == fault.Unavailable && f.Code == "imagery_silent", "%v", err)
				require.Equal(t, 3, tries)
				require.LessOrEqual(t, time.Since(started), tt.within)
			})
		})
	}
}

// A slow connection is not a silent one: an answer that makes progress is waited for.
func TestASlowAnswerThatMakesProgressIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		client := remote.New(remote.Options{Transport: transport(func(r *http.Request) (*http.Response, error) {
			tries++
			return flowing(2000, 150_000)(r)
		})})
		require.NoError(t, read(t.Context(), client))
		require.Equal(t, 1, tries)
	})
}

func TestTheSilenceIsASetting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		client := remote.New(remote.Options{Silence: time.Second, Jitter: func() float64 { return 0 }, Transport: transport(silent)})
		require.Error(t, read(t.Context(), client))
		require.Less(t, time.Since(started), 5*time.Second)
	})
}

// A real socket that accepts and never answers, and one that stops in the middle of a body.
func TestASilentSocketIsGivenUp(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"before the answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"within the body": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				answer(w, r)
			}))
			t.Cleanup(server.Close)
			client := remote.New(remote.Options{Silence: 50 * time.Millisecond, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
			err := client.Do(t.Context(), "the page", func(ctx context.Context) (*http.Request, error) {
				return http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			}, func(answer *http.Response) error {
				if _, err := io.Copy(io.Discard, answer.Body); err != nil {
					return remote.Again(err)
				}
				return nil
			})
			require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
			require.EqualValues(t, 3, asked.Load())
		})
	}
}

// Each host gets as many concurrent requests as the setting allows, independently of other hosts.
func TestRequestsAtATimeToAHostAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		var mu sync.Mutex
		inFlight := map[string]int{}
		client := remote.New(remote.Options{Requests: 3, Transport: transport(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			inFlight[r.URL.Host]++
			mu.Unlock()
			<-answer
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody}, nil
		}), Silence: time.Hour})
		var asking sync.WaitGroup
		errs := make([]error, 20)
		for i := range errs {
			asking.Go(func() {
				errs[i] = client.Do(t.Context(), "the page", func(ctx context.Context) (*http.Request, error) {
					return http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://host-%d/", i%2), nil)
				}, func(*http.Response) error { return nil })
			})
		}
		synctest.Wait()
		require.Equal(t, map[string]int{"host-0": 3, "host-1": 3}, inFlight)
		close(answer)
		asking.Wait()
		require.NoError(t, errors.Join(errs...))
		require.Equal(t, map[string]int{"host-0": 10, "host-1": 10}, inFlight)
	})
}
