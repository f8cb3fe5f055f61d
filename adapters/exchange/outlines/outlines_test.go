package outlines_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/adapters/exchange/outlines"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// object is a file in memory.
type object struct{ *bytes.Reader }

func (object) Close() error    { return nil }
func (o object) Size() int64   { return o.Reader.Size() }
func file(data []byte) object  { return object{bytes.NewReader(data)} }
func text(data string) object  { return file([]byte(data)) }
func reader() *outlines.Reader { return outlines.New(geo.DefaultLimits()) }

// readAll returns the features of a file, which must be as many as a survey counts.
func readAll(t testing.TB, media string, from object) ([]ports.Feature, error) {
	t.Helper()
	var out []ports.Feature
	for f, err := range reader().Read(context.Background(), media, from) {
		if err != nil {
			return out, err
		}
		out = append(out, f)
	}
	found, err := reader().Survey(context.Background(), media, from)
	require.NoError(t, err)
	require.EqualValues(t, len(out), found.Features)
	return out, nil
}

func mustRead(t testing.TB, media string, from object) []ports.Feature {
	t.Helper()
	out, err := readAll(t, media, from)
	require.NoError(t, err)
	return out
}

// refusal returns the message of a file that is refused as a whole.
func refusal(t testing.TB, err error) string {
	t.Helper()
	f, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, fault.Invalid, f.Kind)
	return f.Fields[outlines.FileField].([]string)[0]
}

// wrong returns the message of a feature that is refused.
func wrong(t testing.TB, f ports.Feature) string {
	t.Helper()
	known, ok := fault.As(f.Err)
	require.True(t, ok, "%v", f.Err)
	return known.Fields[geo.BoundaryField].([]string)[0]
}

func boundary(t testing.TB, geojson string) *geo.Boundary {
	t.Helper()
	b, err := geo.ParseGeoJSON(nil, []byte(geojson), geo.DefaultLimits())
	require.NoError(t, err)
	return &b
}

const (
	ring     = `[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]]`
	inner    = `[[10.002,50.002],[10.002,50.004],[10.004,50.004],[10.004,50.002],[10.002,50.002]]`
	island   = `[[10.0025,50.0025],[10.0035,50.0025],[10.0035,50.0035],[10.0025,50.0025]]`
	withHole = `{"type":"Polygon","coordinates":[` + ring + `,` + inner + `]}`
	nested   = `{"type":"MultiPolygon","coordinates":[[` + ring + `,` + inner + `],[` + island + `]]}`
)

var someColumns = []ports.Column{
	{Name: "name", Short: "name", Kind: ports.TextColumn}, {Name: "count", Short: "count", Kind: ports.WholeColumn},
	{Name: "area_ha", Short: "area_ha", Kind: ports.NumberColumn}, {Name: "irrigated", Short: "irrigated", Kind: ports.FlagColumn},
}

func someOutlines(t testing.TB) []ports.Outline {
	return []ports.Outline{
		{Name: "Weiß & <Söhne>", Boundary: boundary(t, withHole), Values: []any{"Weiß & <Söhne>", int64(42), 1.25, true}},
		{Name: "=1+1", Boundary: boundary(t, nested), Values: []any{"=1+1", nil, nil, nil}},
		{Name: "no land", Values: []any{"no land", int64(-1), 0.5, false}},
	}
}

func each(all []ports.Outline) iter.Seq2[ports.Outline, error] {
	return func(yield func(ports.Outline, error) bool) {
		for _, o := range all {
			if !yield(o, nil) {
				return
			}
		}
	}
}

func write(t testing.TB, format string, all []ports.Outline) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, exchange.OutlineWriter{}.Write(context.Background(), format, &out, someColumns, each(all)))
	return out.Bytes()
}

func archiveOf(t testing.TB, archive []byte) *zip.Reader {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	require.NoError(t, err)
	return in
}

// rezip changes the files of an archive; nil removes one.
func rezip(t testing.TB, archive []byte, change map[string][]byte) []byte {
	t.Helper()
	in := archiveOf(t, archive)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	put := func(name string, content []byte) {
		entry, err := w.Create(name)
		require.NoError(t, err)
		_, err = entry.Write(content)
		require.NoError(t, err)
	}
	for _, f := range in.File {
		content, changed := change[f.Name]
		if changed && content == nil {
			continue
		}
		if !changed {
			r, err := f.Open()
			require.NoError(t, err)
			content, err = io.ReadAll(r)
			require.NoError(t, err)
		}
		put(f.Name, content)
		delete(change, f.Name)
	}
	for name, content := range change {
		if content != nil {
			put(name, content)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	want := someOutlines(t)
	for _, format := range []string{"geojson", "kml", "shp", "csv", "gpkg", "fgb"} {
		t.Run(format, func(t *testing.T) {
			got := mustRead(t, "", file(write(t, format, want)))
			require.Len(t, got, 3)
			for i, f := range got {
				require.NoError(t, f.Err)
				require.Equal(t, want[i].Name, f.Attributes["name"])
				if want[i].Boundary == nil {
					require.Nil(t, f.Boundary)
					continue
				}
				require.InEpsilon(t, want[i].Boundary.AreaHa(), f.Boundary.AreaHa(), 1e-12)
				require.Equal(t, len(want[i].Boundary.Geometry()), len(f.Boundary.Geometry()))
				require.Equal(t, want[i].Boundary.Vertices(), f.Boundary.Vertices())
				require.Equal(t, want[i].Boundary.Bounds(), f.Boundary.Bounds())
			}
			require.Equal(t, "42", got[0].Attributes["count"])
			require.Empty(t, got[1].Attributes["count"])
		})
	}
}

func TestCSV(t *testing.T) {
	lines := strings.Split(string(write(t, "csv", someOutlines(t))), "\n")
	require.Equal(t, "name,count,area_ha,irrigated,boundary_wkt", lines[0])
	require.True(t, strings.HasPrefix(lines[1], `Weiß & <Söhne>,42,1.25,true,"POLYGON ((10 50, 10.01 50,`), lines[1])
	require.True(t, strings.HasPrefix(lines[2], `'=1+1,,,,"MULTIPOLYGON (((`), "a formula is not run by a spreadsheet: %s", lines[2])
	require.Equal(t, "no land,-1,0.5,false,", lines[3])
}

func TestWriterGivesTheErrorOfTheOutlines(t *testing.T) {
	broken := errors.New("the database went away")
	for _, format := range []string{"geojson", "kml", "shp", "csv", "gpkg", "fgb"} {
		err := exchange.OutlineWriter{}.Write(context.Background(), format, io.Discard, someColumns,
			func(yield func(ports.Outline, error) bool) { yield(ports.Outline{}, broken) })
		require.ErrorIs(t, err, broken)
	}
}

func TestGeoJSONFeatures(t *testing.T) {
	got := mustRead(t, outlines.MediaGeoJSON, text("\ufeff"+`{"a":[{"features":"\"]"}],"features":[
		{"type":"Feature","id":7,"properties":{"n":115102010.0,"b":true,"s":"ä","o":{},"z":null},"geometry":`+withHole+`},
		{"type":"Feature","id":7,"properties":{"id":"own"},"geometry":null},
		{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}},
		3, {"type":"Other"}, {"type":"Feature","geometry":{"type":"Polygon","coordinates":"x"}}, {"a":}, {"a":`+"\"\xff\""+`}
	],"type":"FeatureCollection"}`))
	require.Len(t, got, 8)
	require.NotNil(t, got[0].Boundary)
	require.Equal(t, map[string]string{"id": "7", "n": "115102010", "b": "true", "s": "ä", "o": "", "z": ""}, got[0].Attributes)
	require.Nil(t, got[1].Boundary)
	require.NoError(t, got[1].Err)
	require.Equal(t, "own", got[1].Attributes["id"])
	require.Contains(t, wrong(t, got[2]), "LineString")
	require.Contains(t, wrong(t, got[3]), "cannot be read")
	require.Contains(t, wrong(t, got[4]), "not a Feature")
	require.Contains(t, wrong(t, got[5]), "should be an array")
	require.Contains(t, wrong(t, got[6]), "cannot be read")
	require.Contains(t, wrong(t, got[7]), "UTF-8")
}

func TestAFeatureTooLargeToHold(t *testing.T) {
	long := `{"type":"Feature","properties":{"x":"` + strings.Repeat("x", 9<<20) + `"},"geometry":` + withHole + `}`
	got := mustRead(t, "", text(`{"type":"FeatureCollection","features":[`+long+`,{"type":"Feature","geometry":`+withHole+`}]}`))
	require.Contains(t, wrong(t, got[0]), "larger than 8 MiB")
	require.NotNil(t, got[1].Boundary, "the ones after it are read")
}

func TestKML(t *testing.T) {
	coordinates := "\n10,50,7 10.01,50,7\t10.01,50.01,7\n10,50.01,7 10,50,7 "
	polygon := `<Polygon><outerBoundaryIs><LinearRing><coordinates>` + coordinates + `</coordinates></LinearRing></outerBoundaryIs></Polygon>`
	got := mustRead(t, outlines.MediaKML, text(`<?xml version="1.0" encoding="ISO-8859-1"?>
		<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>not a field</name><Folder>
		<Placemark><name>M`+"\xfc"+`hle</name><ExtendedData><Data name="key"><value> k1 </value></Data><SchemaData><SimpleData name="crop">rye</SimpleData></SchemaData></ExtendedData>
			<MultiGeometry><Point><coordinates>1,2</coordinates></Point>`+polygon+`</MultiGeometry></Placemark>
		<Placemark><name>label</name><Point><coordinates>10,50</coordinates></Point></Placemark>
		<Placemark><LineString><coordinates>10,50 11,51</coordinates></LineString></Placemark>
		<Placemark>`+strings.Replace(polygon, "10.01,50,7", "10.01, 50", 1)+`</Placemark>
		<Placemark/></Folder></Document></kml>`))
	require.Len(t, got, 5)
	require.Equal(t, map[string]string{"name": "Mühle", "key": "k1", "crop": "rye"}, got[0].Attributes)
	require.Equal(t, 4, got[0].Boundary.Vertices())
	require.Equal(t, "Point", got[1].Geometry)
	require.NoError(t, got[1].Err)
	require.Contains(t, wrong(t, got[2]), "LineString")
	require.Contains(t, wrong(t, got[3]), "not a position")
	require.Empty(t, got[4].Geometry)
}

func TestHostileKML(t *testing.T) {
	for name, c := range map[string]struct{ body, says string }{
		"deep":      {"<kml>" + strings.Repeat("<a>", 100), "nested more than 64"},
		"long text": {"<kml><Placemark><name>" + strings.Repeat("x", 5<<20), "text of more than 4 MiB"},
		"bomb":      {`<!DOCTYPE k [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><kml><Placemark><name>&b;</name></Placemark></kml>`, "malformed"},
		"encoding":  {`<?xml version="1.0" encoding="EBCDIC"?><kml/>`, "UTF-8"},
		"no root":   {"  ", "no elements"},
		"cut off":   {"<kml><Placemark>", "malformed at line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(t, outlines.MediaKML, text(c.body))
			require.Contains(t, refusal(t, err), c.says)
		})
	}
	many := strings.Repeat("10,50 ", 20_000)
	got := mustRead(t, "", text(`<kml><Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>`+many+`</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></kml>`))
	require.Contains(t, wrong(t, got[0]), "more than 10000 vertices")
}

func TestContextEndsReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	read := 0
	var last error
	for _, err := range reader().Read(ctx, "", file(write(t, "geojson", someOutlines(t)))) {
		if last = err; err == nil {
			read++
			cancel()
		}
	}
	require.Equal(t, 1, read)
	require.ErrorIs(t, last, context.Canceled)
}

// projectedZip returns a shapefile whose coordinates are projected, with the .prj that says so.
func projectedZip(t testing.TB, project func(geo.Position) geo.Position, prj string) []byte {
	t.Helper()
	degrees := boundary(t, nested)
	var metres geo.MultiPolygon
	for _, part := range degrees.Geometry() {
		var polygon geo.Polygon
		for _, r := range part {
			var out geo.Ring
			for _, p := range r {
				out = append(out, project(p))
			}
			polygon = append(polygon, out)
		}
		metres = append(metres, polygon)
	}
	b := geo.RestoreBoundary(metres, geo.Measures{})
	archive := write(t, "shp", []ports.Outline{{Name: "x", Boundary: &b, Values: []any{"x", nil, nil, nil}}})
	return rezip(t, archive, map[string][]byte{"fields.prj": []byte(prj)})
}

const wgs84 = `GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.017453292519943295]]`

func utmWKT(name, geogcs string, meridian, northing int) string {
	return fmt.Sprintf(`PROJCS[%q,%s,PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",%d],`+
		`PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",%d],UNIT["Meter",1]]`, name, geogcs, meridian, northing)
}

func TestProjectedShapefiles(t *testing.T) {
	north, err := geo.NewUTM(32632)
	require.NoError(t, err)
	south, err := geo.NewUTM(32732)
	require.NoError(t, err)
	mercator := func(p geo.Position) geo.Position {
		// The inverse is found by bisection, so that the test shares no formula with the code.
		y := [2]float64{0, 20037508}
		for range 80 {
			middle := (y[0] + y[1]) / 2
			if geo.FromWebMercator(geo.Position{Y: middle}).Y < p.Y {
				y[0] = middle
			} else {
				y[1] = middle
			}
		}
		return geo.Position{X: p.X / 180 * 20037508.342789244, Y: y[0]}
	}
	etrs := strings.Replace(wgs84, "D_WGS_1984", "D_ETRS_1989", 1)
	want := boundary(t, nested)
	for name, c := range map[string]struct {
		project func(geo.Position) geo.Position
		prj     string
	}{
		"utm north":           {north.Forward, utmWKT("WGS_1984_UTM_Zone_32N", wgs84, 9, 0)},
		"utm south":           {south.Forward, utmWKT("WGS 84 / UTM zone 32S", wgs84, 9, 10_000_000)},
		"etrs89 utm":          {north.Forward, utmWKT("ETRS_1989_UTM_Zone_32N", etrs, 9, 0)},
		"web mercator":        {mercator, `PROJCS["WGS_1984_Web_Mercator_Auxiliary_Sphere",` + wgs84 + `,PROJECTION["Mercator_Auxiliary_Sphere"],PARAMETER["False_Easting",0],UNIT["Meter",1]]`},
		"gdal's web mercator": {mercator, `PROJCS["WGS 84 / Pseudo-Mercator",` + wgs84 + `,PROJECTION["Mercator_1SP"],UNIT["metre",1,AUTHORITY["EPSG","9001"]],EXTENSION["PROJ4","+proj=merc"]]`},
	} {
		t.Run(name, func(t *testing.T) {
			got := mustRead(t, outlines.MediaZip, file(projectedZip(t, c.project, c.prj)))
			require.NoError(t, got[0].Err)
			require.InEpsilon(t, want.AreaHa(), got[0].Boundary.AreaHa(), 1e-6)
			require.InDelta(t, want.Bounds().MinX, got[0].Boundary.Bounds().MinX, 1e-8)
			require.InDelta(t, want.Bounds().MaxY, got[0].Boundary.Bounds().MaxY, 1e-8)
			require.Len(t, got[0].Boundary.Geometry(), 2)
		})
	}
}

func TestShapefilesThatAreRefused(t *testing.T) {
	sound := write(t, "shp", someOutlines(t))
	points := make([]byte, 100)
	points[2], points[3], points[32] = 0x27, 0x0a, 1
	for name, c := range map[string]struct {
		change map[string][]byte
		says   string
	}{
		"no prj":          {map[string][]byte{"fields.prj": nil}, "no .prj file"},
		"another datum":   {map[string][]byte{"fields.prj": []byte(strings.ReplaceAll(wgs84, "WGS_1984", "OSGB_1936"))}, "OSGB_1936"},
		"another system":  {map[string][]byte{"fields.prj": []byte(`PROJCS["x",` + wgs84 + `,PROJECTION["Lambert_Conformal_Conic"],UNIT["Meter",1]]`)}, "Lambert_Conformal_Conic"},
		"feet":            {map[string][]byte{"fields.prj": []byte(strings.Replace(utmWKT("x", wgs84, 9, 0), `UNIT["Meter",1]]`, `UNIT["Foot_US",0.3048006]]`, 1))}, "give metres"},
		"no UTM zone":     {map[string][]byte{"fields.prj": []byte(utmWKT("Gauss", wgs84, 10, 0))}, "not a UTM zone"},
		"broken prj":      {map[string][]byte{"fields.prj": []byte(`GEOGCS["x"`)}, "not closed"},
		"deep prj":        {map[string][]byte{"fields.prj": []byte(strings.Repeat("A[", 100))}, "too deeply"},
		"no shapefile":    {map[string][]byte{"fields.shp": nil}, "holds no shapefile"},
		"two shapefiles":  {map[string][]byte{"other.shp": {}}, "2 shapefiles"},
		"points":          {map[string][]byte{"fields.shp": points}, "points"},
		"not a shapefile": {map[string][]byte{"fields.shp": make([]byte, 100)}, "not a shapefile"},
		"cut off":         {map[string][]byte{"fields.shp": points[:50]}, "ends in the middle"},
		"no table":        {map[string][]byte{"fields.dbf": {3}}, ".dbf file ends"},
		"odd encoding":    {map[string][]byte{"fields.cpg": []byte("EBCDIC")}, "EBCDIC"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(t, outlines.MediaZip, file(rezip(t, sound, c.change)))
			require.Contains(t, refusal(t, err), c.says)
		})
	}
	latin := rezip(t, write(t, "shp", []ports.Outline{{Name: "x", Values: []any{"M\xfchle", nil, nil, nil}}}), map[string][]byte{"fields.cpg": nil})
	require.Equal(t, "Mühle", mustRead(t, "", file(latin))[0].Attributes["name"], "without a .cpg it is Latin-1")
	require.Len(t, mustRead(t, "", file(rezip(t, sound, map[string][]byte{"fields.dbf": nil}))), 3, "attributes may be missing")
}

func TestArchiveWithAHugeDirectory(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	long := strings.Repeat("a-rather-long-name-", 50)
	for i := range 1500 {
		_, err := w.Create(long + strconv.Itoa(i))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	_, err := readAll(t, outlines.MediaZip, file(out.Bytes()))
	require.Contains(t, refusal(t, err), "directory of more than 1 MiB")
}
