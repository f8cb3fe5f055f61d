package contract

import (
	"bufio"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/geo"
	"tilth/tests/rig"
)

// Callers that request whole lists and read nothing hold no database connection: other
// companies carry on, and the server stays ready.
func TestStalledReadersHoldNobody(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: fewConnections(t, database), SendBuffer: 4096, Config: func(c *cli.Config) {
			c.StallTimeout = time.Hour // so that what is held stays held
		}})
		hostile, honest := s.Company("owner", 0), s.Company("owner", 0)
		farm := hostile.Make("farm/", map[string]any{"name": "f"})
		var fields []any
		for i := range 10 { // in all more than the buffers of a connection take
			fields = append(fields, map[string]any{"name": fmt.Sprint(i), "farm_id": farm, "boundary": rig.GeoJSON(t, roundField(i))})
		}
		hostile.Expect(200, "POST", "field/", fields)
		for range 3 { // together more than the pool of the database has
			stall(t, s, hostile.Token, "field/?page=all")
		}
		for range 3 {
			stall(t, s, hostile.Token, "field/export/?format=geojson")
		}
		require.Contains(t, s.Metrics(), "\ntilth_http_requests_in_flight 6\n", "none of them ends")
		client := &http.Client{Timeout: 5 * time.Minute}
		for range 5 {
			res, err := client.Get(s.URL + "/readyz")
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			require.Equal(t, http.StatusOK, res.StatusCode)
			honest.Expect(200, "POST", "farm/", map[string]any{"name": "f"})
			honest.Expect(200, "GET", "farm/", nil)
		}
	})
}

// fewConnections is a database with four connections for readers, as many as SQLite has.
func fewConnections(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	require.NoError(t, err)
	if u.Scheme == "sqlite" {
		return database
	}
	q := u.Query()
	q.Set("pool_max_conns", "4")
	u.RawQuery = q.Encode()
	return u.String()
}

// roundField is a circle of many vertices, apart from the others.
func roundField(n int) geo.MultiPolygon {
	const vertices = 2000
	ring := make(geo.Ring, vertices+1)
	for i := range ring {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%vertices) / vertices)
		ring[i] = geo.Position{X: -4 + 0.005*float64(n) + 0.002*cos, Y: 41 + 0.002*sin}
	}
	return geo.MultiPolygon{{ring}}
}

// stall sends a request, and reads only the head of its response.
func stall(t *testing.T, s *rig.Server, token, path string) {
	t.Helper()
	host := strings.TrimPrefix(s.URL, "http://")
	conn, err := net.Dial("tcp", host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(conn, "GET /api/v1.2/%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, host, token)
	require.NoError(t, err)
	status, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, status, " 200 ")
}
