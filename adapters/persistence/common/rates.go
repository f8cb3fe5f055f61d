package common

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/ports"
)

const (
	ratesKept    = time.Hour // after the last request
	ratesAtOnce  = 500       // rows of one statement
	ratesDropped = 1000      // rows that one call forgets
)

type rateRow struct {
	bun.BaseModel `bun:"table:rate_sums,alias:t"`
	Key           string `bun:"key,pk"`
	Taken         int64
	LastAt        sqlstore.Stamp
}

type replicaRow struct {
	bun.BaseModel `bun:"table:replicas,alias:t"`
	ID            string `bun:"id,pk"`
	Beats         int64
	LastAt        sqlstore.Stamp
}

// rates implements ports.RateTable, each call in a transaction of its own.
type rates struct{ d *sqlstore.DB }

// NewRates returns the table in which the servers of a database share how often callers ask.
func NewRates(d *sqlstore.DB) ports.RateTable { return rates{d} }

func (r rates) Beat(ctx context.Context, replica string, at time.Time) (map[string]int64, error) {
	var rows []replicaRow
	err := r.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		own := replicaRow{ID: replica, Beats: 1, LastAt: sqlstore.StampAt(at)}
		if err := sqlstore.Run(ctx, s.NewInsert().Model(&own).On("CONFLICT (id) DO UPDATE").
			Set("beats = t.beats + 1, last_at = EXCLUDED.last_at")); err != nil {
			return err
		}
		rows = nil
		if err := s.NewSelect().Model(&rows).Scan(ctx); err != nil {
			return err
		}
		return sqlstore.Run(ctx, s.NewDelete().Model((*replicaRow)(nil)).Where("last_at < ?", sqlstore.StampAt(at.Add(-ratesKept))))
	})
	out := map[string]int64{}
	for _, row := range rows {
		out[row.ID] = row.Beats
	}
	return out, err
}

// Rows are written in the order of their keys, so that no two replicas wait for each other.
func (r rates) Exchange(ctx context.Context, taken map[string]int64, at time.Time) (map[string]int64, error) {
	out := map[string]int64{}
	err := r.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		clear(out)
		for some := range slices.Chunk(slices.Sorted(maps.Keys(taken)), ratesAtOnce) {
			rows := sqlstore.Each(some, func(key *string) rateRow {
				return rateRow{Key: *key, Taken: taken[*key], LastAt: sqlstore.StampAt(at)}
			})
			if _, err := s.NewInsert().Model(&rows).On("CONFLICT (key) DO UPDATE").
				Set("taken = t.taken + EXCLUDED.taken, last_at = EXCLUDED.last_at").Returning("taken").Exec(ctx); err != nil {
				return err
			}
			for _, row := range rows {
				out[row.Key] = row.Taken
			}
		}
		old := s.SkipLocked(s.NewSelect().Table("rate_sums").Column("key").
			Where("last_at < ?", sqlstore.StampAt(at.Add(-ratesKept))).OrderExpr("last_at").Limit(ratesDropped))
		return sqlstore.Run(ctx, s.NewDelete().With("old", old).Model((*rateRow)(nil)).Where("key IN (SELECT key FROM old)"))
	})
	return out, err
}
