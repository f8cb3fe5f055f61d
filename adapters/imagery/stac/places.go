package stac

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/sync/singleflight"

	"tilth/adapters/imagery/internal/item"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

const (
	cellSize   = 0.5       // degrees: about a quarter of a Sentinel-2 tile
	sharedFor  = time.Hour // validity of a search of a place: watched fields are checked within an hour
	maxPlaces  = 10_000
	maxItems   = 30_000 // of all places together, of about 4 kB each
	monthsOnce = 13     // the longest period that is searched for a place
)

// place is a cell of the globe over whole months. Fields in it share one search, and differ only in which of its scenes they see.
type place struct {
	x, y     int
	from, to time.Time
}

// placeOf returns the place that contains a search; ok is false for fields that cross the edge of a cell, and for very long periods.
func placeOf(boundary geo.MultiPolygon, from, to time.Time) (p place, ok bool) {
	box := boundary.Bounds()
	cell := func(degrees float64) int { return int(math.Floor(degrees / cellSize)) }
	p = place{x: cell(box.MinX), y: cell(box.MinY)}
	p.from = time.Date(from.UTC().Year(), from.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)
	p.to = time.Date(to.UTC().Year(), to.UTC().Month()+1, 1, 0, 0, 0, 0, time.UTC)
	inside := p.x == cell(box.MaxX) && p.y == cell(box.MaxY) && box.MinX >= -180 && box.MaxX < 180
	return p, inside && !p.to.After(p.from.AddDate(0, monthsOnce, 0))
}

// String returns a text that differs between places.
func (p place) String() string {
	return fmt.Sprint(p.x, p.y, p.from.Unix(), p.to.Unix())
}

// boundary returns the outline of the cell.
func (p place) boundary() geo.MultiPolygon {
	west, south := float64(p.x)*cellSize, float64(p.y)*cellSize
	east, north := west+cellSize, south+cellSize
	return geo.MultiPolygon{{{{X: west, Y: south}, {X: east, Y: south}, {X: east, Y: north}, {X: west, Y: north}, {X: west, Y: south}}}}
}

// answer is the outcome of a search of a place.
type answer struct {
	items []*item.Item
	whole bool // every item could be read; otherwise it is unknown which fields the unreadable ones belong to
	at    time.Time
}

// places keeps searches of places, so that ten thousand watched fields cost one search per cell and period, and not one per
// field.
type places struct {
	now   func() time.Time
	asked singleflight.Group

	mu    sync.Mutex
	kept  *simplelru.LRU[place, answer]
	count int // of items
}

func newPlaces(now func() time.Time) *places {
	p := &places{now: now}
	p.kept, _ = simplelru.NewLRU(maxPlaces, func(_ place, a answer) { p.count -= len(a.items) }) // the number is positive
	return p
}

// items returns the items of the place that contains a search; some may belong to other fields or times. ok is false where the search must
// be made on its own: no place contains it, it is not marked as one that may be shared, or the place could not be searched as a whole.
//
// Faults: Unavailable, as of the search itself.
func (p *places) items(ctx context.Context, c *Client, boundary geo.MultiPolygon, from, to time.Time) (items []*item.Item, ok bool, err error) {
	at, fits := placeOf(boundary, from, to)
	if !fits || !ports.SearchesShared(ctx) {
		return nil, false, nil
	}
	found, known := p.get(at)
	if !known {
		made, err, _ := p.asked.Do(at.String(), func() (any, error) {
			if found, known := p.get(at); known {
				return found, nil
			}
			return p.search(ctx, c, at)
		})
		switch {
		case ctx.Err() != nil:
			return nil, false, ctx.Err()
		case fault.Is(err, fault.Unavailable):
			return nil, false, err
		case err != nil: // another caller left, or the place is too much for one search
			return nil, false, nil
		}
		found = made.(answer)
	}
	return found.items, found.whole, nil
}

// search searches a place, and keeps the outcome.
func (p *places) search(ctx context.Context, c *Client, at place) (answer, error) {
	out := answer{whole: true, at: p.now()}
	w := walk{client: c, boundary: at.boundary(), take: func(raw []byte) error {
		it, err := item.Parse(raw, "An item of the STAC API")
		if err != nil {
			out.whole = false
			return nil
		}
		out.items = append(out.items, it)
		return nil
	}}
	if err := w.window(ctx, at.from, at.to); err != nil {
		return answer{}, err
	}
	if !out.whole {
		out.items = nil
	}
	p.keep(at, out)
	return out, nil
}

func (p *places) get(at place) (answer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found, ok := p.kept.Get(at)
	return found, ok && p.now().Sub(found.at) < sharedFor
}

func (p *places) keep(at place, a answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kept.Remove(at)
	p.kept.Add(at, a)
	p.count += len(a.items)
	for p.count > maxItems && p.kept.Len() > 1 {
		p.kept.RemoveOldest()
	}
}
