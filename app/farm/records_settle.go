package farm

import (
	"context"

	"tilth/core/access"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// Change is a record as it shall stand: a new one, or Before as it shall become.
type Change[T any] struct {
	Before *T // nil: a new record
	After  T
}

// Settled is what became of a change: the record as it stands, or what was wrong.
type Settled[T any] struct {
	Record T
	Errors fault.Fields
}

// Settle holds changes against the same rules as Create and Update, and stores those that are sound although others are
// not; what [Records.Foresee] returned ends it. It is for use cases that bring many records in: it runs in their
// transaction, and they have asked for the permissions of both. Records that change were read under a lock. With enrich the
// read-only figures are filled in.
func (r *Records[T]) Settle(ctx context.Context, tx ports.Repos, who access.Principal, changes []Change[T], end Finish[T], enrich bool) ([]Settled[T], error) {
	scope, now := who.Scope(false), r.deps.Clock.Now()
	records, errs := make([]*T, len(changes)), make([]fault.Fields, len(changes))
	for i, c := range changes {
		record := c.After
		records[i], errs[i] = &record, fault.Fields{}
		if c.Before == nil {
			r.begin(&record, who, now)
		} else {
			meta := r.rules.Meta(&record)
			*meta = *r.rules.Meta(c.Before)
			meta.UpdatedAt = corerecord.NextVersion(meta.UpdatedAt, now)
		}
		errs[i].Merge(r.check(&record))
	}
	if err := r.relate(ctx, tx, scope, records, errs); err != nil {
		return nil, err
	}
	var made, stored, was []*T
	for i, c := range changes {
		if len(errs[i]) > 0 {
			continue
		}
		if c.Before == nil {
			made, stored = append(made, records[i]), append(stored, records[i])
			was = append(was, nil)
			continue
		}
		refused, err := r.revise(ctx, tx, who, *c.Before, records[i])
		if err != nil {
			return nil, err
		}
		if errs[i].Merge(refused); len(refused) == 0 {
			stored, was = append(stored, records[i]), append(was, c.Before)
		}
	}
	if len(made) > 0 {
		if err := r.insert(ctx, tx, who, made); err != nil {
			return nil, err
		}
	}
	if err := end.run(ctx, tx, who, was, stored); err != nil {
		return nil, err
	}
	if enrich && len(stored) > 0 {
		fresh, err := r.reread(ctx, tx, scope, stored)
		if err != nil {
			return nil, err
		}
		for i, record := range stored {
			*record = fresh[i]
		}
	}
	out := make([]Settled[T], len(records))
	for i, record := range records {
		out[i] = Settled[T]{*record, errs[i]}
	}
	return out, nil
}

// revise stores a change of one record; what its rules refuse is given apart from what goes wrong.
func (r *Records[T]) revise(ctx context.Context, tx ports.Repos, who access.Principal, before T, after *T) (fault.Fields, error) {
	if r.rules.Change != nil {
		err := r.rules.Change(ctx, tx, who.Scope(false), &before, after)
		if f, ok := fault.As(err); ok && f.Kind == fault.Invalid && len(f.Fields) > 0 {
			return f.Fields, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, r.replace(ctx, tx, who, &before, after)
}
