package rest

import (
	"context"
	"net/http"
	"strings"

	"tilth/core/access"
)

// Resource describes a kind of record with the methods of farm management: list, create
// (one or many), retrieve, full and partial update, delete. W is what is written, R what
// is answered. A method whose function is nil does not exist, and is answered with 405.
type Resource[W, R any] struct {
	Path        string          // below the base: cultivation/
	Noun        string          // cultivation
	Plural      string          // cultivations
	Access      access.Resource // what the methods require
	Tag         string
	Description string // of the list, CommonMark

	Filters      []Param       // of the list, beside page and page_size
	Shareable    bool          // takes ?share=true on list and retrieve
	APIKey       bool          // also takes an API key
	CreateStatus int           // default 200
	Alternatives []Alternative // of the list
	Forms        []Alternative // of one record
	Faults       []int         // further statuses of the writing methods

	// Odd holds the contract's exceptions, as [Route.Odd].
	Odd map[string]int

	List     func(ctx context.Context, c *Call, q ListQuery) (Listing[R], error)
	Retrieve func(ctx context.Context, c *Call, id int64, shared bool) (R, error)
	// Create makes the records of a body. It calls decode when its checks that come before
	// the body are done, and answers with the records in the order of the items.
	Create func(ctx context.Context, c *Call, decode func() (items []Item[W], bulk bool, err error)) ([]R, error)
	// Update changes a record, for PUT and PATCH alike: decode gives the record as the
	// caller wants it, from the body and, for a PATCH, the current record.
	Update func(ctx context.Context, c *Call, id int64, decode func(current W) (W, error)) (R, error)
	Delete func(ctx context.Context, c *Call, id int64) error
	// Restore brings a deleted record back.
	Restore func(ctx context.Context, c *Call, id int64) (R, error)
}

// ListQuery is what a caller asks of a list.
type ListQuery struct {
	Page   PageSpec
	Shared bool
	Values // the filters
}

const shareParam = "share"

// Register adds the routes of a resource.
func Register[W, R any](a *API, res Resource[W, R]) {
	if res.List != nil {
		Handle(a, res.listRoute(), nil, func(ctx context.Context, c *Call) (Paginated[R], error) {
			q, err := res.query(c)
			if err != nil {
				return Paginated[R]{}, err
			}
			listing, err := res.List(ctx, c, q)
			if err != nil {
				return Paginated[R]{}, err
			}
			return Paginate(q.Page, listing)
		})
	}
	if res.Create != nil {
		r := res.route(http.MethodPost, res.Access.Create.For("create"), "Create one "+res.Noun+" or many")
		r.Description = "Takes an object, or an array of objects: all are stored, or none."
		if r.Status = res.CreateStatus; r.Status == 0 {
			r.Status = http.StatusOK
		}
		r.Message = sentence(res.Noun + " created.")
		Handle(a, r, BulkBody[W](), res.create)
	}
	if res.Retrieve != nil {
		r := res.route(http.MethodGet, res.Access.View.For("retrieve"), "Retrieve a "+res.Noun)
		r.Query, r.Alternatives = res.shareParams(), res.Forms
		Handle(a, r, nil, func(ctx context.Context, c *Call) (R, error) {
			var none R
			q, err := c.Query()
			if err != nil {
				return none, err
			}
			id, err := c.ID("id")
			if err != nil {
				return none, err
			}
			return res.Retrieve(ctx, c, id, res.Shareable && q.Bool(shareParam))
		})
	}
	if res.Update != nil {
		res.registerUpdates(a)
	}
	if res.Delete != nil {
		r := res.route(http.MethodDelete, res.Access.Delete.For("destroy"), "Delete a "+res.Noun)
		r.Status, r.Faults = http.StatusNoContent, append([]int{http.StatusPreconditionFailed}, res.Faults...)
		r.Message = sentence(res.Noun + " deleted.")
		Handle(a, r, nil, func(ctx context.Context, c *Call) (NoContent, error) {
			id, err := c.ID("id")
			if err != nil {
				return NoContent{}, err
			}
			return NoContent{}, res.Delete(ctx, c, id)
		})
	}
	if res.Restore != nil {
		res.registerRestore(a)
	}
}

func (res Resource[W, R]) create(ctx context.Context, c *Call) (OneOrMany[R], error) {
	many := false
	records, err := res.Create(ctx, c, func() ([]Item[W], bool, error) {
		items, bulk, err := DecodeMany[W](c)
		many = bulk
		return items, bulk, err
	})
	return OneOrMany[R]{records, many}, err
}

func (res Resource[W, R]) registerUpdates(a *API) {
	put := res.route(http.MethodPut, res.Access.Edit.For("update"), "Replace a "+res.Noun)
	patch := res.route(http.MethodPatch, res.Access.Edit.For("partial_update"), "Change a "+res.Noun)
	for _, r := range []Route{put, patch} {
		r.Faults = append([]int{http.StatusPreconditionFailed}, res.Faults...)
		r.Message = sentence(res.Noun + " updated.")
		Handle(a, r, Body[W](), func(ctx context.Context, c *Call) (R, error) {
			id, err := c.ID("id")
			if err != nil {
				var none R
				return none, err
			}
			return res.Update(ctx, c, id, func(current W) (W, error) {
				if c.Method() == http.MethodPatch {
					return DecodeInto(c, current)
				}
				return Decode[W](c)
			})
		})
	}
}

// query reads what a list was asked for.
func (res Resource[W, R]) query(c *Call) (ListQuery, error) {
	v, err := c.Query()
	if err != nil {
		return ListQuery{}, err
	}
	return ListQuery{Page: v.Page(), Shared: res.Shareable && v.Bool(shareParam), Values: v}, nil
}

func (res Resource[W, R]) listRoute() Route {
	r := res.route(http.MethodGet, res.Access.View.For("list"), "List "+res.Plural)
	r.Description, r.Alternatives = res.Description, res.Alternatives
	r.Query = append(append(PageParams(), res.shareParams()...), res.Filters...)
	return r
}

func (res Resource[W, R]) shareParams() []Param {
	if !res.Shareable {
		return nil
	}
	return []Param{{Name: shareParam, Type: Boolean,
		Description: "With true: the records that other companies share with the caller's, instead of its own."}}
}

func (res Resource[W, R]) route(method string, need access.Permission, summary string) Route {
	path := res.Path
	if need.Action() != "list" && need.Action() != "create" {
		path = strings.TrimSuffix(path, "/") + "/{id}/"
	}
	r := Route{
		Method: method, Path: path, OperationID: res.Noun + "_" + need.Action(), Summary: summary,
		Tag: res.Tag, Noun: res.Noun, Permission: need,
		APIKey: res.APIKey, Odd: res.Odd,
	}
	if method == http.MethodPost {
		r.Faults = res.Faults
	}
	return r
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
