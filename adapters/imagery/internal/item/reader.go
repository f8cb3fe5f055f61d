package item

import (
	"cmp"
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
	// Files opens them, and keeps what was read; nil: cog.Shared.
	Files *cog.Reader
}

// Grid returns the georeference of a band's file, from the file alone.
func (r Reader) Grid(ctx context.Context, scene vegetation.Scene, band vegetation.Band) (vegetation.Grid, error) {
	it, err := itemOf(scene, band)
	if err != nil {
		return vegetation.Grid{}, err
	}
	file, err := r.open(ctx, it, band)
	if err != nil {
		return vegetation.Grid{}, err
	}
	return file.Grid(), nil
}

// Read returns a window of a band with scale and offset. Without a statement of file or item,
// nodata is the data set's.
func (r Reader) Read(ctx context.Context, scene vegetation.Scene, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error) {
	it, err := itemOf(scene, band)
	if err != nil {
		return vegetation.Raster{}, err
	}
	raster, err := r.window(ctx, it, band, window)
	if cog.Changed(err) { // the file was replaced since its header was read: the header is read once more
		raster, err = r.window(ctx, it, band, window)
	}
	if err != nil {
		return vegetation.Raster{}, err
	}
	return raster, nil
}

func (r Reader) window(ctx context.Context, it *Item, band vegetation.Band, window vegetation.Window) (vegetation.Raster, error) {
	file, err := r.open(ctx, it, band)
	if err != nil {
		return vegetation.Raster{}, err
	}
	if band == vegetation.SCL {
		raster, err := file.Read(ctx, window)
		if err != nil {
			return raster, err
		}
		raster.Scale = 1
		return it.dataset.Classes(raster), nil
	}
	if band == vegetation.CLP {
		raster, err := file.Read(ctx, window)
		raster.Scale, raster.HasNoData = it.Assets[band].Scale, false // catalogs state 0 as nodata, which is 0 %
		return raster, err
	}
	// What decides the offset is read at the same time, so that it costs no wait of its own.
	var offset float64
	var basis vegetation.OffsetBasis
	var undecided error
	decided := make(chan struct{})
	go func() {
		defer close(decided)
		offset, basis, undecided = it.offset(ctx, band, file, r)
	}()
	raster, err := file.Read(ctx, window)
	<-decided
	if err == nil {
		err = undecided
	}
	raster.Scale, raster.Offset, raster.OffsetBasis = it.scale(it.Assets[band], file), offset, basis
	return raster, err
}

func itemOf(scene vegetation.Scene, band vegetation.Band) (*Item, error) {
	it, ok := scene.Source.(*Item)
	if !ok {
		return nil, fault.Newf(fault.Invalid, "imagery_scene", "Scene %s is not from this imagery source.", scene.ID)
	}
	if _, ok := it.Assets[band]; !ok {
		return nil, fault.Newf(fault.NotFound, "imagery_gone", "Scene %s has no band %s.", it.ID, band)
	}
	return it, nil
}

func (r Reader) open(ctx context.Context, it *Item, band vegetation.Band) (*cog.File, error) {
	asset := it.Assets[band]
	source, err := r.Source(it, asset.Href)
	if err != nil {
		return nil, err
	}
	address, _, _ := strings.Cut(asset.Href, "?") // the rest may be a signature
	file, err := cmp.Or(r.Files, cog.Shared).Open(ctx, source, it.ID+"/"+path.Base(address))
	if err != nil {
		return nil, err
	}
	if file, err = file.Band(asset.Band); err != nil {
		return nil, err
	}
	return file.AssumeNoData(asset.NoData), nil
}
