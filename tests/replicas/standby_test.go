package replicas

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	"tilth/ports"
	"tilth/tests/pgtest"
	"tilth/tests/rig"
	"tilth/wire"
)

func ask[T any](t *testing.T, db *sql.DB, query string) (out T) {
	t.Helper()
	require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&out), query)
	return out
}

// readers counts the open transactions of the program in a database.
const readers = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'"

// Long reads go to the standby as long as it has everything that was written before; what was written is still visible
// at once, and a standby that is behind or unavailable costs only its help.
func TestLongReadsGoToTheStandby(t *testing.T) {
	t.Parallel()
	primary := rig.PostgreSQL(t)
	copied := pgtest.Follow(t, primary)
	address := copied.URL(t, primary)
	follower, err := sql.Open("pgx", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = follower.Close() })

	// The open transactions of a database show whether it is read.
	db, err := persistence.Open(t.Context(), primary, persistence.Options{Clock: identity.Clock{}, IDs: identity.Random{}, ReadURL: address})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	reads := func(ctx context.Context) (busy int) {
		require.NoError(t, db.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
			busy = ask[int](t, follower, readers)
			return nil
		}))
		return busy
	}
	patiently := ports.Patiently(t.Context())
	onStandby := func() bool { return reads(patiently) == 1 }
	rig.Eventually(t, onStandby, time.Minute, 50*time.Millisecond, "a long read goes there")
	require.Zero(t, reads(t.Context()), "others do not")

	// A server and its responses: after each write the long list contains it, whatever the standby does.
	s := rig.Start(t, rig.Options{Database: primary, Config: func(c *cli.Config) { c.DatabaseReadURL = address }})
	c := s.Company("owner", 0)
	farm := c.Make("farm/", map[string]any{"name": "Farm"})
	made := 0
	seen := func() {
		t.Helper()
		made++
		c.Make("field/", map[string]any{"name": fmt.Sprint(made), "farm_id": farm})
		lines, err := csv.NewReader(bytes.NewReader(c.Expect(http.StatusOK, "GET", "field/export/?format=csv", nil).Body)).ReadAll()
		require.NoError(t, err)
		require.Len(t, lines, 1+made)
	}
	ready := func() string { return string(c.Expect(http.StatusOK, "GET", "/readyz", nil).Body) }
	for range 8 {
		seen()
	}
	// On a busy machine the standby may have been behind for a moment, and is then reported as unavailable for seconds.
	rig.Eventually(t, func() bool { return !strings.Contains(ready(), "degraded") }, time.Minute, 100*time.Millisecond, "it helps")
	ask[any](t, follower, "SELECT pg_wal_replay_pause()")
	for range 3 {
		seen()
	}
	require.Zero(t, reads(patiently), "it is behind")
	ask[any](t, follower, "SELECT pg_wal_replay_resume()")
	rig.Eventually(t, onStandby, time.Minute, 50*time.Millisecond, "it has caught up")
	seen()

	// The doctor recognises a standby, and what is not one.
	examined := func(url string) cli.Finding {
		for _, f := range (wire.Program{}).Examine(t.Context(), cli.Config{DatabaseURL: primary, DatabaseReadURL: url, ObjectsURL: rig.ObjectsOf(t, primary), ImageryURL: rig.Archive(t).Dir}, "") {
			if f.Part == "replica" {
				return f
			}
		}
		return cli.Finding{}
	}
	found := examined(address)
	require.True(t, found.OK, "%+v", found)
	require.Contains(t, found.Detail, "seconds behind")
	found = examined(primary)
	require.False(t, found.OK)
	require.Contains(t, found.Detail, "follows no other server")

	copied.Stop()
	for range 3 {
		seen()
	}
	rig.Eventually(t, func() bool { return strings.Contains(ready(), `"degraded":["replica"]`) }, time.Minute, 100*time.Millisecond)
	require.False(t, examined(address).OK)
}
