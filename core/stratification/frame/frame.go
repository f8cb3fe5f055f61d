// Package frame holds the grid over an area of interest: its cells, the mask along the edges,
// the neighbours of cells, and the outlines of zones on it. It knows no layer and makes no zones.
package frame

import "tilth/core/geo"

// Cell is one cell of a frame.
type Cell struct {
	Row, Col int32 // row 0 is the northernmost, column 0 the westernmost of the grid
	Field    int32 // index of the field that holds the cell's centre: the first, where fields overlap
	// Masked: so near a field's edge that its values are mixed with those outside. The clustering
	// leaves it out; afterwards it belongs to the zone of the nearest unmasked cell.
	Masked bool
}

// Frame is the grid over an area of interest. It keeps only the cells whose centre lies in a field.
// The functions of this package do not change it.
type Frame struct {
	// EPSG is the plane's UTM zone; 0 where it is unknown, in which case longitudes and latitudes are too.
	EPSG     int
	CellSize float64 // metres
	// The outer (north-west) corner of row 0, column 0: easting, northing. Rows run south.
	OriginX, OriginY float64
	Rows, Cols       int    // of the grid's bounding box
	Cells            []Cell // by row, then column
	EdgeMask         int    // width of the mask along the edges, in cells; 0 where nothing is masked

	Fields []geo.MultiPolygon // the fields in the frame's plane, metres
	AOI    geo.MultiPolygon   // their union
	AreaHa float64            // of the union, on the ellipsoid (in the plane where EPSG is 0)

	// exact: the cells are the area of interest, so that maps need no clipping to its outline.
	exact  bool
	course *course      // the union's outline on the grid; nil where exact
	rows   []int32      // index of the first cell of each row, and the number of cells at the end
	fringe []fringeCell // cells that meet the union though their centre lies outside of it
}

// Settings are the choices of a frame: with the fields of the order they yield the same frame again.
type Settings struct {
	CellSize float64 `json:"cell_size"` // metres
	EPSG     int     `json:"epsg"`
	EdgeMask int     `json:"edge_mask"` // cells
}
