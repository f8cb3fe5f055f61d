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
	// Update changes a record, for PUT and PATCH alike; it reads the body with [DecodeChange].
	Update func(ctx context.Context, c *Call, id int64) (R, error)
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

type byID struct {
	ID int64 `path:"id"`
}

// Register adds the routes of a resource.
func Register[W, R any](a *API, res Resource[W, R]) {
	if res.List != nil {
		Handle(a, res.listRoute(), func(ctx context.Context, c *Call, v Values) (Paginated[R], error) {
			q := ListQuery{Page: v.Page(), Shared: res.Shareable && v.parsed[shareParam] == true, Values: v}
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
		r.Body = BulkBody[W]()
		Handle(a, r, res.create)
	}
	if res.Retrieve != nil {
		r := res.route(http.MethodGet, res.Access.View.For("retrieve"), "Retrieve a "+res.Noun)
		r.Query, r.Alternatives = res.shareParams(), res.Forms
		Handle(a, r, func(ctx context.Context, c *Call, in struct {
			Values
			byID
		},
		) (R, error) {
			return res.Retrieve(ctx, c, in.ID, res.Shareable && in.parsed[shareParam] == true)
		})
	}
	if res.Update != nil {
		res.registerUpdates(a)
	}
	if res.Delete != nil {
		r := res.route(http.MethodDelete, res.Access.Delete.For("destroy"), "Delete a "+res.Noun)
		r.Status, r.Faults = http.StatusNoContent, append([]int{http.StatusPreconditionFailed}, res.Faults...)
		r.Message = sentence(res.Noun + " deleted.")
		Handle(a, r, func(ctx context.Context, c *Call, in byID) (NoContent, error) {
			return NoContent{}, res.Delete(ctx, c, in.ID)
		})
	}
	if res.Restore != nil {
		res.registerRestore(a)
	}
}

func (res Resource[W, R]) create(ctx context.Context, c *Call, _ struct{}) (OneOrMany[R], error) {
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
		r.Body = Body[W]()
		Handle(a, r, func(ctx context.Context, c *Call, in byID) (R, error) { return res.Update(ctx, c, in.ID) })
	}
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

// registerRestore adds the route that brings a deleted record back.
func (res Resource[W, R]) registerRestore(a *API) {
	r := res.route(http.MethodPost, res.Access.Delete.For("restore"), "Restore a deleted "+res.Noun)
	r.Path = strings.TrimSuffix(r.Path, "/") + "/restore/"
	r.Description = "Brings back what was deleted within the last 30 days, with what was deleted along with it. " +
		"A record that is not deleted is 400 (`not_deleted`), and so is one whose parent is deleted (`parent_deleted`)."
	r.Message = sentence(res.Noun + " restored.")
	r.Faults = append([]int{http.StatusBadRequest}, r.Faults...)
	Handle(a, r, func(ctx context.Context, c *Call, in byID) (R, error) {
		return res.Restore(ctx, c, in.ID)
	})
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
