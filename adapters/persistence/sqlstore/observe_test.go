package sqlstore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeadlines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`SELECT "t"."id" FROM "farms" AS "t"`:                           "SELECT farms",
		`INSERT INTO jobs (a) VALUES (?)`:                               "INSERT jobs",
		`SELECT (SELECT count(*) FROM fields) AS n FROM "farms" AS "t"`: "SELECT farms",
		`SELECT a FROM b WHERE c = ? AND d IN (?) AND e = ? AND f = X?`: "SELECT b",
		`COMMIT`: "COMMIT",
	} {
		require.Equal(t, want, headline(text))
	}
}
