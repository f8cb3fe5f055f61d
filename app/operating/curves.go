package operating

import (
	"context"
	"slices"

	"tilth/app"
	"tilth/core/audit"
	"tilth/core/cropcheck"
	"tilth/ports"
)

// ImportCurves stores a version of the reference curves of a region. It is in force from then
// on, in place of the version before it; versions are never changed.
// Faults: Invalid, Conflict (curves_exist).
func (o *Operating) ImportCurves(ctx context.Context, region, version string, set cropcheck.Set) (cropcheck.Edition, error) {
	edition := cropcheck.Edition{Region: region, Version: version, Set: set, ImportedAt: o.Clock.Now()}
	if err := edition.Check(); err != nil {
		return edition, err
	}
	err := o.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		before, err := o.inForce(ctx, tx, region)
		if err != nil {
			return err
		}
		if err := tx.Curves.Add(ctx, edition); err != nil {
			return err
		}
		return tx.Trail.Add(ctx, ofInstallation(edition.ImportedAt, audit.Create, "curves", region, audit.Diff(auditedCurves(before), auditedCurves(&edition))))
	})
	return edition, err
}

// CurvesInForce returns the curves in force, one edition a region.
func (o *Operating) CurvesInForce(ctx context.Context) ([]cropcheck.Edition, error) {
	return app.In(ctx, o.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) ([]cropcheck.Edition, error) {
		return o.Curves.InForce(ctx, tx.Curves)
	})
}

// inForce returns the edition of a region that is in force; nil where there is none.
func (o *Operating) inForce(ctx context.Context, tx ports.OperatorRepos, region string) (*cropcheck.Edition, error) {
	all, err := o.Curves.InForce(ctx, tx.Curves)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(e cropcheck.Edition) bool { return e.Region == region })
	if i < 0 {
		return nil, nil
	}
	return &all[i], nil
}

func auditedCurves(e *cropcheck.Edition) *curvesAudited {
	if e == nil {
		return nil
	}
	return &curvesAudited{e.Version, e.Set.Scope, e.Set.Classes()}
}
