package rig

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Upload posts a file below /api/v1.2/ with a content type and further headers as names and values, and reads the response.
func (c *Client) Upload(path, media string, body io.Reader, headers ...string) Answer {
	t := c.server.t
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.server.URL+"/api/v1.2/"+path, body)
	require.NoError(t, err)
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	answer := Answer{res.StatusCode, res.Header, raw}
	if _, timed := t.(*testing.B); !timed {
		tellsTruth(t, http.MethodPost, "/api/v1.2/"+path, answer)
	}
	return answer
}
