package features

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/geo"
	"tilth/ports"
)

// Extent returns the box around all fields that are not deleted; ok is false where none has an outline. Faults: Forbidden.
func (f *Features) Extent(ctx context.Context, who access.Principal) (box geo.Box, ok bool, err error) {
	box, err = app.Read(ctx, f.Deps, who, access.Fields.View, func(ctx context.Context, tx ports.Repos) (box geo.Box, err error) {
		box, ok, err = tx.Fields.Extent(ctx, who.Scope(false))
		return box, err
	})
	return box, ok, err
}
