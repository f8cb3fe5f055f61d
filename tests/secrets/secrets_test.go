package secrets

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a client sends and receives is searched for, whichever way it was sent.
func TestLeaksAreFound(t *testing.T) {
	output, secrets = &bytes.Buffer{}, map[string]bool{}
	defer func() { output, secrets = nil, map[string]bool{} }()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/wrong" {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(body)
			return
		}
		_, _ = io.WriteString(w, `{"data":[{"key":"tk.0123456789"}]}`)
	}))
	defer server.Close()
	client := &http.Client{Transport: Watched(server.Client().Transport)}
	post := func(path, media, body string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer a-token-of-a-caller")
		req.Header.Set("X-API-Key", "tk.of-a-header")
		req.Header.Set("Content-Type", media)
		res, err := client.Do(req)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	require.NoError(t, parts.WriteField("password", "a password of a form"))
	require.NoError(t, parts.Close())
	post("/?token=a-token-of-a-query", "application/json", `{"name":"a farm with a name","password":"a password to keep"}`)
	post("/", parts.FormDataContentType(), form.String())
	post("/", "application/x-www-form-urlencoded", "secret=a+secret+of+a+form")
	require.Empty(t, leaked([]byte("a farm with a name, id 7")))
	for _, text := range []string{
		"path=/x?t=a-token-of-a-caller", "tk.of-a-header", "a password to keep", `"tk.0123456789"`, "a-token-of-a-query", "a password of a form", "a secret of a form",
	} {
		require.Len(t, leaked([]byte("before "+text+" after")), 1, text)
		require.Len(t, leaked([]byte(text+text)), 1, "once")
	}
	require.Empty(t, leaked(output.Bytes()))
	post("/wrong", "application/json", `{"token":"0123456789ab"}`)
	require.Len(t, leaked(output.Bytes()), 1, "an error that repeats it")
}
