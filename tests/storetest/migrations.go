package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/ports"
)

func testMigrations(t *testing.T, b Backend) {
	ctx, address, c, i := context.Background(), b.Empty(t), newClock(), &ids{}
	db := open(t, address, c, i)
	before, err := db.Migrator().Status(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, before)
	names := make([]string, len(before))
	for n, one := range before {
		require.Nil(t, one.AppliedAt)
		names[n] = one.Name
	}

	// Many replicas start at once: one migrates, the others wait and find nothing to do.
	applied := make([][]string, 4)
	for _, err := range together(len(applied), func(n int) (err error) {
		applied[n], err = open(t, address, c, i).Migrator().Up(ctx)
		return err
	}) {
		require.NoError(t, err)
	}
	all := []string{}
	for _, some := range applied {
		all = append(all, some...)
	}
	require.Equal(t, names, all)
	tables := tablesOf(t, address)
	require.Contains(t, tables, "profile_orders")

	after, err := db.Migrator().Status(ctx)
	require.NoError(t, err)
	for _, one := range after {
		require.NotNil(t, one.AppliedAt)
		require.EqualValues(t, 1, one.Group)
	}
	usable(t, db, i, c)

	down, err := db.Migrator().Down(ctx)
	require.NoError(t, err)
	require.ElementsMatch(t, names, down)
	require.Equal(t, []string{"schema_migrations"}, tablesOf(t, address), "nothing is left behind")
	pending, err := db.Migrator().Pending(ctx)
	require.NoError(t, err)
	require.Equal(t, len(names), pending)
	down, err = db.Migrator().Down(ctx)
	require.NoError(t, err)
	require.Empty(t, down)

	up, err := db.Migrator().Up(ctx)
	require.NoError(t, err)
	require.Equal(t, names, up)
	require.Equal(t, tables, tablesOf(t, address))
	usable(t, db, i, c)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = db.Migrator().Up(canceled)
	require.ErrorIs(t, err, context.Canceled)
	up, err = db.Migrator().Up(ctx)
	require.NoError(t, err, "a migrator that gave up holds no lock")
	require.Empty(t, up)
}

// usable asserts that the schema takes a company.
func usable(t *testing.T, db ports.Store, i *ids, c *clock) {
	t.Helper()
	require.NoError(t, db.Operate(context.Background(), func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Accounts.CreateCompany(ctx, &ports.Company{UUID: i.UUID(), Name: "first", CreatedAt: c.Now()}, access.DefaultRoles())
	}))
}

// tablesOf lists the tables of a database.
func tablesOf(t *testing.T, address string) []string {
	t.Helper()
	query := "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = 'public' ORDER BY 1"
	if address[:6] == "sqlite" {
		query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 1"
	}
	rows, err := raw(t, address).Query(query)
	require.NoError(t, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		out = append(out, name)
	}
	require.NoError(t, rows.Err())
	return out
}
