package replicas

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// durable makes PostgreSQL keep what it acknowledged when it crashes, which servers for tests do not.
func durable(t *testing.T, database string) {
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	_, err = conn.Exec(t.Context(), "ALTER DATABASE "+pgx.Identifier{conn.Config().Database}.Sanitize()+" SET synchronous_commit = on")
	require.NoError(t, err)
}

// crash kills a process of PostgreSQL, which then closes all connections, recovers from its log and continues. If its
// processes are not on this machine, or it serves others, only the connections of the database are closed.
func (c *cluster) crash() {
	t := c.t
	conn, err := pgx.Connect(t.Context(), c.database)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }() // it is broken
	var pid int
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid))
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if os.Getenv("TILTH_TEST_POSTGRES") == "" && err == nil && strings.TrimSpace(string(name)) == "postgres" {
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		return
	}
	_, err = conn.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	require.NoError(t, err)
}
