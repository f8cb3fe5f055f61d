package common

import (
	"testing"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/ports"
	"tilth/tests/plantest"
)

func TestPlansOfWebhooks(t *testing.T) {
	plantest.AssertLists(t, func(s *sqlstore.Session) map[string]plantest.List {
		return map[string]plantest.List{
			"webhooks": {Query: webhookRecords(s).Query, Filters: webhookTable.Filters, Private: true},
		}
	})
}

// TestPlansOfEvents asserts that what every stream and every delivery asks again and again
// comes from an index, in its order.
func TestPlansOfEvents(t *testing.T) {
	plantest.AssertQueries(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
		us := access.Own(7)
		return map[string]*bun.SelectQuery{
			"uq_outbox_position":            feeds{s}.after(us, 40).Limit(100),
			"ix_webhook_deliveries_due":     deliveries{s}.pending(us, 3),
			"ix_webhook_deliveries_webhook": deliveries{s}.query(us, ports.DeliveryQuery{WebhookID: 3}).OrderExpr("t.id DESC"),
			"ix_webhook_deliveries_state":   deliveries{s}.query(us, ports.DeliveryQuery{WebhookID: 3, State: "failed"}).OrderExpr("t.id DESC"),
		}
	})
}

// TestPlansOfQueues asserts that a queue finds out by indexes when it has to look again: idle processes ask all the time.
func TestPlansOfQueues(t *testing.T) {
	for name, q := range map[string]ports.Queue{"all": NewQueue(nil), "all but some": NewQueueBut(nil, "a")} {
		t.Run(name, func(t *testing.T) {
			plantest.AssertQueries(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
				return map[string]*bun.SelectQuery{"ix_jobs_waiting": q.(queue).waiting(s), "ix_jobs_held": q.(queue).leased(s)}
			})
		})
	}
	// The jobs of a kind are sorted: webhooks have one each.
	q := NewQueue(nil, "a").(queue)
	for _, of := range []func(*sqlstore.Session) *bun.SelectQuery{q.waiting, q.leased} {
		plantest.AssertIndexes(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
			return map[string]*bun.SelectQuery{"(kind=?)": of(s)}
		})
	}
}

// TestPlansOfHoldings asserts that what a company has is counted from an index.
func TestPlansOfHoldings(t *testing.T) {
	plantest.AssertQueries(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
		h := holdings{s}
		return map[string]*bun.SelectQuery{
			"ix_api_keys_live":     h.some(7, ports.HoldAPIKeys, time.Time{}),
			"ix_invitations_open":  h.some(7, ports.HoldInvitations, time.Now()),
			"ix_webhooks_live":     h.some(7, ports.HoldWebhooks, time.Time{}),
			"ix_pact_clients_live": h.some(7, ports.HoldPACTClients, time.Time{}),
			"ix_jobs_company":      h.some(7, ports.HoldJobs, time.Time{}),
		}
	})
}

// TestPlansOfTheBacklog asserts that figures for operators, which are read all the time, come from indexes.
func TestPlansOfTheBacklog(t *testing.T) {
	plantest.AssertQueries(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
		b := backlog{s, sqlstore.StampAt(time.Unix(1e9, 0))}
		jobs := b.jobs()
		return map[string]*bun.SelectQuery{
			"ix_jobs_waiting": jobs[0].query, "ix_jobs_held": jobs[2].query, "ix_jobs_failed": jobs[3].query, "ix_outbox_pending": b.events(),
		}
	})
	// The deliveries are counted in any order.
	plantest.AssertIndexes(t, func(s *sqlstore.Session) map[string]*bun.SelectQuery {
		b := backlog{s, sqlstore.StampAt(time.Unix(1e9, 0))}
		return map[string]*bun.SelectQuery{"ix_jobs_waiting": b.jobs()[1].query, "ix_webhook_deliveries_due": b.deliveries()}
	})
}
