// Package curves says which reference curves of crops are in force: those that the operator
// imported, and those that Tilth comes with.
package curves

import (
	"context"

	"tilth/core/cropcheck"
	"tilth/ports"
)

// Library is the reference curves.
type Library struct {
	BuiltIn ports.BuiltInCurves
}

// InForce gives the curves in force, one edition a region, in the order of regions: the
// newest import of each, and what Tilth comes with where its region has none. sets is the
// repository of the transaction that uses them.
func (l *Library) InForce(ctx context.Context, sets ports.CurveSets) ([]cropcheck.Edition, error) {
	builtIn, err := l.BuiltIn.BuiltIn()
	if err != nil {
		return nil, err
	}
	imported, err := sets.Newest(ctx)
	return cropcheck.InForce(builtIn, imported), err
}
