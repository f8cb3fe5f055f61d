package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Anonymous is a client without a token.
func (s *Server) Anonymous() *Client { return &Client{server: s} }

// Client speaks to a server as one user.
type Client struct {
	server    *Server
	Token     string
	CompanyID int64
	Email     string
	Extra     map[string]string // headers of every request
}

// Answer is a response that has been read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request below /api/v1.2/ (or to an absolute path) and reads the answer.
// body is nil, a string sent as it is, or a value sent as JSON.
func (c *Client) Do(method, path string, body any) Answer {
	c.server.t.Helper()
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1.2/" + path
	}
	var sent []byte
	switch b := body.(type) {
	case nil:
	case string:
		sent = []byte(b)
	case []byte:
		sent = b
	default:
		var err error
		sent, err = json.Marshal(body)
		require.NoError(c.server.t, err)
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(sent)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, c.server.URL+path, reader)
	require.NoError(c.server.t, err)
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for name, value := range c.Extra {
		req.Header.Set(name, value)
	}
	// Half of the tests send a key with every POST, which changes no response.
	if method == http.MethodPost && crc32.ChecksumIEEE([]byte(c.server.t.Name()))%2 == 0 {
		req.Header.Set("Idempotency-Key", fmt.Sprint("rig-", next()))
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(c.server.t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(c.server.t, err)
	answer := Answer{res.StatusCode, res.Header, raw}
	if _, timed := c.server.t.(*testing.B); !timed {
		tellsTruth(c.server.t, method, path, answer)
	}
	return answer
}

// Map returns the body as an object.
func (a Answer) Map(t testing.TB) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal(a.Body, &out), "%s", a.Body)
	return out
}

// Data returns the data of a success envelope as an object.
func (a Answer) Data(t testing.TB) map[string]any {
	t.Helper()
	m := a.Map(t)
	require.Equal(t, "success", m["status"], "%s", a.Body)
	out, ok := m["data"].(map[string]any)
	require.True(t, ok, "%s", a.Body)
	return out
}

// Into reads the data of a success envelope.
func (a Answer) Into(t testing.TB, out any) {
	t.Helper()
	var envelope struct {
		Status string          `json:"status"`
		Data   json.RawMessage `json:"data"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &envelope), "%s", a.Body)
	require.Equal(t, "success", envelope.Status, "%s", a.Body)
	require.NoError(t, json.Unmarshal(envelope.Data, out), "%s", a.Body)
}

// Expect sends a request and requires a status.
func (c *Client) Expect(status int, method, path string, body any) Answer {
	c.server.t.Helper()
	a := c.Do(method, path, body)
	require.Equal(c.server.t, status, a.Status, "%s %s: %s", method, path, a.Body)
	return a
}

// Insist repeats a request as long as the server is too busy for it (503), as clients are
// asked to do.
func (c *Client) Insist(method, path string, body any) Answer {
	c.server.t.Helper()
	for {
		if a := c.Do(method, path, body); a.Status != http.StatusServiceUnavailable {
			return a
		}
	}
}

// Make creates a record and returns its id.
func (c *Client) Make(path string, body any) int64 {
	c.server.t.Helper()
	return int64(c.Expect(200, http.MethodPost, path, body).Data(c.server.t)["id"].(float64))
}

// Remote is a client of a server that was started elsewhere.
func Remote(t testing.TB, url, token string) *Client {
	return &Client{server: &Server{t: t, URL: url}, Token: token}
}
