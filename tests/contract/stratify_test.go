package contract

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/geo"
	"tilth/tests/realdata"
)

// zonesPrinted is the JSON of `tilth stratify`.
type zonesPrinted struct {
	Zones, Recommended, Cells int
	Seed                      uint64
	AreaHa                    float64 `json:"area_ha"`
	Candidates                []struct {
		K             int
		IsRecommended bool `json:"is_recommended"`
		NNeeded       int  `json:"n_needed"`
		Zones         []struct {
			Zone, Cells, Parts int
			AreaHa             float64 `json:"area_ha"`
			Means              map[string]float64
		}
		Labels [][3]int
	}
}

func TestStratifyATable(t *testing.T) {
	t.Parallel()
	cells := realdata.Path(t, "stratification", "wheat-field.csv")
	args := []string{"stratify", "--cells", cells, "--layers", "CE30,CE90,Elev,Pe", "--epsg", "32720"}
	out, errOut, status := run(t, "sqlite:unused.db", "", append(args, "--max-zones", "4", "--labels", "--seed", "5")...)
	require.Zero(t, status, errOut)
	var got zonesPrinted
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, 5982, got.Cells)
	require.Equal(t, uint64(5), got.Seed)
	require.InDelta(t, 59.8161, got.AreaHa, 0.0001)
	require.Len(t, got.Candidates, 3)
	for i, c := range got.Candidates {
		require.Equal(t, i+2, c.K)
		require.Equal(t, c.K == got.Recommended, c.IsRecommended)
		require.Len(t, c.Zones, c.K)
		require.Len(t, c.Labels, 5982)
		require.Equal(t, [2]int{0, 62}, [2]int(c.Labels[0][:2]), "rows and columns are the table's")
		require.Len(t, c.Zones[0].Means, 4)
	}
	again, _, _ := run(t, "sqlite:unused.db", "", append(args, "--max-zones", "4", "--labels", "--seed", "5")...)
	require.Equal(t, out, again)

	out, errOut, status = run(t, "sqlite:unused.db", "", append(args, "--zones", "3", "--format", "geojson",
		"--boundary", realdata.Path(t, "stratification", "wheat-boundary.geojson"))...)
	require.Zero(t, status, errOut)
	var collection struct {
		Type     string
		Features []struct {
			Properties struct {
				Zone   int
				AreaHa float64 `json:"area_ha"`
			}
			Geometry geo.MultiPolygon
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &collection))
	require.Len(t, collection.Features, 3)
	total := 0.0
	for _, zone := range collection.Features {
		require.True(t, zone.Geometry.IsValid())
		total += geo.AreaM2(zone.Geometry) / 10_000
	}
	require.InDelta(t, 59.8161, total, 0.06)
}

func TestStratifyRasters(t *testing.T) {
	t.Parallel()
	folder := realdata.Path(t, "satellite", "s2-spain-valladolid-2019")
	rasters, err := filepath.Glob(filepath.Join(folder, "*", "B08*.tif"))
	require.NoError(t, err)
	require.NotEmpty(t, rasters)
	out, errOut, status := run(t, "sqlite:unused.db", "", "stratify", "--raster", rasters[len(rasters)/2], "--boundary", filepath.Join(folder, "field.geojson"), "--max-zones", "4")
	require.Zero(t, status, errOut)
	var got zonesPrinted
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.InDelta(t, 23.24, got.AreaHa, 0.01)
	require.InDelta(t, 2324, got.Cells, 25)
	require.GreaterOrEqual(t, got.Recommended, 2)
}

func TestStratifySaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	cells := realdata.Path(t, "stratification", "wheat-field.csv")
	for want, c := range map[string]struct {
		status int
		args   []string
	}{
		"needs --cells or --raster":  {2, nil},
		"--format is one of":         {2, []string{"--cells", cells, "--format", "gif"}},
		"--zones is one number":      {2, []string{"--cells", cells, "--zones", "3", "--max-zones", "4"}},
		"zones: It must be a whole":  {1, []string{"--cells", cells, "--zones", "9"}},
		"layers: There is no layer":  {1, []string{"--cells", cells, "--layers", "nope"}},
		"is not a weight":            {1, []string{"--cells", cells, "--weights", "CE30"}},
		"weights: The weight of":     {1, []string{"--cells", cells, "--weights", "CE30=0"}},
		"spatial_weight: It must be": {1, []string{"--cells", cells, "--spatial-weight", "NaN"}},
		"does not lie on the grid":   {1, []string{"--cells", cells, "--cell-size", "12"}},
		"epsg: GeoJSON is in":        {1, []string{"--cells", cells, "--max-zones", "2", "--format", "geojson"}},
		"no room for two zones":      {1, []string{"--cells", cells, "--min-zone-area", "40"}},
		"is not a WGS84 UTM zone":    {1, []string{"--cells", cells, "--epsg", "4326"}},
		`"north" is not a place`:     {1, []string{"--cells", cells, "--epsg", "32720", "--start", "north"}},
		"end: An end needs a start.": {1, []string{"--cells", cells, "--epsg", "32720", "--max-zones", "2", "--end", "-65.13,-37.92"}},
		"start: It lies ":            {1, []string{"--cells", cells, "--epsg", "32720", "--max-zones", "2", "--start", "-37.92,-65.13"}},
		"it is not a TIFF":           {1, []string{"--raster", cells}},
		"no such file":               {1, []string{"--cells", "gone.csv"}},
		"There is no file gone.tif.": {1, []string{"--raster", "gone.tif"}},
	} {
		_, errOut, status := run(t, "sqlite:unused.db", "", append([]string{"stratify"}, c.args...)...)
		require.Equal(t, c.status, status, "%v: %s", c.args, errOut)
		require.Contains(t, errOut, want)
	}
}

func TestStratifyMakesAPlan(t *testing.T) {
	t.Parallel()
	cells := realdata.Path(t, "stratification", "wheat-field.csv")
	args := []string{"stratify", "--cells", cells, "--layers", "CE30,Elev", "--epsg", "32720", "--zones", "3", "--seed-phrase", "Ten old oaks", "--samples", "24",
		"--start", "-65.00,-37.92", "--end", "-65.26,-37.92"}
	out, errOut, status := run(t, "sqlite:unused.db", "", append(args, "--offset", "15", "--placement", "spatially_balanced")...)
	require.Zero(t, status, errOut)
	var got struct {
		Plan struct {
			NumberOfSamples int `json:"number_of_samples"`
			NumberOfReserve int `json:"number_of_reserve"`
			ZoneOffset      int `json:"zone_offset"`
			Start, End      []float64
			DriveKm         float64 `json:"drive_km"`
			Placement       string
			SeedOrigin      struct{ Source, Text string }           `json:"seed_origin"`
			PerZone         []struct{ Zone, Samples, Reserves int } `json:"per_zone"`
			Points          []struct {
				ID, Role          string
				Zone              int
				Lon, Lat          float64
				Easting, Northing float64
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	plan := got.Plan
	require.Equal(t, "phrase", plan.SeedOrigin.Source)
	require.Regexp(t, "^tilth seed phrase [0-9a-f-]{36} Ten old oaks$", plan.SeedOrigin.Text)
	require.Equal(t, 24, plan.NumberOfSamples)
	require.Equal(t, [][]float64{{-65, -37.92}, {-65.26, -37.92}}, [][]float64{plan.Start, plan.End})
	require.InDelta(t, 1.3*0.26*87.9, plan.DriveKm, 2, "from the east to the west: a degree is 87.9 km there")
	require.Greater(t, plan.Points[0].Lon, plan.Points[23].Lon)
	require.Equal(t, 15, plan.ZoneOffset)
	require.Equal(t, "spatially_balanced", plan.Placement)
	require.Len(t, plan.Points, 24+plan.NumberOfReserve)
	counts := map[int]int{}
	for _, p := range plan.Points {
		require.InDelta(t, -65.13, p.Lon, 0.02)
		require.InDelta(t, -37.92, p.Lat, 0.02)
		counts[p.Zone]++
	}
	for _, z := range plan.PerZone {
		require.Equal(t, z.Samples+z.Reserves, counts[z.Zone])
	}
	again, _, _ := run(t, "sqlite:unused.db", "", append(args, "--offset", "15", "--placement", "spatially_balanced")...)
	require.Equal(t, out, again)

	out, errOut, status = run(t, "sqlite:unused.db", "", append(args, "--format", "geojson")...)
	require.Zero(t, status, errOut)
	require.Contains(t, out, `"type":"Point"`)
	_, errOut, status = run(t, "sqlite:unused.db", "", append(args, "--offset", "100")...)
	require.NotZero(t, status)
	require.Contains(t, errOut, "The points do not fit at 100 m")
	require.Regexp(t, `With an offset of \d+ m they fit`, errOut)
}
