package vegetation

import (
	"tilth/core/fault"
	"tilth/core/geo"
)

// Centres finds the pixels whose centre lies in a geometry, by the rules of Cover but without
// its weights for small fields. The geometry is in the grid's own CRS; the grid counts as endless.
// Faults: as Cover.
func Centres(projected geo.MultiPolygon, grid Grid) ([]Cell, error) {
	if err := grid.Check(); err != nil {
		return nil, err
	}
	if err := checkPixels(projected.Bounds(), grid); err != nil {
		return nil, err
	}
	return centresIn(projected, grid), nil
}

// checkPixels bounds the pixels of a bounding box.
func checkPixels(box geo.Box, grid Grid) error {
	if pixels := (box.MaxX - box.MinX) / grid.PixelX * ((box.MaxY - box.MinY) / grid.PixelY); !(pixels <= maxExtent) {
		return fault.Newf(fault.Invalid, "field_too_large",
			"The field extends over %.0f pixels of the imagery; at most %d can be read.", pixels, maxExtent)
	}
	return nil
}
