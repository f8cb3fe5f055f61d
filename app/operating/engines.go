package operating

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/ports"
)

// ChooseEngine says with which engine and factor set the results of a company are computed
// from now on; what is empty is the default. Versions that were submitted stay as they are.
// Faults: NotFound, Invalid.
func (o *Operating) ChooseEngine(ctx context.Context, companyID int64, choice ports.EngineChoice) error {
	if err := o.deps.Engines.Check(choice); err != nil {
		return err
	}
	scope := access.Own(companyID)
	return o.deps.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		if _, err := tx.Accounts.Company(ctx, companyID); err != nil {
			return err
		}
		before, err := tx.EngineChoices.Get(ctx, scope)
		if err != nil {
			return err
		}
		now := o.deps.Clock.Now()
		if err := tx.EngineChoices.Set(ctx, scope, choice, now); err != nil {
			return err
		}
		was, is := engineAudited(before), engineAudited(choice)
		return tx.Audit.Add(ctx, entry(companyID, now).Of(audit.Update, "engine", companyID, audit.Diff(&was, &is)))
	})
}

// EngineChoice returns the choice of a company. Faults: NotFound.
func (o *Operating) EngineChoice(ctx context.Context, companyID int64) (out ports.EngineChoice, err error) {
	return app.In(ctx, o.deps.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (out ports.EngineChoice, err error) {
		if _, err := tx.Accounts.Company(ctx, companyID); err != nil {
			return out, err
		}
		return tx.EngineChoices.Get(ctx, access.Own(companyID))
	})
}
