package persistence

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type engineChoiceRow struct {
	bun.BaseModel `bun:"table:engine_choices,alias:t"`
	CompanyID     int64 `bun:"company_id,pk"`
	Engine        string
	FactorSet     string
	UpdatedAt     stamp
}

// engineChoices implements ports.EngineChoices.
type engineChoices struct{ s *session }

// Get implements ports.EngineChoices.
func (e engineChoices) Get(ctx context.Context, scope access.Scope) (ports.EngineChoice, error) {
	var row engineChoiceRow
	err := where(e.s.NewSelect().Model(&row), own("t", scope)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return ports.EngineChoice{}, nil
	}
	return ports.EngineChoice{Engine: row.Engine, FactorSet: row.FactorSet}, err
}

// Set implements ports.EngineChoices.
func (e engineChoices) Set(ctx context.Context, scope access.Scope, choice ports.EngineChoice, at time.Time) error {
	if !writable(scope) {
		return fault.Missing("company")
	}
	row := engineChoiceRow{CompanyID: scope.Company(), Engine: choice.Engine, FactorSet: choice.FactorSet, UpdatedAt: stampAt(at)}
	_, err := e.s.NewInsert().Model(&row).On("CONFLICT (company_id) DO UPDATE").
		Set("engine = EXCLUDED.engine, factor_set = EXCLUDED.factor_set, updated_at = EXCLUDED.updated_at").Exec(ctx)
	return err
}
