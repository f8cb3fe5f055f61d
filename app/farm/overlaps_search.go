package farm

import (
	"context"
	"errors"
	"slices"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/ports"
)

// maxNear is how many neighbours are looked through within a request.
const maxNear = 10_000

// overlapSearch compares fields with those among some places.
type overlapSearch struct {
	*farm.Comparison
	budget *effort.Budget
	places farm.Places
	load   func(ids []int64) (map[int64]farm.Field, error)
}

// check compares a field with its neighbours until more are found than are named.
func (s overlapSearch) check(id int64, boundary *geo.Boundary) error {
	if err := s.Learn(id, boundary); err != nil {
		return err
	}
	var chunk []int64
	for near, err := range s.places.Near(s.budget, farm.Place{ID: id, Box: boundary.Bounds()}) {
		if err != nil {
			return err
		}
		if chunk = append(chunk, near); len(chunk) == overlapChunk {
			if err := s.compare(id, chunk); err != nil || s.Full(id) {
				return err
			}
			chunk = chunk[:0]
		}
	}
	return s.compare(id, chunk)
}

func (s overlapSearch) compare(id int64, others []int64) error {
	var unknown []int64
	for _, other := range others {
		if !s.Knows(other) {
			unknown = append(unknown, other)
		}
	}
	if len(unknown) > 0 {
		loaded, err := s.load(unknown)
		if err != nil {
			return err
		}
		for _, other := range unknown {
			if field, ok := loaded[other]; ok && field.Boundary != nil {
				if err := s.Learn(other, field.Boundary); err != nil {
					return err
				}
			}
		}
	}
	for _, other := range others {
		if !s.Knows(other) {
			continue // deleted since its place was read
		}
		if err := s.Compare(id, other); err != nil || s.Full(id) {
			return err
		}
	}
	return nil
}

// neighbourhood is fields whose outlines are new, and what is known of their overlaps. In its search they go by negative
// numbers, for those that are not stored yet have no ids.
type neighbourhood struct {
	overlapSearch
	fields   []*farm.Field
	compared int                 // how many of them the budget sufficed for
	short    map[int64]bool      // those that lost a name while they overlapped more than are named
	versions map[int64]time.Time // of the neighbours that they were compared with; nil before
}

func newNeighbourhood(budget *effort.Budget, fields []*farm.Field) *neighbourhood {
	n := &neighbourhood{overlapSearch: overlapSearch{Comparison: farm.NewComparison(budget), budget: budget}, short: map[int64]bool{}}
	for _, field := range fields {
		if field.Boundary != nil {
			n.fields = append(n.fields, field)
		}
	}
	n.compared = len(n.fields)
	return n
}

// number is what the search calls a field.
func number(i int) int64 { return -1 - int64(i) }

// around returns the places of other fields near those of the neighbourhood, one more than it looks through at the
// maximum.
func (n *neighbourhood) around(ctx context.Context, tx ports.Repos, scope access.Scope) ([]farm.Place, error) {
	around, own := n.fields[0].Boundary.Bounds(), map[int64]bool{}
	for _, field := range n.fields {
		around, own[field.ID] = around.Union(field.Boundary.Bounds()), true
	}
	places, err := tx.Fields.Near(ctx, scope, around, 0, maxNear+1+len(n.fields))
	return slices.DeleteFunc(places, func(p farm.Place) bool { return own[p.ID] }), err
}

// foresee compares the fields, before they are stored, with each other and with those that are near now.
func (n *neighbourhood) foresee(ctx context.Context, store ports.Store, scope access.Scope) error {
	if len(n.fields) == 0 {
		return nil
	}
	places, err := app.In(ctx, store.Read, func(ctx context.Context, tx ports.Repos) ([]farm.Place, error) {
		return n.around(ctx, tx, scope)
	})
	if err != nil || len(places) > maxNear {
		return err
	}
	return n.compareWith(places, func(ids []int64) (map[int64]farm.Field, error) {
		return app.In(ctx, store.Read, func(ctx context.Context, tx ports.Repos) (map[int64]farm.Field, error) {
			return tx.Fields.GetMany(ctx, scope, ids)
		})
	})
}

// keep stores what the fields, which are stored and whose overlaps are forgotten, overlap. Those near them that were
// compared before, and have not changed since, are not compared again; the caller holds the lock of the overlaps.
func (n *neighbourhood) keep(ctx context.Context, tx ports.Repos, scope access.Scope, at time.Time) error {
	if len(n.fields) == 0 {
		return nil
	}
	places, err := n.around(ctx, tx, scope)
	if err != nil {
		return err
	}
	if len(places) > maxNear {
		return deferOverlaps(ctx, tx, scope, ids(n.fields, func(r *farm.Field) int64 { return r.ID }), at)
	}
	if err := n.compareWith(places, func(ids []int64) (map[int64]farm.Field, error) {
		return tx.Fields.GetMany(ctx, scope, ids)
	}); err != nil {
		return err
	}
	id := func(number int64) int64 {
		if number < 0 {
			return n.fields[-1-number].ID
		}
		return number
	}
	pairs := make([][2]int64, len(n.Pairs))
	for i, pair := range n.Pairs {
		pairs[i] = [2]int64{id(pair[0]), id(pair[1])}
	}
	if err := putOverlaps(ctx, tx, scope, pairs); err != nil {
		return err
	}
	var left []int64
	for i, field := range n.fields {
		if i >= n.compared || n.short[number(i)] {
			left = append(left, field.ID)
		}
	}
	return deferOverlaps(ctx, tx, scope, left, at)
}

// compareWith compares the fields with those at places that are new or have changed since it was called last; the first
// time also with each other.
func (n *neighbourhood) compareWith(places []farm.Place, load func(ids []int64) (map[int64]farm.Field, error)) error {
	n.load = load
	now := make(map[int64]time.Time, len(places))
	var fresh []farm.Place
	for _, p := range places {
		if now[p.ID] = p.Version; !n.versions[p.ID].Equal(p.Version) {
			fresh = append(fresh, p)
		}
	}
	for id, version := range n.versions {
		if at, there := now[id]; (!there || !at.Equal(version)) && n.Knows(id) {
			for _, one := range n.Forget(id) {
				n.short[one] = true
			}
		}
	}
	if n.versions == nil {
		for i, field := range n.fields {
			fresh = append(fresh, farm.Place{ID: number(i), Box: field.Boundary.Bounds()})
		}
	}
	n.versions = now
	if len(fresh) == 0 {
		return nil
	}
	return n.compareAll(fresh)
}

// compareAll compares the fields with those at places, as far as the budget suffices.
func (n *neighbourhood) compareAll(places []farm.Place) error {
	n.places = farm.NewPlaces(places)
	for i, field := range n.fields[:n.compared] {
		if err := n.Learn(number(i), field.Boundary); err != nil {
			return n.spent(0, err)
		}
	}
	for i, field := range n.fields[:n.compared] {
		if err := n.check(number(i), field.Boundary); err != nil {
			return n.spent(i, err)
		}
	}
	return nil
}

// spent keeps how many fields were compared when the budget ended; any other error it returns.
func (n *neighbourhood) spent(compared int, err error) error {
	if errors.Is(err, effort.ErrSpent) {
		n.compared, err = compared, nil
	}
	return err
}
