package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
	"tilth/core/fault"
)

// hurried is an interface whose requests may work for a moment only; released ends what waits.
func hurried(t *testing.T, timeout time.Duration) (address string, released chan struct{}) {
	t.Helper()
	released = make(chan struct{})
	r := newRig(t, func(c *rest.Config) { c.Timeout = timeout })
	route := func(method, path string) rest.Route {
		return rest.Route{Method: method, Path: path, OperationID: strings.Trim(path, "/"), Summary: "S", Tag: "T"}
	}
	rest.Handle(r.api, route("GET", "slow/"), func(ctx context.Context, _ *rest.Call, _ struct{}) (map[string]string, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	rest.Handle(r.api, route("GET", "refused/"), func(ctx context.Context, _ *rest.Call, _ struct{}) (map[string]string, error) {
		<-ctx.Done()
		return nil, fault.New(fault.Conflict, "taken", "Taken.")
	})
	rest.Handle(r.api, route("GET", "late/"), func(ctx context.Context, _ *rest.Call, _ struct{}) (map[string]string, error) {
		<-ctx.Done()
		return map[string]string{"done": "all the same"}, nil
	})
	rest.Handle(r.api, route("GET", "list/"), func(ctx context.Context, _ *rest.Call, _ struct{}) (rest.Raw, error) {
		return rest.Raw{ContentType: "text/plain", Write: func(w io.Writer) error {
			if _, err := io.WriteString(w, "begun"); err != nil {
				return err
			}
			w.(http.Flusher).Flush()
			<-released
			if ctx.Err() != nil {
				return ctx.Err()
			}
			_, err := io.WriteString(w, ", done")
			return err
		}}, nil
	})
	upload := route("POST", "upload/")
	upload.MaxBody, upload.Body = 1<<20, rest.FileBody(map[string]string{"text/plain": "Text."})
	rest.Handle(r.api, upload, func(ctx context.Context, c *rest.Call, _ struct{}) (map[string]string, error) {
		text, err := io.ReadAll(c.BodyReader())
		if err == nil {
			err = ctx.Err()
		}
		return map[string]string{"text": string(text)}, err
	})
	server := httptest.NewServer(r.api)
	t.Cleanup(server.Close)
	return server.URL, released
}

func answerOf(t *testing.T, method, address string, body io.Reader) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, body)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer good")
	req.Header.Set("Content-Type", "text/plain")
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	text, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res, string(text)
}

func TestARequestThatTakesTooLongEnds(t *testing.T) {
	address, _ := hurried(t, 10*time.Millisecond)
	res, text := answerOf(t, "GET", address+base+"slow/", nil)
	require.Equal(t, http.StatusServiceUnavailable, res.StatusCode)
	require.NotEmpty(t, res.Header.Get("Retry-After"))
	require.Contains(t, text, `"timeout"`)
	res, _ = answerOf(t, "GET", address+base+"refused/", nil)
	require.Equal(t, http.StatusConflict, res.StatusCode, "what was decided is answered")
	res, _ = answerOf(t, "GET", address+base+"late/", nil)
	require.Equal(t, http.StatusOK, res.StatusCode, "so is what was done")
}

func TestWhatGoesOnIsNotEnded(t *testing.T) {
	t.Parallel()
	const timeout = 2 * time.Second
	address, released := hurried(t, timeout)
	time.AfterFunc(timeout+timeout/4, func() { close(released) })
	res, text := answerOf(t, "GET", address+base+"list/", nil)
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Equal(t, "begun, done", text, "an answer under way")

	body, piece := io.Pipe()
	go func() {
		for range 25 {
			_, _ = io.WriteString(piece, "x")
			time.Sleep(timeout / 20)
		}
		_ = piece.Close()
	}()
	res, text = answerOf(t, "POST", address+base+"upload/", body)
	require.Equal(t, http.StatusOK, res.StatusCode, "%s", text)
	require.Contains(t, text, strings.Repeat("x", 25))
}
