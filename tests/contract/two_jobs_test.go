package contract

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// maxRequests is the maximum number of requests that an integration job may take, not counting polls.
const maxRequests = 15

// counted is a client that counts its requests.
type counted struct {
	*rig.Client
	t        *testing.T
	requests int
}

func (c *counted) ask(method, path string, body any) map[string]any {
	c.requests++
	return c.Expect(http.StatusOK, method, path, body).Data(c.t)
}

func (c *counted) upload(path, media, body string) map[string]any {
	c.requests++
	a := c.Upload(path, media, strings.NewReader(body))
	require.Equal(c.t, http.StatusOK, a.Status, string(a.Body))
	return a.Data(c.t)
}

func (c *counted) end() {
	c.t.Logf("%d requests", c.requests)
	require.LessOrEqual(c.t, c.requests, maxRequests)
}

// size is the size of the job with make clients; every test run does a small one, with as many requests.
func size(small, whole int) int {
	if os.Getenv("TILTH_CLIENTS") != "" {
		return whole
	}
	return small
}

func each[T any](t *testing.T, data map[string]any, list string, of func(record map[string]any) T) []T {
	t.Helper()
	var out []T
	for _, one := range data[list].([]any) {
		out = append(out, of(one.(map[string]any)))
	}
	return out
}

// TestSuppliersFromOutlinesToSeries sends the outlines of the fields of three suppliers, and reads the series of all.
func TestSuppliersFromOutlinesToSeries(t *testing.T) {
	t.Parallel()
	const suppliers = 3
	fields := size(4, 40)
	s := rig.Start(t, rig.Options{})
	c := &counted{Client: s.Company(access.RoleOwner, 10_000_00), t: t}
	c.requests++ // to sign in
	var farms []any
	for i := range suppliers {
		farms = append(farms, map[string]any{"name": fmt.Sprintf("Supplier %d", i+1), "external_id": fmt.Sprintf("S%d", i+1)})
	}
	c.requests++
	var made []struct{ ID int64 }
	c.Expect(http.StatusOK, http.MethodPost, "farm/", farms).Into(t, &made)
	at := rig.Archive(t).Parcels[0].Boundary[0][0][0]
	for i, farm := range made {
		var features []any
		for k := range fields {
			x, y := at.X+0.0005*float64(k%10), at.Y+0.0004*float64(k/10+4*i)
			ring := [][]float64{{x, y}, {x + 0.0004, y}, {x + 0.0004, y + 0.0003}, {x, y + 0.0003}, {x, y}}
			features = append(features, map[string]any{"type": "Feature", "properties": map[string]any{"name": fmt.Sprint("Field ", k), "ref": fmt.Sprintf("S%d-%d", i+1, k)},
				"geometry": map[string]any{"type": "Polygon", "coordinates": [][][]float64{ring}}})
		}
		text, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": features})
		require.NoError(t, err)
		require.EqualValues(t, fields, c.upload(importPath(farm.ID, "&external_id_property=ref"), "application/geo+json", string(text))["created"])
	}
	season := c.ask(http.MethodPost, "season/", map[string]any{"name": "2025", "start_date": "2025-05-01", "end_date": "2025-06-30"})["id"]
	crop := each(t, c.ask(http.MethodGet, "crop/?search=wheat", nil), "results", func(crop map[string]any) any { return crop["id"] })[0]
	listed := c.ask(http.MethodGet, "field/?page=all", nil)
	c.requests++
	c.Expect(http.StatusOK, http.MethodPost, "cultivation/", each(t, listed, "results", func(field map[string]any) any {
		return map[string]any{"field_id": field["id"], "season_id": season, "crop_id": crop}
	}))
	placed := c.ask(http.MethodPost, rig.OrdersPath+"batch/", each(t, listed, "results", func(field map[string]any) any {
		return map[string]any{"field_uuid": field["uuid"], "season_id": season}
	}))
	for _, order := range each(t, placed, "items", func(item map[string]any) int64 { return int64(item["order_id"].(float64)) }) {
		c.Until(order, "active")
	}
	c.requests++
	lines := strings.Split(strings.TrimSpace(string(c.Expect(http.StatusOK, http.MethodGet, seriesPath, nil).Body)), "\n")
	require.Len(t, lines, suppliers*fields)
	c.end()
}

// TestAssessmentsFromATableToReports turns a table of assessments into submitted versions with their reports.
func TestAssessmentsFromATableToReports(t *testing.T) {
	t.Parallel()
	many := size(3, 30)
	s := rig.Start(t, rig.Options{})
	c := &counted{Client: s.Company(access.RoleOwner, 0), t: t}
	farm := newFarm(c.Client)
	var table strings.Builder
	out := csv.NewWriter(&table)
	for i := range many {
		field := c.Make("field/", map[string]any{"name": fmt.Sprint("Field ", i), "farm_id": farm, "external_id": fmt.Sprint("F", i)})
		if i == 0 { // its table is the template for all
			assess(t, c.Client, riceBody(t, "field", field))
			rows, err := csv.NewReader(strings.NewReader(string(c.Expect(http.StatusOK, http.MethodGet, assessmentsPath+"export/", nil).Body))).ReadAll()
			require.NoError(t, err)
			id, year := slices.Index(rows[0], "id"), slices.Index(rows[0], "assessment_year")
			external, own, name := slices.Index(rows[0], "resource_external_id"), slices.Index(rows[0], "resource_id"), slices.Index(rows[0], "resource_name")
			require.NoError(t, out.Write(rows[0]))
			for k := range many {
				row := slices.Clone(rows[1])
				row[id], row[own], row[name], row[external], row[year] = "", "", "", fmt.Sprint("F", k), "2023"
				require.NoError(t, out.Write(row))
			}
		}
	}
	out.Flush()

	c.requests++ // to sign in
	imported := c.upload(assessmentsPath+"import/?atomic=true", "text/csv", table.String())
	require.Equal(t, map[string]any{"create": float64(many)}, imported["counts"], "%v", imported)
	ids := each(t, imported, "items", func(item map[string]any) any { return item["assessment_id"] })
	submitted := c.ask(http.MethodPost, assessmentsPath+"submit/", map[string]any{"ids": ids})
	require.Equal(t, map[string]any{"submitted": float64(many)}, submitted["counts"], "%v", submitted)
	c.requests++
	reports := c.Expect(http.StatusOK, http.MethodPost, assessmentsPath+"reports/", map[string]any{"ids": ids, "basis": "submitted"})
	require.Len(t, unzipped(t, reports.Body), many+1, "a report each, and the manifest")
	c.end()
}
