package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
	"tilth/core/fault"
)

// hurried returns an interface whose requests may work only for a moment; released ends those that wait.
func hurried(t *testing.T, timeout time.Duration) (api *rest.API, released chan struct{}) {
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
	rest.Handle(r.api, route("GET", "waiting/"), func(ctx context.Context, c *rest.Call, _ struct{}) (map[string]string, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(c.Patience(time.Hour)):
			return map[string]string{"status": "processing"}, nil
		}
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
	return r.api, released
}

// ask sends a request without a network, so that the time of a synctest bubble applies to it.
func ask(t *testing.T, api http.Handler, method, path string, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	return send(t, api, method, path, "text/plain", body)
}

// send is ask with a body of a content type.
func send(t *testing.T, api http.Handler, method, path, media string, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, base+path, body)
	req.Header.Set("Authorization", "Bearer good")
	req.Header.Set("Content-Type", media)
	res := httptest.NewRecorder()
	api.ServeHTTP(res, req)
	return res
}

func TestARequestThatTakesTooLongEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, _ := hurried(t, time.Minute)
		res := ask(t, api, "GET", "slow/", nil)
		require.Equal(t, http.StatusServiceUnavailable, res.Code)
		require.NotEmpty(t, res.Header().Get("Retry-After"))
		require.Contains(t, res.Body.String(), `"timeout"`)
		require.Equal(t, http.StatusConflict, ask(t, api, "GET", "refused/", nil).Code, "what was decided is answered")
		require.Equal(t, http.StatusOK, ask(t, api, "GET", "late/", nil).Code, "so is what was done")
		require.Equal(t, http.StatusOK, ask(t, api, "GET", "waiting/", nil).Code, "what is waited for is answered before that")
	})
}

func TestWhatGoesOnIsNotEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const timeout = 2 * time.Second
		api, released := hurried(t, timeout)
		time.AfterFunc(timeout+timeout/4, func() { close(released) })
		res := ask(t, api, "GET", "list/", nil)
		require.Equal(t, http.StatusOK, res.Code)
		require.Equal(t, "begun, done", res.Body.String(), "an answer under way")

		body, piece := io.Pipe()
		go func() {
			for range 4 {
				_, _ = io.WriteString(piece, "x")
				time.Sleep(timeout - time.Millisecond)
			}
			_ = piece.Close()
		}()
		res = ask(t, api, "POST", "upload/", body)
		require.Equal(t, http.StatusOK, res.Code, "%s", res.Body)
		require.Contains(t, res.Body.String(), "xxxx")
	})
}
