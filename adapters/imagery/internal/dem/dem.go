// Package dem parses items of digital elevation models in STAC catalogs and reads their files. It
// does not know whether items come from a folder or an API.
package dem

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/item"
	"tilth/adapters/imagery/internal/raster"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// The collections whose items are elevation models: the Copernicus DEM at one arc second, and
// that of the demo's archive.
const (
	Collection = "cop-dem-glo-30"
	Synthetic  = "synthetic-elevation"
)

// asset is the key of the heights in the items of both collections, as in the catalogs of Earth
// Search and Planetary Computer.
const asset = "data"

// Item is one piece of a model.
type Item struct {
	*item.Item
	Href     string
	Checksum string
}

// Models reports whether the items of a collection are elevation models.
func Models(collection string) bool { return collection == Collection || collection == Synthetic }

// Parse reads an item. ok is false for an item of another collection.
//
// Faults: Invalid for data that is not a STAC item or names no file of heights.
func Parse(data []byte, name string) (it Item, ok bool, err error) {
	var d struct {
		Collection string `json:"collection"`
		Assets     map[string]struct {
			Href     string `json:"href"`
			Checksum string `json:"file:checksum"`
		} `json:"assets"`
	}
	if json.Unmarshal(data, &d) != nil || !Models(d.Collection) {
		return Item{}, false, nil
	}
	parsed, err := item.Parse(data, name)
	if err != nil {
		return Item{}, true, err
	}
	a := d.Assets[asset]
	if a.Href == "" {
		return Item{}, true, fault.Newf(fault.Invalid, "imagery_item", "%s cannot be used: it has no asset %q.", name, asset)
	}
	href := a.Href
	if key, ok := strings.CutPrefix(href, publicBucket); ok {
		href = "https://copernicus-dem-30m.s3.amazonaws.com/" + key
	}
	return Item{Item: parsed, Href: href, Checksum: a.Checksum}, true, nil
}

// publicBucket is the location of the Copernicus DEM in Earth Search. It is public over HTTPS
// (Registry of Open Data on AWS, "Copernicus Digital Elevation Model").
const publicBucket = "s3://copernicus-dem-30m/"

// Read reads the models of an area in the order of the items' ids. It skips an item whose file does
// not reach the area (its footprint may be larger than its pixels) or is gone.
func Read(ctx context.Context, items []Item, area geo.MultiPolygon, source func(Item) (cog.Source, error)) ([]ports.ElevationModel, error) {
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.ID, b.ID) })
	items = slices.CompactFunc(items, func(a, b Item) bool { return a.ID == b.ID })
	var out []ports.ElevationModel
	for _, it := range items {
		from, err := source(it)
		if err != nil {
			return nil, err
		}
		s, err := raster.Surface(ctx, from, it.ID, area)
		if f, ok := fault.As(err); ok && (f.Code == "raster_elsewhere" || f.Kind == fault.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, ports.ElevationModel{
			Surface: s, Item: it.ID, Collection: it.Collection, Date: it.SensedAt().Format(time.DateOnly),
			Checksum: it.Checksum, Synthetic: it.Scene().Synthetic,
		})
	}
	return out, nil
}
