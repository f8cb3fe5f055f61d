package remote_test

import (
	"context"
	"io"
	"net/http"
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

// drip is a body that gives a byte a second for as long as it is asked.
type drip struct{ ctx context.Context }

func (d drip) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = 'x'
		return 1, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (d drip) Close() error { return nil }

// A server that is silent, or drips, holds no one for longer than five tries of 70 s and
// the pauses between them.
func TestASlowServerIsGivenUp(t *testing.T) {
	for name, answer := range map[string]transport{
		"silent": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
		"drips": func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: drip{r.Context()}}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				started, tries := time.Now(), 0
				client := remote.New(remote.Options{Jitter: func() float64 { return 0 }, Transport: transport(func(r *http.Request) (*http.Response, error) {
					tries++
					return answer(r)
				})})
				err := client.Do(t.Context(), "the page", func(ctx context.Context) (*http.Request, error) {
					return http.NewRequestWithContext(ctx, http.MethodGet, "http://example.org/", nil)
				}, func(answer *http.Response) error {
					if _, err := io.ReadAll(answer.Body); err != nil {
						return remote.Again(err)
					}
					return nil
				})
				require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
				require.Equal(t, 5, tries)
				require.Less(t, time.Since(started), 7*time.Minute)
			})
		})
	}
}
