package satellite

import (
	"context"

	"tilth/core/cropcheck"
	"tilth/ports"
)

// CurveLibrary provides the reference curves.
type CurveLibrary struct {
	BuiltIn ports.BuiltInCurves
}

// InForce returns the curves in force, one edition per region, in the order of regions: the newest import of each, or
// the built-in edition if its region has none. sets is the repository of the transaction that uses them.
func (l *CurveLibrary) InForce(ctx context.Context, sets ports.CurveSets) ([]cropcheck.Edition, error) {
	builtIn, err := l.BuiltIn.BuiltIn()
	if err != nil {
		return nil, err
	}
	imported, err := sets.Newest(ctx)
	return cropcheck.InForce(builtIn, imported), err
}
