package simulate

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/chain"
	"tilth/tests/pgtest"
	"tilth/tests/rig"
	"tilth/wire"
)

// age is an installation of an earlier release: testdata/NAME has its dumps by sqlite3 and pg_dump, and its answers to
// its owner before it was killed while an order waited for its imagery.
type age struct {
	name    string
	waits   int64                             // the order
	changes string                            // a farm
	chained map[chain.Name]int64              // minimum number of rows of each chain in the end
	full    bool                              // every table has a row
	every   int                               // in make test, the server is killed at every n-th call
	also    func(t *testing.T, s *rig.Server) // what else it shows
}

// ages are those of the very first schema (commit ef58f7c8), and of one halfway to this one (fdb1af40): with evidence,
// readings, a plan and its results, webhooks and chains, an archive that is queried, and a job that a worker held.
var ages = []age{
	{name: "first", waits: 2, changes: "farm/2/", full: true, every: 3, chained: map[chain.Name]int64{chain.Ledger: 5, chain.Audit: 1}, also: func(t *testing.T, s *rig.Server) {
		neighbour := s.Anonymous()
		var err error
		neighbour.Token, err = s.Operating.CreateToken(t.Context(), "neighbour@demo.example", time.Hour)
		require.NoError(t, err)
		require.Equal(t, "Räubertal", neighbour.Expect(200, "GET", "farm/2/?share=true", nil).Data(t)["name"], "the grant holds")
		neighbour.Expect(404, "GET", "farm/1/?share=true", nil)
	}},
	{name: "middle", waits: 2, changes: "farm/1/", every: 30, chained: map[chain.Name]int64{chain.Ledger: 6, chain.Audit: 60}, also: func(*testing.T, *rig.Server) {}},
}

// moved are the members of old answers that later versions state differently, and the columns that later schemas no
// longer have: each was a decision, which the history of the code explains.
var moved = map[string]bool{
	"profile_series": true, "profile_observations": true, // readings hold them now: the order's answer has every number
	"outbox_seen":        true,                                       // the positions of feeds replaced it: no consumer of the first version marked anything in it
	".data.company.name": true, ".data.results[].company.name": true, // was empty, which was a defect
}

// due sets the year in which the pending order is taken up, and webhooks are posted to.
const due = "UPDATE jobs SET lease = NULL, lease_until = NULL, run_at = '%s-01-01T00:00:00.000000Z' WHERE kind IN ('vi_profile', 'webhook')"

// TestUpgradeFromEarlierSchemas upgrades installations of earlier schemas to this one with a server that is killed again and
// again meanwhile, each time at a later call to its database, before or after the call took effect: nothing is lost, every
// record is answered as before, the chains that the first schema did not have are intact, and the pending order is done.
func TestUpgradeFromEarlierSchemas(t *testing.T) {
	t.Parallel()
	for _, a := range ages {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			file := func(t testing.TB) string {
				return a.restored(t, "sqlite", "sqlite:"+filepath.Join(t.TempDir(), "tilth.db"))
			}
			rig.EachKind(t, file, func(t testing.TB) string { return a.restored(t, "postgres", pgtest.Open(t)) }, a.upgrade)
		})
	}
}

func (a age) upgrade(t *testing.T, open func(testing.TB) string) {
	w := unstarted(t, open(t))
	tables := w.columns()
	before := map[string][][]string{}
	for table, columns := range tables {
		before[table] = w.contents(table, columns)
		require.True(t, !a.full || len(before[table]) > 0, "the dump has no row in %s", table)
	}
	kills, step := 0, a.every
	if os.Getenv("TILTH_SIMULATE") == "1" {
		step = 1
	}
	for at := 1; ; at += step {
		if w.plug.arm(at, kills%2 == 0); !w.startsKilled() {
			break
		}
		kills++
	}
	require.Greater(t, kills, 30/a.every)
	t.Logf("killed %d times", kills)
	w.plug.arm(0, false)

	now := w.columns()
	for table, columns := range tables {
		if moved[table] {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return !slices.Contains(now[table], c) })
		for _, column := range columns {
			assert.True(t, slices.Contains(kept, column) || moved[table+"."+column], "%s.%s is gone", table, column)
		}
		left := map[string]int{}
		for _, row := range w.contents(table, kept) {
			left[strings.Join(row, "|")]++
		}
		for _, row := range before[table] {
			values := make([]string, len(kept))
			for i, column := range kept {
				values[i] = row[slices.Index(columns, column)]
			}
			text := strings.Join(values, "|")
			assert.Positive(t, left[text], "%s lost %s", table, text)
			left[text]--
		}
	}
	w.answersAsBefore(a)
}

// file returns the content of a file of an age.
func (a age) file(t testing.TB, name string) []byte {
	packed, err := os.Open(filepath.Join("testdata", a.name, name+".gz"))
	require.NoError(t, err)
	defer func() { _ = packed.Close() }()
	plain, err := gzip.NewReader(packed)
	require.NoError(t, err)
	text, err := io.ReadAll(plain)
	require.NoError(t, err)
	return text
}

// restored loads the dump of a kind into an empty database.
func (a age) restored(t testing.TB, kind, database string) string {
	rig.Exec(t, database, string(a.file(t, kind+".sql")))
	return database
}

// columns are the columns of every table, in their order, without the tables of migrations.
func (w *world) columns() map[string][]string {
	query := `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'schema%' ORDER BY 1, c.cid`
	if !strings.HasPrefix(w.database, "sqlite:") {
		query = `SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name NOT LIKE 'schema%' ORDER BY 1, ordinal_position`
	}
	out := map[string][]string{}
	w.rows(query, func(table, column string) { out[table] = append(out[table], column) })
	return out
}

// contents are the rows of a table, as text.
func (w *world) contents(table string, columns []string) (out [][]string) {
	texts := make([]string, len(columns))
	for i, column := range columns {
		texts[i] = fmt.Sprintf(`COALESCE(CAST(%q AS TEXT), 'null')`, column)
	}
	query := fmt.Sprintf("SELECT %s FROM %s", strings.Join(texts, ", "), table)
	if table == "jobs" {
		query += " WHERE key <> 'all'" // those of chores, which each start puts back
	}
	rows, err := w.raw.QueryContext(w.t.Context(), query)
	require.NoError(w.t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		row, into := make([]string, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(w.t, rows.Scan(into...))
		out = append(out, row)
	}
	require.NoError(w.t, rows.Err())
	return out
}

// answersAsBefore serves the upgraded database: the old answers are still given, what waited is done, what was shared
// is seen, and every chain is intact.
func (w *world) answersAsBefore(a age) {
	t, ctx := w.t, w.t.Context()
	kind := "postgres"
	if strings.HasPrefix(w.database, "sqlite:") {
		kind = "sqlite"
	}
	var answers map[string]any
	require.NoError(t, json.Unmarshal(a.file(t, kind+".json"), &answers))

	rig.Exec(t, w.database, fmt.Sprintf(due, "2999")) // so that nothing changes while it is read
	s := rig.Start(t, rig.Options{Database: w.database, Config: func(cfg *cli.Config) { cfg.ObjectsURL = "file:" + w.folder }})
	owner := s.Anonymous()
	in := owner.Expect(200, "POST", "auth/token/", map[string]any{"email": "owner@demo.example", "password": "tilth-demo-2025"}).Data(t)
	owner.Token = in["access"].(string)
	for _, path := range slices.Sorted(maps.Keys(answers)) {
		var unlike []string
		rig.Eventually(t, func() bool { // some of what the upgrade left is done in the background
			var answer any
			require.NoError(t, json.Unmarshal(owner.Expect(200, "GET", path, nil).Body, &answer))
			unlike = differences("", answers[path], answer)
			return len(unlike) == 0 || !strings.Contains(strings.Join(unlike, ""), "_pending")
		}, time.Minute, 50*time.Millisecond)
		assert.Empty(t, unlike, path)
	}

	a.also(t, s)
	rig.Exec(t, w.database, fmt.Sprintf(due, "2020"))
	require.Equal(t, "active", owner.Until(a.waits, "active").Status, "the order that waited is done")
	wallet, err := s.Operating.Wallet(ctx, 1)
	require.NoError(t, err)
	require.Zero(t, wallet.Held)
	owner.Expect(200, "PATCH", a.changes, map[string]any{"city": "Peñafiel de Duero"})
	w.chainsWhole(a.chained)
}

// chainsWhole waits until everything is chained, and has it verified as an operator does: the ledger has every earlier
// transaction and the one after the upgrade, the trail the change after the upgrade.
func (w *world) chainsWhole(rows map[chain.Name]int64) {
	t := w.t
	env := map[string]string{"TILTH_DATABASE_URL": w.database}
	for name, min := range rows {
		rig.Eventually(t, func() bool {
			var out, errs bytes.Buffer
			status := cli.Run(t.Context(), wire.Program{}, []string{"verify", string(name), "--json"}, env, cli.Streams{Out: &out, Err: &errs})
			require.Zero(t, status, "%s%s", &out, &errs)
			verified, waiting := int64(0), int64(0)
			for in := json.NewDecoder(&out); in.More(); {
				var one struct {
					Whole             bool
					Verified, Waiting int64
				}
				require.NoError(t, in.Decode(&one))
				require.True(t, one.Whole, "%s", name)
				verified, waiting = verified+one.Verified, waiting+one.Waiting
			}
			return waiting == 0 && verified >= min
		}, time.Minute, 50*time.Millisecond, "the %s is not chained", name)
	}
}

// differences are the members of an old answer that a new one does not have, or states differently. New members do not count.
func differences(at string, before, now any) (out []string) {
	if moved[at] {
		return nil
	}
	switch old := before.(type) {
	case map[string]any:
		members, _ := now.(map[string]any)
		for name, value := range old {
			out = append(out, differences(at+"."+name, value, members[name])...)
		}
	case []any:
		all, _ := now.([]any)
		if len(all) != len(old) {
			return []string{fmt.Sprintf("%s was %v, is %v", at, before, now)}
		}
		for i, value := range old {
			out = append(out, differences(at+"[]", value, all[i])...)
		}
	default:
		if before != now {
			out = append(out, fmt.Sprintf("%s was %v, is %v", at, before, now))
		}
	}
	return out
}
