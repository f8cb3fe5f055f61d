package farm

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/effort"
	"tilth/core/fault"
)

// inapplicable are members that the specification calls not writable.
var inapplicable = []string{"created_by_id"}

// bulkRefused has the statuses of refused bulks of fields and seasons (specification, section 7).
var bulkRefused = map[string]int{"bulk_validation_failed": http.StatusPaymentRequired, fault.CodeUnknownName: http.StatusPaymentRequired}

// registerRecords adds a resource of farm management: the use cases of records, in the
// form that a mapping defines.
func registerRecords[T, W, R any](a *rest.API, records *farmapp.Records[T], res rest.Resource[W, R], m form.Mapping[T, W, R]) {
	res.Access = records.Access()
	res.Noun = res.Access.Name
	res.Path = res.Noun + "/"
	res.Tag = farmTag
	res.Keys = rest.KeyInQuery
	res.Inapplicable = append(res.Inapplicable, inapplicable...)
	res.Filters = append(res.Filters,
		rest.Param{Name: "company", Type: rest.Integer, Description: "Id of the company."},
		rest.Param{Name: "created_by", Type: rest.Integer, Description: "Id of the user who made the record."})

	res.List = func(ctx context.Context, c *rest.Call, q rest.ListQuery) (rest.Listing[R], error) {
		found, err := records.List(ctx, c.Principal(), q.Shared, form.QueryOf(q.Page, res.Filters, q.Values))
		return rest.Map(form.Listing(found), m.Show), err
	}
	res.Retrieve = func(ctx context.Context, c *rest.Call, id int64, shared bool) (R, error) {
		record, err := records.Retrieve(ctx, c.Principal(), shared, id)
		return m.Show(record), err
	}
	res.Create = func(ctx context.Context, c *rest.Call, decode func() ([]rest.Item[W], bool, error)) ([]R, error) {
		items, bulk, err := decode()
		if err != nil {
			return nil, err
		}
		drafts, budget := make([]farmapp.Draft[T], len(items)), effort.Of(ctx, 0)
		for i, item := range items {
			drafts[i] = m.Draft(budget, item, *new(T))
		}
		if err := budget.Err(); err != nil {
			return nil, err
		}
		made, err := records.Create(ctx, c.Principal(), drafts, bulk)
		out := make([]R, len(made))
		for i, record := range made {
			out[i] = m.Show(record)
		}
		return out, err
	}
	if res.OnConflict == "" {
		res.OnConflict, res.Same = form.ExternalID, form.SameExternal
		res.Faults = append(res.Faults, http.StatusConflict)
	}
	res.Upsert = func(ctx context.Context, c *rest.Call, decode func() ([]rest.Item[W], bool, error)) ([]R, []string, error) {
		items, bulk, err := decode()
		if err != nil {
			return nil, nil, err
		}
		wanted, err := m.Wanted(ctx, c, items)
		if err != nil {
			return nil, nil, err
		}
		return m.Written(records.Upsert(ctx, c.Principal(), wanted, bulk))
	}
	res.UpdateMany = func(ctx context.Context, c *rest.Call, changes []rest.Changes[W]) ([]R, []string, error) {
		ids, wanted := m.Changes(ctx, c, changes)
		return m.Written(records.UpdateMany(ctx, c.Principal(), ids, wanted))
	}
	res.Update = func(ctx context.Context, c *rest.Call, id int64) (R, error) {
		record, err := records.Update(ctx, c.Principal(), id, func(current T) (farmapp.Draft[T], error) {
			if err := form.CheckIfMatch(c, current, m.Show); err != nil {
				return farmapp.Draft[T]{}, err
			}
			item, err := rest.DecodeDraft(c, m.Write(current))
			if err != nil {
				return farmapp.Draft[T]{}, err
			}
			budget := effort.Of(ctx, 0)
			draft := m.Draft(budget, item, current)
			return draft, budget.Err()
		})
		return m.Show(record), err
	}
	agree := func(c *rest.Call) func(T) error {
		return func(current T) error { return form.CheckIfMatch(c, current, m.Show) }
	}
	res.Delete = func(ctx context.Context, c *rest.Call, id int64) error {
		return records.Delete(ctx, c.Principal(), id, agree(c))
	}
	if records.Holds() {
		res.DeleteEmpty = func(ctx context.Context, c *rest.Call, id int64) error {
			return records.DeleteEmpty(ctx, c.Principal(), id, agree(c))
		}
	}
	res.DeleteMany = func(ctx context.Context, c *rest.Call, ids []int64) error {
		return records.DeleteMany(ctx, c.Principal(), ids)
	}
	res.Deleted = func(ctx context.Context, c *rest.Call, q rest.ListQuery) (rest.Listing[R], error) {
		found, err := records.Deleted(ctx, c.Principal(), form.DeletedQuery(q))
		return rest.Map(form.Listing(found), m.Show), err
	}
	res.Restore = func(ctx context.Context, c *rest.Call, id int64) (R, error) {
		record, err := records.Restore(ctx, c.Principal(), id)
		return m.Show(record), err
	}
	rest.Register(a, res)
}
