package account

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type subscriptionRow struct {
	bun.BaseModel `bun:"table:subscriptions,alias:t"`
	CompanyID     int64          `bun:"company_id,pk"`
	Service       access.Service `bun:"service,pk"`
	Until         *sqlstore.Day
	GrantedAt     sqlstore.Stamp
}

// subscriptions implements ports.Subscriptions.
type subscriptions struct{ s *sqlstore.Session }

func (u subscriptions) query(companyID int64, service access.Service) *bun.SelectQuery {
	return u.s.NewSelect().Model((*subscriptionRow)(nil)).Where("t.company_id = ?", companyID).Where("t.service = ?", service)
}

func (u subscriptions) Active(ctx context.Context, companyID int64, service access.Service, on time.Time) (bool, error) {
	return u.query(companyID, service).Where("t.until IS NULL OR t.until >= ?", sqlstore.DayAt(on.UTC())).Exists(ctx)
}

func (u subscriptions) Get(ctx context.Context, companyID int64, service access.Service) (ports.Subscription, error) {
	return sqlstore.One(ctx, u.query(companyID, service), "subscription", subscriptionOfRow)
}

func subscriptionOfRow(row *subscriptionRow) ports.Subscription {
	return ports.Subscription{CompanyID: row.CompanyID, Service: row.Service, Until: row.Until.Nullable(), GrantedAt: row.GrantedAt.Time}
}

func (u subscriptions) Of(ctx context.Context, companyIDs ...int64) ([]ports.Subscription, error) {
	q := sqlstore.Where(u.s.NewSelect().Model((*subscriptionRow)(nil)), sqlstore.Among("t.company_id", companyIDs)).OrderExpr("t.company_id, t.service")
	return sqlstore.All(ctx, q, subscriptionOfRow)
}

func (u subscriptions) Put(ctx context.Context, s ports.Subscription) error {
	row := subscriptionRow{CompanyID: s.CompanyID, Service: s.Service, Until: sqlstore.NullableDay(s.Until), GrantedAt: sqlstore.StampAt(s.GrantedAt)}
	return sqlstore.Run(ctx, u.s.NewInsert().Model(&row).Apply(sqlstore.Replacing("company_id, service", "until", "granted_at")))
}

func (u subscriptions) Drop(ctx context.Context, companyID int64, service access.Service) error {
	return sqlstore.Change(ctx, u.s.NewDelete().Model((*subscriptionRow)(nil)).Where("company_id = ?", companyID).
		Where("service = ?", service),
		fault.Missing("subscription"))
}
