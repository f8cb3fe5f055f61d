package item

import (
	"context"
	"path"
	"strings"

	"tilth/adapters/imagery/cog"
	"tilth/core/fault"
	"tilth/core/vegetation"
)

// Reader reads the files of items: the part of the imagery port that all catalogs share.
type Reader struct {
	// Source returns the file at the address of an asset of the item.
	Source func(it *Item, href string) (cog.Source, error)
}

// Grid returns the georeference of a band's file, from the file alone.
func (r Reader) Grid(ctx context.Context, scene vegetation.Scene, band vegetation.Band) (vegetation.Grid, error) {
	it, err := r.item(scene, band)
	if err != nil {
		return vegetation.Grid{}, err
	}
	return bandReader{r, it}.grid(ctx, band)
}

// Read returns a window of a band with scale and offset. Without a statement of file or item,
// nodata is 0, by the convention of Sentinel-2 products.
func (r Reader) Read(ctx context.Context, scene vegetation.Scene, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error) {
	it, err := r.item(scene, band)
	if err != nil {
		return vegetation.Raster{}, err
	}
	files := bandReader{r, it}
	raster, err := files.pixels(ctx, band, window)
	if err != nil {
		return vegetation.Raster{}, err
	}
	asset := it.Assets[band]
	raster.Scale = asset.Scale
	if band == vegetation.SCL {
		return raster, nil
	}
	decided, err := it.offset(ctx, asset, files)
	raster.Offset, raster.OffsetBasis = decided.offset, decided.basis
	return raster, err
}

func (r Reader) item(scene vegetation.Scene, band vegetation.Band) (*Item, error) {
	it, ok := scene.Source.(*Item)
	if !ok {
		return nil, fault.Newf(fault.Invalid, "imagery_scene", "Scene %s is not of this imagery source.", scene.ID)
	}
	if _, ok := it.Assets[band]; !ok {
		return nil, fault.Newf(fault.NotFound, "imagery_gone", "Scene %s has no band %s.", it.ID, band)
	}
	return it, nil
}

// bandReader reads the files of one item.
type bandReader struct {
	Reader
	item *Item
}

func (b bandReader) open(ctx context.Context, band vegetation.Band) (*cog.File, error) {
	asset := b.item.Assets[band]
	source, err := b.Source(b.item, asset.Href)
	if err != nil {
		return nil, err
	}
	address, _, _ := strings.Cut(asset.Href, "?") // the rest may be a signature
	file, err := cog.Open(ctx, source, b.item.ID+"/"+path.Base(address))
	if err != nil {
		return nil, err
	}
	return file.AssumeNoData(asset.NoData), nil
}

func (b bandReader) grid(ctx context.Context, band vegetation.Band) (vegetation.Grid, error) {
	file, err := b.open(ctx, band)
	if err != nil {
		return vegetation.Grid{}, err
	}
	return file.Grid(), nil
}

func (b bandReader) pixels(ctx context.Context, band vegetation.Band, w vegetation.Window) (vegetation.Raster, error) {
	file, err := b.open(ctx, band)
	if err != nil {
		return vegetation.Raster{}, err
	}
	return file.Read(ctx, w)
}
