package common

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/event"
)

// feedRow is what the feed of a company holds.
type feedRow struct {
	bun.BaseModel `bun:"table:event_feeds,alias:t"`
	CompanyID     int64 `bun:"company_id,pk"`
	Last          int64
	Pruned        int64
	Delivered     int64 // up to here the webhooks have their deliveries
}

// feedsLock is the key of the advisory lock of the transaction that assigns positions ("events" in ASCII).
const feedsLock = 0x6576656e7473

// feeds implements ports.EventFeed and ports.EventKeeper. The feeds are the rows of the
// outbox that have a position.
type feeds struct{ s *sqlstore.Session }

// Bounds implements ports.EventFeed.
func (f feeds) Bounds(ctx context.Context, scope access.Scope) (event.Bounds, error) {
	q := sqlstore.Where(f.s.NewSelect().Model((*feedRow)(nil)), sqlstore.OwnOnly(scope))
	bounds, _, err := sqlstore.Find(ctx, q, func(row *feedRow) event.Bounds { return event.Bounds{Last: row.Last, Pruned: row.Pruned} })
	return bounds, err
}

// After implements ports.EventFeed.
func (f feeds) After(ctx context.Context, scope access.Scope, position int64, types []string, limit int) ([]event.Logged, error) {
	var rows []outboxRow
	q := f.after(scope, position).Limit(int64(limit))
	if len(types) > 0 {
		q = q.Where("t.type IN (?)", bun.List(types))
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	return loggedOfRows(rows), nil
}

func (f feeds) after(scope access.Scope, position int64) *bun.SelectQuery {
	return sqlstore.Where(f.s.NewSelect().Model((*outboxRow)(nil)), sqlstore.OwnOnly(scope)).Where("t.position > ?", position).OrderExpr("t.position")
}

func loggedOfRows(rows []outboxRow) []event.Logged {
	out := make([]event.Logged, len(rows))
	for i := range rows {
		out[i] = rows[i].logged()
	}
	return out
}

// Waiting implements ports.EventKeeper.
func (f feeds) Waiting(ctx context.Context) (bool, error) {
	return f.s.NewSelect().Model((*outboxRow)(nil)).Where("t.logged_at IS NULL").Exists(ctx)
}

// lock takes the feeds for this transaction. SQLite has one writing transaction at a time anyway.
func (f feeds) lock(ctx context.Context) error {
	if !f.s.Postgres {
		return nil
	}
	return sqlstore.Run(ctx, f.s.NewRaw("SELECT pg_advisory_xact_lock(?)", int64(feedsLock)))
}

// Assign implements ports.EventKeeper.
func (f feeds) Assign(ctx context.Context, at time.Time, limit int) ([]event.Logged, error) {
	if err := f.lock(ctx); err != nil {
		return nil, err
	}
	var rows []outboxRow
	err := f.s.NewSelect().Model(&rows).Where("t.logged_at IS NULL").OrderExpr("t.seq").Limit(int64(limit)).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	lasts, err := f.Lasts(ctx, companiesOf(rows))
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if id := rows[i].CompanyID; id != nil {
			lasts[*id]++
			position := lasts[*id]
			rows[i].Position = &position
		}
	}
	if err := f.mark(ctx, rows, lasts, at); err != nil {
		return nil, err
	}
	return loggedOfRows(slices.DeleteFunc(rows, func(r outboxRow) bool { return r.Position == nil })), nil
}

// mark stores the positions of events, and where the feeds end now.
func (f feeds) mark(ctx context.Context, rows []outboxRow, lasts map[int64]int64, at time.Time) error {
	type place struct {
		Seq      int64
		Position *int64
	}
	var placed []place
	var seqs []int64
	for _, row := range rows {
		seqs = append(seqs, row.Seq)
		if row.Position != nil {
			placed = append(placed, place{row.Seq, row.Position})
		}
	}
	_, err := f.s.NewUpdate().Model((*outboxRow)(nil)).Set("logged_at = ?", sqlstore.StampAt(at)).Where("t.seq IN (?)", bun.List(seqs)).Exec(ctx)
	if err != nil || len(placed) == 0 {
		return err
	}
	_, err = f.s.NewUpdate().With("placed", f.s.NewValues(&placed)).Model((*outboxRow)(nil)).TableExpr("placed").
		Set("position = placed.position").Where("t.seq = placed.seq").Exec(ctx)
	if err != nil {
		return err
	}
	var ends []feedRow
	for _, id := range slices.Sorted(maps.Keys(lasts)) {
		ends = append(ends, feedRow{CompanyID: id, Last: lasts[id]})
	}
	return sqlstore.Run(ctx, f.s.NewInsert().Model(&ends).Apply(sqlstore.Replacing("company_id", "last")))
}

func companiesOf(rows []outboxRow) []int64 {
	var out []int64
	for _, row := range rows {
		if row.CompanyID != nil {
			out = append(out, *row.CompanyID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Positions implements ports.EventKeeper.
func (f feeds) Positions(ctx context.Context, ids []string) (map[string]int64, error) {
	var rows []outboxRow
	err := f.s.NewSelect().Model(&rows).Column("id", "position").Where("t.id IN (?)", bun.List(ids)).Where("t.logged_at IS NOT NULL").Scan(ctx)
	out := make(map[string]int64, len(rows))
	for _, row := range rows {
		out[row.ID] = sqlstore.ValueOf(row.Position)
	}
	return out, err
}

// Lasts implements ports.EventKeeper.
func (f feeds) Lasts(ctx context.Context, companies []int64) (map[int64]int64, error) {
	out := map[int64]int64{}
	if len(companies) == 0 {
		return out, nil
	}
	var rows []feedRow
	if err := f.s.NewSelect().Model(&rows).Where("t.company_id IN (?)", bun.List(companies)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		out[row.CompanyID] = row.Last
	}
	return out, nil
}

// Prune implements ports.EventKeeper.
func (f feeds) Prune(ctx context.Context, before time.Time, limit int) (int64, error) {
	if err := f.lock(ctx); err != nil {
		return 0, err
	}
	var rows []outboxRow
	err := f.s.NewSelect().Model(&rows).Column("seq", "company_id", "position").Where("t.logged_at < ?", sqlstore.StampAt(before)).
		Where("t.published_at IS NOT NULL").OrderExpr("t.logged_at").Limit(int64(limit)).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	ends, seqs := map[int64]int64{}, make([]int64, len(rows))
	for i, row := range rows {
		seqs[i] = row.Seq
		if row.CompanyID != nil && row.Position != nil {
			ends[*row.CompanyID] = max(ends[*row.CompanyID], *row.Position)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ends)) {
		_, err := f.s.NewUpdate().Model((*feedRow)(nil)).Set("pruned = ?", ends[id]).
			Where("t.company_id = ?", id).Where("t.pruned < ?", ends[id]).Exec(ctx)
		if err != nil {
			return 0, err
		}
	}
	return sqlstore.Affected(ctx, f.s.NewDelete().Model((*outboxRow)(nil)).Where("t.seq IN (?)", bun.List(seqs)))
}
