package common

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/partition"
	"tilth/adapters/persistence/sqlstore"
)

// How late a row may arrive for the partition of its time: within that, events are placed in their feeds, and entries are chained
// and their heads kept as checkpoints.
const (
	lateEvents  = time.Hour
	lateEntries = 2 * time.Hour
)

// partitions implements ports.Partitions.
type partitions struct{ s *sqlstore.Session }

func (p partitions) DropEvents(ctx context.Context, before time.Time) (total int64, rest time.Time, err error) {
	if !p.s.Postgres {
		return 0, before, nil
	}
	rest = partition.Events.Whole(before, lateEvents)
	if err := feeds(p).lock(ctx); err != nil {
		return 0, rest, err
	}
	counts := map[string]int64{}
	may := func(ctx context.Context, part partition.Part) (bool, error) {
		var n, kept int64
		err := p.s.NewSelect().TableExpr("? AS t", bun.Ident(part.Name)).Join("LEFT JOIN event_feeds AS f ON f.company_id = t.company_id").
			ColumnExpr("count(*)").
			ColumnExpr("count(*) FILTER (WHERE t.logged_at IS NULL OR t.logged_at >= ? OR t.published_at IS NULL OR t.position > COALESCE(f.delivered, 0))", sqlstore.StampAt(before)).
			Scan(ctx, &n, &kept)
		counts[part.Name] = n
		return kept == 0 && (n > 0 || part.Begin != nil), err
	}
	// Rows added since have no position: whoever assigns positions waits for the lock of the feeds.
	still := func(ctx context.Context, part partition.Part) (bool, error) {
		added, err := p.s.NewSelect().TableExpr("? AS t", bun.Ident(part.Name)).Where("t.logged_at IS NULL").Exists(ctx)
		if err != nil || added {
			return false, err
		}
		// Who takes events for webhooks holds feeds, and may wait for the outbox now.
		if err := p.s.LockAtOnce(ctx, "EXCLUSIVE", "event_feeds"); err != nil {
			return false, err
		}
		total += counts[part.Name]
		ends := p.s.NewSelect().TableExpr("? AS t", bun.Ident(part.Name)).ColumnExpr("t.company_id, max(t.position) AS last").
			Where("t.position IS NOT NULL").GroupExpr("t.company_id")
		return true, sqlstore.Run(ctx, p.s.NewUpdate().With("ends", ends).Model((*feedRow)(nil)).TableExpr("ends").Set("pruned = ends.last").
			Where("t.company_id = ends.company_id").Where("t.pruned < ends.last"))
	}
	err = partition.Events.Drop(ctx, p.s, rest, may, still)
	return total, rest, err
}

func (p partitions) EntriesBefore(before time.Time) time.Time {
	if !p.s.Postgres {
		return before
	}
	return partition.Entries.Whole(before, lateEntries).Add(lateEntries)
}

func (p partitions) DropEntries(ctx context.Context, before time.Time) error {
	if !p.s.Postgres {
		return nil
	}
	if err := chains(p).Lock(ctx); err != nil {
		return err
	}
	may := func(ctx context.Context, part partition.Part) (bool, error) {
		var rows bool
		if err := p.s.NewRaw("SELECT EXISTS (SELECT 1 FROM ?)", bun.Ident(part.Name)).Scan(ctx, &rows); err != nil || !rows {
			return part.Begin != nil, err
		}
		kept, err := p.s.NewSelect().TableExpr("? AS t", bun.Ident(part.Name)).
			Join("LEFT JOIN chain_links AS l ON l.chain = 'audit' AND l.row_id = t.id AND l.company_id = t.company_id").
			Join("LEFT JOIN chain_heads AS h ON h.chain = l.chain AND h.company_id = l.company_id").
			Where("l.position IS NULL OR h.purged IS NULL OR l.position > h.purged").Exists(ctx)
		return !kept, err
	}
	// Rows added since are not chained yet: whoever chains them waits for the lock of the chains.
	still := func(ctx context.Context, part partition.Part) (bool, error) {
		added, err := p.s.NewSelect().TableExpr("chain_waiting AS w").Join("JOIN ? AS t ON t.id = w.row_id", bun.Ident(part.Name)).
			Where("w.chain = 'audit'").Exists(ctx)
		return !added, err
	}
	return partition.Entries.Drop(ctx, p.s, before, may, still)
}
