package farm

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"tilth/core/effort"
	"tilth/core/geo"
	"tilth/core/record"
)

// MaxOverlaps is the maximum number of overlapped fields that are named for a field.
const MaxOverlaps = 10

// Overlaps is what is known about the fields of the company that a boundary overlaps.
type Overlaps struct {
	Fields  []record.Ref // live ones, in the order found, up to [MaxOverlaps]
	More    bool         // it overlaps further fields
	Pending bool         // the boundary is still to be checked in the background
}

// Add adds a field that is not named yet.
func (o *Overlaps) Add(other record.Ref) {
	switch {
	case slices.ContainsFunc(o.Fields, func(r record.Ref) bool { return r.ID == other.ID }):
	case len(o.Fields) == MaxOverlaps:
		o.More = true
	default:
		o.Fields = append(o.Fields, other)
	}
}

// Place is where a field lies.
type Place struct {
	ID      int64
	Box     geo.Box
	Version time.Time // of the field
}

// Places finds the fields near another.
type Places struct {
	byWest []Place
	widest float64
}

// NewPlaces orders places for searches; it keeps the slice.
func NewPlaces(all []Place) Places {
	slices.SortFunc(all, func(a, b Place) int { return cmp.Or(cmp.Compare(a.Box.MinX, b.Box.MinX), cmp.Compare(a.ID, b.ID)) })
	out := Places{byWest: all}
	for _, p := range all {
		out.widest = max(out.widest, p.Box.MaxX-p.Box.MinX)
	}
	return out
}

// Near visits the other fields whose boxes meet that of a place, by their western edges. It ends
// with the budget; every box compared is a step of it.
func (p Places) Near(budget *effort.Budget, of Place) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		first, _ := slices.BinarySearchFunc(p.byWest, of.Box.MinX-p.widest, func(p Place, west float64) int { return cmp.Compare(p.Box.MinX, west) })
		for _, other := range p.byWest[first:] {
			if other.Box.MinX > of.Box.MaxX {
				return
			}
			if err := budget.Spend(1); err != nil {
				yield(0, err)
				return
			}
			if other.ID != of.ID && other.Box.Intersects(of.Box) && !yield(other.ID, nil) {
				return
			}
		}
	}
}

// Comparison compares the boundaries of fields pair by pair, each pair once.
type Comparison struct {
	budget *effort.Budget
	known  map[int64]*compared
	seen   map[[2]int64]bool
	// Pairs are the ids of fields found to overlap, in the order found.
	Pairs [][2]int64
}

type compared struct {
	shape geo.Shape
	found int
}

// NewComparison begins a comparison; each pair of edges compared is a step of its budget.
func NewComparison(budget *effort.Budget) *Comparison {
	return &Comparison{budget: budget, known: map[int64]*compared{}, seen: map[[2]int64]bool{}}
}

// Learn prepares the boundary of a field for comparisons.
func (c *Comparison) Learn(id int64, boundary *geo.Boundary) error {
	if c.Knows(id) {
		return nil
	}
	shape, err := boundary.Shape(c.budget)
	if err == nil {
		c.known[id] = &compared{shape: shape}
	}
	return err
}

// Knows reports whether a field was learnt.
func (c *Comparison) Knows(id int64) bool { return c.known[id] != nil }

// Full reports whether a field was found to overlap more fields than are named: what else it
// overlaps then no longer matters.
func (c *Comparison) Full(id int64) bool { return c.known[id].found > MaxOverlaps }

// Compare compares two fields that it knows.
func (c *Comparison) Compare(a, b int64) error {
	pair := [2]int64{min(a, b), max(a, b)}
	if c.seen[pair] {
		return nil
	}
	yes, err := c.known[a].shape.Overlaps(c.budget, c.known[b].shape)
	if err != nil {
		return err
	}
	c.seen[pair] = true
	if yes {
		c.Pairs = append(c.Pairs, pair)
		c.known[a].found++
		c.known[b].found++
	}
	return nil
}
