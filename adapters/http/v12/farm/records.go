package farm

import (
	"context"
	"net/http"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	farmapp "tilth/app/farm"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
)

// external is where a record came from.
type external struct {
	ExternalID string `json:"external_id" required:"false" maxLength:"255" doc:"The record's key in the system it came from."`
	Source     string `json:"source" required:"false" maxLength:"255" doc:"The system it came from, in your own words."`
}

func (e external) record() farm.External {
	return farm.External{ExternalID: e.ExternalID, Source: e.Source}
}

func externalOf(e farm.External) external { return external{e.ExternalID, e.Source} }

// withExternalID adds the key of the record in another system, and further parameters.
func withExternalID(params []rest.Param, more ...rest.Param) []rest.Param {
	return append(append(params, rest.Param{
		Name: "external_id", Type: rest.Texts, Description: "The record's key in the system it came from, exactly; several are separated by commas.",
	}), more...)
}

// mapping is how a resource's wire form and its record become each other.
type mapping[T, W, R any] struct {
	apply func(budget *effort.Budget, body W, onto *T) fault.Fields // what the body says, over the record
	write func(T) W                                                 // the record as a body
	show  func(T) R                                                 // the record as an answer
}

// inapplicable are members that the specification calls not writable.
var inapplicable = []string{"created_by_id"}

// bulkRefused are the statuses of bulks that are refused, of fields and seasons (specification, section 7).
var bulkRefused = map[string]int{"bulk_validation_failed": http.StatusPaymentRequired, fault.CodeUnknownName: http.StatusPaymentRequired}

// draftOf returns an item over a record, with all that is wrong with it.
func draftOf[T, W, R any](budget *effort.Budget, item rest.Item[W], onto T, m mapping[T, W, R]) farmapp.Draft[T] {
	out := farmapp.Draft[T]{Record: onto, Errors: fault.Fields{}, Unread: item.Unread}
	if out.Errors.Merge(item.Errors); !item.Unread {
		out.Errors.MergeNew(m.apply(budget, item.Value, &out.Record))
	}
	return out
}

// registerRecords adds a resource of farm management: the use cases of records, in the form
// of a mapping.
func registerRecords[T, W, R any](a *rest.API, records *farmapp.Records[T], res rest.Resource[W, R], m mapping[T, W, R]) {
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
		return rest.Map(form.Listing(found), m.show), err
	}
	res.Retrieve = func(ctx context.Context, c *rest.Call, id int64, shared bool) (R, error) {
		record, err := records.Retrieve(ctx, c.Principal(), shared, id)
		return m.show(record), err
	}
	res.Create = func(ctx context.Context, c *rest.Call, decode func() ([]rest.Item[W], bool, error)) ([]R, error) {
		items, bulk, err := decode()
		if err != nil {
			return nil, err
		}
		drafts, budget := make([]farmapp.Draft[T], len(items)), effort.Of(ctx, 0)
		for i, item := range items {
			drafts[i] = draftOf(budget, item, *new(T), m)
		}
		if err := budget.Err(); err != nil {
			return nil, err
		}
		made, err := records.Create(ctx, c.Principal(), drafts, bulk)
		out := make([]R, len(made))
		for i, record := range made {
			out[i] = m.show(record)
		}
		return out, err
	}
	res.Update = func(ctx context.Context, c *rest.Call, id int64) (R, error) {
		record, err := records.Update(ctx, c.Principal(), id, func(current T) (farmapp.Draft[T], error) {
			if err := form.CheckIfMatch(c, current, m.show); err != nil {
				return farmapp.Draft[T]{}, err
			}
			item, err := rest.DecodeDraft(c, m.write(current))
			if err != nil {
				return farmapp.Draft[T]{}, err
			}
			budget := effort.Of(ctx, 0)
			draft := draftOf(budget, item, current, m)
			return draft, budget.Err()
		})
		return m.show(record), err
	}
	res.Delete = func(ctx context.Context, c *rest.Call, id int64) error {
		return records.Delete(ctx, c.Principal(), id, func(current T) error { return form.CheckIfMatch(c, current, m.show) })
	}
	res.DeleteMany = func(ctx context.Context, c *rest.Call, ids []int64) error {
		return records.DeleteMany(ctx, c.Principal(), ids)
	}
	res.Deleted = func(ctx context.Context, c *rest.Call, q rest.ListQuery) (rest.Listing[R], error) {
		found, err := records.Deleted(ctx, c.Principal(), form.QueryOf(q.Page, rest.DeletedParams(), q.Values))
		return rest.Map(form.Listing(found), m.show), err
	}
	res.Restore = func(ctx context.Context, c *rest.Call, id int64) (R, error) {
		record, err := records.Restore(ctx, c.Principal(), id)
		return m.show(record), err
	}
	rest.Register(a, res)
}
