package rest

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tilth/adapters/http/document"
	"tilth/adapters/http/query"
	"tilth/core/fault"
)

// Outcomes are the possible outcomes of the items of a request that creates or changes records.
var Outcomes = []string{"created", "updated", "unchanged"}

// onConflict is the name of [OnConflictParam].
const onConflict = "on_conflict"

// OnConflictParam requests that a create changes the records that exist already; same states when one does.
func OnConflictParam(word, same string) Param {
	return Param{Name: onConflict, Type: String, Enum: []string{word}, Description: "Where " + same +
		" already exists, it is changed as by PATCH, and not created. This also needs the permission to change records. " +
		"The answer states the outcome of each item in `outcomes`."}
}

// Changes is an item of a body that changes records: the id of one, and its members that change.
type Changes[W any] struct {
	ID     int64
	Item   Item[W]
	Errors fault.Fields // if it is not clear which record it changes
}

// EachBody is a JSON array of changes of records that read as W; see [DecodeChanges].
func EachBody[W any]() *BodySpec { return bodyOf(reflect.TypeFor[W](), document.Changes) }

// DecodeChanges reads a body that is an array of 1 to the configured number of changes of distinct records.
// Faults: those of [Decode] for the body as a whole.
func DecodeChanges[W any](c *Call) ([]Changes[W], error) {
	in, err := c.json()
	if err != nil {
		return nil, err
	}
	if in.PeekKind() != jsontext.KindBeginArray {
		return nil, fault.Field(fault.NonField, "Send an array of objects, each with the id of the record that it changes.")
	}
	_, _ = in.ReadToken()
	var out []Changes[W]
	seen := map[int64]bool{}
	for in.PeekKind() != jsontext.KindEndArray {
		if len(out) == c.api.config.MaxBulk {
			return nil, fault.Field(fault.NonField, "Send at most "+strconv.Itoa(c.api.config.MaxBulk)+" items in one request.")
		}
		text, _ := in.ReadValue()
		change := Changes[W]{Item: Item[W]{at: strconv.Itoa(len(out)), text: slices.Clone(text)}, Errors: fault.Fields{}}
		if change.ID = idOf(change.Item.text); change.ID == 0 {
			change.Errors.Add("id", "Give the id of the record that the item changes.")
		} else if seen[change.ID] {
			change.Errors.Addf("id", "An earlier item changes the record %d.", change.ID)
		}
		seen[change.ID] = true
		out = append(out, change)
	}
	if len(out) == 0 {
		return nil, fault.Field(fault.NonField, "Send at least one item.")
	}
	return out, nil
}

// Over reads an item of a body with many as changes of a record, as [DecodeInto] does. What is wrong with the item is in its errors.
func Over[W any](c *Call, item Item[W], current W) (Item[W], error) {
	return readOver(c, item.at, item.text, current)
}

// registerSets adds the routes that change many records.
func (res Resource[W, R]) registerSets(a *API) {
	if res.UpdateMany != nil {
		UpdateMany(a, res.route(http.MethodPatch, "", res.Access.Edit.For("partial_update_many"), "Change "+res.Plural), res.Plural, res.UpdateMany)
	}
	if res.DeleteMany != nil {
		r := res.route(http.MethodDelete, "", res.Access.Delete.For("destroy_many"), "Delete "+res.Plural)
		r.Faults = slices.Clip(res.Faults)
		DeleteMany(a, r, res.Plural, res.DeleteMany)
	}
	if res.Deleted != nil {
		ListDeleted(a, res.route(http.MethodGet, "deleted/", res.Access.Delete.For("list_deleted"), "List deleted "+res.Plural), res.Deleted,
			slices.DeleteFunc(slices.Clone(res.Filters), func(p Param) bool { return p.Name != FarmParam })...)
	}
}

// UpdateMany adds a route that changes records by their ids, all or none. Its body is [EachBody] if none is given.
func UpdateMany[W, R any](
	a *API, r Route, plural string, update func(ctx context.Context, c *Call, changes []Changes[W]) ([]R, []string, error),
) {
	r.Description = "Takes an array of objects, each with the `id` of a record and the members that change: all are changed, or none. " +
		"Where one of the " + plural + " does not exist, the answer is 404 with its id in `details.ids`."
	r.Message = strings.ToUpper(plural[:1]) + plural[1:] + " updated."
	if r.Body == nil {
		r.Body = EachBody[W]()
	}
	r.Odd, r.OddBulk, r.Faults = nil, nil, []int{http.StatusConflict}
	Handle(a, r, func(ctx context.Context, c *Call, _ struct{}) (out Many[R], err error) {
		changes, err := DecodeChanges[W](c)
		if err == nil {
			out.Records, out.Outcomes, err = update(ctx, c, changes)
		}
		return out, err
	})
}

// DeletedParams returns the parameters of lists of deleted records, in addition to those of the page. farm is that of records below a farm.
func DeletedParams(farm ...Param) []Param {
	return append([]Param{{Name: "id", Type: IDs, Description: "Ids of records, separated by commas."}, query.OrderingParam("id", "created_at", "updated_at")}, farm...)
}

// FarmParam is the name of the parameter that filters lists by the farm above their records.
const FarmParam = "farm"

// ListDeleted adds a route that lists the records that can be restored; find reads its [DeletedParams].
func ListDeleted[R any](a *API, r Route, find func(ctx context.Context, c *Call, q ListQuery) (Listing[R], error), farm ...Param) {
	r.Description = "Records that were deleted within the last 30 days and can be restored; `updated_at` is the time of the deletion. What was deleted along with a record comes back with it."
	r.Query = append(query.CursorParams(), DeletedParams(farm...)...)
	Handle(a, r, func(ctx context.Context, c *Call, v Values) (Paginated[R], error) {
		q := ListQuery{v.Page(), false, v}
		listing, err := find(ctx, c, q)
		if err != nil {
			return Paginated[R]{}, err
		}
		return Paginate(q.Page, listing)
	})
}

// DeleteMany adds a route that deletes records by their ids, all or none.
func DeleteMany(a *API, r Route, plural string, remove func(ctx context.Context, c *Call, ids []int64) error) {
	r.Description = cmp.Or(r.Description, "Deletes the named "+plural+" with what belongs to them, all or none: where one does not exist, the answer is 404 with its id in `details.ids`.")
	r.Status, r.Message = http.StatusNoContent, strings.ToUpper(plural[:1])+plural[1:]+" deleted."
	r.Query = []Param{{Name: "id", Type: IDs, Required: true, Description: "Ids of the " + plural + ", separated by commas."}}
	Handle(a, r, func(ctx context.Context, c *Call, in struct {
		IDs []int64 `query:"id"`
	},
	) (NoContent, error) {
		return NoContent{}, remove(ctx, c, in.IDs)
	})
}
