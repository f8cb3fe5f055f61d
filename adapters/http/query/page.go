package query

import (
	"fmt"
	"math"
	"strings"

	"tilth/core/fault"
)

// Sizes of pages.
const (
	DefaultPageSize = 10
	MaxPageSize     = 1000
)

// allPages requests the whole list instead of a page number.
const allPages = "all"

// PageParams returns the parameters page and page_size of lists.
func PageParams() []Param {
	return []Param{
		{Name: "page", Type: PageNumber, Description: "A page, counted from 1, or `all` for the whole list in one answer."},
		{Name: "page_size", Type: pageSize, Description: fmt.Sprintf("Records on a page, 1 to %d; default %d.", MaxPageSize, DefaultPageSize)},
	}
}

// CursorParams returns those of [PageParams] and cursor, for lists that can continue where a page ended.
func CursorParams() []Param {
	return append(PageParams(), Param{Name: "cursor", Type: String,
		Description: "Used instead of `page`: `first`, then the value in the link to the next page. Pages by cursor cost the same at any depth, and miss nothing when records are added or removed."})
}

// OrderingParam is the parameter ordering over the given fields.
func OrderingParam(fields ...string) Param {
	return Param{Name: "ordering", Type: ordering, Enum: fields,
		Description: "Order of the list: " + strings.Join(fields, ", ") + "; a leading minus means descending, several are separated by commas."}
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

// PageOrAll returns the page asked for; the whole list if neither page nor page_size is given, as
// for lists outside farm management.
func (v Values) PageOrAll() PageSpec {
	if v.parsed["page"] == nil && v.parsed["page_size"] == nil && v.parsed["cursor"] == nil {
		return PageSpec{All: true, Number: 1}
	}
	return v.Page()
}

// Pages returns the number of pages of a list of count records, at least one.
func (p PageSpec) Pages(count int64) int64 {
	if p.All || count <= p.Size {
		return 1
	}
	return (count-1)/p.Size + 1
}

// Within refuses a page past the end of a list of count records, and a cursor together with a number. Faults: NotFound, Invalid.
func (p PageSpec) Within(count int64) error {
	if p.Cursor != nil {
		if p.twice {
			return fault.Field("cursor", "Cannot be combined with page.")
		}
		return nil
	}
	if last := p.Pages(count); p.Number > last {
		return fault.Newf(fault.NotFound, "not_found", "That page is past the end of the list; its last page is %d.", last)
	}
	return nil
}
