package stac

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"tilth/adapters/imagery/internal/item"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// shortestWindow is the span of time that is not halved any further: a field has at most a few
// scenes a day.
const shortestWindow = 24 * time.Hour

// walk goes through the pages of a search. It is not safe for concurrent use.
type walk struct {
	client   *Client
	boundary geo.MultiPolygon
	pages    int
	take     func(raw []byte) error
}

// search is one search of a client, not safe for concurrent use.
type search struct {
	area     item.Area
	from, to time.Time
	found    map[string]vegetation.Scene // by id
	readable bool                        // at least one item has files that may be read
	bandless map[string]vegetation.Scene // items without a known band, by id
	jpeg2000 string                      // id of an item with bands none of which can be read
	nameless error                       // of an item without id or time
}

// Search searches page by page. It checks place and time again, because the API's intervals include
// their end and its footprints may be boxes; an item repeated on two pages counts once. An unusable
// item becomes a broken scene of its time (vegetation.Scene.Broken), so that it costs one date and
// not the search. A page that the API does not deliver is requested in halves of its window, down
// to a day. A search that [ports.SharingSearches] marks is answered from a search of its place; see [places].
func (c *Client) Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	area, err := item.NewArea(boundary)
	if err != nil {
		return nil, err
	}
	s := search{area: area, from: from, to: to, found: map[string]vegetation.Scene{}, bandless: map[string]vegetation.Scene{}}
	items, shared, err := c.places.items(ctx, c, boundary, from, to)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		s.add(it)
	}
	if !shared {
		w := walk{client: c, boundary: boundary, take: s.take}
		if err := w.window(ctx, from, to); err != nil {
			return nil, err
		}
	}
	if !s.readable && s.jpeg2000 != "" {
		return nil, fault.Newf(fault.Invalid, "imagery_unsupported",
			"The files of %s are JPEG 2000, and only Cloud-Optimized GeoTIFF is read: use a catalog that serves those.", s.jpeg2000)
	}
	if len(s.found) == 0 && s.nameless != nil {
		return nil, s.nameless
	}
	if len(s.found) == 0 {
		s.found = s.bandless
	}
	return slices.SortedFunc(maps.Values(s.found), func(a, b vegetation.Scene) int {
		return cmp.Or(a.SensedAt.Compare(b.SensedAt), cmp.Compare(a.ID, b.ID))
	}), nil
}

// window searches a span of time, in halves when a page of it fails for good: an API that fails on
// the whole (a page too heavy, a lost cursor) often delivers parts.
func (w *walk) window(ctx context.Context, from, to time.Time) error {
	// STAC's intervals include both ends. Clouds are no filter: a cloudy scene may be clear over the field.
	first := w.client.query(map[string]any{
		"collections": w.client.collections, "intersects": w.boundary, "limit": pageLimit,
		"datetime": from.UTC().Format(time.RFC3339) + "/" + to.UTC().Format(time.RFC3339),
		"sortby":   []map[string]string{{"field": "properties.datetime", "direction": "asc"}},
	})
	err := w.client.each(ctx, first, &w.pages, w.take)
	f, ok := fault.As(err)
	if !ok || f.Kind != fault.Unavailable || f.Code != "imagery_unavailable" || to.Sub(from) <= shortestWindow {
		return err
	}
	middle := from.Add(to.Sub(from) / 2).Truncate(time.Second)
	if err := w.window(ctx, from, middle); err != nil {
		return err
	}
	return w.window(ctx, middle, to)
}

// take collects one item, if it is of the requested place and time. It never fails.
func (s *search) take(raw []byte) error {
	it, err := item.Parse(raw, "An item of the STAC API")
	if err != nil {
		broken, ok := item.Salvage(raw, err)
		if !ok {
			s.nameless = err
		} else if _, sound := s.found[broken.ID]; !sound && s.during(broken.SensedAt) {
			s.found[broken.ID] = broken
		}
		return nil
	}
	s.add(it)
	return nil
}

// add collects a readable item, if it is of the requested place and time.
func (s *search) add(it *item.Item) {
	if !s.during(it.SensedAt()) || !it.Meets(s.area) {
		return
	}
	switch {
	case it.ShowsGround():
		s.readable = true
	case it.JPEG2000():
		s.jpeg2000, it = it.ID, it.Unusable(item.JPEG2000)
	default: // of another sensor, unless there is nothing else
		s.bandless[it.ID] = it.Unusable(item.NoBand).Scene()
		return
	}
	s.found[it.ID] = it.Scene()
}

func (s *search) during(at time.Time) bool { return !at.Before(s.from) && at.Before(s.to) }
