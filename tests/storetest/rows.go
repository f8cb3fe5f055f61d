package storetest

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachRow visits the rows of a query behind the program's back.
func eachRow(t testing.TB, from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, query string, visit func(rows *sql.Rows)) {
	t.Helper()
	rows, err := from.QueryContext(context.Background(), query)
	require.NoError(t, err)
	defer func() { require.NoError(t, rows.Close()) }()
	for rows.Next() {
		visit(rows)
	}
	require.NoError(t, rows.Err())
}
