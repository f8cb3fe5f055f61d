package plans_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"tilth/adapters/persistence/common"
	"tilth/adapters/persistence/partition"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/ports"
)

// TestPlansOfPartitions asserts that queries of partitioned tables are answered from an index of each partition and,
// where they ask for a time, only of those partitions that can hold it.
func TestPlansOfPartitions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := open(ctx, t, postgres.Open(t))
	now := time.Now().UTC().AddDate(1, 0, 0)
	_, err := partition.Prepare(ctx, db, now)
	require.NoError(t, err)
	from, to := partition.Entries.Span(now)
	month := "audit_entries" + from.Format("_200601")
	require.NoError(t, db.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		for _, off := range []string{"enable_seqscan", "enable_bitmapscan", "enable_sort"} { // so that empty tables are read as large ones
			require.NoError(t, sqlstore.Run(ctx, s.NewRaw("SET LOCAL ? = off", bun.Ident(off))))
		}
		r := reposOf(s)
		us, trail, feed := access.Own(7), r.Audit.(trailQueries), r.Events.(feedQueries)
		for name, c := range map[string]struct {
			query *bun.SelectQuery
			index string   // ends the name of the index of each partition
			parts []string // nil: all
		}{
			"trail":               {trail.Query(us, ports.AuditQuery{}).OrderExpr("t.id DESC").Limit(10), "company", nil},
			"trail of a record":   {trail.Query(us, ports.AuditQuery{Resource: "field", RecordID: 3}).OrderExpr("t.id DESC").Limit(10), "record", nil},
			"trail of a user":     {trail.Query(us, ports.AuditQuery{UserID: 3}).OrderExpr("t.id DESC").Limit(10), "user", nil},
			"trail of a time":     {trail.Query(us, ports.AuditQuery{Since: new(from), Until: new(to.Add(-time.Second))}), "at", []string{month}},
			"rows of a chain":     {s.NewSelect().TableExpr("audit_entries AS t").ColumnExpr("t.id").Where("t.id IN (1, 2)"), "pkey", nil},
			"feed":                {feed.Since(us, 40).Limit(100), "position", nil},
			"event":               {feed.Event("a"), "id", nil},
			"events to be placed": {s.NewSelect().Table("outbox").Column("seq").Where("logged_at IS NULL").OrderExpr("seq").Limit(5), "unlogged", nil},
			"events to be sent":   {common.Backlog{Session: s, Now: sqlstore.StampAt(now)}.Events(), "pending", nil},
		} {
			var lines []string
			require.NoError(t, s.NewRaw("EXPLAIN ?", c.query).Scan(ctx, &lines), name)
			plan := strings.Join(lines, "\n")
			require.NotContains(t, plan, "Seq Scan", "%s:\n%s", name, plan)
			require.NotContains(t, plan, "->  Sort", "%s:\n%s", name, plan)
			table := partition.Entries
			if strings.Contains(plan, "outbox") {
				table = partition.Events
			}
			parts, err := table.Parts(ctx, s)
			require.NoError(t, err)
			for _, p := range parts {
				want := c.parts == nil || strings.Join(c.parts, " ") == p.Name
				require.Equal(t, want, strings.Contains(plan, " on "+p.Name+" "), "%s of %s:\n%s", name, p.Name, plan)
			}
			require.Contains(t, plan, c.index, "%s:\n%s", name, plan)
		}
		return nil
	}))
}
