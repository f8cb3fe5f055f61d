package sqlstore

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"tilth/adapters/persistence/prepared"
	"tilth/core/access"
	"tilth/core/chain"
	"tilth/ports"
)

// Summed are the tables whose live rows are counted as they are written, by the triggers of the migration "list_sums",
// each with the columns by whose values they are counted as well. In the other columns that lists are filtered by, few
// rows have the same value, or the values are not references.
var Summed = map[string][]string{
	"farms":          {"created_by"},
	"fields":         {"created_by", "farm_id"},
	"seasons":        {"created_by"},
	"cultivations":   {"created_by", "crop_id", "field_id", "season_id"},
	"fertilizations": {"created_by"},
	"assessments":    {"created_by"},
	"profile_orders": {"created_by", "season_id"},
}

// sum is one of the counts of a table: of all rows of a company where key is empty, else of those with a value in that column.
type sum struct {
	list, key string
	value     int64
}

// sumOf returns the sum that is the length of a list of own rows of R; ok is false where the rows must be counted.
func sumOf[R any](s *Session, known map[string]Filter, scope access.Scope, query ports.Query) (out sum, ok bool) {
	out.list = s.pool.Table(reflect.TypeFor[R]()).Name
	keys, ok := Summed[out.list]
	if !ok || !Writable(scope) || len(query.Filters) > 1 || !query.Deleted.IsZero() {
		return out, false
	}
	for _, f := range query.Filters {
		out.value, ok = f.Value.(int64)
		out.key = strings.TrimPrefix(known[f.Name].Exact, "t.")
		if !ok || f.Partial || !slices.Contains(keys, out.key) {
			return out, false
		}
	}
	return out, true
}

// read returns the sum as the transaction sees it.
func (one sum) read(ctx context.Context, s *Session, scope access.Scope) (n int64, err error) {
	const parts = "SELECT n FROM list_sums WHERE company_id = ?0 AND list = ?1 AND key = ?2 AND value = ?3 AND "
	err = s.NewRaw("SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM ("+parts+"folded UNION ALL "+parts+"NOT folded) AS parts",
		prepared.Arg(scope.Company()), one.list, one.key, prepared.Arg(one.value)).Scan(ctx, &n)
	return n, err
}

// Chained counts the rows of a company in a chain, which holds every row of a table: those that were linked and are not removed,
// and those that wait. It costs the same at any length.
func (s *Session) Chained(ctx context.Context, name chain.Name, scope access.Scope) (n int64, err error) {
	const of = "WHERE chain = ?0 AND company_id = ?1"
	err = s.NewRaw("SELECT COALESCE((SELECT position - purged + (SELECT count(*) FROM chain_links AS l WHERE l.chain = ?0 AND l.company_id = ?1"+
		" AND l.position <= h.purged) FROM chain_heads AS h "+of+"), 0) + (SELECT count(*) FROM chain_waiting "+of+")",
		string(name), prepared.Arg(scope.Company())).Scan(ctx, &n)
	return n, err
}

// foldedAtOnce bounds how many changes one transaction adds up.
const foldedAtOnce = 5000

// FoldSums adds up the changes of sums, on the database where writers leave them as rows of their own, and returns their number.
// Any number of processes may do it at once.
func (d *DB) FoldSums(ctx context.Context) (total int64, err error) {
	if !d.engine.postgres {
		return 0, nil
	}
	for {
		var n int64
		err := d.Update(ctx, func(ctx context.Context, s *Session) error {
			return s.NewRaw(`WITH taken AS (SELECT id FROM list_sums WHERE NOT folded ORDER BY id LIMIT ? FOR UPDATE SKIP LOCKED),
gone AS (DELETE FROM list_sums WHERE id IN (SELECT id FROM taken) RETURNING company_id, list, key, value, n),
added AS (INSERT INTO list_sums (company_id, list, key, value, folded, n)
  SELECT company_id, list, key, value, TRUE, SUM(n) FROM gone GROUP BY company_id, list, key, value ORDER BY company_id, list, key, value
  ON CONFLICT (company_id, list, key, value) WHERE folded DO UPDATE SET n = list_sums.n + excluded.n)
SELECT count(*) FROM gone`, prepared.Arg(foldedAtOnce)).Scan(ctx, &n)
		})
		if total += n; err != nil || n < foldedAtOnce {
			return total, err
		}
	}
}
