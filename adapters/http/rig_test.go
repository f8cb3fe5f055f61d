package http_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	server "tilth/adapters/http"
	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/core/fault"
)

// buffer is a log that can be read while it is written.
type buffer struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.String()
}

type thing struct {
	Name string `json:"name" minLength:"1"`
}

// rig is a server with fakes around it; wait holds a request until it is closed.
type rig struct {
	*server.Server
	log     *buffer
	clock   time.Time
	waiting chan struct{}
	wait    chan struct{}
}

func newRig(t *testing.T, config server.Config, change ...func(*server.Deps)) *rig {
	t.Helper()
	r := &rig{log: &buffer{}, clock: time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC), waiting: make(chan struct{}, 1), wait: make(chan struct{})}
	deps := server.Deps{
		Authenticate: func(_ context.Context, token string) (access.Principal, error) {
			if token != "good" {
				return access.Principal{}, fault.New(fault.Unauthenticated, "token_invalid", "The token is not valid.")
			}
			return access.Principal{UserID: 1, CompanyID: 10}, nil
		},
		AuthenticateKey: func(context.Context, string) (access.Principal, error) {
			return access.Principal{UserID: 2, CompanyID: 10}, nil
		},
		Authorize:    admit,
		Register:     r.register,
		Logger:       slog.New(slog.NewTextHandler(r.log, nil)),
		Now:          func() time.Time { return r.clock },
		NewRequestID: func() string { return "made-1" },
		Metrics:      prometheus.NewRegistry(),
	}
	for _, c := range change {
		c(&deps)
	}
	s, err := server.New(config, deps)
	require.NoError(t, err)
	r.Server = s
	return r
}

func (r *rig) register(a *rest.API) {
	route := func(method, path string) rest.Route {
		return rest.Route{Method: method, Path: path, OperationID: strings.NewReplacer("/", "_", "{", "", "}", "").Replace(method + path), Summary: "Test", Tag: "Tests"}
	}
	keyed := route("GET", "thing/{id}/")
	keyed.Keys, keyed.Query = rest.KeyInQuery, []rest.Param{{Name: "page", Type: rest.String, Description: "Any."}}
	rest.Handle(a, keyed, func(_ context.Context, c *rest.Call, _ struct{}) (thing, error) {
		_, err := c.ID("id")
		return thing{"a"}, err
	})
	rest.Handle(a, route("POST", "thing/"), func(_ context.Context, _ *rest.Call, in rest.JSON[thing]) (thing, error) { return in.Body, nil })
	rest.Handle(a, route("GET", "panic/"), func(_ context.Context, _ *rest.Call, _ struct{}) (thing, error) { panic("hunter2") })
	rest.Handle(a, route("GET", "late/"), func(_ context.Context, _ *rest.Call, _ struct{}) (rest.Raw, error) {
		return rest.Raw{ContentType: "text/plain", Write: func(w io.Writer) error {
			_, _ = io.WriteString(w, strings.Repeat("x", 100_000))
			panic("late")
		}}, nil
	})
	rest.Handle(a, route("GET", "large/"), func(_ context.Context, _ *rest.Call, _ struct{}) (rest.Raw, error) {
		return rest.Raw{ContentType: "image/png", Write: func(w io.Writer) error {
			_, err := io.WriteString(w, strings.Repeat("x", 10<<20))
			r.waiting <- struct{}{}
			return err
		}}, nil
	})
	rest.Handle(a, route("GET", "wait/"), func(ctx context.Context, _ *rest.Call, _ struct{}) (thing, error) {
		r.waiting <- struct{}{}
		select {
		case <-r.wait:
			return thing{"waited"}, nil
		case <-ctx.Done():
			return thing{}, ctx.Err()
		}
	})
	invite := route("POST", "auth/invitation/{token}/")
	invite.Public = true
	rest.Handle(a, invite, func(_ context.Context, _ *rest.Call, _ struct{}) (thing, error) { return thing{"b"}, nil })
}

func (r *rig) ask(method, path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "http://tilth.test"+path, nil)
	req.Header.Set("Authorization", "Bearer good")
	for _, c := range change {
		c(req)
	}
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, req)
	return w
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) {
		if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
	}
}

func envelope(t *testing.T, w *httptest.ResponseRecorder) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out), w.Body.String())
	require.Contains(t, out, "status")
	require.Contains(t, out, "message")
	return out
}

// serve runs the server on a port of its own; stop ends it, and done receives the result of Serve.
func (r *rig) serve(t *testing.T) (address string, stop context.CancelFunc, done <-chan error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Serve(ctx, listener) }()
	return "http://" + listener.Addr().String(), cancel, ended
}

func fetch(address string) (int, string, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	req, err := http.NewRequest("GET", address, nil)
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Authorization", "Bearer good")
	res, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

// admit authorises every caller.
func admit(ctx context.Context, _ access.Principal, _ access.Permission) (context.Context, error) {
	return ctx, nil
}
