package prepared

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/schema"
	"pgregory.net/rapid"
)

func liftedOf(t require.TestingT, query string, args ...any) lifted {
	out, err := lift(schema.NewQueryGen(Dialect(pgdialect.New())).FormatQuery(query, args...), ofPostgres)
	require.NoError(t, err)
	return out
}

// given returns the arguments for the driver.
func given(l lifted) (out []any) {
	for _, arg := range l.args {
		out = append(out, arg.Value)
	}
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
		"other numbers":    {"SELECT COUNT(*), a ->> 0, b + 1 FROM t2 WHERE f(?) LIMIT 10", []any{Arg(5)}, "SELECT COUNT(*), a ->> 0, b + 1 FROM t2 WHERE f($1::int8) LIMIT 10", []any{"5"}},
		"bytes":            {"UPDATE t SET a = ?", []any{[]byte{0, 1, '\''}}, "UPDATE t SET a = $1", []any{[]byte{0, 1, '\''}}},
		"a list":           {"SELECT a FROM t WHERE id IN (?)", []any{List([]int64{5, 6, 7})}, "SELECT a FROM t WHERE id IN ($1::int8, $2::int8, $3::int8, $4::int8)", []any{"5", "6", "7", "7"}},
		"a long list":      {"SELECT a FROM t WHERE +id IN (?) AND b = ?", []any{List(count(130)), "x"}, "SELECT a FROM t WHERE +id = ANY ($1::int8[]) AND b = $2", []any{listed(130), "x"}},
		"none of many":     {"SELECT a FROM t WHERE id NOT IN (?)", []any{List(count(65))}, "SELECT a FROM t WHERE id <> ALL ($1::int8[])", []any{listed(65)}},
		"an empty list":    {"SELECT a FROM t WHERE id IN (?)", []any{List([]int64{})}, "SELECT a FROM t WHERE id IN (NULL)", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := liftedOf(t, c.query, c.args...)
			require.Equal(t, c.text, out.text)
			require.Equal(t, c.given, given(out))
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
	query := schema.NewQueryGen(Dialect(pgdialect.New())).FormatQuery("SELECT a FROM t WHERE id IN (?)", List(count(65)))
	out, err := lift(query, ofSQLite)
	require.NoError(t, err)
	require.True(t, out.varied)
	text, err := written(query, "X'")
	require.NoError(t, err)
	require.Equal(t, "SELECT a FROM t WHERE id IN ("+strings.Trim(listed(65), "{}")+")", text)
}

// Texts that are seldom the same twice, and statements that databases do not prepare, are run as they are.
func TestWhatIsNotPrepared(t *testing.T) {
	t.Parallel()
	many := make([]string, maxListed+1)
	for query, args := range map[string][]any{
		"SELECT a FROM t WHERE id IN (?)":                        {List(many)},
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
		require.Equal(t, args, given(out))
		require.False(t, out.varied)
		require.Equal(t, liftedOf(t, query, slices.Repeat([]any{"x"}, len(args))...).text, out.text)
		plain, err := written(schema.NewQueryGen(Dialect(pgdialect.New())).FormatQuery(query, args...), `'\x`)
		require.NoError(t, err)
		require.Equal(t, schema.NewQueryGen(pgdialect.New()).FormatQuery(query, args...), plain, "as bun writes it")
	})
}
