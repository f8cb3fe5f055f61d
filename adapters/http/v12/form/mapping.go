package form

import (
	"context"

	"tilth/adapters/http/rest"
	farmapp "tilth/app/farm"
	"tilth/core/effort"
	"tilth/core/fault"
)

// Mapping converts between the wire form of a resource and its record.
type Mapping[T, W, R any] struct {
	Apply func(budget *effort.Budget, body W, onto *T) fault.Fields // applies the body to the record
	Write func(T) W                                                 // the record as a body
	Show  func(T) R                                                 // the record as an answer
}

// Draft returns an item applied to a record, with all errors in it.
func (m Mapping[T, W, R]) Draft(budget *effort.Budget, item rest.Item[W], onto T) farmapp.Draft[T] {
	out := farmapp.Draft[T]{Record: onto, Errors: fault.Fields{}, Unread: item.Unread}
	if out.Errors.Merge(item.Errors); !item.Unread {
		out.Errors.MergeNew(m.Apply(budget, item.Value, &out.Record))
	}
	return out
}

// Wanted returns items as new records, and applied to existing ones.
func (m Mapping[T, W, R]) Wanted(ctx context.Context, c *rest.Call, items []rest.Item[W]) ([]farmapp.Wanted[T], error) {
	out, budget := make([]farmapp.Wanted[T], len(items)), effort.Of(ctx, 0)
	for i, item := range items {
		out[i] = farmapp.Wanted[T]{New: m.Draft(budget, item, *new(T)), Over: m.over(ctx, c, item)}
	}
	return out, budget.Err()
}

// Changes returns changes of records with their ids; 0 if it is not clear which record it is.
func (m Mapping[T, W, R]) Changes(ctx context.Context, c *rest.Call, changes []rest.Changes[W]) ([]int64, []farmapp.Wanted[T]) {
	ids, wanted := make([]int64, len(changes)), make([]farmapp.Wanted[T], len(changes))
	for i, change := range changes {
		if wanted[i].Over = m.over(ctx, c, change.Item); len(change.Errors) > 0 {
			wanted[i].New = farmapp.Draft[T]{Errors: change.Errors, Unread: true}
			continue
		}
		ids[i] = change.ID
	}
	return ids, wanted
}

// over returns an item applied to the record that it changes.
func (m Mapping[T, W, R]) over(ctx context.Context, c *rest.Call, item rest.Item[W]) func(current T) (farmapp.Draft[T], error) {
	return func(current T) (farmapp.Draft[T], error) {
		changed, err := rest.Over(c, item, m.Write(current))
		if err != nil {
			return farmapp.Draft[T]{}, err
		}
		budget := effort.Of(ctx, 0)
		draft := m.Draft(budget, changed, current)
		return draft, budget.Err()
	}
}

// Written returns the records and the outcomes of items for an answer.
func (m Mapping[T, W, R]) Written(w farmapp.Written[T], err error) ([]R, []string, error) {
	return Each(w.Records, m.Show), Strings(w.Outcomes), err
}
