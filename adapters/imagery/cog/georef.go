package cog

import "math"

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
func (h *header) readGeoreference(r *headerReader) error {
	keys := geoKeys(r)
	epsg := keys[keyProjectedCRS]
	if epsg <= 0 || epsg == userDefined {
		return unsupported(r.name, "it does not name a projected CRS by its EPSG code")
	}
	return h.readGrid(r, epsg, keys[keyRasterType])
}

func (h *header) readGrid(r *headerReader, epsg, rasterType int64) error {
	g := &h.grid
	g.EPSG = int(epsg)
	scale, tie, m := r.doubles(tagPixelScale), r.doubles(tagTiepoint), r.doubles(tagTransformation)
	switch {
	case len(scale) >= 2 && len(tie) >= 6:
		// A tiepoint is column, row, level, x, y, z.
		g.PixelX, g.PixelY = scale[0], scale[1]
		g.OriginX = tie[3] - tie[0]*scale[0]
		g.OriginY = tie[4] + tie[1]*scale[1]
	case len(m) != 16:
		return unsupported(r.name, "it has no georeference")
	case m[1] != 0 || m[4] != 0:
		return unsupported(r.name, "it is rotated")
	default:
		// Row-major 4 × 4: x = m0·column + m3, y = m5·row + m7.
		g.PixelX, g.PixelY, g.OriginX, g.OriginY = m[0], -m[5], m[3], m[7]
	}
	if rasterType == pixelIsPoint {
		// The tiepoint names the centre of its pixel, the grid is one of outer corners.
		g.OriginX -= g.PixelX / 2
		g.OriginY += g.PixelY / 2
	}
	for _, v := range []float64{g.OriginX, g.OriginY, g.PixelX, g.PixelY} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return broken(r.name, "its georeference is not finite")
		}
	}
	if g.PixelX <= 0 || g.PixelY <= 0 {
		return unsupported(r.name, "its rows do not run from north to south, or its columns not from west to east")
	}
	return nil
}

// geoKeys returns the keys whose value is stored in the directory itself.
func geoKeys(r *headerReader) map[int64]int64 {
	v := r.integers(tagGeoKeys, 4096)
	keys := map[int64]int64{}
	// Four numbers of heading, then four per key: id, location of the value (0: here), count, value.
	for i := 4; i+3 < len(v); i += 4 {
		if v[i+1] == 0 {
			keys[v[i]] = v[i+3]
		}
	}
	return keys
}
