package synthetic

import (
	"os"
	"path/filepath"
	"time"

	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

// The relief of the land: a plane that rises to the east and to the south, with a round hill on it.
// The elevation model reaches 2 km beyond the land on every side, because slopes and the flow of
// water begin outside of fields, and has pixels of 30 m, about those of the Copernicus DEM.
const (
	elevationCollection = "synthetic-elevation"
	elevationID         = "SYNTHETIC_ELEVATION"
	elevationFolder     = "elevation"

	heightWest  = 395_580 // m; corner and pixels lie on multiples of 30 m
	heightNorth = 4_629_030
	heightPixel = 30
	heightCols  = 300
	heightRows  = 222

	planeHeight = 690.0 // m at the north-west corner of the land's pixels
	riseEast    = 0.015 // m per metre
	riseSouth   = 0.020
	hillHeight  = 12.0 // m above the plane at its top
	hillRadius  = 450.0
)

// hillTop lies in the Border field.
var hillTop = geo.Position{X: 399_960, Y: 4_625_700}

// HeightAt returns the height in metres of a place of the land (easting, northing in UTM zone 30
// north). On the plane the slope's tangent is 0.025 everywhere; the hill is a paraboloid of
// revolution, whose own slope grows evenly from 0 at its top to 2 × height / radius at its foot.
func HeightAt(p geo.Position) float64 {
	z := planeHeight + float64(riseEast*(p.X-landWest)) + float64(riseSouth*(landNorth-p.Y))
	dx, dy := (p.X-hillTop.X)/hillRadius, (p.Y-hillTop.Y)/hillRadius
	if far := float64(dx*dx) + float64(dy*dy); far < 1 {
		z += float64(hillHeight * (1 - far))
	}
	return z
}

// writeElevation writes the elevation model with its collection and item.
func writeElevation(dir string) error {
	folder := filepath.Join(dir, elevationFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	grid := vegetation.Grid{
		EPSG: epsg, OriginX: heightWest, OriginY: heightNorth, PixelX: heightPixel, PixelY: heightPixel, Width: heightCols, Height: heightRows,
	}
	metres := make([]float32, grid.Width*grid.Height)
	for i := range metres {
		metres[i] = float32(HeightAt(grid.Centre(i%grid.Width, i/grid.Width)))
	}
	if err := writeImage(filepath.Join(folder, "heights.tif"), cogwrite.Image{Grid: grid, Bits: 32, Metres: metres}); err != nil {
		return err
	}
	made := seasonFrom.Format(time.RFC3339)
	item, box, err := itemDocument(elevationID, elevationCollection, grid)
	if err != nil {
		return err
	}
	item["properties"] = object{"title": "SYNTHETIC heights", "synthetic": true, "datetime": made, "created": made, "updated": made, "gsd": heightPixel, "proj:epsg": epsg}
	item["assets"] = object{"data": object{"href": "./heights.tif", "type": geotiff, "title": "SYNTHETIC heights in metres", "roles": []string{"data"}}}
	item["links"] = []object{link("root", "../catalog.json"), link("parent", "./collection.json"), link("collection", "./collection.json")}
	if err := writeJSON(filepath.Join(folder, "item.json"), item); err != nil {
		return err
	}
	collection := collectionDocument(elevationCollection, "SYNTHETIC elevation model", box, made, made)
	collection["links"] = []object{link("root", "../catalog.json"), link("parent", "../catalog.json"), itemLink("item.json")}
	return writeJSON(filepath.Join(folder, "collection.json"), collection)
}
