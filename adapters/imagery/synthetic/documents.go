package synthetic

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"tilth/adapters/imagery/internal/cogwrite"
	"tilth/core/geo"
	"tilth/core/vegetation"
)

const (
	title        = "SYNTHETIC Sentinel-2 L2A, season 2025, made by Tilth for its demo"
	description  = "Made by a program: no pixel of this archive was ever observed. The places exist, the parcels and their crops do not."
	collectionID = "synthetic-sentinel-2-l2a"
	stacVersion  = "1.0.0"
	geotiff      = "image/tiff; application=geotiff; profile=cloud-optimized"
	orbit        = 37
)

type object = map[string]any

// assetNames are the keys that Earth Search uses.
var assetNames = map[vegetation.Band]string{
	vegetation.B02: "blue", vegetation.B03: "green", vegetation.B04: "red", vegetation.B05: "rededge1",
	vegetation.B08: "nir", vegetation.B11: "swir16", vegetation.B12: "swir22", vegetation.SCL: "scl",
}

func link(rel, href string) object { return object{"rel": rel, "href": href} }

func catalogDocument() object {
	return object{
		"type": "Catalog", "stac_version": stacVersion, "id": "tilth-synthetic", "title": title, "description": description, "synthetic": true,
		"links": []object{link("root", "./catalog.json"), link("child", "./collection.json"), link("child", "./"+elevationFolder+"/collection.json")},
	}
}

// collectionDocument returns a collection without its links.
func collectionDocument(id, title string, box []float64, from, to string) object {
	return object{
		"type": "Collection", "stac_version": stacVersion, "id": id, "title": title, "description": description, "synthetic": true,
		"license": "CC0-1.0",
		"extent": object{
			"spatial":  object{"bbox": [][]float64{box}},
			"temporal": object{"interval": [][]string{{from, to}}},
		},
	}
}

// scenesDocument returns the collection of scenes, the first of which is of the day from.
func scenesDocument(from time.Time, items []string) object {
	links := []object{link("root", "./catalog.json"), link("parent", "./catalog.json")}
	for _, item := range items {
		links = append(links, itemLink(item))
	}
	c := collectionDocument(collectionID, title, []float64{-4.235, 41.763, -4.173, 41.788},
		from.Format(time.RFC3339), seasonTo.AddDate(0, 0, 1).Format(time.RFC3339))
	c["links"] = links
	return c
}

func itemLink(path string) object {
	return object{"rel": "item", "href": "./" + path, "type": "application/geo+json"}
}

func writeImage(path string, img cogwrite.Image) error {
	data, err := cogwrite.Encode(img)
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// sceneID and scenePath name the scene of a tile on a day, and its item.
func sceneID(t tile, day passDay) string {
	return fmt.Sprintf("SYNTHETIC_%s_T%s_%s", day.platform(), t.name, day.date.Format("20060102"))
}

func scenePath(t tile, day passDay) string {
	return path.Join(t.name, day.date.Format(time.DateOnly), sceneID(t, day)+".json")
}

// writeScenes writes the files and items of a day, one scene per tile, and returns the paths of the items.
func writeScenes(dir string, day passDay, s shot) ([]string, error) {
	var items []string
	for _, t := range tiles {
		name := scenePath(t, day)
		folder := path.Dir(name)
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o755); err != nil {
			return nil, err
		}
		for band := range assetNames {
			if err := writeImage(filepath.Join(dir, filepath.FromSlash(folder), string(band)+".tif"), t.image(band, s[band])); err != nil {
				return nil, err
			}
		}
		document, err := sceneDocument(t, day, cloudCover(t, s))
		if err != nil {
			return nil, err
		}
		if err := writeJSON(filepath.Join(dir, filepath.FromSlash(name)), document); err != nil {
			return nil, err
		}
		items = append(items, name)
	}
	return items, nil
}

func metres(band vegetation.Band) int {
	if slices.Contains(bandsFine, band) {
		return fine
	}
	return coarse
}

// image cuts the tile out of the land.
func (t tile) image(band vegetation.Band, dn []uint16) cogwrite.Image {
	size := metres(band)
	img := cogwrite.Image{Grid: t.grid(size), Bits: 16}
	if band == vegetation.SCL {
		img.Bits = 8
	}
	across, first := landWidth*fine/size, t.first*fine/size
	for row := range img.Grid.Height {
		img.DN = append(img.DN, dn[row*across+first:][:img.Grid.Width]...)
	}
	return img
}

// cloudCover is the percentage of the tile under clouds.
func cloudCover(t tile, s shot) float64 {
	classes := t.image(vegetation.SCL, s[vegetation.SCL]).DN
	n := 0
	for _, class := range classes {
		if class == sclMedium || class == sclHigh {
			n++
		}
	}
	return 100 * float64(n) / float64(len(classes))
}

// itemDocument returns an item without its properties, assets and links, and the bounding box of the item.
func itemDocument(id, collection string, g vegetation.Grid) (object, []float64, error) {
	utm, err := geo.NewUTM(epsg)
	if err != nil {
		return nil, nil, err
	}
	east, south := g.OriginX+g.PixelX*float64(g.Width), g.OriginY-g.PixelY*float64(g.Height)
	var outline geo.Ring
	for _, corner := range []geo.Position{{X: g.OriginX, Y: south}, {X: east, Y: south}, {X: east, Y: g.OriginY}, {X: g.OriginX, Y: g.OriginY}, {X: g.OriginX, Y: south}} {
		lonlat := utm.Inverse(corner)
		outline = append(outline, geo.Position{X: sixDecimals(lonlat.X), Y: sixDecimals(lonlat.Y)})
	}
	footprint := one(outline)
	b := footprint.Bounds()
	box := []float64{b.MinX, b.MinY, b.MaxX, b.MaxY}
	return object{"type": "Feature", "stac_version": stacVersion, "id": id, "collection": collection, "geometry": footprint, "bbox": box}, box, nil
}

func sceneDocument(t tile, day passDay, clouds float64) (object, error) {
	baseline, _, offset := day.convention()
	// The tiles of one pass follow each other within seconds from north to south; these two lie
	// side by side.
	sensed := day.date.Add(passHour*time.Hour + passMin*time.Minute + 49*time.Second)
	id := sceneID(t, day)
	assets := object{}
	for band, key := range assetNames {
		assets[key] = assetDocument(t, band, offset)
	}
	item, _, err := itemDocument(id, collectionID, t.grid(fine))
	if err != nil {
		return nil, err
	}
	item["stac_extensions"] = []string{
		"https://stac-extensions.github.io/eo/v1.1.0/schema.json", "https://stac-extensions.github.io/grid/v1.1.0/schema.json",
		"https://stac-extensions.github.io/projection/v1.1.0/schema.json", "https://stac-extensions.github.io/raster/v1.1.0/schema.json",
		"https://stac-extensions.github.io/sat/v1.0.0/schema.json",
	}
	item["properties"] = object{
		"title": "SYNTHETIC scene " + id, "synthetic": true, "datetime": sensed.Format(time.RFC3339),
		"created": sensed.Add(6 * time.Hour).Format(time.RFC3339), "updated": sensed.Add(6 * time.Hour).Format(time.RFC3339),
		"platform": day.platform(), "constellation": "sentinel-2", "gsd": fine, "eo:cloud_cover": clouds,
		"proj:epsg": epsg, "grid:code": "MGRS-" + t.name, "sat:relative_orbit": orbit,
		"s2:processing_baseline": baseline, "s2:datastrip_id": "SYNTHETIC_DS_" + day.date.Format("20060102"),
	}
	item["assets"] = assets
	item["links"] = []object{link("root", "../../catalog.json"), link("parent", "../../collection.json"), link("collection", "../../collection.json")}
	return item, nil
}

func assetDocument(t tile, band vegetation.Band, offset float64) object {
	g := t.grid(metres(band))
	raster := object{"nodata": 0, "data_type": "uint16", "spatial_resolution": metres(band), "scale": 0.0001, "offset": offset}
	a := object{
		"href": "./" + string(band) + ".tif", "type": geotiff, "title": "SYNTHETIC " + string(band), "roles": []string{"data"},
		"proj:shape": []int{g.Height, g.Width}, "proj:transform": []float64{g.PixelX, 0, g.OriginX, 0, -g.PixelY, g.OriginY},
	}
	if band == vegetation.SCL {
		raster = object{"nodata": 0, "data_type": "uint8", "spatial_resolution": metres(band)}
	} else {
		a["eo:bands"] = []object{{"name": string(band)}}
	}
	a["raster:bands"] = []object{raster}
	return a
}

// sixDecimals rounds degrees to 0.1 m, the same on every machine.
func sixDecimals(degrees float64) float64 { return math.Round(degrees*1e6) / 1e6 }
