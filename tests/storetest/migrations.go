package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
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

	// Many replicas start at once: one migrates, the others wait and find nothing left to do.
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

	var lost []sqlstore.Loss
	for _, name := range slices.Backward(names) {
		down, err := db.Migrator().Down(ctx, func(_ string, losses []sqlstore.Loss) error {
			lost = append(lost, losses...)
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, name, down, "one at a time, the newest first")
	}
	require.Contains(t, lost, sqlstore.Loss{Table: "companies", Count: 1})
	require.Equal(t, []string{"schema_compatibility", "schema_migrations"}, tablesOf(t, address), "nothing is left behind")
	pending, err := db.Migrator().Pending(ctx)
	require.NoError(t, err)
	require.Equal(t, len(names), pending)
	down, err := db.Migrator().Down(ctx, agreed)
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

func agreed(string, []sqlstore.Loss) error { return nil }

// The rows that a reverted migration would lose are counted, and nothing is lost without
// consent, or while a server runs.
func testReverting(t *testing.T, b Backend) {
	w := newWorld(t, b)
	ctx, address, db := w.ctx, w.address, w.Database
	all, err := db.Migrator().Status(ctx)
	require.NoError(t, err)
	tables := tablesOf(t, address)
	rows := func(table string) (n int64) {
		require.NoError(t, raw(t, address).QueryRow("SELECT count(*) FROM "+table).Scan(&n))
		return n
	}

	leave, err := db.Attend(ctx)
	require.NoError(t, err)
	second, err := db.Attend(ctx)
	require.NoError(t, err, "servers do not keep each other away")
	for _, end := range []func() error{leave, second} {
		_, err = db.Migrator().Down(ctx, func(string, []sqlstore.Loss) error { panic("asked while a server runs") })
		f, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "server_running", f.Code)
		require.NoError(t, end())
	}

	refusal := errors.New("no")
	var asked []sqlstore.Loss
	_, err = db.Migrator().Down(ctx, func(_ string, lost []sqlstore.Loss) error {
		asked = lost
		return refusal
	})
	require.ErrorIs(t, err, refusal)
	require.EqualError(t, err, refusal.Error(), "not an error of the database")
	require.Empty(t, asked, "the newest migration keeps what the world has")
	pending, err := db.Migrator().Pending(ctx)
	require.NoError(t, err)
	require.Zero(t, pending, "what was refused is not reverted")
	require.Equal(t, tables, tablesOf(t, address))
	for range all {
		_, err = db.Migrator().Down(ctx, func(_ string, lost []sqlstore.Loss) error {
			asked = lost
			if len(lost) > 0 {
				return refusal
			}
			return nil
		})
		if err != nil {
			break
		}
	}
	require.ErrorIs(t, err, refusal)
	require.NotEmpty(t, asked)
	require.Equal(t, "list_sums", asked[0].Table, "the newest migration that would lose what the world has")
	require.Positive(t, asked[0].Count)
	require.Equal(t, rows("list_sums"), asked[0].Count, "what was refused is all there")
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	require.Equal(t, tables, tablesOf(t, address))
}

// A release refuses the schema of a newer one, unless every newer migration only adds.
func testNewerSchemas(t *testing.T, b Backend) {
	ctx, address, c, i := context.Background(), b.Migrated(t), newClock(), &ids{}
	db := open(t, address, c, i)
	exec := func(statement string) {
		_, err := raw(t, address).Exec(statement)
		require.NoError(t, err)
	}
	refused := func() {
		t.Helper()
		_, pending := db.Migrator().Pending(ctx)
		_, up := db.Migrator().Up(ctx)
		_, down := db.Migrator().Down(ctx, agreed)
		for _, err := range []error{pending, up, down} {
			f, ok := fault.As(err)
			require.True(t, ok, "%v", err)
			require.Equal(t, "schema_newer", f.Code)
			require.Contains(t, f.Message, "29990101000000")
		}
	}
	exec("INSERT INTO schema_migrations (name, group_id, migrated_at) VALUES ('29990101000000', 9, '2999-01-01')")
	refused()
	exec("INSERT INTO schema_compatibility (name) VALUES ('29990101000000')")
	_, err := db.Migrator().Up(ctx)
	require.NoError(t, err)
	_, err = db.Migrator().Pending(ctx)
	require.NoError(t, err)
	exec("INSERT INTO schema_migrations (name, group_id, migrated_at) VALUES ('29990101000001', 9, '2999-01-01')")
	_, err = db.Migrator().Up(ctx)
	require.Error(t, err, "one of the two is not marked")
}

// usable asserts that a company can be stored in the schema.
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
