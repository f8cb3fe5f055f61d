package moving

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/fault"
)

type arrivalRow struct {
	bun.BaseModel `bun:"table:company_arrivals,alias:t"`
	Name          string
	BegunAt       sqlstore.Stamp
}

// arrivals implements ports.Arrivals.
type arrivals struct{ s *sqlstore.Session }

func (a arrivals) Begin(ctx context.Context, name string, at time.Time) error {
	return sqlstore.Run(ctx, a.s.NewInsert().Model(&arrivalRow{Name: name, BegunAt: sqlstore.StampAt(at)}))
}

func (a arrivals) End(ctx context.Context, name string) error {
	return sqlstore.Change(ctx, a.s.NewDelete().Model((*arrivalRow)(nil)).Where("t.name = ?", name), fault.Missing("import of a company"))
}

func (a arrivals) Begun(ctx context.Context, before time.Time) ([]string, error) {
	return sqlstore.Values[string](ctx, a.s.NewSelect().Model((*arrivalRow)(nil)).Column("t.name").Where("t.begun_at < ?", sqlstore.StampAt(before)).OrderExpr("t.begun_at"))
}
