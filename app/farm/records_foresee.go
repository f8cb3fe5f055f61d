package farm

import (
	"context"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/ports"
)

// Foresee does what can be done for changes before the transaction that settles them, because that blocks other
// writers. The changes may differ by then: whatever was not foreseen is left for later.
func (r *Records[T]) Foresee(ctx context.Context, who access.Principal, changes []Change[T]) (Finish[T], error) {
	before, after := make([]*T, len(changes)), make([]*T, len(changes))
	for i := range changes {
		before[i], after[i] = changes[i].Before, &changes[i].After
	}
	return r.foresee(ctx, who, before, after)
}

func (r *Records[T]) foresee(ctx context.Context, who access.Principal, before, after []*T) (Finish[T], error) {
	if r.rules.Foresee == nil {
		return nil, nil
	}
	return r.rules.Foresee(ctx, who, before, after)
}

// anticipated is a change of a record, read before the transaction that stores it.
type anticipated[T any] struct {
	known   bool
	version time.Time // of the record
	wanted  Draft[T]
	end     Finish[T]
}

// anticipate reads a change of one record ahead of its transaction, where there is anything to foresee.
func (r *Records[T]) anticipate(ctx context.Context, who access.Principal, id int64, decode func(current T) (Draft[T], error)) (out anticipated[T], err error) {
	if r.rules.Foresee == nil {
		return out, nil
	}
	before, err := app.In(ctx, r.deps.Store.Read, func(ctx context.Context, tx ports.Repos) (T, error) {
		return r.rules.Repo(tx).Get(ctx, who.Scope(false), id)
	})
	if err != nil {
		return out, err
	}
	if out.wanted, err = decode(before); err != nil {
		return out, err
	}
	out.known, out.version = true, r.rules.Meta(&before).UpdatedAt
	if len(out.wanted.Errors) == 0 {
		after := out.wanted.Record
		out.end, err = r.foresee(ctx, who, []*T{&before}, []*T{&after})
	}
	return out, err
}
