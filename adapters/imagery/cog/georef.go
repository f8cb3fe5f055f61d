package cog

import (
	"context"
	"math"
)

// Keys of GeoTIFF 1.1 (annex on the GeoKey directory).
const (
	keyRasterType    = 1025
	keyGeographicCRS = 2048
	keyProjectedCRS  = 3072

	pixelIsPoint = 2
	userDefined  = 32767
)

// readGeoreference reads the grid from the file alone: the CRS from the GeoKeys, corner and pixel
// size from ModelPixelScale with a tiepoint, or from a ModelTransformation that does not rotate.
func (h *header) readGeoreference(ctx context.Context, r *headerReader, d directory) error {
	keys, err := geoKeys(ctx, r, d)
	if err != nil {
		return err
	}
	epsg := keys[keyProjectedCRS]
	if epsg <= 0 || epsg == userDefined {
		return unsupported(r.name, "it does not name a projected CRS by its EPSG code")
	}
	return h.readGrid(ctx, r, d, epsg, keys[keyRasterType])
}

// readGrid reads the grid in a known CRS.
func (h *header) readGrid(ctx context.Context, r *headerReader, d directory, epsg, rasterType int64) error {
	h.grid.EPSG = int(epsg)
	if err := h.readCorner(ctx, r, d); err != nil {
		return err
	}
	if rasterType == pixelIsPoint {
		// The tiepoint names the centre of its pixel, the grid is one of outer corners.
		h.grid.OriginX -= h.grid.PixelX / 2
		h.grid.OriginY += h.grid.PixelY / 2
	}
	for _, v := range []float64{h.grid.OriginX, h.grid.OriginY, h.grid.PixelX, h.grid.PixelY} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return broken(r.name, "its georeference is not finite")
		}
	}
	if h.grid.PixelX <= 0 || h.grid.PixelY <= 0 {
		return unsupported(r.name, "its rows do not run from north to south, or its columns not from west to east")
	}
	return nil
}

func (h *header) readCorner(ctx context.Context, r *headerReader, d directory) error {
	scale, err := r.doubles(ctx, d, tagPixelScale)
	if err != nil {
		return err
	}
	tie, err := r.doubles(ctx, d, tagTiepoint)
	if err != nil {
		return err
	}
	m, err := r.doubles(ctx, d, tagTransformation)
	if err != nil {
		return err
	}
	g := &h.grid
	switch {
	case len(scale) >= 2 && len(tie) >= 6:
		// A tiepoint is column, row, level, x, y, z.
		g.PixelX, g.PixelY = scale[0], scale[1]
		g.OriginX = tie[3] - tie[0]*scale[0]
		g.OriginY = tie[4] + tie[1]*scale[1]
	case len(m) == 16:
		if m[1] != 0 || m[4] != 0 {
			return unsupported(r.name, "it is rotated")
		}
		// Row-major 4 × 4: x = m0·column + m3, y = m5·row + m7.
		g.PixelX, g.PixelY, g.OriginX, g.OriginY = m[0], -m[5], m[3], m[7]
	default:
		return unsupported(r.name, "it has no georeference")
	}
	return nil
}

// geoKeys returns the keys whose value stands in the directory itself.
func geoKeys(ctx context.Context, r *headerReader, d directory) (map[int64]int64, error) {
	v, err := r.integers(ctx, d, tagGeoKeys, 4096)
	if err != nil {
		return nil, err
	}
	keys := map[int64]int64{}
	// Four numbers of heading, then four a key: id, location of the value (0: here), count, value.
	for i := 4; i+3 < len(v); i += 4 {
		if v[i+1] == 0 {
			keys[v[i]] = v[i+3]
		}
	}
	return keys, nil
}
