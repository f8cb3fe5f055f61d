package stac

import (
	"context"
	"errors"
	"net/http"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/dem"
	"tilth/adapters/imagery/internal/item"
	"tilth/adapters/imagery/remote"
	"tilth/core/geo"
	"tilth/ports"
)

var _ ports.Elevations = (*Client)(nil)

// Elevation reads the elevation models of the API. An API that does not know the collection has
// none.
func (c *Client) Elevation(ctx context.Context, area geo.MultiPolygon) ([]ports.ElevationModel, error) {
	place, err := item.NewArea(area)
	if err != nil {
		return nil, err
	}
	items, err := c.elevationItems(ctx, area, place)
	if err != nil {
		return nil, err
	}
	return dem.Read(ctx, items, area, func(it dem.Item) (cog.Source, error) { return c.Source(it.Item, it.Href) })
}

func (c *Client) elevationItems(ctx context.Context, area geo.MultiPolygon, place item.Area) ([]dem.Item, error) {
	next := c.query(map[string]any{"collections": []string{dem.Collection}, "intersects": area, "limit": pageLimit})
	var items []dem.Item
	pages := 0
	err := c.each(ctx, next, &pages, func(raw []byte) error {
		it, ok, err := dem.Parse(raw, "An item of the STAC API")
		if ok && err == nil && it.Meets(place) {
			items = append(items, it)
		}
		return err
	})
	var status remote.Status
	if pages == 0 && errors.As(err, &status) && (status == http.StatusNotFound || status == http.StatusBadRequest) {
		return nil, nil // the API does not know the collection; some answer with no items
	}
	return items, err
}
