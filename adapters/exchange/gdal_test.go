package exchange_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/frame"
	"tilth/ports"
	"tilth/tests/shown"
)

// gdal runs a program of GDAL and returns what it prints. A warning fails the test.
func gdal(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skip("LEFT OUT: reading exports back needs GDAL (Debian: apt-get install gdal-bin)")
	}
	var out, warned bytes.Buffer
	run := exec.Command(path, args...)
	run.Stdout, run.Stderr = &out, &warned
	require.NoError(t, run.Run(), "%s %s: %s", program, strings.Join(args, " "), &warned)
	require.Empty(t, warned.String(), "GDAL finds nothing to remark")
	return out.Bytes()
}

// readByGDAL reads a file back through GDAL as GeoJSON.
func readByGDAL(t *testing.T, name string, file []byte, args ...string) []gdalFeature {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, name), filepath.Join(dir, "out.geojson")
	require.NoError(t, os.WriteFile(from, file, 0o600))
	if strings.HasSuffix(name, ".zip") {
		from = "/vsizip/" + from
	}
	gdal(t, "ogr2ogr", append([]string{"-f", "GeoJSON", "-lco", "COORDINATE_PRECISION=9", "-t_srs", "EPSG:4326", to, from}, args...)...)
	raw, err := os.ReadFile(to)
	require.NoError(t, err)
	var got struct{ Features []gdalFeature }
	require.NoError(t, json.Unmarshal(raw, &got))
	return got.Features
}

type gdalFeature struct {
	Properties map[string]any
	Geometry   struct {
		Type        string
		Coordinates json.RawMessage
	}
}

// attribute returns an attribute as text, under any of its names.
func (f gdalFeature) attribute(names ...string) string {
	for _, name := range names {
		switch v := f.Properties[name].(type) {
		case string:
			return v
		case float64:
			return strconv.FormatFloat(v, 'f', -1, 64)
		}
	}
	return ""
}

// outline returns the area of a feature, in degrees.
func (f gdalFeature) outline(t *testing.T) (out geo.MultiPolygon) {
	t.Helper()
	require.NoError(t, json.Unmarshal(fmt.Appendf(nil, `{"type":%q,"coordinates":%s}`, f.Geometry.Type, f.Geometry.Coordinates), &out))
	return out
}

// Other programs read what is in a plan: every point in its place, with its attributes, in
// whatever script.
func TestGDALReadsPlans(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.Scattered)
	for format, name := range map[string]string{
		ports.GeoJSON: "p.geojson", ports.KML: "p.kml", ports.GPX: "p.gpx", ports.SHP: "p.zip", ports.CSV: "p.csv",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			args := map[string][]string{
				ports.GPX: {"waypoints"},
				ports.CSV: {"-oo", "X_POSSIBLE_NAMES=lon", "-oo", "Y_POSSIBLE_NAMES=lat", "-oo", "AUTODETECT_TYPE=YES", "-s_srs", "EPSG:4326"},
			}[format]
			found := readByGDAL(t, name, planFile(t, format, plan), args...)
			require.Len(t, found, len(plan.Plan.Plan.Points))
			for i, p := range plan.Plan.Plan.Points {
				f := found[i]
				require.Equal(t, "Point", f.Geometry.Type)
				var at []float64
				require.NoError(t, json.Unmarshal(f.Geometry.Coordinates, &at))
				require.InDelta(t, p.LonLat.X, at[0], 1e-6)
				require.InDelta(t, p.LonLat.Y, at[1], 1e-6)
				require.Equal(t, p.ID, f.attribute("id", "name"))
				require.Equal(t, string(p.Role), f.attribute("role", "type"))
				if format == ports.GPX {
					require.Contains(t, f.attribute("desc"), plan.Fields[p.Field].Name)
					continue
				}
				require.Equal(t, plan.Fields[p.Field].Name, f.attribute("field"))
				require.Equal(t, strconv.Itoa(p.Zone), f.attribute("zone"))
				require.Equal(t, "32631", f.attribute("epsg"))
				easting, err := strconv.ParseFloat(f.attribute("easting"), 64)
				require.NoError(t, err)
				require.InDelta(t, p.At.X, easting, 1e-6)
				if format != ports.CSV {
					require.Equal(t, "9007199254740991", f.attribute("seed"))
				}
			}
		})
	}
}

func TestGDALReadsZones(t *testing.T) {
	t.Parallel()
	zones := shown.Plan(t, shown.Scattered).ShownMap
	for format, name := range map[string]string{ports.GeoJSON: "z.geojson", ports.KML: "z.kml", ports.SHP: "z.zip"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			found := readByGDAL(t, name, zonesFile(t, format, zones), "-nlt", "PROMOTE_TO_MULTI")
			require.Len(t, found, len(zones.Map.Candidate.Zones))
			for i, z := range zones.Map.Candidate.Zones {
				f := found[i]
				outline := f.outline(t)
				require.Len(t, outline, len(z.Geometry), "as many parts")
				want, got := z.Geometry.Bounds(), outline.Bounds()
				for _, pair := range [][2]float64{{want.MinX, got.MinX}, {want.MinY, got.MinY}, {want.MaxX, got.MaxX}, {want.MaxY, got.MaxY}} {
					require.InDelta(t, pair[0], pair[1], 1e-6)
				}
				require.InEpsilon(t, geo.AreaM2(z.Geometry), geo.AreaM2(outline), 1e-6, "with its holes")
				require.Equal(t, strconv.Itoa(z.Number), f.attribute("zone"))
				for j, attribute := range [][]string{{"mean_ndvi_mean", "m1_ndvi_me"}, {"mean_clay_content", "m2_clay_co"}} {
					mean, err := strconv.ParseFloat(f.attribute(attribute...), 64)
					require.NoError(t, err)
					require.InDelta(t, z.Means[j], mean, 1e-6)
				}
				area, err := strconv.ParseFloat(f.attribute("area_ha"), 64)
				require.NoError(t, err)
				require.InDelta(t, z.AreaHa, area, math.Pow10(-4))
			}
		})
	}
}

// carbonOf is the map of soil carbon of a plan, on a frame of its fields.
func carbonOf(t *testing.T, plan ports.ShownPlan) ports.ShownCarbon {
	t.Helper()
	var land []geo.MultiPolygon
	for _, f := range plan.Fields {
		land = append(land, f.Outline)
	}
	f, err := frame.New(nil, land, frame.Options{CellSize: 10, EPSG: plan.Map.About.EPSG})
	require.NoError(t, err)
	in := ports.ShownCarbon{ShownMap: plan.ShownMap, Frame: &f, Strata: make([]int32, len(f.Cells))}
	in.Carbon = carbon.Map{Survey: carbon.Survey{PlanUUID: "p", Round: 1, ToCm: 30, Confidence: 0.9}}
	for i, z := range plan.Map.Candidate.Zones {
		mean := 47.3 + 5.1*float64(i)
		in.Carbon.Zones = append(in.Carbon.Zones, carbon.Zone{
			Zone: z.Number, AreaHa: z.AreaHa, Points: 5 + i,
			SOC: carbon.Figure{Mean: mean / 40, Low: mean / 44, High: mean / 36}, Stock: carbon.Figure{Mean: mean, Low: mean - 2.75, High: mean + 3.3},
		})
	}
	for i, c := range f.Cells {
		in.Strata[i] = (c.Row+c.Col)%int32(len(in.Carbon.Zones)) + 1
	}
	return in
}

// GDAL reads the GeoTIFF of a map of soil carbon of fields far apart: grid, system, names of the bands, missing value, every
// pixel, and the value at a place in degrees.
func TestGDALReadsCarbonRasters(t *testing.T) {
	t.Parallel()
	in := carbonOf(t, shown.Plan(t, shown.Scattered))
	f := in.Frame
	var file bytes.Buffer
	require.NoError(t, stratificationFiles.WriteCarbon(&file, ports.GeoTIFF, in))
	path := filepath.Join(t.TempDir(), "carbon.tif")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))

	var info struct {
		Size             [2]int
		GeoTransform     [6]float64
		CoordinateSystem struct{ WKT string }
		Metadata         map[string]map[string]string
		Bands            []struct {
			Type, Description string
			NoDataValue       float64
			Block             [2]int
		}
	}
	require.NoError(t, json.Unmarshal(gdal(t, "gdalinfo", "-json", path), &info))
	require.Equal(t, [2]int{f.Cols, f.Rows}, info.Size)
	require.Equal(t, [6]float64{f.OriginX, f.CellSize, 0, f.OriginY, 0, -f.CellSize}, info.GeoTransform)
	require.Contains(t, info.CoordinateSystem.WKT, `WGS 84 / UTM zone 31N`)
	require.Regexp(t, `ID\["EPSG",32631\]\]$`, info.CoordinateSystem.WKT)
	require.Equal(t, "Area", info.Metadata[""]["AREA_OR_POINT"])
	figures := []func(carbon.Figure) float64{
		func(f carbon.Figure) float64 { return f.Mean }, func(f carbon.Figure) float64 { return f.Low }, func(f carbon.Figure) float64 { return f.High },
	}
	require.Len(t, info.Bands, len(figures))
	for i, name := range []string{"soil organic carbon, 0 to 30 cm, t C/ha", "lower end of the 90 % interval", "upper end of the 90 % interval"} {
		require.Equal(t, name, info.Bands[i].Description)
		require.Equal(t, "Float32", info.Bands[i].Type)
		require.InDelta(t, -9999, info.Bands[i].NoDataValue, 0)
	}

	raw := filepath.Join(t.TempDir(), "carbon.raw") // the bands one after the other
	gdal(t, "gdal_translate", "-q", "-of", "ENVI", "-co", "INTERLEAVE=BSQ", path, raw)
	data, err := os.ReadFile(raw)
	require.NoError(t, err)
	pixels := f.Cols * f.Rows
	require.Len(t, data, 4*pixels*len(figures))
	for band, figure := range figures {
		want := make([]float32, pixels)
		for i := range want {
			want[i] = -9999
		}
		for i, c := range f.Cells {
			want[int(c.Row)*f.Cols+int(c.Col)] = float32(figure(in.Carbon.Zones[in.Strata[i]-1].Stock))
		}
		got := make([]float32, pixels)
		for i := range got {
			got[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*(band*pixels+i):]))
		}
		require.True(t, slices.Equal(want, got), "band %d", band+1)
	}

	for _, i := range []int{0, len(f.Cells) / 2, len(f.Cells) - 1} {
		at, _ := f.LonLat(f.Centre(i))
		said := gdal(t, "gdallocationinfo", "-valonly", "-wgs84", path, fmt.Sprint(at.X), fmt.Sprint(at.Y))
		for band, text := range strings.Fields(string(said)) {
			v, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			require.InDelta(t, figures[band](in.Carbon.Zones[in.Strata[i]-1].Stock), v, 1e-5)
		}
		require.Len(t, strings.Fields(string(said)), len(figures))
	}
}

func TestGDALReadsCarbonZones(t *testing.T) {
	t.Parallel()
	in := carbonOf(t, shown.Plan(t, shown.Scattered))
	for format, name := range map[string]string{ports.GeoJSON: "c.geojson", ports.KML: "c.kml", ports.SHP: "c.zip"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var file bytes.Buffer
			require.NoError(t, stratificationFiles.WriteCarbon(&file, format, in))
			found := readByGDAL(t, name, file.Bytes(), "-nlt", "PROMOTE_TO_MULTI")
			require.Len(t, found, len(in.Carbon.Zones))
			for i, z := range in.Carbon.Zones {
				f := found[i]
				require.InEpsilon(t, geo.AreaM2(in.Map.Candidate.Zones[i].Geometry), geo.AreaM2(f.outline(t)), 1e-6)
				require.Equal(t, strconv.Itoa(z.Zone), f.attribute("zone"))
				require.Equal(t, strconv.Itoa(z.Points), f.attribute("points"))
				for want, names := range map[float64][]string{
					z.Stock.Mean: {"stock_t_c_ha", "stock"}, z.Stock.Low: {"stock_low_t_c_ha", "stock_low"}, z.Stock.High: {"stock_high_t_c_ha", "stock_high"},
					z.SOC.Mean: {"soc_pct"}, 30: {"depth_to_cm", "to_cm"},
				} {
					got, err := strconv.ParseFloat(f.attribute(names...), 64)
					require.NoError(t, err, "%v", names)
					require.InEpsilon(t, want, got, 1e-9, "%v", names)
				}
			}
		})
	}
}

// The route of a plan is a line through its samples in their order.
func TestGDALReadsRoutes(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.Scattered)
	found := readByGDAL(t, "p.gpx", planFile(t, ports.GPX, plan), "routes")
	require.Len(t, found, 1)
	require.Equal(t, "LineString", found[0].Geometry.Type)
	var line [][]float64
	require.NoError(t, json.Unmarshal(found[0].Geometry.Coordinates, &line))
	require.Len(t, line, plan.Plan.Plan.Samples)
	for i, at := range line {
		p := plan.Plan.Plan.Points[i]
		require.InDelta(t, p.LonLat.X, at[0], 1e-6)
		require.InDelta(t, p.LonLat.Y, at[1], 1e-6)
	}
}
