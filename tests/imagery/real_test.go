package imagery_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/realdata"
)

func table(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(realdata.Path(t, "satellite", "reference", name))
	require.NoError(t, err)
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = -1 // a date without a valid pixel has no figures
	lines, err := in.ReadAll()
	require.NoError(t, err)
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, v := range line {
			row[lines[0][i]] = v
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return v
}

// outlines returns the polygons of the reference by id.
func outlines(t *testing.T) map[string]geo.MultiPolygon {
	t.Helper()
	raw, err := os.ReadFile(realdata.Path(t, "satellite", "reference", "epsg32631_test_polygons.geojson"))
	require.NoError(t, err)
	var file struct {
		Features []struct {
			Properties struct{ ID string }
			Geometry   json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(raw, &file))
	out := map[string]geo.MultiPolygon{}
	for _, f := range file.Features {
		b, err := geo.ParseGeoJSON(nil, f.Geometry, geo.DefaultLimits())
		require.NoError(t, err)
		out[f.Properties.ID] = b.Geometry()
	}
	return out
}

// The reference counts two snow pixels whose EVI has a negative denominator and therefore
// values far outside the index; satellite.md 3.6 drops such pixels. They lie in these two
// polygons on this date.
func negativeDenominator(row map[string]string) bool {
	return row["index"] == "EVI" && row["date"] == "2021-02-01" && (row["polygon"] == "p4" || row["polygon"] == "p5")
}

// Ten indices, from 10 m and 20 m bands, over five polygons and twelve months.
func TestBelgianIndices(t *testing.T) {
	imagery := openFolder(t, realdata.Path(t, "satellite", "s2-belgium-haspengouw-2020-21-monthly"))
	polygons := outlines(t)
	computed := map[string]vegetation.Series{}
	compared, left := 0, 0
	for _, row := range table(t, "belgium_indices.csv") {
		key := row["polygon"] + " " + row["index"]
		s, ok := computed[key]
		if !ok {
			s = compute(t, imagery, polygons[row["polygon"]], vegetation.IndexCode(row["index"]), "2020-11-01", "2021-10-31", vegetation.MaskStandard)
			require.True(t, s.NoSCL, "the composites have no classification, and the answer says so")
			computed[key] = s
		}
		pixels, valid := int(number(t, row["n_geom"])), int(number(t, row["n_valid"]))
		i := slices.IndexFunc(s.Observations, func(o vegetation.Observation) bool { return o.Date.Equal(day(row["date"])) })
		if 2*valid < pixels {
			require.Negative(t, i, "%v", row)
			continue
		}
		require.GreaterOrEqual(t, i, 0, "%v %v", row, s.Rejected)
		o := s.Observations[i]
		require.Equal(t, pixels, o.NPolygon, "%v", row)
		if negativeDenominator(row) {
			require.Less(t, o.NValid, valid, "%v", row)
			left++
			continue
		}
		require.Equal(t, valid, o.NValid, "%v", row)
		for column, got := range map[string]float64{"mean": o.Value, "median": o.Median, "std_pop": o.Std, "min": o.Min, "max": o.Max} {
			require.InDelta(t, number(t, row[column]), got, 1e-6, "%s of %v", column, row)
		}
		compared++
	}
	require.Equal(t, 2, left)
	require.Equal(t, 498, compared)
	t.Logf("%d rows of the reference agree to 1e-6", compared)
}

const slovenia = "s2-slovenia-2tiles-2023-120m"

// tileScene returns the scene of a tile on 15 August.
func tileScene(t *testing.T, imagery ports.Imagery, tile string) vegetation.Scene {
	t.Helper()
	everywhere := geo.MultiPolygon{{{{X: 15, Y: 45}, {X: 16, Y: 45}, {X: 16, Y: 47}, {X: 15, Y: 47}, {X: 15, Y: 45}}}}
	scenes, err := imagery.Search(t.Context(), everywhere, day("2023-08-15"), day("2023-08-16"))
	require.NoError(t, err)
	i := slices.IndexFunc(scenes, func(s vegetation.Scene) bool { return s.Tile == tile })
	require.GreaterOrEqual(t, i, 0)
	return scenes[i]
}

// tileRasters reads a whole scene.
func tileRasters(t *testing.T, imagery ports.Imagery, s vegetation.Scene) map[vegetation.Band]vegetation.Raster {
	t.Helper()
	out := map[vegetation.Band]vegetation.Raster{}
	for _, b := range []vegetation.Band{vegetation.B04, vegetation.B08, vegetation.SCL} {
		g, err := imagery.Grid(t.Context(), s, b)
		require.NoError(t, err)
		out[b], err = imagery.Read(t.Context(), s, b, vegetation.Window{Width: g.Width, Height: g.Height})
		require.NoError(t, err)
	}
	return out
}

// The offset trap: every item states that the offset of -0.1 was applied, and states it
// again. Clear vegetation has 0.84 if read correctly, and 1.56 with the offset applied twice.
func TestTheOffsetTrap(t *testing.T) {
	imagery := openFolder(t, realdata.Path(t, "satellite", slovenia))
	for tile, want := range map[string]float64{"33TWM": 0.836, "33TWL": 0.808} {
		r := tileRasters(t, imagery, tileScene(t, imagery, tile))
		red, nir := r[vegetation.B04], r[vegetation.B08]
		require.Equal(t, vegetation.OffsetByFlag, red.OffsetBasis)
		var values []float64
		for i, class := range r[vegetation.SCL].DN {
			if class != 4 || red.DN[i] == 0 || nir.DN[i] == 0 {
				continue
			}
			a, b := red.Reflectance(float64(red.DN[i])), nir.Reflectance(float64(nir.DN[i]))
			values = append(values, (b-a)/(b+a))
		}
		slices.Sort(values)
		require.InDelta(t, want, values[len(values)/2], 0.001, tile)
	}
}

// oneTile is an archive of which only one tile is looked at.
type oneTile struct {
	ports.Imagery
	tile string
}

func (o oneTile) Search(ctx context.Context, boundary geo.MultiPolygon, from, to time.Time) ([]vegetation.Scene, error) {
	scenes, err := o.Imagery.Search(ctx, boundary, from, to)
	return slices.DeleteFunc(scenes, func(s vegetation.Scene) bool { return s.Tile != o.tile }), err
}

// A field across the edge of a tile is merged from two tiles whose grids are half a
// pixel apart: the figures are the same as from a loop over all pixels.
func TestTwoTilesMerge(t *testing.T) {
	imagery := openFolder(t, realdata.Path(t, "satellite", slovenia))
	// 33TWM ends at 5,090,220 m in the south, 33TWL at 5,100,000 m in the north.
	const minX, minY, maxX, maxY = 550000, 5086000, 556000, 5099000
	field := rectangle(t, 32633, minX, minY, maxX, maxY)
	on := func(imagery ports.Imagery) vegetation.Observation {
		s := compute(t, imagery, field, vegetation.NDVI, "2023-08-15", "2023-08-15", vegetation.MaskStandard)
		return observed(t, s)
	}
	merged := on(imagery)
	require.Equal(t, []string{"S2A_33TWL_20230815_0_L2A", "S2A_33TWM_20230815_0_L2A"}, merged.Items)
	for _, o := range merged.Offsets {
		require.Equal(t, [2]any{0.0, vegetation.OffsetByFlag}, [2]any{o.Offset, o.Basis})
	}
	south, north := on(oneTile{imagery, "33TWL"}), on(oneTile{imagery, "33TWM"})
	require.Greater(t, merged.NValid, south.NValid)
	require.Greater(t, south.Coverage, north.Coverage)

	first, second := tileRasters(t, imagery, tileScene(t, imagery, "33TWL")), tileRasters(t, imagery, tileScene(t, imagery, "33TWM"))
	ndvi := func(r map[vegetation.Band]vegetation.Raster, x, y float64) (float64, bool) {
		g := r[vegetation.SCL].Grid
		col, row := int((x-g.OriginX)/120), int((g.OriginY-y)/120)
		if y > g.OriginY || col >= g.Width || row >= g.Height {
			return 0, false
		}
		i := row*g.Width + col
		red, nir := float64(r[vegetation.B04].DN[i]), float64(r[vegetation.B08].DN[i])
		return (nir - red) / (nir + red), slices.Contains([]uint16{4, 5, 6, 7}, r[vegetation.SCL].DN[i]) && red > 0 && nir > 0
	}
	pixels, valid, sum := 0, 0, 0.0
	g := first[vegetation.B04].Grid
	for row := range g.Height {
		for col := range g.Width {
			x, y := g.OriginX+120*float64(col)+60, g.OriginY-120*float64(row)-60
			if x < minX || x > maxX || y < minY || y > maxY {
				continue
			}
			pixels++
			v, ok := ndvi(first, x, y)
			if !ok {
				v, ok = ndvi(second, x, y)
			}
			if ok {
				valid, sum = valid+1, sum+v
			}
		}
	}
	require.Equal(t, [2]int{valid, pixels}, [2]int{merged.NValid, merged.NPolygon})
	require.InDelta(t, sum/float64(valid), merged.Value, 1e-12)
}

func TestSpanishSeries(t *testing.T) {
	dir := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	raw, err := os.ReadFile(filepath.Join(dir, "field.geojson"))
	require.NoError(t, err)
	b, err := geo.ParseGeoJSON(nil, raw, geo.DefaultLimits())
	require.NoError(t, err)
	s := compute(t, openFolder(t, dir), b.Geometry(), vegetation.NDVI, "2019-01-01", "2019-12-31", vegetation.MaskStandard)
	require.Equal(t, [2]int{31, 2}, [2]int{len(s.Observations), len(s.Rejected)})
	byDay := map[time.Time]vegetation.Observation{}
	for _, o := range s.Observations {
		byDay[o.Date] = o
	}
	for _, row := range table(t, "spain_ndvi.csv") {
		o, ok := byDay[day(row["date"])]
		if !ok {
			require.Less(t, number(t, row["n_valid"]), number(t, row["n_geom"])/2)
			continue
		}
		require.Equal(t, [2]float64{number(t, row["n_geom"]), number(t, row["n_valid"])}, [2]float64{float64(o.NPolygon), float64(o.NValid)})
		for column, got := range map[string]float64{"mean": o.Value, "median": o.Median, "std_pop": o.Std, "min": o.Min, "max": o.Max} {
			require.InDelta(t, number(t, row[column]), got, 1e-6, "%s of %v", column, row)
		}
	}
}
