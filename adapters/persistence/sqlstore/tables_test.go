package sqlstore_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence/migrations"
	"tilth/adapters/persistence/sqlstore"
)

// The sums and indices that are read must be written by triggers of the migrations.
func TestTablesThatAreCountedAndSearchedHaveTheirTriggers(t *testing.T) {
	t.Parallel()
	ups, err := fs.Glob(migrations.Files, "*.up.sql")
	require.NoError(t, err)
	for _, forPostgres := range []bool{false, true} {
		var all strings.Builder
		for _, file := range ups {
			text, err := migrations.Statements(file, forPostgres)
			require.NoError(t, err)
			all.WriteString(text)
		}
		schema := all.String()
		for table, keys := range sqlstore.Summed {
			for _, when := range []string{"insert", "update", "delete"} {
				require.Contains(t, schema, fmt.Sprintf("CREATE TRIGGER tr_%s_sum_%s ", table, when))
			}
			for _, key := range keys {
				require.Contains(t, schema, fmt.Sprintf("SELECT company_id, '%s', '%s', %[2]s, TRUE", table, key))
			}
		}
		for table, index := range sqlstore.Searched {
			want := fmt.Sprintf("AFTER UPDATE OF %s, company_id ON %s\n", index.Column, table)
			if !forPostgres {
				require.Contains(t, schema, fmt.Sprintf("VALUES ('%s', NEW.id), ('%s', NEW.id)", table, sqlstore.NumbersOf(table)))
				require.Contains(t, schema, fmt.Sprintf("VALUES ('%s', OLD.id), ('%s', OLD.id)", table, sqlstore.NumbersOf(table)))
			} else {
				want = fmt.Sprintf("ix_%s_search ON %[1]s USING gin (%s ", table, index.Column)
			}
			require.Contains(t, schema, want)
		}
	}
}
