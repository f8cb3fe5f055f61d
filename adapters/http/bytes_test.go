package http_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	server "tilth/adapters/http"
)

// Every byte is sent unescaped over a connection: in a path of the interface, in one outside it,
// and as the first of a path.
func TestEveryByteOverTheWire(t *testing.T) {
	r := newRig(t, server.Config{})
	address, stop, done := r.serve(t)
	for b := range 256 {
		raw := string([]byte{byte(b)})
		for _, target := range []string{base + "thing/7" + raw + "/", base + "thi" + raw + "ng/7/", "/docs/" + raw, raw, "/" + raw} {
			got := speak(t, address, "GET "+target+" HTTP/1.1\r\nHost: tilth.test\r\nAuthorization: Bearer good\r\nConnection: close\r\n\r\n")
			text := b > 0x20 && b < 0x7f
			require.True(t, slices.Contains([]int{400, 404}, got) || text && got == 200, "%q answers %d", target, got)
		}
	}
	stop()
	require.NoError(t, <-done)
	require.NotContains(t, r.log.String(), "panic")
}

// speak sends text to a server and returns the status of its answer.
func speak(t *testing.T, address, text string) int {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	_, err = io.WriteString(c, text)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	require.NoError(t, err, fmt.Sprintf("%q", text))
	_ = res.Body.Close()
	return res.StatusCode
}
