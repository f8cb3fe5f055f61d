package common

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
)

// feedRow is the state of a company's feed.
type feedRow struct {
	bun.BaseModel `bun:"table:event_feeds,alias:t"`
	CompanyID     int64 `bun:"company_id,pk"`
	Last          int64
	Pruned        int64
	Delivered     int64 // up to here the webhooks have their deliveries
}

// feedsLock is the key of the advisory lock of the transaction that assigns positions ("events" in ASCII).
const feedsLock = 0x6576656e7473

// feeds implements ports.EventFeed and ports.EventKeeper on the rows of the outbox that have a position.
type feeds struct{ s *sqlstore.Session }

func (f feeds) Bounds(ctx context.Context, scope access.Scope) (event.Bounds, error) {
	q := sqlstore.Where(f.s.NewSelect().Model((*feedRow)(nil)), sqlstore.OwnOnly(scope))
	bounds, _, err := sqlstore.Find(ctx, q, func(row *feedRow) event.Bounds { return event.Bounds{Last: row.Last, Pruned: row.Pruned} })
	return bounds, err
}

func (f feeds) After(ctx context.Context, scope access.Scope, position int64, types []string, limit int) ([]event.Logged, error) {
	q := f.Since(scope, position).Limit(int64(limit))
	if len(types) > 0 {
		q = q.Where("t.type IN (?)", prepared.List(types))
	}
	return sqlstore.All(ctx, q, (*outboxRow).logged)
}

// Since selects the events of the company that acts after a position, in their order.
func (f feeds) Since(scope access.Scope, position int64) *bun.SelectQuery {
	return sqlstore.Where(f.s.NewSelect().Model((*outboxRow)(nil)), sqlstore.OwnOnly(scope)).Where("t.position > ?", position).OrderExpr("t.position")
}

func (f feeds) Waiting(ctx context.Context) (bool, error) {
	return f.s.NewSelect().Model((*outboxRow)(nil)).Where("t.logged_at IS NULL").Exists(ctx)
}

// lock takes the feeds for this transaction. SQLite has one writing transaction at a time anyway.
func (f feeds) lock(ctx context.Context) error {
	if !f.s.Postgres {
		return nil
	}
	return sqlstore.Run(ctx, f.s.NewRaw("SELECT pg_advisory_xact_lock(?)", prepared.Arg(feedsLock)))
}

func (f feeds) Assign(ctx context.Context, at time.Time, limit int) ([]event.Logged, error) {
	if err := f.lock(ctx); err != nil {
		return nil, err
	}
	oldest := f.s.NewSelect().Table("outbox").Column("seq", "company_id").Where("logged_at IS NULL").OrderExpr("seq").Limit(int64(limit))
	placed := f.s.NewSelect().TableExpr("(?) AS oldest", oldest).
		ColumnExpr("seq AS s, company_id AS c, row_number() OVER (PARTITION BY company_id ORDER BY seq) AS n")
	var rows []outboxRow
	err := f.s.NewUpdate().With("placed", placed).Model(&rows).TableExpr("placed").Set("logged_at = ?", sqlstore.StampAt(at)).
		Set("position = CASE WHEN c IS NOT NULL THEN n + COALESCE((SELECT f.last FROM event_feeds AS f WHERE f.company_id = c), 0) END").
		Where("t.seq = s").Returning("seq, id, type, company_id, subject, at, data, position").Scan(ctx)
	rows = slices.DeleteFunc(rows, func(r outboxRow) bool { return r.Position == nil })
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	f.s.Leaves(sqlstore.FeedsGrew)
	slices.SortFunc(rows, func(a, b outboxRow) int { return cmp.Compare(a.Seq, b.Seq) })
	lasts := map[int64]int64{}
	for _, row := range rows {
		lasts[*row.CompanyID] = *row.Position
	}
	var ends []feedRow
	for _, id := range slices.Sorted(maps.Keys(lasts)) {
		ends = append(ends, feedRow{CompanyID: id, Last: lasts[id]})
	}
	return sqlstore.Each(rows, (*outboxRow).logged), sqlstore.Run(ctx, f.s.NewInsert().Model(&ends).Apply(sqlstore.Replacing("company_id", "last")))
}

func (f feeds) Positions(ctx context.Context, ids []string) (map[string]int64, error) {
	var rows []outboxRow
	err := f.s.NewSelect().Model(&rows).Column("id", "position").Where("t.id IN (?)", prepared.List(ids)).Where("t.logged_at IS NOT NULL").Scan(ctx)
	out := make(map[string]int64, len(rows))
	for _, row := range rows {
		out[row.ID] = sqlstore.ValueOf(row.Position)
	}
	return out, err
}

// Event selects a committed event.
func (f feeds) Event(id string) *bun.SelectQuery {
	return f.s.NewSelect().Model((*outboxRow)(nil)).Where("t.id = ?", id)
}

func (f feeds) Get(ctx context.Context, id string) (event.Logged, error) {
	e, ok, err := sqlstore.Find(ctx, f.Event(id), (*outboxRow).logged)
	if err == nil && !ok {
		err = fault.Missing("event")
	}
	return e, err
}

func (f feeds) Lasts(ctx context.Context, companies []int64) (map[int64]int64, error) {
	out := map[int64]int64{}
	if len(companies) == 0 {
		return out, nil
	}
	var rows []feedRow
	if err := f.s.NewSelect().Model(&rows).Where("t.company_id IN (?)", prepared.List(companies)).Scan(ctx); err != nil {
		return nil, err
	}
	for _, row := range rows {
		out[row.CompanyID] = row.Last
	}
	return out, nil
}

func (f feeds) Prune(ctx context.Context, before time.Time, limit int) (int64, error) {
	if err := f.lock(ctx); err != nil {
		return 0, err
	}
	var rows []outboxRow
	err := f.s.NewSelect().Model(&rows).Column("seq", "company_id", "position").Where("t.logged_at < ?", sqlstore.StampAt(before)).
		Where("t.published_at IS NOT NULL").
		// Events that the webhooks have not received yet stay: the broker has told nobody of them so far, or a consumer has failed on them.
		Where("t.position IS NULL OR t.position <= (SELECT f.delivered FROM event_feeds AS f WHERE f.company_id = t.company_id)").
		OrderExpr("t.logged_at").Limit(int64(limit)).Scan(ctx)
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
	return sqlstore.Affected(ctx, f.s.NewDelete().Model((*outboxRow)(nil)).Where("t.seq IN (?)", prepared.List(seqs)))
}
