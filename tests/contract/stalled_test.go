package contract

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// Callers who ask for whole lists and read nothing hold no connection of the database: other
// companies go on, and the server stays ready.
func TestStalledReadersHoldNobody(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		hostile, honest := s.Company("owner", 0), s.Company("owner", 0)
		land := hostile.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
		bulk := make([]any, 1000)
		for i := range bulk {
			bulk[i] = map[string]any{"field_id": land.Field, "season_id": land.Season, "crop_id": land.Crop}
		}
		for range 10 { // more than the buffers of a connection take
			hostile.Expect(200, "POST", "cultivation/", bulk)
		}
		for range 30 { // more than there are connections to the database
			stall(t, s, hostile.Token, "cultivation/?page=all")
		}
		client := &http.Client{Timeout: 20 * time.Second}
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

// stall sends a request, reads the head of its answer, and then nothing.
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
