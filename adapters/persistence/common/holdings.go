package common

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/ports"
)

// holdingsLock is the subject of the lock on what a company holds ("tilh" in ASCII).
const holdingsLock = 0x74696c68

// holdings implements ports.Holdings.
type holdings struct{ s *sqlstore.Session }

func (h holdings) Count(ctx context.Context, company int64, of ports.Holding, bound int64, at time.Time) (n int64, err error) {
	if err := h.s.Alone(ctx, access.Own(company), holdingsLock); err != nil {
		return 0, err
	}
	err = h.s.NewSelect().TableExpr("(?) AS held", h.Held(company, of, at).Limit(bound)).ColumnExpr("count(*)").Scan(ctx, &n)
	return n, err
}

// Held selects what a company has of a kind at a time.
func (h holdings) Held(company int64, of ports.Holding, at time.Time) *bun.SelectQuery {
	q := h.s.NewSelect().ColumnExpr("1").Where("t.company_id = ?", company)
	switch of {
	case ports.HoldAPIKeys:
		return q.TableExpr("api_keys AS t").Where("t.revoked_at IS NULL")
	case ports.HoldInvitations:
		return q.TableExpr("invitations AS t").Where("t.accepted_at IS NULL AND t.revoked_at IS NULL").Where("t.expires_at > ?", sqlstore.StampAt(at))
	case ports.HoldWebhooks:
		return q.TableExpr("webhooks AS t").Where("t.deleted_at IS NULL")
	case ports.HoldPACTClients:
		return q.TableExpr("pact_clients AS t").Where("t.deleted_at IS NULL")
	}
	return q.TableExpr("jobs AS t").Where("t.failed_at IS NULL").Where("t.kind <> ?", ports.JobCompleteness)
}
