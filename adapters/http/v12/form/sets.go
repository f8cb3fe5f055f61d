package form

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/fault"
)

// Together runs use cases of single records in one transaction; see app.Deps.
type Together = func(ctx context.Context, do func(ctx context.Context) error) error

// Edits has the use cases that change a record of a kind of which a company has few. edit receives the current record,
// and returns what it should become.
type Edits[T, W, R any] struct {
	Together Together
	Update   func(ctx context.Context, who access.Principal, id int64, edit func(T) (T, error)) (T, error)
	Check    func(who access.Principal, r *T) fault.Fields // errors in one record by itself; nil: Update reports them
	Write    func(T) W
	Apply    func(W, *T)
	Show     func(T) R
}

// applied returns an item applied to a record, with all errors in the result itself.
func (e Edits[T, W, R]) applied(c *rest.Call, item rest.Item[W], onto T) (T, error) {
	errs := fault.Fields{}
	if errs.Merge(item.Errors); !item.Unread {
		e.Apply(item.Value, &onto)
		if e.Check != nil {
			errs.MergeNew(e.Check(c.Principal(), &onto))
		}
	}
	return onto, errs.Err()
}

// Makes adds the use cases that create such records. Match finds the existing records that items refer to by external id, and
// Create creates one. R is the answer for a created record; Edits.Show makes that for an existing one.
type Makes[T, W, R any] struct {
	Edits[T, W, R]
	Match  func(ctx context.Context, who access.Principal, keys []string, change bool) (ids []int64, wrong []error, err error)
	Create func(ctx context.Context, who access.Principal, r T) (R, error)
}

// CreateEach adds a route that creates such records, one or many, or changes those with the same external ids: all or none.
func CreateEach[T, W, R any](a *rest.API, r rest.Route, m Makes[T, W, R]) {
	const many = "Takes an object, or an array of objects: all are stored, or none."
	r.Description = strings.TrimSpace(r.Description + " " + many)
	r.Body, r.Query = rest.BulkBody[W](), []rest.Param{rest.OnConflictParam(ExternalID, SameExternal)}
	r.Faults = append(r.Faults, http.StatusConflict)
	rest.Handle(a, r, func(ctx context.Context, c *rest.Call, in struct {
		OnConflict string `query:"on_conflict"`
	},
	) (out rest.OneOrMany[R], err error) {
		items, bulk, err := rest.DecodeMany[W](c)
		if err != nil {
			return out, err
		}
		if out.Bulk = bulk; r.Secret {
			c.SetHeader("Cache-Control", "no-store")
		}
		err = m.Together(ctx, func(ctx context.Context) (err error) {
			out.Records, out.Outcomes, err = m.all(ctx, c, items, bulk, in.OnConflict != "")
			return err
		})
		if in.OnConflict == "" {
			out.Outcomes = nil
		}
		return out, err
	})
}

// all creates or changes the records of items, and returns their outcomes. Errors in a body with one item are reported without its index.
func (m Makes[T, W, R]) all(ctx context.Context, c *rest.Call, items []rest.Item[W], bulk, change bool) ([]R, []string, error) {
	fresh, wrong, keys := make([]T, len(items)), make([]error, len(items)), make([]string, len(items))
	for i, item := range items {
		if fresh[i], wrong[i] = m.applied(c, item, *new(T)); !item.Unread {
			keys[i] = external.Key(&fresh[i])
		}
	}
	ids, unmatched, err := m.Match(ctx, c.Principal(), keys, change)
	if err != nil {
		return nil, nil, err
	}
	records, outcomes := make([]R, len(items)), make([]string, len(items))
	do := func(i int) (id int64, err error) {
		if ids[i] != 0 {
			records[i], outcomes[i], err = m.one(ctx, c, rest.Changes[W]{ID: ids[i], Item: items[i]})
			return ids[i], err
		}
		errs := fault.Fields{}
		if f, ok := fault.As(wrong[i]); ok {
			errs.Merge(f.Fields)
		}
		if f, ok := fault.As(unmatched[i]); ok && !items[i].Unread {
			errs.MergeNew(f.Fields)
		}
		if err := errs.Err(); err != nil {
			return 0, err
		}
		if unmatched[i] != nil {
			return 0, unmatched[i]
		}
		records[i], err = m.Create(ctx, c.Principal(), fresh[i])
		outcomes[i] = rest.Outcomes[0]
		return 0, err
	}
	if bulk {
		return records, outcomes, each(len(items), do)
	}
	_, err = do(0)
	return records, outcomes, err
}

// errSame ends a change of a record that already is as wanted.
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

// one makes a change, and returns its outcome.
func (e Edits[T, W, R]) one(ctx context.Context, c *rest.Call, change rest.Changes[W]) (out R, outcome string, err error) {
	changed, err := e.Update(ctx, c.Principal(), change.ID, func(current T) (T, error) {
		before := e.Write(current)
		item, err := rest.Over(c, change.Item, before)
		if err != nil {
			return current, err
		}
		wanted, err := e.applied(c, item, current)
		if err == nil && reflect.DeepEqual(item.Value, before) {
			out, err = e.Show(current), errSame
		}
		return wanted, err
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

// DeleteBelow adds a route that deletes, by their ids, records that belong to another, all or none.
func DeleteBelow(a *rest.API, r rest.Route, plural string, below Below) {
	rest.DeleteMany(a, r, plural, func(ctx context.Context, c *rest.Call, ids []int64) error {
		parent, err := c.ID("id")
		if err != nil {
			return err
		}
		return below.Together(ctx, func(ctx context.Context) error {
			if err := below.There(ctx, c.Principal(), parent); err != nil {
				return err
			}
			return each(len(ids), func(i int) (int64, error) { return ids[i], below.Remove(ctx, c.Principal(), parent, ids[i]) })
		})
	})
}

// Below has the use cases that remove what belongs to a record.
type Below struct {
	Together Together
	// There refuses a record that does not exist.
	There  func(ctx context.Context, who access.Principal, parent int64) error
	Remove func(ctx context.Context, who access.Principal, parent, id int64) error
}

// Unasked returns a function that removes a record without asking for agreement.
func Unasked[T any](remove func(ctx context.Context, who access.Principal, id int64, agree func(T) error) error) func(context.Context, access.Principal, int64) error {
	return func(ctx context.Context, who access.Principal, id int64) error {
		return remove(ctx, who, id, func(T) error { return nil })
	}
}

// each does one thing for each of n items, and refuses them together: with the ids of all that do not exist, or with the errors
// of each. Conflicts with other records become a fault of their own if there are no other errors. Any other failure ends it.
func each(n int, do func(i int) (id int64, err error)) error {
	errs, missing, wrong := make([]fault.Fields, n), []int64{}, false
	var gone, forbidden *fault.Error
	for i := range errs {
		id, err := do(i)
		f, known := fault.As(err)
		switch {
		case err == nil:
		case !known:
			return err
		case f.Kind == fault.NotFound:
			missing, gone = append(missing, id), f
		case f.Kind == fault.Invalid && len(f.Fields) > 0:
			errs[i], wrong = f.Fields, true
		case f.Kind == fault.Invalid || f.Kind == fault.Conflict:
			errs[i] = fault.Fields{}
			errs[i].Add(memberOf(f), f.Message)
			if wrong = wrong || f.Kind == fault.Invalid; f.Kind == fault.Conflict {
				forbidden = placed(forbidden, f, i)
			}
		default:
			return err
		}
	}
	switch {
	case gone != nil:
		return gone.With("ids", missing)
	case forbidden != nil && !wrong:
		return forbidden
	}
	return batch.Refuse(errs, "items")
}

// takenKeys is the detail in which a conflict names external ids.
const takenKeys = external.Member + "s"

// memberOf returns the member of an item that a fault without members is about.
func memberOf(f *fault.Error) string {
	if f.Details[takenKeys] != nil {
		return external.Member
	}
	return fault.NonField
}

// placed adds the index of the item to a conflict, and its taken external ids to those of the conflict before it, which may be nil.
func placed(before, next *fault.Error, item int) *fault.Error {
	taken, _ := next.Details[takenKeys].([]any)
	for _, one := range taken {
		if facts, ok := one.(map[string]any); ok {
			facts["index"] = item
		}
	}
	if before == nil {
		return next.With("index", item)
	}
	if have, ok := before.Details[takenKeys].([]any); ok {
		before.Details[takenKeys] = append(have, taken...)
	}
	return before
}
