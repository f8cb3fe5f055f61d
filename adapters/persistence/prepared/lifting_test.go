package prepared_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
	"pgregory.net/rapid"

	"tilth/adapters/persistence/prepared"
)

// inner is a connection of a driver that keeps what it is asked to query, and answers nothing.
type inner struct {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.SessionResetter
	query string
	args  []driver.NamedValue
}

func (i *inner) Connect(context.Context) (driver.Conn, error) { return i, nil }

func (*inner) Driver() driver.Driver { return nil }

var errInner = errors.New("the connection answers nothing")

func (i *inner) QueryContext(_ context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	i.query, i.args = query, args
	return nil, errInner
}

// asked returns what the driver is asked for a query of bun.
func asked(t require.TestingT, postgres bool, query string, args ...any) *inner {
	to := new(inner)
	conn, err := prepared.Connector{Connector: to, Postgres: postgres}.Connect(context.Background())
	require.NoError(t, err)
	text := schema.NewQueryGen(prepared.Dialect(pgdialect.New())).FormatQuery(query, args...)
	_, err = conn.(driver.QueryerContext).QueryContext(context.Background(), text, nil)
	require.ErrorIs(t, err, errInner)
	return to
}

// lifted is a statement without its arguments.
type lifted struct {
	text   string
	args   []any
	varied bool // it is run as it is, not prepared
}

// liftedOf returns what PostgreSQL is asked for a query.
func liftedOf(t require.TestingT, query string, args ...any) (out lifted) {
	to := asked(t, true, query, args...)
	out.text = to.query
	for _, arg := range to.args {
		out.args = append(out.args, arg.Value)
	}
	out.varied = slices.Equal(out.args, []any{pgx.QueryExecModeSimpleProtocol})
	return out
}

func TestStatementsOfOneShapeHaveOneText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		query string
		args  []any
		text  string
		given []any
	}{
		"compared numbers": {"SELECT a FROM t WHERE id = ? AND x >= ? AND y<>?", []any{int64(7), -1.5, 3}, "SELECT a FROM t WHERE id = $1::int8 AND x >= $2::float8 AND y<>$3::int8", []any{"7", "-1.5", "3"}},
		"texts":            {"SELECT a FROM t WHERE b = ? OR 'it''s; = 5' = ?", []any{"it's \x01; $1 = 5?", ""}, "SELECT a FROM t WHERE b = $1 OR 'it''s; = 5' = $2", []any{"it's \x01; $1 = 5?", ""}},
		"other numbers":    {"SELECT COUNT(*), a ->> 0, b + 1 FROM t2 WHERE f(?) LIMIT 10", []any{prepared.Arg(5)}, "SELECT COUNT(*), a ->> 0, b + 1 FROM t2 WHERE f($1::int8) LIMIT 10", []any{"5"}},
		"bytes":            {"UPDATE t SET a = ?", []any{[]byte{0, 1, '\''}}, "UPDATE t SET a = $1", []any{[]byte{0, 1, '\''}}},
		"a list":           {"SELECT a FROM t WHERE id IN (?)", []any{prepared.List([]int64{5, 6, 7})}, "SELECT a FROM t WHERE id IN ($1::int8, $2::int8, $3::int8, $4::int8)", []any{"5", "6", "7", "7"}},
		"a long list":      {"SELECT a FROM t WHERE +id IN (?) AND b = ?", []any{prepared.List(count(130)), "x"}, "SELECT a FROM t WHERE +id = ANY ($1::int8[]) AND b = $2", []any{listed(130), "x"}},
		"none of many":     {"SELECT a FROM t WHERE id NOT IN (?)", []any{prepared.List(count(65))}, "SELECT a FROM t WHERE id <> ALL ($1::int8[])", []any{listed(65)}},
		"an empty list":    {"SELECT a FROM t WHERE id IN (?)", []any{prepared.List([]int64{})}, "SELECT a FROM t WHERE id IN (NULL)", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := liftedOf(t, c.query, c.args...)
			require.Equal(t, c.text, out.text)
			require.Equal(t, c.given, out.args)
			require.False(t, out.varied)
		})
	}
}

// count returns the numbers from 1.
func count(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i + 1)
	}
	return out
}

// listed returns the numbers from 1 as PostgreSQL reads a list.
func listed(n int) string {
	return "{" + strings.Trim(strings.ReplaceAll(fmt.Sprint(count(n)), " ", ","), "[]") + "}"
}

// A long list is written into a statement for a database that takes no lists.
func TestLongListsAreWritten(t *testing.T) {
	t.Parallel()
	out := asked(t, false, "SELECT a FROM t WHERE id IN (?)", prepared.List(count(65))) // which prepares nothing
	require.Empty(t, out.args)
	require.Equal(t, "SELECT a FROM t WHERE id IN ("+strings.Trim(listed(65), "{}")+")", out.query)
}

// Texts that are seldom the same twice, and statements that databases do not prepare, are run as they are.
func TestWhatIsNotPrepared(t *testing.T) {
	t.Parallel()
	many := make([]string, 65) // one more than are given as arguments of their own
	for query, args := range map[string][]any{
		"SELECT a FROM t WHERE id IN (?)":                        {prepared.List(many)},
		"SELECT a FROM t WHERE a = ? LIMIT 10 OFFSET 20":         {"x"},
		"SET LOCAL statement_timeout = 0":                        nil,
		"SELECT a FROM t WHERE a = ?; DELETE FROM t WHERE b = ?": {"x", "y"},
	} {
		require.True(t, liftedOf(t, query, args...).varied, query)
	}
}

// Whatever an argument holds, it stays the argument and becomes no part of the statement.
func TestArgumentsStayArguments(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("a'\"\\?;:$ =<>-0123456789é\x01"))), 1, 6).Draw(t, "texts")
		args := make([]any, len(texts))
		for i, text := range texts {
			args[i] = text
		}
		query := "SELECT a FROM t WHERE " + strings.Join(slices.Repeat([]string{"a = ?"}, len(args)), " AND ")
		out := liftedOf(t, query, args...)
		require.Equal(t, args, out.args)
		require.False(t, out.varied)
		require.Equal(t, liftedOf(t, query, slices.Repeat([]any{"x"}, len(args))...).text, out.text)
		plain := liftedOf(t, query+" AND ?", append(args, prepared.Varied{})...)
		require.True(t, plain.varied)
		require.Equal(t, schema.NewQueryGen(pgdialect.New()).FormatQuery(query, args...)+" AND 1 = 1", plain.text, "as bun writes it")
	})
}
