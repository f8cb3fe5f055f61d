package plans_test

import (
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/common"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/ports"
)

// trailQueries are the queries of the audit trail.
type trailQueries interface {
	Query(scope access.Scope, q ports.AuditQuery) *bun.SelectQuery
}

// feedQueries are the queries of the events of companies.
type feedQueries interface {
	Since(scope access.Scope, position int64) *bun.SelectQuery
	Event(id string) *bun.SelectQuery
}

// deliveryQueries are the queries of what is sent to webhooks.
type deliveryQueries interface {
	Pending(scope access.Scope, webhookID int64) *bun.SelectQuery
	Query(scope access.Scope, q ports.DeliveryQuery) *bun.SelectQuery
}

// queueQueries are the queries of a queue that finds out when to look again.
type queueQueries interface {
	Waiting(s *sqlstore.Session) *bun.SelectQuery
	Leased(s *sqlstore.Session) *bun.SelectQuery
}

// holdingQueries are the queries of what companies have.
type holdingQueries interface {
	Held(company int64, of ports.Holding, at time.Time) *bun.SelectQuery
}

func TestPlansOfWebhooks(t *testing.T) {
	assertLists(t, func(r ports.Repos) map[string]list {
		return map[string]list{
			"webhooks": {of: r.Webhooks, private: true},
		}
	})
}

// TestPlansOfEvents asserts that what every stream and every delivery asks again and again
// comes from an index, in its order.
func TestPlansOfEvents(t *testing.T) {
	assertQueries(t, func(_ *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery {
		us, feeds, deliveries := access.Own(7), r.Events.(feedQueries), r.Deliveries.(deliveryQueries)
		return map[string]*bun.SelectQuery{
			"uq_outbox_position":            feeds.Since(us, 40).Limit(100),
			"ix_webhook_deliveries_due":     deliveries.Pending(us, 3),
			"ix_webhook_deliveries_webhook": deliveries.Query(us, ports.DeliveryQuery{WebhookID: 3}).OrderExpr("t.id DESC"),
			"ix_webhook_deliveries_state":   deliveries.Query(us, ports.DeliveryQuery{WebhookID: 3, State: "failed"}).OrderExpr("t.id DESC"),
		}
	})
}

// TestPlansOfQueues asserts that a queue finds out by indexes when it has to look again: idle processes ask all the time.
func TestPlansOfQueues(t *testing.T) {
	for name, q := range map[string]ports.Queue{"all": common.NewQueue(nil), "all but some": common.NewQueueBut(nil, "a")} {
		t.Run(name, func(t *testing.T) {
			assertQueries(t, func(s *sqlstore.Session, _ ports.Repos) map[string]*bun.SelectQuery {
				return map[string]*bun.SelectQuery{"ix_jobs_waiting": q.(queueQueries).Waiting(s), "ix_jobs_held": q.(queueQueries).Leased(s)}
			})
		})
	}
	// The jobs of a kind are sorted: webhooks have one each.
	q := common.NewQueue(nil, "a").(queueQueries)
	for _, of := range []func(*sqlstore.Session) *bun.SelectQuery{q.Waiting, q.Leased} {
		assertIndexes(t, func(s *sqlstore.Session, _ ports.Repos) map[string]*bun.SelectQuery {
			return map[string]*bun.SelectQuery{"(kind=?)": of(s)}
		})
	}
}

// TestPlansOfHoldings asserts that what a company has is counted from an index.
func TestPlansOfHoldings(t *testing.T) {
	assertQueries(t, func(_ *sqlstore.Session, r ports.Repos) map[string]*bun.SelectQuery {
		h := r.Holdings.(holdingQueries)
		return map[string]*bun.SelectQuery{
			"ix_api_keys_live":     h.Held(7, ports.HoldAPIKeys, time.Time{}),
			"ix_invitations_open":  h.Held(7, ports.HoldInvitations, time.Now()),
			"ix_webhooks_live":     h.Held(7, ports.HoldWebhooks, time.Time{}),
			"ix_pact_clients_live": h.Held(7, ports.HoldPACTClients, time.Time{}),
			"ix_jobs_company":      h.Held(7, ports.HoldJobs, time.Time{}),
		}
	})
}

// TestPlansOfTheBacklog asserts that figures for operators, which are read all the time, come from indexes.
func TestPlansOfTheBacklog(t *testing.T) {
	assertQueries(t, func(s *sqlstore.Session, _ ports.Repos) map[string]*bun.SelectQuery {
		b := common.Backlog{Session: s, Now: sqlstore.StampAt(time.Unix(1e9, 0))}
		jobs := b.Jobs()
		return map[string]*bun.SelectQuery{
			"ix_jobs_waiting": jobs[0].Query, "ix_jobs_held": jobs[2].Query, "ix_jobs_failed": jobs[3].Query, "ix_outbox_pending": b.Events(),
		}
	})
	// The deliveries are counted in any order.
	assertIndexes(t, func(s *sqlstore.Session, _ ports.Repos) map[string]*bun.SelectQuery {
		b := common.Backlog{Session: s, Now: sqlstore.StampAt(time.Unix(1e9, 0))}
		return map[string]*bun.SelectQuery{"ix_jobs_waiting": b.Jobs()[1].Query, "ix_webhook_deliveries_due": b.Deliveries()}
	})
}
