package rest

import (
	"fmt"
	"iter"
	"math"
	"net/url"
	"strconv"
	"strings"

	"tilth/core/fault"
)

// Sizes of pages.
const (
	DefaultPageSize = 10
	MaxPageSize     = 1000
)

// allPages asks for the whole list in place of the number of a page.
const allPages = "all"

// PageParams are the parameters page and page_size, for [Route.Query].
func PageParams() []Param {
	return []Param{
		{Name: "page", Type: pageNumber, Description: "A page, counted from 1, or `all` for the whole list in one answer."},
		{Name: "page_size", Type: pageSize, Description: fmt.Sprintf("Records on a page, 1 to %d; %d where it is not given.", MaxPageSize, DefaultPageSize)},
	}
}

// CursorParams are those of [PageParams] and cursor, of lists that can go on where a page ended.
func CursorParams() []Param {
	return append(PageParams(), Param{Name: "cursor", Type: String,
		Description: "Instead of `page`: `first`, then what the link to the next page has. Pages by cursor cost the same however deep they lie, and miss nothing when records come or go."})
}

// OrderingParam is the parameter ordering over the given fields.
func OrderingParam(fields ...string) Param {
	return Param{Name: "ordering", Type: ordering, Enum: fields,
		Description: "Order of the list: " + strings.Join(fields, ", ") + "; a minus in front for descending, several separated by commas."}
}

// OrderTerm is one term of an ordering.
type OrderTerm struct {
	Field      string
	Descending bool
}

// PageSpec is the part of a list that a caller asks for.
type PageSpec struct {
	All    bool // the whole list; Number is then 1 and Size 0
	Number int64
	Size   int64
	Cursor *string // where it begins, in place of the number; nil: none was given

	twice bool // a number was given beside the cursor
}

// Limit returns how many records the page holds at most; 0 for all.
func (p PageSpec) Limit() int64 { return p.Size }

// Offset returns how many records come before the page. It saturates: a page number may
// be as large as a caller likes.
func (p PageSpec) Offset() int64 {
	if p.All || p.Number <= 1 {
		return 0
	}
	if p.Number-1 > math.MaxInt64/p.Size {
		return math.MaxInt64
	}
	return (p.Number - 1) * p.Size
}

// Page returns the page asked for; the first of [DefaultPageSize] where none is.
func (v Values) Page() PageSpec {
	if v.parsed["page"] == allPages && v.parsed["cursor"] == nil {
		return PageSpec{All: true, Number: 1}
	}
	spec := PageSpec{Number: 1, Size: DefaultPageSize}
	if number, ok := v.parsed["page"].(int64); ok {
		spec.Number = number
	}
	if size, ok := v.parsed["page_size"].(int64); ok {
		spec.Size = size
	}
	if cursor, ok := v.parsed["cursor"].(string); ok {
		spec.Cursor, spec.twice, spec.Number = &cursor, v.parsed["page"] != nil, 1
	}
	return spec
}

// PageOrAll returns the page asked for; the whole list where neither page nor page_size
// is given, as lists outside farm management have it.
func (v Values) PageOrAll() PageSpec {
	if v.parsed["page"] == nil && v.parsed["page_size"] == nil && v.parsed["cursor"] == nil {
		return PageSpec{All: true, Number: 1}
	}
	return v.Page()
}

// Listing is a page of records together with the length of the whole list. Each is read
// once, while the answer is written; it stops after an error.
type Listing[R any] struct {
	Count int64
	Each  iter.Seq2[R, error]
	Next  string // the cursor behind a page by cursor; empty: nothing follows
}

// Records makes a page of records that are all at hand.
func Records[R any](page PageSpec, all []R) Listing[R] {
	count := int64(len(all))
	from := min(page.Offset(), count)
	if limit := page.Limit(); limit > 0 {
		all = all[:min(count, from+limit)]
	}
	return Listing[R]{Count: count, Each: func(yield func(R, error) bool) {
		for _, r := range all[from:] {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

// Map returns the listing of what f makes of each record.
func Map[A, B any](in Listing[A], f func(A) B) Listing[B] {
	return Listing[B]{Count: in.Count, Next: in.Next, Each: func(yield func(B, error) bool) {
		for a, err := range in.Each {
			if err != nil {
				yield(*new(B), err)
				return
			}
			if !yield(f(a), nil) {
				return
			}
		}
	}}
}

// List is the answer of a list outside farm management: the array of records as the data
// of the envelope, with Link and X-Total-Count where a page was asked for.
type List[R any] struct {
	page    PageSpec
	listing Listing[R]
}

// NewList makes the answer of a list outside farm management.
// Faults: NotFound for a page past the end.
func NewList[R any](page PageSpec, listing Listing[R]) (List[R], error) {
	return List[R]{page, listing}, page.within(listing.Count)
}

// Paginated is the answer of a farm-management list: the object {count, next, previous,
// results} as the data of the envelope. It is written record by record.
type Paginated[R any] List[R]

// Paginate makes the answer of a farm-management list.
// Faults: NotFound for a page past the end; the first page of an empty list is empty.
func Paginate[R any](page PageSpec, listing Listing[R]) (Paginated[R], error) {
	return Paginated[R]{page, listing}, page.within(listing.Count)
}

// pages returns the number of pages, at least one.
func (p PageSpec) pages(count int64) int64 {
	if p.All || count <= p.Size {
		return 1
	}
	return (count-1)/p.Size + 1
}

func (p PageSpec) within(count int64) error {
	if p.Cursor != nil {
		if p.twice {
			return fault.Field("cursor", "Not together with page.")
		}
		return nil
	}
	if last := p.pages(count); p.Number > last {
		return fault.Newf(fault.NotFound, "not_found", "That page is past the end of the list; its last page is %d.", last)
	}
	return nil
}

// pageLink returns the address of another page of the same list; nil where there is none of
// that number. Every other parameter is kept, but the API key, which appears in no answer.
func (c *Call) pageLink(page, last int64) *string {
	if page < 1 || page > last {
		return nil
	}
	return c.listLink("page", strconv.FormatInt(page, 10))
}

// links returns the addresses of the pages behind and before that of a listing; nil where there is none.
func (c *Call) links(p PageSpec, count int64, cursor string) (next, previous *string) {
	last := p.pages(count)
	switch {
	case p.Cursor == nil:
		return c.pageLink(p.Number+1, last), c.pageLink(p.Number-1, last)
	case cursor == "":
		return nil, nil
	}
	return c.listLink("cursor", cursor), nil
}

func (c *Call) listLink(name, value string) *string {
	return new(c.Here(func(q url.Values) { q.Set(name, value) }))
}

// Here returns the absolute address of the request with a changed query, without the API key or the signed link, which appear in no answer.
func (c *Call) Here(change func(query url.Values)) string {
	u := url.URL{Path: c.request.URL.Path}
	q := c.request.URL.Query()
	q.Del(keyParam)
	q.Del(linkParam)
	change(q)
	u.RawQuery = q.Encode()
	return c.api.config.Origins.Base(c.request) + u.String()
}
