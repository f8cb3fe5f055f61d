package wire

import (
	"io"

	"tilth/adapters/exchange"
	"tilth/adapters/imagery/surfaces"
	"tilth/app/soil"
	"tilth/core/stratification/layer"
)

// ReadCells reads a table of cells.
func (Program) ReadCells(r io.Reader, layers []string) (layer.Table, error) {
	return exchange.ReadCells(r, layers)
}

// Zoning makes zones of tables and rasters.
func (Program) Zoning() *soil.Offline { return &soil.Offline{Surfaces: surfaces.Files{}} }
