package simulate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/pgtest"
	"tilth/tests/rig"
)

// TestKillPointsOfAnEmptyDatabase kills the server at its calls to an empty database, which it migrates and fills: the next
// start completes what a killed start leaves. One database is started again and again, each time with one more call before
// the kill, so that the kills hit every step of a migration; TILTH_SIMULATE=1 does this starting from several calls.
func TestKillPointsOfAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	firsts := 1
	if os.Getenv("TILTH_SIMULATE") == "1" {
		firsts = 10
	}
	file := func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "tilth.db") }
	rig.EachKind(t, file, pgtest.Open, func(t *testing.T, open func(testing.TB) string) {
		undisturbed := unstarted(t, open(t))
		require.False(t, undisturbed.startsKilled())
		want, points := undisturbed.schema(), 0
		for first := 1; first <= firsts; first++ {
			for _, late := range []bool{false, true} {
				w := unstarted(t, open(t))
				for at := first; ; at++ {
					if w.plug.arm(at, late); !w.startsKilled() {
						break
					}
					points++
				}
				require.Equal(t, want, w.schema())
			}
		}
		require.Greater(t, points, 40)
		t.Logf("%d kill points", points)
	})
}

// startsKilled starts the server and stops it again, and reports whether it was killed.
func (w *world) startsKilled() bool {
	server, err := rig.Assemble(w.t, w.database, w.folder, w.plug.failures())
	killed := w.plug.pulled()
	if !killed {
		require.NoError(w.t, err)
	}
	if err == nil {
		_ = server.Close()
	}
	return killed
}

// schema is what a database has, and how many rows there are in each table.
func (w *world) schema() map[string]string {
	out := map[string]string{}
	tables, things := `SELECT name, '' FROM sqlite_schema WHERE type = 'table'`, `SELECT type || ' ' || name, COALESCE(sql, '') FROM sqlite_schema`
	if !strings.HasPrefix(w.database, "sqlite:") {
		tables = `SELECT tablename, '' FROM pg_tables WHERE schemaname = current_schema()`
		things = `SELECT table_name || '.' || column_name, data_type || is_nullable || COALESCE(column_default, '') FROM information_schema.columns WHERE table_schema = current_schema()
UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = current_schema()
UNION ALL SELECT 'trigger ' || tgrelid::regclass || ' ' || tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace`
	}
	w.rows(things, func(name, text string) { out[name] = text })
	w.rows(tables, func(table, _ string) {
		out["rows of "+table] = ""
	})
	for name := range out {
		if table, ok := strings.CutPrefix(name, "rows of "); ok {
			w.rows(fmt.Sprintf("SELECT CAST(count(*) AS TEXT), '' FROM %s", table), func(n, _ string) { out[name] = n })
		}
	}
	return out
}
