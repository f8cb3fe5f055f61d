package ghg

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type engineChoiceRow struct {
	bun.BaseModel `bun:"table:engine_choices,alias:t"`
	CompanyID     int64 `bun:"company_id,pk"`
	Engine        string
	FactorSet     string
	UpdatedAt     sqlstore.Stamp
}

// engineChoices implements ports.EngineChoices.
type engineChoices struct{ s *sqlstore.Session }

func (e engineChoices) Get(ctx context.Context, scope access.Scope) (ports.EngineChoice, error) {
	q := sqlstore.Where(e.s.NewSelect().Model((*engineChoiceRow)(nil)), sqlstore.Own("t", scope))
	choice, _, err := sqlstore.Find(ctx, q, func(row *engineChoiceRow) ports.EngineChoice {
		return ports.EngineChoice{Engine: row.Engine, FactorSet: row.FactorSet}
	})
	return choice, err
}

func (e engineChoices) Set(ctx context.Context, scope access.Scope, choice ports.EngineChoice, at time.Time) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	row := engineChoiceRow{CompanyID: scope.Company(), Engine: choice.Engine, FactorSet: choice.FactorSet, UpdatedAt: sqlstore.StampAt(at)}
	return sqlstore.Run(ctx, e.s.NewInsert().Model(&row).Apply(sqlstore.Replacing("company_id", "engine", "factor_set", "updated_at")))
}
