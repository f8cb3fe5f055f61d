package storetest

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/farm"
	"tilth/core/record"
	"tilth/ports"
)

// summed are the tables whose rows are counted as they are written, with the columns by whose values they are counted.
var summed = map[string][]string{
	"farms": {"created_by"}, "fields": {"created_by", "farm_id"}, "seasons": {"created_by"},
	"cultivations":   {"created_by", "crop_id", "field_id", "season_id"},
	"fertilizations": {"created_by"}, "assessments": {"created_by"}, "profile_orders": {"created_by", "season_id"},
}

// requireSums asserts that the sums of all lists agree with a count.
func requireSums(t testing.TB, address string) {
	t.Helper()
	db := raw(t, address)
	for table, keys := range summed {
		live := "deleted_at IS NULL"
		if table == "profile_orders" {
			live = "1 = 1"
		}
		for _, key := range append([]string{""}, keys...) {
			value := key
			if key == "" {
				value = "0"
			}
			want := numbers(t, db, fmt.Sprintf("SELECT company_id, %s, count(*) FROM %s WHERE %s AND %s IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2", value, table, live, value))
			have := numbers(t, db, fmt.Sprintf("SELECT company_id, value, SUM(n) FROM list_sums WHERE list = '%s' AND key = '%s' GROUP BY 1, 2 HAVING SUM(n) <> 0 ORDER BY 1, 2", table, key))
			require.Equal(t, want, have, "the sums of %s by %q", table, key)
		}
	}
}

// numbers reads rows of three numbers.
func numbers(t testing.TB, db *sql.DB, query string) (out [][3]int64) {
	t.Helper()
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row [3]int64
		require.NoError(t, rows.Scan(&row[0], &row[1], &row[2]))
		out = append(out, row)
	}
	require.NoError(t, rows.Err())
	return out
}

// testSums checks, for any order of writes, that the length of a list, in total and by what it refers to, is the number of its records.
func testSums(t *testing.T, b Backend) {
	w := newWorld(t, b)
	rapid.Check(t, func(rt *rapid.T) {
		f := newFarmed(w)
		for range rapid.IntRange(1, 8).Draw(rt, "writes") {
			w.clock.move(time.Second)
			f.write(rt)
			if rapid.Bool().Draw(rt, "fold") {
				_, err := w.FoldSums(w.ctx)
				require.NoError(rt, err)
			}
		}
		w.read(func(tx ports.Repos) error {
			all := collect(t, tx.Fields.Each(w.ctx, w.ours.scope, ports.Query{}))
			lengths := func(want int64, filters ...ports.Filter) {
				n, err := tx.Fields.Count(w.ctx, w.ours.scope, ports.Query{Filters: filters})
				require.NoError(rt, err)
				require.Equal(rt, want, n, "%v", filters)
			}
			lengths(int64(len(all)))
			lengths(int64(len(all)), ports.Filter{Name: "created_by", Value: w.ours.user.ID})
			lengths(0, ports.Filter{Name: "farm", Value: w.theirs.farm.ID})
			for _, id := range f.farms {
				lengths(ofFarm(all, id), ports.Filter{Name: "farm", Value: id})
			}
			return nil
		})
	})
	_, err := w.FoldSums(w.ctx)
	require.NoError(t, err)
	again, err := w.FoldSums(w.ctx)
	require.NoError(t, err)
	require.Zero(t, again, "all were added up")
}

// farmed is two farms whose fields are created, moved, deleted and restored.
type farmed struct {
	*world
	farms      []int64
	live, gone []int64
	at         []time.Time // when the deleted ones were deleted
}

func newFarmed(w *world) *farmed {
	first, second := farm.Farm{Meta: w.meta(w.ours), Name: "First"}, farm.Farm{Meta: w.meta(w.ours), Name: "Second"}
	w.write(func(tx ports.Repos) error { return tx.Farms.Insert(w.ctx, w.ours.scope, []*farm.Farm{&first, &second}) })
	return &farmed{world: w, farms: []int64{first.ID, second.ID}}
}

// write does one write.
func (f *farmed) write(rt *rapid.T) {
	into := record.Ref{ID: rapid.SampledFrom(f.farms).Draw(rt, "farm")}
	number := rapid.IntRange(1, 5).Draw(rt, "number")
	what := rapid.IntRange(0, 3).Draw(rt, "what")
	scope, now := f.ours.scope, f.clock.Now()
	switch {
	case what == 1 && len(f.live) > 0:
		f.world.write(func(tx ports.Repos) error {
			moved, err := tx.Fields.Get(f.ctx, scope, f.live[0])
			if err != nil {
				return err
			}
			moved.Farm = into
			return tx.Fields.Update(f.ctx, scope, &moved)
		})
	case what == 2 && len(f.live) > 0:
		id := f.live[0]
		f.world.write(func(tx ports.Repos) error {
			_, err := tx.Fields.SoftDelete(f.ctx, scope, []int64{id}, now)
			return err
		})
		f.live, f.gone, f.at = f.live[1:], append(f.gone, id), append(f.at, now)
	case what == 3 && len(f.gone) > 0:
		f.world.write(func(tx ports.Repos) error { return tx.Fields.Undelete(f.ctx, scope, f.gone[0], f.at[0], now) })
		f.live, f.gone, f.at = append(f.live, f.gone[0]), f.gone[1:], f.at[1:]
	default:
		made := make([]*farm.Field, number)
		f.world.write(func(tx ports.Repos) error {
			for i := range made {
				field := f.newField(f.ours, fmt.Sprint("Field ", i))
				field.Farm = into
				made[i] = &field
			}
			return tx.Fields.Insert(f.ctx, scope, made)
		})
		for _, field := range made {
			f.live = append(f.live, field.ID)
		}
	}
}

func ofFarm(fields []farm.Field, id int64) (n int64) {
	for _, f := range fields {
		if f.Farm.ID == id {
			n++
		}
	}
	return n
}
