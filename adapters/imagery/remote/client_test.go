package remote_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/imagery/remote"
	"tilth/core/fault"
)

// rig is a server that answers by script and a client whose sleeps are only recorded.
type rig struct {
	client *remote.Client
	url    string
	asked  atomic.Int64
	slept  []time.Duration
}

func newRig(t *testing.T, script ...http.HandlerFunc) *rig {
	t.Helper()
	r := &rig{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		step := script[min(int(r.asked.Add(1)), len(script))-1]
		step(w, req)
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	r.client = remote.New(remote.Options{
		Sleep:  func(_ context.Context, d time.Duration) error { r.slept = append(r.slept, d); return nil },
		Jitter: func() float64 { return 0.5 },
		Now:    func() time.Time { return time.Date(2025, 5, 1, 12, 0, 0, 0, time.UTC) },
	})
	return r
}

func (r *rig) get(ctx context.Context) (string, error) {
	var body string
	err := r.client.Do(ctx, "the page", func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, r.url+"?token=secret", nil)
	}, func(answer *http.Response) error {
		b, err := io.ReadAll(answer.Body)
		if err != nil {
			return remote.Again(err)
		}
		body = string(b)
		return nil
	})
	return body, err
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		if code == http.StatusOK {
			_, _ = io.WriteString(w, "here")
		}
	}
}

func TestPassingFailuresAreTriedAgainWithGrowingPauses(t *testing.T) {
	r := newRig(t, status(408), status(425), status(503), status(500), status(200))
	body, err := r.get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "here", body)
	require.EqualValues(t, 5, r.asked.Load())
	require.Equal(t, []time.Duration{375 * time.Millisecond, 750 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second}, r.slept)
}

func TestBrokenConnectionAndShortBodyAreTriedAgain(t *testing.T) {
	reset := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	short := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	}
	r := newRig(t, reset, short, status(200))
	body, err := r.get(t.Context())
	require.NoError(t, err)
	require.Equal(t, "here", body)
}

func TestFiveTriesThenUnavailable(t *testing.T) {
	r := newRig(t, status(502))
	_, err := r.get(t.Context())
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.EqualValues(t, 5, r.asked.Load())
	require.Len(t, r.slept, 4)
}

func TestRetryAfterIsHonouredUpToAMinute(t *testing.T) {
	for name, tt := range map[string]struct {
		header string
		want   time.Duration
	}{
		"seconds":              {"7", 7 * time.Second},
		"an hour is a minute":  {"3600", time.Minute},
		"absurd":               {"9223372036854775807", time.Minute},
		"negative":             {"-5", 375 * time.Millisecond},
		"date":                 {"Thu, 01 May 2025 12:00:20 GMT", 20 * time.Second},
		"date in the past":     {"Thu, 01 May 2025 11:00:00 GMT", 375 * time.Millisecond},
		"neither":              {"soon", 375 * time.Millisecond},
		"shorter than backoff": {"0", 375 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, status(429, "Retry-After", tt.header), status(200))
			_, err := r.get(t.Context())
			require.NoError(t, err)
			require.Equal(t, []time.Duration{tt.want}, r.slept)
		})
	}
}

func TestFinalAnswersAreNotTriedAgain(t *testing.T) {
	for code, kind := range map[int]fault.Kind{
		404: fault.NotFound, 410: fault.NotFound, 401: fault.Unavailable, 403: fault.Unavailable, 400: fault.Invalid, 422: fault.Invalid,
	} {
		r := newRig(t, status(code))
		_, err := r.get(t.Context())
		require.True(t, fault.Is(err, kind), "%d: %v", code, err)
		require.EqualValues(t, 1, r.asked.Load(), "%d", code)
	}
}

func TestSecretsOfTheAddressStayOutOfErrors(t *testing.T) {
	r := newRig(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	_, err := r.get(t.Context())
	require.Error(t, err)
	require.NotContains(t, err.Error(), "secret")
}

func TestEndOfContextEndsTheTries(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { cancel(); w.WriteHeader(503) })
	_, err := r.get(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, 1, r.asked.Load())
}

func TestErrorOfTheCallerIsFinal(t *testing.T) {
	r := newRig(t, status(200))
	mine := errors.New("not what I asked for")
	err := r.client.Do(t.Context(), "x", func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	}, func(*http.Response) error { return mine })
	require.ErrorIs(t, err, mine)
	require.EqualValues(t, 1, r.asked.Load())
}
