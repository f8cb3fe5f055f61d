package form

import (
	"context"
	"slices"
	"strings"
	"time"

	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/app"
	"tilth/core/access"
	"tilth/ports"
)

// ListParams returns the parameters that every list takes. search describes what is searched; order
// has the further fields that the list may be ordered by.
func ListParams(search string, order ...string) []rest.Param {
	return []rest.Param{
		IDsParam,
		{Name: "updated_since", Type: rest.Timestamp, Description: "Records written at or after this time."},
		{Name: "search", Type: rest.String, Description: search},
		query.OrderingParam(append([]string{"id", "created_at", "updated_at"}, order...)...),
	}
}

// IDsParam names the records of a list.
var IDsParam = rest.Param{Name: "id", Type: rest.IDs, Description: "Ids of records, separated by commas. Those that the caller may not see are left out."}

// ShareParam requests what others share, on lists and records outside the generic path.
var ShareParam = rest.ShareParam

// Whole requests a list without pages.
var Whole = rest.PageSpec{All: true, Number: 1}

// QueryOf returns the store's query for the parameters that a caller set, among those declared: its
// filters, order and page. partial names the filters that match a part of the text.
func QueryOf(page rest.PageSpec, declared []rest.Param, given rest.Values, partial ...string) ports.Query {
	q := ports.Query{Limit: page.Limit(), Offset: page.Offset(), Cursor: page.Cursor}
	for _, p := range declared {
		switch value := given.All()[p.Name].(type) {
		case nil:
		case []query.OrderTerm:
			q.Order = append(q.Order, Each(value, func(term query.OrderTerm) ports.Order { return ports.Order(term) })...)
		case time.Time:
			q.Filters = append(q.Filters, ports.Filter{Name: p.Name, Value: value.Format(time.RFC3339Nano)})
		default:
			q.Filters = append(q.Filters, ports.Filter{Name: p.Name, Value: value, Partial: slices.Contains(partial, p.Name)})
		}
	}
	return q
}

// DeletedQuery returns the store's query for a list of deleted records.
func DeletedQuery(q rest.ListQuery) ports.Query {
	return QueryOf(q.Page, rest.DeletedParams(rest.Param{Name: rest.FarmParam}), q.Values)
}

// From returns the position at which a page of a list with one order begins.
func From(page rest.PageSpec) ports.From { return ports.From{Cursor: page.Cursor} }

// Listing converts a list of the use cases to one of the interface.
func Listing[T any](l app.List[T]) rest.Listing[T] { return rest.Listing[T](l) }

// HandleList adds the route of a list outside farm management; filters are its parameters in addition to those of the page.
func HandleList[T, R any](
	a *rest.API, r rest.Route, filters []rest.Param, find func(context.Context, access.Principal, ports.Query) (app.List[T], error), show func(T) R,
) {
	r.Query = append(query.CursorParams(), filters...)
	rest.Handle(a, r, func(ctx context.Context, c *rest.Call, q rest.Values) (rest.List[R], error) {
		return List(q.PageOrAll(), show)(find(ctx, c.Principal(), QueryOf(q.PageOrAll(), filters, q)))
	})
}

// List returns a function that makes the answer of a list outside farm management from what a use case found.
func List[T, R any](page rest.PageSpec, show func(T) R) func(app.List[T], error) (rest.List[R], error) {
	return func(found app.List[T], err error) (rest.List[R], error) {
		if err != nil {
			return rest.List[R]{}, err
		}
		return rest.NewList(page, rest.Map(Listing(found), show))
	}
}

// LowerEmail compares e-mail addresses in lower case, as they are stored.
func LowerEmail[T any](list func(context.Context, access.Principal, ports.Query) (app.List[T], error)) func(context.Context, access.Principal, ports.Query) (app.List[T], error) {
	return func(ctx context.Context, who access.Principal, q ports.Query) (app.List[T], error) {
		for i, f := range q.Filters {
			if email, ok := f.Value.(string); ok && f.Name == "email" {
				q.Filters[i].Value = strings.ToLower(email)
			}
		}
		return list(ctx, who, q)
	}
}
