package form

import (
	"context"
	"errors"
	"reflect"

	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/fault"
)

// Together runs use cases of single records in one transaction; see app.Deps.
type Together = func(ctx context.Context, do func(ctx context.Context) error) error

// Edits is how the use cases change a record of a kind of which a company has few: edit is given the record as it stands,
// and returns what it shall be.
type Edits[T, W, R any] struct {
	Together Together
	Update   func(ctx context.Context, who access.Principal, id int64, edit func(T) (T, error)) (T, error)
	Write    func(T) W
	Apply    func(W, *T)
	Show     func(T) R
}

// errSame ends a change of a record that is what was wanted.
var errSame = errors.New("nothing changes")

// UpdateEach adds a route that changes such records by their ids, all or none.
func UpdateEach[T, W, R any](a *rest.API, r rest.Route, plural string, edits Edits[T, W, R]) {
	rest.UpdateMany(a, r, plural, func(ctx context.Context, c *rest.Call, changes []rest.Changes[W]) (records []R, outcomes []string, err error) {
		err = edits.Together(ctx, func(ctx context.Context) error {
			records, outcomes = make([]R, len(changes)), make([]string, len(changes))
			return each(len(changes), func(i int) (id int64, err error) {
				if len(changes[i].Errors) > 0 {
					return 0, changes[i].Errors.Err()
				}
				records[i], outcomes[i], err = edits.one(ctx, c, changes[i])
				return changes[i].ID, err
			})
		})
		return records, outcomes, err
	})
}

// one makes a change, and says what became of it.
func (e Edits[T, W, R]) one(ctx context.Context, c *rest.Call, change rest.Changes[W]) (out R, outcome string, err error) {
	changed, err := e.Update(ctx, c.Principal(), change.ID, func(current T) (T, error) {
		before := e.Write(current)
		item, err := rest.Over(c, change.Item, before)
		if err == nil {
			err = item.Errors.Err()
		}
		if err == nil && reflect.DeepEqual(item.Value, before) {
			out, err = e.Show(current), errSame
		}
		if err == nil {
			e.Apply(item.Value, &current)
		}
		return current, err
	})
	if errors.Is(err, errSame) {
		return out, rest.Outcomes[2], nil
	}
	return e.Show(changed), rest.Outcomes[1], err
}

// DeleteEach adds a route that deletes such records by their ids, all or none.
func DeleteEach(a *rest.API, r rest.Route, plural string, together Together, remove func(ctx context.Context, who access.Principal, id int64) error) {
	rest.DeleteMany(a, r, plural, func(ctx context.Context, c *rest.Call, ids []int64) error {
		return together(ctx, func(ctx context.Context) error {
			return each(len(ids), func(i int) (int64, error) { return ids[i], remove(ctx, c.Principal(), ids[i]) })
		})
	})
}

// Unasked returns the removal of a record that asks nobody whether it may.
func Unasked[T any](remove func(ctx context.Context, who access.Principal, id int64, agree func(T) error) error) func(context.Context, access.Principal, int64) error {
	return func(ctx context.Context, who access.Principal, id int64) error {
		return remove(ctx, who, id, func(T) error { return nil })
	}
}

// each does one thing for each of n items, and refuses them together: with the ids of all that are not there, or with what is
// wrong with each. Any other failure ends it, and is its own where no item is wrong by then.
func each(n int, do func(i int) (id int64, err error)) error {
	errs, missing, wrong := make([]fault.Fields, n), []int64{}, false
	var gone *fault.Error
	for i := range errs {
		id, err := do(i)
		f, known := fault.As(err)
		switch {
		case err == nil:
		case fault.Is(err, fault.NotFound):
			missing, gone = append(missing, id), f
		case known && f.Kind == fault.Invalid && len(f.Fields) > 0:
			errs[i], wrong = f.Fields, true
		case known && f.Kind == fault.Invalid:
			errs[i], wrong = fault.Fields{}, true
			errs[i].Add(fault.NonField, f.Message)
		case wrong || gone != nil:
			return refusal(errs, gone, missing)
		default:
			return err
		}
	}
	return refusal(errs, gone, missing)
}

func refusal(errs []fault.Fields, gone *fault.Error, missing []int64) error {
	if gone != nil {
		return gone.With("ids", missing)
	}
	return batch.Refuse(errs, "items")
}
