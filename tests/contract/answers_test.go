package contract

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// send sends a request with headers of its own, and reads the answer.
func send(t *testing.T, s *rig.Server, c *rig.Client, method, path string, body any, headers ...string) rig.Answer {
	t.Helper()
	var in io.Reader = http.NoBody
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		require.NoError(t, err)
		in = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1.2/"+path, in)
	require.NoError(t, err)
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	req.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return rig.Answer{Status: res.StatusCode, Header: res.Header, Body: raw}
}

func TestWritesUnderAVersion(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		land := c.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		for _, at := range []string{path("farm", land.Farm), path("field", land.Field), path("season", land.Season), path("crop", land.Crop), "wallet/"} {
			tag := c.Expect(200, "GET", at, nil).Header.Get("ETag")
			require.Regexp(t, `^"[^"]+"$`, tag, "strong")
			plain := send(t, s, c, "GET", at, nil)
			known := send(t, s, c, "GET", at, nil, "If-None-Match", `"other:x", `+plain.Header.Get("ETag"))
			require.Equal(t, 304, known.Status, at)
			require.Empty(t, known.Body)
			require.Equal(t, 200, send(t, s, c, "GET", at, nil, "If-None-Match", `"other:x"`).Status)
		}

		at := path("field", land.Field)
		tag := send(t, s, c, "GET", at, nil).Header.Get("ETag")
		require.Equal(t, 200, send(t, s, c, "PATCH", at, `{"name":"first"}`, "If-Match", tag).Status)
		for _, method := range []string{"PATCH", "PUT", "DELETE"} {
			late := send(t, s, c, method, at, `{"name":"late","farm_id":1}`, "If-Match", tag)
			require.Equal(t, 412, late.Status, method)
			require.Equal(t, "precondition_failed", late.Map(t)["code"])
		}
		require.Equal(t, 412, send(t, s, c, "PATCH", at, `{`, "If-Match", tag).Status, "before the body")
		require.Equal(t, 404, send(t, s, c, "PATCH", path("field", 999999), `{}`, "If-Match", tag).Status, "after existence")
		require.Equal(t, 412, send(t, s, c, "PATCH", at, `{"name":"weak"}`, "If-Match", "W/"+tag).Status)
		require.Equal(t, "first", c.Expect(200, "GET", at, nil).Data(t)["name"])

		changed := send(t, s, c, "PATCH", at, `{"name":"second"}`, "If-Match", "*")
		require.Equal(t, 200, changed.Status)
		fresh := send(t, s, c, "GET", at, nil).Header.Get("ETag")
		require.NotEqual(t, tag, fresh)
		// The field is shown with the name of its farm: the response changes, the field does not.
		c.Expect(200, "PATCH", path("farm", land.Farm), `{"name":"renamed"}`)
		require.Equal(t, 200, send(t, s, c, "GET", at, nil, "If-None-Match", fresh).Status)
		require.Equal(t, 200, send(t, s, c, "PATCH", at, `{"name":"third"}`, "If-Match", `"x", `+fresh).Status)
		require.Equal(t, 204, send(t, s, c, "DELETE", at, nil, "If-Match", send(t, s, c, "GET", at, nil).Header.Get("ETag")).Status)
	})
}

// Of any number of writers who read the same version, only one succeeds.
func TestOneWriterOfAVersion(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		at := path("farm", c.Make("farm/", map[string]any{"name": "a"}))
		tag := send(t, s, c, "GET", at, nil).Header.Get("ETag")
		statuses := make([]int, 8)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() {
				statuses[i] = send(t, s, c, "PATCH", at, map[string]any{"name": itoa(int64(i))}, "If-Match", tag).Status
			})
		}
		all.Wait()
		won := 0
		for _, status := range statuses {
			if status == 200 {
				won++
				continue
			}
			require.Equal(t, 412, status)
		}
		require.Equal(t, 1, won)
	})
}

func TestRequestsUnderAKey(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, other := s.Company("owner", 0), s.Company("owner", 0)
		body := []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}}
		const key = "Idempotency-Key"
		first := send(t, s, c, "POST", "farm/", body, key, "k-1")
		require.Equal(t, 200, first.Status)
		require.Empty(t, first.Header.Get("Idempotent-Replay"))
		again := send(t, s, c, "POST", "farm", body, key, "k-1")
		require.Equal(t, 200, again.Status)
		require.Equal(t, "true", again.Header.Get("Idempotent-Replay"))
		require.Equal(t, string(first.Body), string(again.Body))
		require.Equal(t, first.Header.Get("Content-Type"), again.Header.Get("Content-Type"))
		require.NotEqual(t, first.Header.Get("X-Request-ID"), again.Header.Get("X-Request-ID"))
		require.EqualValues(t, 2, c.Expect(200, "GET", "farm/", nil).Data(t)["count"])

		for name, a := range map[string]rig.Answer{
			"another body": send(t, s, c, "POST", "farm/", `{"name":"c"}`, key, "k-1"),
			"another path": send(t, s, c, "POST", "season/", body, key, "k-1"),
		} {
			require.Equal(t, 422, a.Status, name)
			require.Equal(t, "idempotency_key_reused", a.Map(t)["code"], name)
		}
		require.Equal(t, 200, send(t, s, other, "POST", "farm/", body, key, "k-1").Status, "a key is the company's own")
		require.EqualValues(t, 2, other.Expect(200, "GET", "farm/", nil).Data(t)["count"])

		// A refusal is an answer like any other.
		refused := send(t, s, c, "POST", "farm/", `{"name":""}`, key, "k-2")
		require.Equal(t, 400, refused.Status)
		again = send(t, s, c, "POST", "farm/", `{"name":""}`, key, "k-2")
		require.Equal(t, "true", again.Header.Get("Idempotent-Replay"))
		require.Equal(t, string(refused.Body), string(again.Body))

		// A caller without the permission is refused, whatever the key.
		viewer := s.User(c.CompanyID, "viewer")
		require.Equal(t, 403, send(t, s, viewer, "POST", "farm/", body, key, "k-1").Status)
		bad := send(t, s, c, "POST", "farm/", body, key, strings.Repeat("k", 256))
		require.Equal(t, 400, bad.Status)
		require.Contains(t, bad.Map(t)["details"], key)
		// Responses that contain secrets are not stored.
		signIn := send(t, s, c, "POST", "auth/token/", `{"email":"a@b.example","password":"x"}`, key, "k-3")
		require.Equal(t, 401, signIn.Status)
		require.Empty(t, send(t, s, c, "POST", "auth/token/", `{"email":"a@b.example","password":"x"}`, key, "k-3").Header.Get("Idempotent-Replay"))
	})
}

// Any number of identical concurrent requests have one effect, and get the same response.
func TestRequestsUnderAKeyAtOnce(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		answers := make([]rig.Answer, 8)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() { answers[i] = send(t, s, c, "POST", "farm/", `{"name":"once"}`, "Idempotency-Key", "k") })
		}
		all.Wait()
		replayed := 0
		for _, a := range answers {
			require.Equal(t, 200, a.Status, "%s", a.Body)
			require.Equal(t, string(answers[0].Body), string(a.Body))
			if a.Header.Get("Idempotent-Replay") == "true" {
				replayed++
			}
		}
		require.Equal(t, len(answers)-1, replayed)
		require.EqualValues(t, 1, c.Expect(200, "GET", "farm/", nil).Data(t)["count"])
	})
}
