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

// maxNear is the number of neighbours that are examined within a request. They are read once more while other writers
// wait, at three milliseconds a thousand.
const maxNear = 2_000

// overlapSearch compares fields with those at some places.
type overlapSearch struct {
	*farm.Comparison
	budget *effort.Budget
	places farm.Places
	load   func(ids []int64) (map[int64]farm.Field, error)
}

// check compares a field with its neighbours until it has found more than are named.
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

// neighbourhood holds fields whose outlines are new, compared before they are stored. In its search they have
// negative numbers, because those that are not stored yet have no ids.
type neighbourhood struct {
	overlapSearch
	fields   []*farm.Field
	of       map[*geo.Boundary]int // the index of a field among them, by its outline
	compared int                   // how many of them the budget sufficed for
	crowded  bool                  // there are too many neighbours to examine
	versions map[int64]time.Time   // of the neighbours that they were compared with
}

func newNeighbourhood(budget *effort.Budget, fields []*farm.Field) *neighbourhood {
	n := &neighbourhood{
		overlapSearch: overlapSearch{Comparison: farm.NewComparison(budget), budget: budget},
		fields:        fields, of: make(map[*geo.Boundary]int, len(fields)), versions: map[int64]time.Time{},
	}
	for i, field := range fields {
		n.of[field.Boundary] = i
	}
	return n
}

// number returns the number by which the search identifies a field.
func number(i int) int64 { return -1 - int64(i) }

// around returns the places of other fields near the given ones, up to one more than the maximum that is examined.
func around(ctx context.Context, tx ports.Repos, scope access.Scope, fields []*farm.Field) ([]farm.Place, error) {
	box, own := fields[0].Boundary.Bounds(), map[int64]bool{}
	for _, field := range fields {
		box, own[field.ID] = box.Union(field.Boundary.Bounds()), true
	}
	places, err := tx.Fields.Near(ctx, scope, box, 0, maxNear+1+len(fields))
	return slices.DeleteFunc(places, func(p farm.Place) bool { return own[p.ID] }), err
}

// foresee compares the fields with each other and with those that are near now, as far as the budget suffices.
func (n *neighbourhood) foresee(ctx context.Context, store ports.Store, scope access.Scope) error {
	if len(n.fields) == 0 {
		return nil
	}
	places, err := app.In(ctx, store.Read, func(ctx context.Context, tx ports.Repos) ([]farm.Place, error) {
		return around(ctx, tx, scope, n.fields)
	})
	if n.crowded = len(places) > maxNear; err != nil || n.crowded {
		return err
	}
	for _, p := range places {
		n.versions[p.ID] = p.Version
	}
	n.load = func(ids []int64) (map[int64]farm.Field, error) {
		return app.In(ctx, store.Read, func(ctx context.Context, tx ports.Repos) (map[int64]farm.Field, error) {
			return tx.Fields.GetMany(ctx, scope, ids)
		})
	}
	for i, field := range n.fields {
		places = append(places, farm.Place{ID: number(i), Box: field.Boundary.Bounds()})
	}
	n.places = farm.NewPlaces(places)
	if err = n.compareAll(); errors.Is(err, effort.ErrSpent) {
		err = nil
	}
	return err
}

func (n *neighbourhood) compareAll() error {
	for i, field := range n.fields {
		if err := n.Learn(number(i), field.Boundary); err != nil {
			return err
		}
	}
	for i, field := range n.fields {
		if err := n.check(number(i), field.Boundary); err != nil {
			return err
		}
		n.compared++
	}
	return nil
}

// keep stores the overlaps of fields whose outlines are stored, and about which nothing is known. It compares none: a
// field that was not compared before, or near which something has changed since, is left to the background. The caller
// holds the lock of the overlaps.
func (n *neighbourhood) keep(ctx context.Context, tx ports.Repos, scope access.Scope, stored []*farm.Field, at time.Time) error {
	if len(stored) == 0 {
		return nil
	}
	var places []farm.Place
	if !n.crowded {
		var err error
		if places, err = around(ctx, tx, scope, stored); err != nil {
			return err
		}
	}
	if n.crowded || len(places) > maxNear {
		return deferOverlaps(ctx, tx, scope, ids(stored, func(r *farm.Field) int64 { return r.ID }), at)
	}
	pairs, left := n.among(stored, places)
	if err := leftNear(ctx, stored, n.changed(places), left); err != nil {
		return err
	}
	if err := putOverlaps(ctx, tx, scope, pairs); err != nil {
		return err
	}
	unsure := slices.DeleteFunc(slices.Clone(stored), func(f *farm.Field) bool { return !left[f.ID] })
	return deferOverlaps(ctx, tx, scope, ids(unsure, func(r *farm.Field) int64 { return r.ID }), at)
}

// changed returns the places that are new, or have changed since the fields were compared.
func (n *neighbourhood) changed(places []farm.Place) []farm.Place {
	return slices.DeleteFunc(slices.Clone(places), func(p farm.Place) bool { return n.versions[p.ID].Equal(p.Version) })
}

// among returns which of the stored fields overlap each other or fields that are still at their places. It also returns the
// ids of fields that may overlap others: those that were not compared, or whose overlaps were full of fields that are gone.
func (n *neighbourhood) among(stored []*farm.Field, places []farm.Place) (pairs [][2]int64, left map[int64]bool) {
	id := map[int64]int64{} // by their number in the search
	for _, p := range places {
		if n.versions[p.ID].Equal(p.Version) {
			id[p.ID] = p.ID
		}
	}
	left = map[int64]bool{}
	for _, field := range stored {
		i, found := n.of[field.Boundary]
		if found && id[number(i)] == 0 {
			id[number(i)] = field.ID
			left[field.ID] = i >= n.compared
		} else {
			left[field.ID] = true
		}
	}
	for _, pair := range n.Pairs {
		a, b := id[pair[0]], id[pair[1]]
		switch {
		case a > 0 && b > 0:
			pairs = append(pairs, [2]int64{a, b})
		case a > 0 && pair[0] < 0 && n.Full(pair[0]):
			left[a] = true
		case b > 0 && pair[1] < 0 && n.Full(pair[1]):
			left[b] = true
		}
	}
	return pairs, left
}

// leftNear adds the ids of fields whose boxes meet that of a place.
func leftNear(ctx context.Context, fields []*farm.Field, places []farm.Place, left map[int64]bool) error {
	near, budget := farm.NewPlaces(places), effort.Of(ctx, 0)
	for _, field := range fields {
		for _, err := range near.Near(budget, farm.Place{ID: field.ID, Box: field.Boundary.Bounds()}) {
			if err != nil {
				return err
			}
			left[field.ID] = true
			break
		}
	}
	return nil
}
