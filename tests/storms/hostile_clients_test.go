package storms

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// client is one hostile caller, at an address of its own.
type client struct {
	*hostiles
	kind, from string
	seed       uint64
}

// kinds are the kinds of hostile clients.
var kinds = []struct {
	name string
	act  func(ctx context.Context, c *client)
}{
	{"stalled reader", func(ctx context.Context, c *client) {
		c.hold(ctx, "GET /api/v1.2/field/?page=all HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.Token+"\r\nX-Forwarded-For: "+c.from+"\r\n\r\n", nil)
	}},
	{"stalled writer", func(ctx context.Context, c *client) {
		c.hold(ctx, "POST /api/v1.2/farm/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.Token+"\r\nX-Forwarded-For: "+c.from+
			"\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{", []byte(" "))
	}},
	{"half open", func(ctx context.Context, c *client) {
		c.hold(ctx, "GET /api/v1.2/farm/ HTTP/1.1\r\nHost: x\r\nX-Slow: ", []byte("x"))
	}},
	{"garbage", func(ctx context.Context, c *client) {
		noise := make([]byte, 4<<10)
		random := rand.NewChaCha8([32]byte{byte(c.seed), byte(c.seed >> 8)})
		c.again(ctx, time.Second, func() {
			_, _ = random.Read(noise)
			if conn := c.dial(ctx); conn != nil {
				_, _ = conn.Write(noise)
				_ = conn.SetReadDeadline(time.Now().Add(time.Second))
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}
		})
	}},
	{"made-up tokens", func(ctx context.Context, c *client) {
		n := 0
		c.again(ctx, 50*time.Millisecond, func() {
			n++
			c.send(ctx, http.MethodGet, "farm/", fmt.Sprintf("made-up-%d-%d", c.seed, n), "")
		})
	}},
	{"polygons", func(ctx context.Context, c *client) {
		body := polygons(c.Farm)
		c.again(ctx, time.Second, func() { c.send(ctx, http.MethodPost, "field/", c.Token, body) })
	}},
	{"deep JSON", func(ctx context.Context, c *client) {
		body := strings.Repeat("[", 1<<20)
		c.again(ctx, time.Second, func() { c.send(ctx, http.MethodPost, "farm/", c.Token, body) })
	}},
	{"stranger", func(ctx context.Context, c *client) {
		c.again(ctx, 50*time.Millisecond, func() { c.send(ctx, http.MethodGet, "nothing/at/all/", "", "") })
	}},
}

// again acts repeatedly, with a pause in between, until the siege ends.
func (c *client) again(ctx context.Context, pause time.Duration, act func()) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for ctx.Err() == nil {
		act()
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (c *client) dial(ctx context.Context) net.Conn {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(c.URL, "http://"))
	if err != nil {
		return nil
	}
	return conn
}

// hold opens a connection with the beginning of a request, sends more of it from time to
// time, and reads nothing. If the server closes the connection, it opens another.
func (c *client) hold(ctx context.Context, begin string, more []byte) {
	c.again(ctx, time.Second, func() {
		conn := c.dial(ctx)
		if conn == nil {
			return
		}
		defer func() { _ = conn.Close() }()
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4096)
		}
		if _, err := io.WriteString(conn, begin); err != nil {
			return
		}
		closed := make(chan struct{})
		go func() { // the first byte of an answer shows that the connection was accepted, and its end that it was closed
			defer close(closed)
			_, _ = bufio.NewReaderSize(conn, 16).ReadByte()
		}()
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
				if _, err := conn.Write(more); err != nil {
					return
				}
			}
			if more != nil {
				select {
				case <-closed:
					return
				default:
				}
			}
		}
	})
}

// transport has few connections, like a flood through a proxy.
var transport = &http.Transport{MaxIdleConnsPerHost: 1000}

func (c *client) send(ctx context.Context, method, path, token, body string) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+"/api/v1.2/"+path, strings.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("X-Forwarded-For", c.from)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return // the siege has ended, or the server closed the connection
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	c.hear(c.kind, res.StatusCode, res.Header.Get("Retry-After"))
}

// polygons is a body of many fields on the same ground, with enough corners to be expensive.
func polygons(farm int64) string {
	var fields []any
	for n := range 50 {
		fields = append(fields, map[string]any{"name": fmt.Sprint(n), "farm_id": farm, "boundary": circle(0, 350)})
	}
	text, _ := json.Marshal(fields) // names and numbers
	return string(text)
}

// circle is a round boundary, separate from those of other numbers.
func circle(n, corners int) map[string]any {
	ring := make([][2]float64, corners+1)
	for i := range ring {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%corners) / float64(corners))
		ring[i] = [2]float64{-4 + 0.005*float64(n) + 0.002*cos, 41 + 0.002*sin}
	}
	return map[string]any{"type": "Polygon", "coordinates": [][][2]float64{ring}}
}
