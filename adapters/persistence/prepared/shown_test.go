package prepared_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"
	"pgregory.net/rapid"

	"tilth/adapters/persistence/prepared"
)

func TestStatementsWithoutValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`SELECT "t"."id" FROM "farms" AS "t" WHERE (t.name = 'O''Neil, 1') AND (t.id IN (1, 22,3)) LIMIT 10`: `SELECT "t"."id" FROM "farms" AS "t" WHERE (t.name = ?) AND (t.id IN (?)) LIMIT ?`,
		`INSERT INTO "a1" ("x") VALUES ('\xdead', -1.5e10, NULL, TRUE)`:                                      `INSERT INTO "a1" ("x") VALUES (?, -?, NULL, TRUE)`,
		`UPDATE x SET a = $1, b2 = ? WHERE c = X'00ff'`:                                                      `UPDATE x SET a = $1, b2 = ? WHERE c = X?`,
		`SELECT 'never closed`: `SELECT ?`,
		`BEGIN`:                `BEGIN`,
	} {
		require.Equal(t, want, prepared.WithoutValues(text))
	}
	const shown = 2 << 10
	require.LessOrEqual(t, len(prepared.WithoutValues("SELECT "+strings.Repeat("a, ", shown))), shown+1)
}

// A value that bun writes into a statement is in no part of what is shown of it, on either database.
func TestNoValueIsShown(t *testing.T) {
	t.Parallel()
	dialects := []schema.Dialect{sqlitedialect.New(), pgdialect.New(), prepared.Dialect(sqlitedialect.New()), prepared.Dialect(pgdialect.New())}
	rapid.Check(t, func(t *rapid.T) {
		secret := "zq" + rapid.StringMatching(`[a-z0-9'"\\?$,() \x{e9}-]{0,12}`).Draw(t, "text") + "qz"
		number := rapid.Int64Range(1e9, 1e15).Draw(t, "number")
		for _, dialect := range dialects {
			text := schema.NewQueryGen(dialect).FormatQuery("SELECT a FROM b WHERE c = ? AND d IN (?) AND e = ? AND f = ?",
				secret, bun.List([]string{secret, "other"}), number, []byte(secret))
			require.Equal(t, "SELECT a FROM b WHERE c = ? AND d IN (?) AND e = ? AND f = ?", strings.ReplaceAll(prepared.WithoutValues(text), "X?", "?"))
		}
	})
}

func TestHeadlines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`SELECT "t"."id" FROM "farms" AS "t"`:                           "SELECT farms",
		`INSERT INTO jobs (a) VALUES (?)`:                               "INSERT jobs",
		`SELECT (SELECT count(*) FROM fields) AS n FROM "farms" AS "t"`: "SELECT farms",
		`SELECT a FROM b WHERE c = ? AND d IN (?) AND e = ? AND f = X?`: "SELECT b",
		`COMMIT`: "COMMIT",
	} {
		require.Equal(t, want, prepared.Headline(text))
	}
}
