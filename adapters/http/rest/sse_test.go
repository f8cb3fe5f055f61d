package rest_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/transfer"
	"tilth/core/access"
	"tilth/core/fault"
)

// ticking returns an interface with one stream that sends signs of life until it ends. It reports
// when the stream is released.
func ticking(t *testing.T, allowed *atomic.Value, stop <-chan struct{}, closed chan<- struct{}) *httptest.Server {
	t.Helper()
	r := newRig(t, func(c *rest.Config) {
		c.StreamBeat = 5 * time.Millisecond
		c.Authorize = func(ctx context.Context, _ access.Principal, _ access.Permission) (context.Context, error) {
			if err, ok := allowed.Load().(*fault.Error); ok && err != nil {
				return ctx, err
			}
			return ctx, nil
		}
	})
	rest.Handle(r.api, rest.Route{
		Method: http.MethodGet, Path: "tick/", OperationID: "tick", Summary: "Tick", Tag: "T", Media: []string{rest.EventStreamMedia},
		Permission: access.Events.View,
	}, func(_ context.Context, _ *rest.Call, _ struct{}) (rest.EventStream, error) {
		return rest.EventStream{
			Close: func() { closed <- struct{}{} },
			Run: func(ctx context.Context, out *transfer.Events, beat time.Duration) error {
				if err := out.Send(transfer.Event{ID: "7", Type: "t", Data: []byte(`{"a":1}`)}); err != nil {
					return err
				}
				for {
					select {
					case <-ctx.Done():
						return ctx.Err()
					case <-time.After(beat):
					}
					if err := out.Comment("beat"); err != nil {
						return err
					}
				}
			},
		}, nil
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.api.ServeHTTP(w, req.WithContext(rest.WithStop(req.Context(), stop)))
	}))
	t.Cleanup(server.Close)
	return server
}

func openTicks(t *testing.T, server *httptest.Server, method string) (*http.Response, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, method, server.URL+base+"tick/", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer good")
	res, err := server.Client().Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { cancel(); _ = res.Body.Close() })
	return res, cancel
}

func TestEventStreamEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(allowed *atomic.Value, stop chan struct{}){
		"the caller may no more": func(allowed *atomic.Value, _ chan struct{}) {
			allowed.Store(fault.New(fault.Forbidden, "permission_denied", "no"))
		},
		"the token expired": func(allowed *atomic.Value, _ chan struct{}) {
			allowed.Store(fault.New(fault.Unauthenticated, "token_expired", "no"))
		},
		"the server stops": func(_ *atomic.Value, stop chan struct{}) { close(stop) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			allowed, stop, closed := &atomic.Value{}, make(chan struct{}), make(chan struct{}, 1)
			res, _ := openTicks(t, ticking(t, allowed, stop, closed), http.MethodGet)
			require.Equal(t, rest.EventStreamMedia, res.Header.Get("Content-Type"))
			require.Equal(t, "no", res.Header.Get("X-Accel-Buffering"))
			lines := bufio.NewReader(res.Body)
			first := make([]byte, len("id: 7\nevent: t\ndata: {\"a\":1}\n\n: beat\n\n"))
			_, err := io.ReadFull(lines, first)
			require.NoError(t, err)
			require.Equal(t, "id: 7\nevent: t\ndata: {\"a\":1}\n\n: beat\n\n", string(first))
			end(allowed, stop)
			rest, err := io.ReadAll(lines)
			require.NoError(t, err, "the end is clean, not a cut")
			require.Empty(t, strings.ReplaceAll(string(rest), ": beat\n\n", ""))
			<-closed
		})
	}
}

// An unavailable part ends no stream; a caller that leaves ends its own.
func TestEventStreamGoesOn(t *testing.T) {
	t.Parallel()
	allowed, stop, closed := &atomic.Value{}, make(chan struct{}), make(chan struct{}, 2)
	server := ticking(t, allowed, stop, closed)
	res, cancel := openTicks(t, server, http.MethodGet)
	allowed.Store(fault.New(fault.Unavailable, "database_unavailable", "away"))
	beats := make([]byte, 60*len(": beat\n\n"))
	_, err := io.ReadFull(res.Body, beats)
	require.NoError(t, err)
	cancel()
	<-closed
	allowed.Store((*fault.Error)(nil))
	res, _ = openTicks(t, server, http.MethodHead)
	require.Equal(t, 200, res.StatusCode)
	<-closed
}
