package features

import (
	"cmp"
	"context"
	"math"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// ID identifies a feature: by its record and, if the record has several, by its number within it.
type ID struct {
	Record int64
	Part   int // from 1; 0: the record is one feature
}

// Feature is something on the map: T is what is known about it.
type Feature[T any] struct {
	ID      ID
	Outline geo.MultiPolygon // nil: it has none
	Place   *geo.Position    // for a point
	When    *ports.Span      // where the list does not know the time itself; nil: it has none
	Of      T
}

// Query selects features. A feature without an outline matches whatever is sought; one without a place lies in every box, and one without a
// time in every span.
type Query struct {
	Filters []ports.Filter
	Boxes   []geo.Box   // any of them; none: everywhere
	Sought  *geo.Sought // a geometry that they share a point with; nil: any
	Span    *ports.Span
	IDs     []ID // only these, from the first on; none: any
	Limit   int
	// After begins behind a feature; Before ends the page before one. At most one of them is set.
	After, Before *ID
}

// Page is a page of features by their ids.
type Page[T any] struct {
	Features []Feature[T]
	Matched  *int64 // features on all pages; nil: not known
	// Next is the feature that the next page begins after, and Previous the one that the previous page ends before; nil: there is none.
	Next, Previous *ID
}

// maxWeight is the approximate number of bytes of outlines in a page, and in the records that it is made from.
const maxWeight = 4 << 20

// positionBytes is the size of a vertex, in memory and as text.
const positionBytes = 64

// Collection holds the features of one kind of record R.
type Collection[R, T any] struct {
	deps  app.Deps
	needs []access.Permission // the first is that of the records
	word  string              // for one record, in messages
	chunk int64               // records read at a time
	parts bool                // a record is several features
	each  bool                // each record is nevertheless one feature
	dated bool                // the list knows the times of the records
	only  []ports.Filter      // for the records that are in the collection

	list     func(ctx context.Context, who access.Principal, q ports.Query) (app.List[R], error)
	get      func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (R, error)
	features func(ctx context.Context, tx ports.Repos, scope access.Scope, records []R) ([][]Feature[T], error)
}

// Need returns the permission for the records that the collection lists.
func (c *Collection[R, T]) Need() access.Permission { return c.needs[0] }

// Require refuses callers who may not see the collection. Faults: Forbidden.
func (c *Collection[R, T]) Require(ctx context.Context, who access.Principal) error {
	return c.deps.Gate.Require(ctx, who, c.needs...)
}

// Get returns a feature. Faults: NotFound.
func (c *Collection[R, T]) Get(ctx context.Context, who access.Principal, id ID) (out Feature[T], err error) {
	if err := c.Require(ctx, who); err != nil {
		return out, err
	}
	return app.In(ctx, c.deps.Store.Read, func(ctx context.Context, tx ports.Repos) (out Feature[T], err error) {
		record, err := c.get(ctx, tx, who.Scope(false), id.Record)
		if err != nil {
			return out, err
		}
		found, err := c.features(ctx, tx, who.Scope(false), []R{record})
		if err != nil {
			return out, err
		}
		i := slices.IndexFunc(found[0], func(f Feature[T]) bool { return f.ID == id })
		if i < 0 {
			return out, fault.Missing(c.word)
		}
		return found[0][i], nil
	})
}

// Page returns a page. It is read some records at a time, each time in a transaction of its own, continuing after the last
// record read: records left unchanged meanwhile are neither missed nor returned twice.
func (c *Collection[R, T]) Page(ctx context.Context, who access.Principal, q Query) (out Page[T], err error) {
	if err := c.Require(ctx, who); err != nil {
		return out, err
	}
	r := reader[R, T]{c: c, who: who, q: q, back: q.Before != nil, steps: effort.Of(ctx, 0)}
	if len(q.IDs) > 0 {
		return r.named(ctx)
	}
	if err := r.begin(); err != nil {
		return out, err
	}
	for r.more = true; r.more && !r.full; {
		if r.more, err = r.read(ctx); err != nil {
			return out, err
		}
	}
	return r.page(), nil
}

// counted reports whether the list knows how many features there are.
func (c *Collection[R, T]) counted(q Query) bool {
	return (c.each || !c.parts) && len(q.Boxes) == 0 && q.Sought == nil && (c.dated || q.Span == nil || !c.each)
}

// Count returns the number of features on all pages; nil: it is not counted.
func (c *Collection[R, T]) Count(ctx context.Context, who access.Principal, q Query) (*int64, error) {
	if err := c.Require(ctx, who); err != nil || !c.counted(q) {
		return nil, err
	}
	r := reader[R, T]{c: c, who: who, q: q}
	if err := r.begin(); err != nil {
		return nil, err
	}
	r.ask.Limit = 1
	found, err := c.list(ctx, who, r.ask)
	return &found.Count, err
}

// reader reads one page.
type reader[R, T any] struct {
	c       *Collection[R, T]
	who     access.Principal
	q       Query
	back    bool // towards smaller ids
	steps   *effort.Budget
	ask     ports.Query
	out     []Feature[T]
	matched *int64
	weight  int
	full    bool
	more    bool // after what was read
}

// begin makes the query of the first records.
func (r *reader[R, T]) begin() (err error) {
	r.ask = ports.Query{Filters: slices.Concat(r.c.only, r.q.Filters)}
	if len(r.q.Boxes) > 0 && !r.c.parts {
		r.ask.Filters = append(r.ask.Filters, ports.Filter{Name: "bbox", Value: r.q.Boxes})
	}
	if r.q.Span != nil && r.c.dated {
		r.ask.Filters = append(r.ask.Filters, ports.Filter{Name: "datetime", Value: *r.q.Span})
	}
	r.ask.NoCount = !r.c.counted(r.q)
	cursor := app.FirstPage
	switch {
	case r.back:
		r.ask.Order = []ports.Order{{Field: "id", Descending: true}}
		id := r.q.Before.Record
		if r.q.Before.Part > 0 && id < math.MaxInt64 { // earlier parts of the same record may be on the page
			id++
		}
		cursor, err = app.BehindID(r.ask.Order, id)
	case r.q.After != nil:
		id := r.q.After.Record
		if r.c.parts {
			id--
		}
		cursor, err = app.BehindID(nil, id)
	}
	r.ask.Cursor = &cursor
	return err
}

// read adds the features of the next records, and reports whether more follow.
func (r *reader[R, T]) read(ctx context.Context) (more bool, err error) {
	r.ask.Limit = r.c.chunk
	if !r.c.parts && len(r.q.Boxes) == 0 {
		r.ask.Limit = min(r.c.chunk, int64(r.q.Limit-len(r.out)))
	}
	found, err := r.c.list(ctx, r.who, r.ask)
	if err != nil {
		return false, err
	}
	if !r.ask.NoCount {
		r.matched, r.ask.NoCount = &found.Count, true
	}
	var records []R
	for record, err := range found.Each {
		if err != nil {
			return false, err
		}
		records = append(records, record)
	}
	features, err := app.In(ctx, r.c.deps.Store.Read, func(ctx context.Context, tx ports.Repos) ([][]Feature[T], error) {
		return r.c.features(ctx, tx, r.who.Scope(false), records)
	})
	if err != nil {
		return false, err
	}
	for _, parts := range features {
		if r.back {
			slices.Reverse(parts)
		}
		if more, err := r.take(parts); more || err != nil {
			return more, err
		}
	}
	r.ask.Cursor = &found.Next
	return found.Next != "", nil
}

// take adds the wanted features of a record, and reports whether one was left over because the page is full.
func (r *reader[R, T]) take(parts []Feature[T]) (more bool, err error) {
	for _, f := range parts {
		if r.passed(f.ID) || !f.within(r.q.Boxes) || !f.during(r.q.Span) {
			continue
		}
		if r.q.Sought != nil && f.Outline != nil {
			meets, err := r.q.Sought.Meets(r.steps, f.Outline)
			if err != nil {
				return false, err
			}
			if !meets {
				continue
			}
		}
		if r.full {
			return true, nil
		}
		r.out, r.weight = append(r.out, f), r.weight+f.weight()
		r.full = len(r.out) == r.q.Limit || r.weight > maxWeight
	}
	return false, nil
}

// named makes a page of the features that the query names by id.
func (r *reader[R, T]) named(ctx context.Context) (out Page[T], err error) {
	ids := slices.Clone(r.q.IDs)
	slices.SortFunc(ids, func(a, b ID) int { return cmp.Or(cmp.Compare(a.Record, b.Record), cmp.Compare(a.Part, b.Part)) })
	for _, id := range slices.Compact(ids) {
		f, err := r.c.Get(ctx, r.who, id)
		switch {
		case fault.Is(err, fault.NotFound):
			continue
		case err != nil:
			return out, err
		}
		if r.more, err = r.take([]Feature[T]{f}); r.more || err != nil {
			return r.page(), err
		}
	}
	return r.page(), nil
}

// passed reports whether a feature of the first record is outside the page.
func (r *reader[R, T]) passed(id ID) bool {
	switch {
	case r.back:
		return !id.before(*r.q.Before)
	case r.q.After != nil:
		return !r.q.After.before(id)
	}
	return false
}

// page returns what was read, in the order of ids.
func (r *reader[R, T]) page() Page[T] {
	out := Page[T]{Features: r.out, Matched: r.matched}
	if len(r.out) == 0 {
		return out
	}
	if r.back {
		slices.Reverse(out.Features)
	}
	first, last := &out.Features[0].ID, &out.Features[len(out.Features)-1].ID
	if r.back || r.more {
		out.Next = last
	}
	if r.back && r.more || !r.back && r.q.After != nil {
		out.Previous = first
	}
	return out
}

func (id ID) before(other ID) bool {
	return id.Record < other.Record || id.Record == other.Record && id.Part < other.Part
}

// within reports whether a feature lies in one of the boxes. A feature without a place does.
func (f *Feature[T]) within(boxes []geo.Box) bool {
	if len(boxes) == 0 || f.Outline == nil && f.Place == nil {
		return true
	}
	return slices.ContainsFunc(boxes, func(b geo.Box) bool {
		return f.Place != nil && b.Contains(*f.Place) || f.Outline.Meets(b)
	})
}

// during reports whether a feature shares a moment with a span. A feature without a time does.
func (f *Feature[T]) during(s *ports.Span) bool {
	return f.When == nil || s == nil || (s.To == nil || !f.When.From.After(*s.To)) && (s.From == nil || !f.When.To.Before(*s.From))
}

func (f *Feature[T]) weight() (bytes int) {
	for _, ring := range f.Outline.Rings() {
		bytes += positionBytes * len(ring)
	}
	return bytes
}
