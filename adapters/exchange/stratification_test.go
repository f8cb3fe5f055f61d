package exchange_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/geo"
	soilplan "tilth/core/stratification/plan"
	"tilth/ports"
	"tilth/tests/shown"
)

var stratificationFiles exchange.StratificationFiles

func planFile(t *testing.T, format string, plan ports.ShownPlan) []byte {
	t.Helper()
	var out, again bytes.Buffer
	require.NoError(t, stratificationFiles.WritePlan(&out, format, plan))
	require.NoError(t, stratificationFiles.WritePlan(&again, format, plan))
	require.Equal(t, out.Bytes(), again.Bytes(), "the same plan gives the same bytes")
	return out.Bytes()
}

func zonesFile(t *testing.T, format string, zones ports.ShownMap) []byte {
	t.Helper()
	var out, again bytes.Buffer
	require.NoError(t, stratificationFiles.WriteZones(&out, format, zones))
	require.NoError(t, stratificationFiles.WriteZones(&again, format, zones))
	require.Equal(t, out.Bytes(), again.Bytes(), "the same map gives the same bytes")
	return out.Bytes()
}

func TestPointsAsCSV(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.Scattered)
	plan.Fields[0].Name = "=cmd|' /C calc'!A0"
	rows, err := csv.NewReader(bytes.NewReader(planFile(t, ports.CSV, plan))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"id", "field", "zone", "lon", "lat", "easting", "northing", "epsg", "role", "field_order", "walk", "composite"}, rows[0])
	order := plan.Plan.Plan.FieldOrder()
	require.Len(t, rows, 1+len(plan.Plan.Plan.Points))
	for i, p := range plan.Plan.Plan.Points {
		name := plan.Fields[p.Field].Name
		if p.Field == 0 {
			name = "'" + name // not a formula for a spreadsheet
		}
		require.Equal(t, []string{
			p.ID, name, strconv.Itoa(p.Zone), fmt.Sprintf("%.7f", p.LonLat.X), fmt.Sprintf("%.7f", p.LonLat.Y),
			fmt.Sprintf("%.2f", p.At.X), fmt.Sprintf("%.2f", p.At.Y), "32631", string(p.Role),
			strconv.Itoa(order[p.Field]), strconv.Itoa(p.Walk), p.CompositeID(),
		}, rows[i+1])
	}
}

func TestZonesAsCSV(t *testing.T) {
	t.Parallel()
	zones := shown.Plan(t, shown.One).ShownMap
	rows, err := csv.NewReader(bytes.NewReader(zonesFile(t, ports.CSV, zones))).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"id", "zone", "area_ha", "share", "cells", "parts", "seed", "mean_ndvi_mean", "sd_ndvi_mean", "mean_clay_content", "sd_clay_content"}, rows[0])
	share := 0.0
	for i, z := range zones.Map.Candidate.Zones {
		require.Equal(t, fmt.Sprintf("%.4f", z.AreaHa), rows[i+1][2])
		part, err := strconv.ParseFloat(rows[i+1][3], 64)
		require.NoError(t, err)
		share += part
	}
	require.InDelta(t, 1, share, 1e-5)
}

func TestPointsAsGeoJSON(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.One)
	var got struct {
		Features []struct {
			Properties map[string]any
			Geometry   struct {
				Type        string
				Coordinates [2]float64
			}
		}
	}
	require.NoError(t, json.Unmarshal(planFile(t, ports.GeoJSON, plan), &got))
	require.Len(t, got.Features, len(plan.Plan.Plan.Points))
	for i, p := range plan.Plan.Plan.Points {
		f := got.Features[i]
		require.Equal(t, "Point", f.Geometry.Type)
		require.Equal(t, [2]float64{p.LonLat.X, p.LonLat.Y}, f.Geometry.Coordinates)
		require.Equal(t, p.ID, f.Properties["id"])
		require.Equal(t, string(p.Role), f.Properties["role"])
		require.InDelta(t, p.Zone, f.Properties["zone"], 0)
		require.InDelta(t, 1, f.Properties["field_order"], 0)
		require.InDelta(t, p.Walk, f.Properties["walk"], 0)
		require.InDelta(t, float64(plan.Plan.Plan.Params.Seed), f.Properties["seed"], 0)
	}
}

func TestGPXKeepsToTheSchema(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.Scattered)
	file := planFile(t, ports.GPX, plan)
	var got struct {
		XMLName   xml.Name
		Version   string `xml:"version,attr"`
		Name      string `xml:"metadata>name"`
		Waypoints []struct {
			Lat  float64 `xml:"lat,attr"`
			Lon  float64 `xml:"lon,attr"`
			Name string  `xml:"name"`
			Desc string  `xml:"desc"`
			Type string  `xml:"type"`
		} `xml:"wpt"`
		Route struct {
			Name   string `xml:"name"`
			Desc   string `xml:"desc"`
			Points []struct {
				Name string `xml:"name"`
			} `xml:"rtept"`
		} `xml:"rte"`
	}
	require.NoError(t, xml.Unmarshal(file, &got))
	require.Equal(t, xml.Name{Space: "http://www.topografix.com/GPX/1/1", Local: "gpx"}, got.XMLName)
	require.Equal(t, "1.1", got.Version)
	require.Equal(t, "Ferme de l'Étang & <fils>", got.Name)
	require.Len(t, got.Waypoints, len(plan.Plan.Plan.Points))
	for i, p := range plan.Plan.Plan.Points {
		w := got.Waypoints[i]
		require.LessOrEqual(t, len(w.Name), 10)
		require.Equal(t, p.ID, w.Name)
		require.Equal(t, string(p.Role), w.Type)
		require.Contains(t, w.Desc, plan.Fields[p.Field].Name)
		require.Equal(t, *p.LonLat, geo.Position{X: w.Lon, Y: w.Lat})
	}
	require.Equal(t, got.Name, got.Route.Name)
	require.Len(t, got.Route.Points, plan.Plan.Plan.Samples, "reserves are no part of the way")
	for i, p := range got.Route.Points {
		require.Equal(t, plan.Plan.Plan.Points[i].ID, p.Name)
	}
	require.Regexp(t, `^\d+\.\d km along the samples, \d+\.\d km of it between fields$`, got.Route.Desc)
	require.Contains(t, got.Waypoints[0].Desc, "(field 1 on the way, point 1 of the walk)")

	plan.Plan.Plan.Params.Journey = soilplan.Journey{Start: &soilplan.Terminus{LonLat: geo.Position{X: 3.25, Y: 48.5}}}
	got.Route.Points = nil
	require.NoError(t, xml.Unmarshal(planFile(t, ports.GPX, plan), &got))
	require.Len(t, got.Route.Points, plan.Plan.Plan.Samples+1)
	require.Equal(t, "start", got.Route.Points[0].Name)
}

// A shapefile has all of its files under the name of the archive, outer rings clockwise and
// names of at most ten characters, each once.
func TestShapefilesOfZones(t *testing.T) {
	t.Parallel()
	zones := shown.Plan(t, shown.One).ShownMap
	file := zonesFile(t, ports.SHP, zones)
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	content := map[string][]byte{}
	for _, entry := range archive.File {
		in, err := entry.Open()
		require.NoError(t, err)
		content[entry.Name], err = io.ReadAll(in)
		require.NoError(t, err)
	}
	for _, ending := range []string{"shp", "shx", "dbf", "prj", "cpg"} {
		require.NotEmpty(t, content["area-k3."+ending])
	}
	require.Equal(t, "UTF-8", string(content["area-k3.cpg"]))
	require.Contains(t, string(content["area-k3.prj"]), "WGS_1984")
	names := map[string]bool{}
	for head := content["area-k3.dbf"][32:]; head[0] != '\r'; head = head[32:] {
		name := strings.TrimRight(string(head[:11]), "\x00")
		require.LessOrEqual(t, len(name), 10)
		require.False(t, names[name], name)
		names[name] = true
	}
	require.Contains(t, names, "m1_ndvi_me")
	require.Contains(t, names, "s2_clay_co")
	for _, z := range zones.Map.Candidate.Zones {
		for _, polygon := range z.Geometry {
			require.Positive(t, signedArea(polygon[0]), "GeoJSON has outer rings counter-clockwise, and the shapefile turns them")
		}
	}
}

func signedArea(ring geo.Ring) float64 {
	sum := 0.0
	for i := 1; i < len(ring); i++ {
		sum += (ring[i].X-ring[0].X)*(ring[i-1].Y-ring[0].Y)*-1 + (ring[i-1].X-ring[0].X)*(ring[i].Y-ring[0].Y)
	}
	return sum
}

func TestUnknownFormats(t *testing.T) {
	t.Parallel()
	plan := shown.Plan(t, shown.North)
	require.Error(t, stratificationFiles.WritePlan(io.Discard, "dxf", plan))
	require.Error(t, stratificationFiles.WriteZones(io.Discard, ports.GPX, plan.ShownMap))
}
