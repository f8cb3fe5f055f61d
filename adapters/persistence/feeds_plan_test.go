package persistence

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/ports"
)

// TestPlansOfEvents asserts that what every stream and every delivery asks again and again
// comes out of an index, in its order.
func TestPlansOfEvents(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "tilth.db"), Options{Clock: stillClock{}, IDs: noIDs{}})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.Migrator().Up(ctx)
	require.NoError(t, err)
	require.NoError(t, db.once(ctx, false, func(ctx context.Context, s *session) error {
		us := access.Own(7)
		for index, q := range map[string]*bun.SelectQuery{
			"uq_outbox_position":            feeds{s}.after(us, 40).Limit(100),
			"ix_webhook_deliveries_due":     deliveries{s}.pending(us, 3),
			"ix_webhook_deliveries_webhook": deliveries{s}.query(us, ports.DeliveryQuery{WebhookID: 3}).OrderExpr("t.id DESC"),
			"ix_webhook_deliveries_state":   deliveries{s}.query(us, ports.DeliveryQuery{WebhookID: 3, State: "failed"}).OrderExpr("t.id DESC"),
		} {
			plan := planOf(ctx, t, s, q)
			require.Contains(t, plan, index)
			require.NotContains(t, plan, "TEMP B-TREE", plan)
		}
		return nil
	}))
}
