package outlines_test

import (
	"context"
	"testing"

	"tilth/adapters/exchange/outlines"
	"tilth/core/fault"
	"tilth/core/geo"
)

// fuzz reads a file in every way. Nothing may panic, what is refused is refused with a
// fault, and what is accepted is a boundary that keeps the rules.
func fuzz(f *testing.F, media string) {
	f.Fuzz(func(t *testing.T, data []byte) {
		read := int64(0)
		var failure error
		for feature, err := range reader().Read(context.Background(), media, file(data)) {
			if failure = err; err != nil {
				break
			}
			read++
			if feature.Boundary == nil {
				continue
			}
			if _, err := geo.NewBoundary(nil, feature.Boundary.Geometry(), geo.DefaultLimits()); err != nil {
				t.Fatalf("a boundary that is none: %v", err)
			}
		}
		if failure != nil && fault.KindOf(failure) != fault.Invalid {
			t.Fatalf("no fault of the caller's: %v", failure)
		}
		found, err := reader().Survey(context.Background(), media, file(data))
		if failure == nil && (err != nil || found.Features != read) {
			t.Fatalf("%d features are read, and %d counted: %v", read, found.Features, err)
		}
	})
}

func FuzzGeoJSONFile(f *testing.F) {
	f.Add(write(f, "geojson", someOutlines(f)))
	f.Add([]byte(`{"type":"FeatureCollection","crs":{"properties":{"name":"x"}},"features":[1,"]",{"a":[]}]}`))
	fuzz(f, outlines.MediaGeoJSON)
}

func FuzzKMLFile(f *testing.F) {
	f.Add(write(f, "kml", someOutlines(f)))
	f.Add([]byte(`<?xml version="1.0" encoding="latin1"?><kml><Placemark><Point/></Placemark></kml>`))
	fuzz(f, outlines.MediaKML)
}

func FuzzShapefile(f *testing.F) {
	archive := write(f, "shp", someOutlines(f))
	f.Add(archive)
	f.Add(rezip(f, archive, map[string][]byte{"fields.prj": []byte(utmWKT("x", wgs84, 9, 0))}))
	fuzz(f, outlines.MediaZip)
}

// FuzzShapes puts the fuzz into the files of the archive, past its checksums.
func FuzzShapes(f *testing.F) {
	archive := write(f, "shp", someOutlines(f))
	f.Add([]byte("shp"), []byte("dbf"), []byte(wgs84))
	f.Fuzz(func(t *testing.T, shp, dbf, prj []byte) {
		if shp == nil || dbf == nil || prj == nil {
			return
		}
		changed := rezip(t, archive, map[string][]byte{"fields.shp": shp, "fields.dbf": dbf, "fields.prj": prj})
		for _, err := range reader().Read(context.Background(), outlines.MediaZip, file(changed)) {
			if err != nil && fault.KindOf(err) != fault.Invalid {
				t.Fatalf("no fault of the caller's: %v", err)
			}
		}
	})
}

func FuzzGeoPackage(f *testing.F) {
	f.Add(write(f, "gpkg", someOutlines(f)))
	fuzz(f, outlines.MediaGPKG)
}

func FuzzFlatGeobuf(f *testing.F) {
	f.Add(write(f, "fgb", someOutlines(f)))
	fuzz(f, outlines.MediaFGB)
}

func FuzzCSVFile(f *testing.F) {
	f.Add(write(f, "csv", someOutlines(f)))
	f.Add([]byte("name;wkt\na;SRID=32632;POLYGON Z ((1 2 3, 4 5 6, 7 8 9, 1 2 3))\n"))
	f.Add([]byte("lon,lat\n1,2\n"))
	fuzz(f, outlines.MediaCSV)
}
