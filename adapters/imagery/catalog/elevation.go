package catalog

import (
	"context"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/dem"
	"tilth/adapters/imagery/internal/item"
	"tilth/core/geo"
	"tilth/ports"
)

var _ ports.Elevations = (*Catalog)(nil)

// Elevation reads the elevation models of the folder, except those whose file is missing.
func (c *Catalog) Elevation(ctx context.Context, area geo.MultiPolygon) ([]ports.ElevationModel, error) {
	place, err := item.NewArea(area)
	if err != nil {
		return nil, err
	}
	var met []dem.Item
	for _, it := range c.current(ctx).elevation {
		if it.Meets(place) {
			met = append(met, it)
		}
	}
	return dem.Read(ctx, met, area, func(it dem.Item) (cog.Source, error) { return cog.FromRoot(c.root, it.Href) })
}

// elevation indexes an item of an elevation model; taken is false for other items.
func (w *walker) elevation(name string, data []byte) (taken bool) {
	it, ok, err := dem.Parse(data, name)
	if !ok {
		return false
	}
	if err != nil {
		w.trouble(err)
		return true
	}
	if it.Href, ok = w.file(name, it.Href); ok {
		w.index.elevation = append(w.index.elevation, it)
	}
	return true
}
