package satellite

import (
	"sync"

	"tilth/core/geo"
	"tilth/core/vegetation"
)

// ground is a field on the grids of the imagery: what no date changes, worked out once for
// all passes of a series. Safe for concurrent use.
type ground struct {
	boundary geo.MultiPolygon // WGS84
	// fixed is the pixels to work on, whatever the grid of the imagery; nil: the field's pixels on it.
	fixed *vegetation.Footprint

	mu         sync.Mutex
	projected  map[int]geo.MultiPolygon // by EPSG
	footprints map[vegetation.Grid]vegetation.Footprint
}

func newGround(boundary geo.MultiPolygon) *ground {
	return &ground{
		boundary: boundary, projected: map[int]geo.MultiPolygon{}, footprints: map[vegetation.Grid]vegetation.Footprint{},
	}
}

// in returns the boundary in a UTM zone. Invalid for what is none.
func (g *ground) in(epsg int) (geo.MultiPolygon, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.project(epsg)
}

func (g *ground) project(epsg int) (geo.MultiPolygon, error) {
	if have, ok := g.projected[epsg]; ok {
		return have, nil
	}
	utm, err := geo.NewUTM(epsg)
	if err != nil {
		return nil, err
	}
	g.projected[epsg] = utm.Project(g.boundary)
	return g.projected[epsg], nil
}

// on returns the field's pixels on a grid; they are shared, and only read. The faults of
// vegetation.Cover.
func (g *ground) on(grid vegetation.Grid) (vegetation.Footprint, error) {
	if g.fixed != nil {
		return *g.fixed, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if have, ok := g.footprints[grid]; ok {
		return have, nil
	}
	boundary, err := g.project(grid.EPSG)
	if err != nil {
		return vegetation.Footprint{}, err
	}
	f, err := vegetation.Cover(boundary, grid)
	if err == nil {
		g.footprints[grid] = f
	}
	return f, err
}
