// Package surfaces reads rasters of covariates for zones from GeoTIFFs: files by path, and objects of
// the object store.
package surfaces

import (
	"context"
	"path/filepath"
	"strings"

	"tilth/adapters/imagery/cog"
	"tilth/adapters/imagery/internal/raster"
	"tilth/core/geo"
	"tilth/core/stratification/layer"
)

// Files reads rasters by the paths of their files.
type Files struct{}

// Surface returns the part of a raster around a geometry; see ports.Surfaces.
func (Files) Surface(ctx context.Context, path string, around geo.MultiPolygon) (layer.Surface, error) {
	name := filepath.Base(path)
	source, err := cog.FromFile(path)
	if err != nil {
		return layer.Surface{}, err
	}
	s, err := raster.Surface(ctx, source, name, around)
	s.Source = strings.TrimSuffix(name, filepath.Ext(name))
	return s, err
}
