package names_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/ports"
	"tilth/tests/migrated"
)

// estate is a database with seasons whose names have numbers.
type estate struct {
	*persistence.Database
	t *testing.T
}

func open(t *testing.T) estate {
	db, err := persistence.Open(t.Context(), migrated.SQLite(t), persistence.Options{Clock: migrated.Still{}, IDs: migrated.None{}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	e := estate{db, t}
	e.exec("INSERT INTO companies (id, uuid, name, policy_version, created_at) VALUES (7, 'u', 'Ours', 1, '2026-01-01T00:00:00.000000Z')")
	for n := range 30 {
		e.exec(fmt.Sprintf("INSERT INTO seasons (company_id, created_at, updated_at, name, name_folded, start_date, end_date, harvest_year, kind, is_closed, external_id, source) "+
			"VALUES (7, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', 'S', 'season %d', '2026-01-01', '2026-12-31', 2026, 'annual', FALSE, '', '')", 1234560+n))
	}
	return e
}

func (e estate) exec(statements ...string) {
	e.t.Helper()
	require.NoError(e.t, e.Update(e.t.Context(), func(ctx context.Context, s *sqlstore.Session) error {
		for _, one := range statements {
			if _, err := s.ExecContext(ctx, one); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (e estate) fold() int64 {
	e.t.Helper()
	n, err := e.FoldSearch(e.t.Context())
	require.NoError(e.t, err)
	return n
}

// numbered returns how many names the index of numbers has.
func (e estate) numbered() (n int) {
	e.t.Helper()
	require.NoError(e.t, e.View(e.t.Context(), func(ctx context.Context, s *sqlstore.Session) error {
		return s.NewRaw("SELECT count(*) FROM search_numbers").Scan(ctx, &n)
	}))
	return n
}

// requireFound asserts how many names a search finds.
func (e estate) requireFound(text string, want int) {
	e.t.Helper()
	require.NoError(e.t, e.Read(e.t.Context(), func(ctx context.Context, tx ports.Repos) error {
		n, err := tx.Seasons.Count(ctx, access.Own(7), ports.Query{Filters: []ports.Filter{{Name: "name", Value: text, Partial: true}}})
		require.EqualValues(e.t, want, n, text)
		return err
	}))
}

func (e estate) requireAll() {
	e.t.Helper()
	for text, want := range map[string]int{"1234567": 1, "season 1234567": 1, "123456": 10, "12345": 30, "23458": 10, "99999": 0, "567": 1} {
		e.requireFound(text, want)
	}
}

func TestNumbersAreFoundWhateverTheIndexKnows(t *testing.T) {
	e := open(t)
	e.requireAll()
	require.NotZero(t, e.fold())
	require.Equal(t, 30, e.numbered())
	e.requireAll()
	require.Zero(t, e.fold(), "all names are there")

	e.exec("UPDATE seasons SET name_folded = 'season' WHERE name_folded = 'season 1234567'", "DELETE FROM seasons WHERE name_folded = 'season 1234568'")
	for range 2 { // before and after
		e.requireFound("1234567", 0)
		e.requireFound("1234568", 0)
		e.requireFound("1234569", 1)
		e.fold()
	}
	require.Equal(t, 28, e.numbered())
}

// The release before the index of numbers maintains only the other one: names that it has put there are found before their numbers are indexed.
func TestNumbersAreFoundAfterAnUpgrade(t *testing.T) {
	e := open(t)
	e.fold()
	e.exec("UPDATE search_marks SET upto = 0 WHERE list LIKE '%.numbers'", "INSERT INTO search_numbers (search_numbers) VALUES ('delete-all')")
	e.requireAll()
	e.fold()
	require.Equal(t, 30, e.numbered())
	e.requireAll()
}

// More names than one transaction and one statement put into the index.
func TestManyNamesArePutIntoTheIndex(t *testing.T) {
	e := open(t)
	e.exec(`INSERT INTO seasons (company_id, created_at, updated_at, name, name_folded, start_date, end_date, harvest_year, kind, is_closed, external_id, source)
		SELECT 7, '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:00.000000Z', 'S', CASE n % 3 WHEN 0 THEN 'x' ELSE 'season ' || (2000000 + n) END, '2026-01-01', '2026-12-31', 2026, 'annual', FALSE, '', ''
		FROM (WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 12000) SELECT n FROM s) AS s`)
	e.fold()
	require.Equal(t, 30+8000, e.numbered())
	e.requireFound("season 123456", 10)
	e.requireFound("2007776", 0) // divisible by three
	e.requireFound("2007777", 1)
}
