package farm

import (
	"context"
	"iter"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/ports"
)

// keepBoundaries writes the history of boundaries: a change ends the version in force and, unless
// the boundary was removed, begins another.
func keepBoundaries(ctx context.Context, tx ports.Repos, who access.Principal, before, after []*farm.Field) error {
	var ended, begun []int64
	for i, field := range after {
		was := before[i]
		if was == nil {
			was = &farm.Field{}
		}
		if field.SameBoundary(was) {
			continue
		}
		if was.Boundary != nil {
			ended = append(ended, field.ID)
		}
		if field.Boundary != nil {
			begun = append(begun, field.ID)
		}
	}
	if len(ended) > 0 { // updates come one at a time, so one timestamp ends them all
		if err := tx.Boundaries.Close(ctx, who.Scope(false), ended, after[0].UpdatedAt); err != nil {
			return err
		}
	}
	if len(begun) == 0 {
		return nil
	}
	return tx.Boundaries.Open(ctx, who.Scope(false), begun, who.UserID)
}

// Boundaries is the use case of the history of a field's boundaries.
type Boundaries struct{ app.Deps }

// List returns the boundaries that a field has had, newest first, for shared fields as for the caller's
// own. Faults: NotFound.
func (b *Boundaries) List(ctx context.Context, who access.Principal, shared bool, fieldID int64, q ports.Query) (app.List[farm.BoundaryVersion], error) {
	return app.ReadList(ctx, b.Deps, app.Ask{Who: who, Need: access.Fields.View, Shared: shared}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			if _, err := tx.Fields.Get(ctx, scope, fieldID); err != nil {
				return 0, err
			}
			return tx.Boundaries.Count(ctx, scope, fieldID)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.Query) iter.Seq2[farm.BoundaryVersion, error] {
			return tx.Boundaries.Each(ctx, scope, fieldID, q)
		})
}
