package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"tilth/adapters/http/query"
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

	Filters      []Param       // of the list, in addition to page and page_size
	Shareable    bool          // takes ?share=true on list and retrieve
	Keys         KeyUse        // where an API key is taken
	Alternatives []Alternative // of the list
	Forms        []Alternative // of one record
	Faults       []int         // further statuses of the writing methods

	// Odd and OddBulk hold the contract's exceptions, and Inapplicable the names that are ignored, as in [Route].
	Odd, OddBulk map[string]int
	Inapplicable []string

	List     func(ctx context.Context, c *Call, q ListQuery) (Listing[R], error)
	Retrieve func(ctx context.Context, c *Call, id int64, shared bool) (R, error)
	// Create makes the records of a body. It calls decode when its checks that come before
	// the body are done, and answers with the records in the order of the items.
	Create func(ctx context.Context, c *Call, decode func() (items []Item[W], bulk bool, err error)) ([]R, error)
	// Upsert is Create, except that it changes records that exist already; it also returns the outcomes of the items.
	// OnConflict is the word for its rule, and Same states in English when a record exists already; empty: there is none.
	Upsert           func(ctx context.Context, c *Call, decode func() (items []Item[W], bulk bool, err error)) ([]R, []string, error)
	OnConflict, Same string
	// Update changes a record, for PUT and PATCH alike; it reads the body with [DecodeChange].
	Update func(ctx context.Context, c *Call, id int64) (R, error)
	Delete func(ctx context.Context, c *Call, id int64) error
	// DeleteEmpty is Delete with ?empty=true: it refuses a record that holds others. nil: there is no such parameter.
	DeleteEmpty func(ctx context.Context, c *Call, id int64) error
	// UpdateMany changes records, all or none, and returns them with the outcomes of the items.
	UpdateMany func(ctx context.Context, c *Call, changes []Changes[W]) ([]R, []string, error)
	// DeleteMany deletes records, all or none.
	DeleteMany func(ctx context.Context, c *Call, ids []int64) error
	// Deleted lists the records that Restore can bring back.
	Deleted func(ctx context.Context, c *Call, q ListQuery) (Listing[R], error)
	// Restore brings a deleted record back.
	Restore func(ctx context.Context, c *Call, id int64) (R, error)
}

// ListQuery is what a caller requests of a list.
type ListQuery struct {
	Page   PageSpec
	Shared bool
	Values // the filters
}

// ShareParam requests what others share.
var ShareParam = Param{Name: "share", Type: Boolean,
	Description: "With true: the records that other companies share with the caller's company, instead of its own."}

// emptyParam requests that nothing else is deleted.
var emptyParam = Param{Name: "empty", Type: Boolean,
	Description: "With true: deletes it only if it is empty; otherwise the answer is 409 (`not_empty`), and nothing is deleted. Without, what it contains is deleted along with it."}

type byID struct {
	ID int64 `path:"id"`
}

// Register adds the routes of a resource.
func Register[W, R any](a *API, res Resource[W, R]) {
	var share []Param
	if res.Shareable {
		share = []Param{ShareParam}
	}
	if res.List != nil {
		r := res.route(http.MethodGet, "", res.Access.View.For("list"), "List "+res.Plural)
		r.Description, r.Alternatives = res.Description, res.Alternatives
		r.Query = slices.Concat(query.CursorParams(), share, res.Filters)
		Handle(a, r, func(ctx context.Context, c *Call, v Values) (Paginated[R], error) {
			q := ListQuery{v.Page(), v.All()[ShareParam.Name] == true, v}
			listing, err := res.List(ctx, c, q)
			if err != nil {
				return Paginated[R]{}, err
			}
			return Paginate(q.Page, listing)
		})
	}
	if res.Create != nil {
		r := res.route(http.MethodPost, "", res.Access.Create.For("create"), "Create one "+res.Noun+" or many")
		r.Description = "Takes an object, or an array of objects: all are stored, or none."
		r.Message, r.Body = res.done("created"), BulkBody[W]()
		if res.Upsert != nil {
			r.Query = []Param{OnConflictParam(res.OnConflict, res.Same)}
			r.Faults = append(r.Faults, http.StatusConflict)
		}
		Handle(a, r, func(ctx context.Context, c *Call, v Values) (out OneOrMany[R], err error) {
			decode := func() (items []Item[W], bulk bool, err error) {
				items, out.Bulk, err = DecodeMany[W](c)
				return items, out.Bulk, err
			}
			if v.All()[onConflict] != nil {
				out.Records, out.Outcomes, err = res.Upsert(ctx, c, decode)
			} else {
				out.Records, err = res.Create(ctx, c, decode)
			}
			return out, err
		})
	}
	if res.Retrieve != nil {
		r := res.route(http.MethodGet, "{id}/", res.Access.View.For("retrieve"), "Retrieve a "+res.Noun)
		r.Query, r.Alternatives = share, res.Forms
		Handle(a, r, func(ctx context.Context, c *Call, in struct {
			Values
			byID
		},
		) (R, error) {
			return res.Retrieve(ctx, c, in.ID, in.All()[ShareParam.Name] == true)
		})
	}
	res.registerChanges(a)
}

// registerChanges adds the routes that change a record.
func (res Resource[W, R]) registerChanges(a *API) {
	on := func(use func(context.Context, *Call, int64) (R, error)) func(context.Context, *Call, byID) (R, error) {
		return func(ctx context.Context, c *Call, in byID) (R, error) { return use(ctx, c, in.ID) }
	}
	if res.Update != nil {
		put := res.route(http.MethodPut, "{id}/", res.Access.Edit.For("update"), "Replace a "+res.Noun)
		patch := res.route(http.MethodPatch, "{id}/", res.Access.Edit.For("partial_update"), "Change a "+res.Noun)
		for _, r := range []Route{put, patch} {
			r.Message, r.Body = res.done("updated"), Body[W]()
			Handle(a, r, on(res.Update))
		}
	}
	if res.Delete != nil {
		r := res.route(http.MethodDelete, "{id}/", res.Access.Delete.For("destroy"), "Delete a "+res.Noun)
		r.Status, r.Message = http.StatusNoContent, res.done("deleted")
		if res.DeleteEmpty != nil {
			r.Query, r.Faults = []Param{emptyParam}, append(r.Faults, http.StatusConflict)
		}
		Handle(a, r, func(ctx context.Context, c *Call, in struct {
			Values
			byID
		},
		) (NoContent, error) {
			if in.All()[emptyParam.Name] == true {
				return NoContent{}, res.DeleteEmpty(ctx, c, in.ID)
			}
			return NoContent{}, res.Delete(ctx, c, in.ID)
		})
	}
	res.registerSets(a)
	if res.Restore != nil {
		r := res.route(http.MethodPost, "{id}/restore/", res.Access.Delete.For("restore"), "Restore a deleted "+res.Noun)
		r.Description = "Brings back what was deleted within the last 30 days, with what was deleted along with it. " +
			"A record that is not deleted is 400 (`not_deleted`), and so is one whose parent is deleted (`parent_deleted`)."
		r.Message, r.Faults = res.done("restored"), append(slices.Clip(res.Faults), http.StatusBadRequest)
		Handle(a, r, on(res.Restore))
	}
}

func (res Resource[W, R]) route(method, below string, need access.Permission, summary string) Route {
	r := Routes{Base: res.Path, Operation: res.Noun, Tag: res.Tag, Noun: res.Noun, Keys: res.Keys}.Route(method, below, need, summary)
	r.Odd, r.OddBulk = res.Odd, res.OddBulk
	switch method {
	case http.MethodPost:
		r.Faults, r.Inapplicable = slices.Clip(res.Faults), res.Inapplicable
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		r.Inapplicable = res.Inapplicable
		r.Faults = append(slices.Clip(res.Faults), http.StatusPreconditionFailed)
	}
	return r
}

func (res Resource[W, R]) done(what string) string {
	return strings.ToUpper(res.Noun[:1]) + strings.ReplaceAll(res.Noun[1:], "_", " ") + " " + what + "."
}
