package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
	"tilth/wire"
)

// routes are the paths of the interface with a value in the place of every parameter, each
// with the methods that its operations have.
func routes(t *testing.T, a *rest.API) map[string][]string {
	t.Helper()
	document, err := a.OpenAPI()
	require.NoError(t, err)
	var described struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(document, &described))
	require.NotEmpty(t, described.Paths)
	out := map[string][]string{}
	for pattern, operations := range described.Paths {
		path := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(pattern, "7")
		for method := range operations {
			if upper := strings.ToUpper(method); slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, upper) {
				out[path] = append(out[path], upper)
			}
		}
	}
	return out
}

// status returns the status that a request line is answered with. One that cannot be read gets
// 400, as from net/http.
func status(a *rest.API, method, target string) int {
	r, err := request(method, target)
	if err != nil {
		return http.StatusBadRequest
	}
	w := &httptest.ResponseRecorder{Body: new(bytes.Buffer)}
	a.ServeHTTP(w, r)
	return w.Code
}

// request reads a request line as net/http does: its target is parsed as a URL, by itself where it holds no byte that
// ends a word or a line, because hundreds of thousands are read.
func request(method, target string) (*http.Request, error) {
	if strings.ContainsAny(target, " \r\n") {
		line := strings.NewReader(method + " " + target + " HTTP/1.1\r\nHost: tilth.test\r\n\r\n")
		return http.ReadRequest(bufio.NewReaderSize(line, 256))
	}
	u, err := url.ParseRequestURI(target)
	return &http.Request{
		Method: method, URL: u, RequestURI: target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Host: "tilth.test", Body: http.NoBody,
	}, err
}

// insert puts a byte into a path, as it is or percent-encoded.
func insert(path string, at int, b byte, encoded bool) string {
	if encoded {
		return fmt.Sprintf("%s%%%02X%s", path[:at], b, path[at:])
	}
	return path[:at] + string([]byte{b}) + path[at:]
}

func ofText(b byte) bool { return b >= 0x20 && b < 0x7f }

// Every byte in every position of every path: none causes a panic or an internal error, and paths
// with control bytes or invalid UTF-8 are unknown. OPTIONS finds its path as every method does, and
// asks neither for a credential nor for a use case. Paths that begin alike are alike to the
// router up to there, so each beginning is tried once.
func TestEveryByteInEveryPathPosition(t *testing.T) {
	a := wire.Routed()
	tried := map[string]bool{}
	for path := range routes(t, a) {
		require.Equal(t, http.StatusNoContent, status(a, http.MethodOptions, path), path)
		for at := 1; at <= len(path); at++ {
			if tried[path[:at]] {
				continue
			}
			tried[path[:at]] = true
			for b := range 256 {
				// Letters, digits and bytes beyond ASCII are alike for the router: each is tried in some places, the others in all.
				if alike(byte(b)) && (b+len(tried))%16 != 0 {
					continue
				}
				for _, encoded := range []bool{true, false} {
					target := insert(path, at, byte(b), encoded)
					got := status(a, http.MethodOptions, target)
					allowed := []int{http.StatusNotFound}
					if !encoded {
						allowed = append(allowed, http.StatusBadRequest)
					}
					if ofText(byte(b)) {
						allowed = append(allowed, http.StatusNoContent, http.StatusBadRequest)
					}
					if !slices.Contains(allowed, got) {
						t.Fatalf("OPTIONS %q answers %d", target, got)
					}
				}
			}
		}
	}
	require.Greater(t, len(tried), 500)
}

// alike reports whether a byte is a letter or digit, or of a letter beyond ASCII.
func alike(b byte) bool {
	return b >= 0x80 || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// No operation sees such a byte in a parameter: there is neither a caller nor a use case that it
// could reach here.
func TestNoOperationSeesAByteThatIsNoText(t *testing.T) {
	a := wire.Routed()
	for path, methods := range routes(t, a) {
		for _, method := range methods {
			for _, position := range regexp.MustCompile(`7`).FindAllStringIndex(path, -1) {
				for _, text := range []string{"%00", "%09", "%0a", "%0D", "%1f", "%7F", "%80", "\x80", "%C2%85", "%c3", "\xc3", "%ff", "%ED%A0%80", "%C0%AF"} {
					target := path[:position[0]] + text + path[position[0]:]
					require.Equal(t, http.StatusNotFound, status(a, method, target), "%s %q", method, target)
				}
			}
		}
	}
	require.Equal(t, http.StatusNoContent, status(a, http.MethodOptions, "/api/v1.2/farm/%C3%A9/"), "letters beyond ASCII are text")
	require.Equal(t, http.StatusNoContent, status(a, http.MethodOptions, "/api/v1.2/farm/é/"))
}
