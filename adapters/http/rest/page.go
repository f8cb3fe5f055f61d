package rest

import (
	"iter"
	"net/url"
	"strconv"

	"tilth/adapters/http/credential"
)

// Listing is a page of records together with the length of the whole list. Each is read
// once, while the answer is written; it stops after an error.
type Listing[R any] struct {
	Count int64
	Each  iter.Seq2[R, error]
	Next  string // the cursor behind a page by cursor; empty: nothing follows
}

// Records makes a page of records that are all in memory.
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

// Map returns a listing with f applied to each record.
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
	return List[R]{page, listing}, page.Within(listing.Count)
}

// Paginated is the answer of a farm-management list: the object {count, next, previous,
// results} as the data of the envelope. It is written record by record.
type Paginated[R any] List[R]

// Paginate makes the answer of a farm-management list.
// Faults: NotFound for a page past the end; the first page of an empty list is empty.
func Paginate[R any](page PageSpec, listing Listing[R]) (Paginated[R], error) {
	return Paginated[R]{page, listing}, page.Within(listing.Count)
}

// pageLink returns the address of another page of the same list; nil if there is none of that
// number. Every other parameter is kept, except the API key, which appears in no answer.
func (c *Call) pageLink(page, last int64) *string {
	if page < 1 || page > last {
		return nil
	}
	return c.listLink("page", strconv.FormatInt(page, 10))
}

// links returns the addresses of the pages after and before that of a listing; nil if there is none.
func (c *Call) links(p PageSpec, count int64, cursor string) (next, previous *string) {
	last := p.Pages(count)
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
	q.Del(credential.KeyParam)
	q.Del(credential.KeyHeader)
	q.Del(credential.LinkParam)
	change(q)
	u.RawQuery = q.Encode()
	return c.api.config.Origins.Base(c.request) + u.String()
}
