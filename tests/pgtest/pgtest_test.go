package pgtest_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"tilth/tests/pgtest"
)

var prepared atomic.Int32

var barn = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	prepared.Add(1)
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, "CREATE TABLE cow (name text PRIMARY KEY); INSERT INTO cow VALUES ('Berta')")
	return err
})

func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func number(t *testing.T, conn *pgx.Conn, query string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, conn.QueryRow(t.Context(), query, args...).Scan(&n))
	return n
}

func databaseName(t *testing.T, dsn string) string {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(t, err)
	return config.Database
}

func TestOpenGivesAnEmptyDatabase(t *testing.T) {
	conn := connect(t, pgtest.Open(t))
	require.Zero(t, number(t, conn, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"))
}

func TestTextIsUnicodeSortedByByte(t *testing.T) {
	if os.Getenv("TILTH_TEST_POSTGRES") != "" {
		t.Skip("a server from the environment keeps its own collation")
	}
	conn := connect(t, pgtest.Open(t))
	var first string
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT x FROM (VALUES ('apple'), ('Ähre'), ('Zebu')) v(x) ORDER BY x LIMIT 1").Scan(&first))
	require.Equal(t, "Zebu", first)
}

func TestTemplateIsPreparedOnceAndClonesAreApart(t *testing.T) {
	pgtest.Open(t) // skips where there is no PostgreSQL; the barn is prepared by the clones, which ask for it at the same time
	t.Run("clones", func(t *testing.T) {
		for i := range 4 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				conn := connect(t, barn.Open(t))
				_, err := conn.Exec(t.Context(), "INSERT INTO cow VALUES ('Alma')")
				require.NoError(t, err, "another clone's cow is seen here")
				require.Equal(t, 2, number(t, conn, "SELECT count(*) FROM cow"))
			})
		}
	})
	require.Equal(t, int32(1), prepared.Load())
}

func TestDatabaseIsDroppedWithItsTestEvenIfStillConnected(t *testing.T) {
	watcher := connect(t, pgtest.Open(t))
	var name string
	t.Run("one that forgets its connection", func(t *testing.T) {
		dsn := pgtest.Open(t)
		name = databaseName(t, dsn)
		forgotten, err := pgx.Connect(t.Context(), dsn)
		require.NoError(t, err)
		require.Equal(t, 1, number(t, watcher, "SELECT count(*) FROM pg_database WHERE datname = $1", name))
		require.NoError(t, forgotten.Ping(t.Context()))
	})
	require.Zero(t, number(t, watcher, "SELECT count(*) FROM pg_database WHERE datname = $1", name))
}

func TestTemplateCannotBeChangedAfterwards(t *testing.T) {
	conn := connect(t, barn.Open(t))
	require.Equal(t, 1, number(t, conn,
		"SELECT count(*) FROM pg_database WHERE starts_with(datname, 'tilth_test_') AND NOT datallowconn"))
}

func BenchmarkTemplateOpen(b *testing.B) {
	for b.Loop() {
		barn.Open(b)
	}
}
