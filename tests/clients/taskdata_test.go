package clients_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// A third-party library (isoxml) reads task data without a remark: fields with their outlines, farms, crops, products,
// and the places of samples.
func TestTaskDataIsReadByOthers(t *testing.T) {
	has(t, "npm", "TILTH_CLIENTS")
	server := rig.Start(t, rig.Options{})
	c := server.Company("owner", 0)
	farm := c.Make("farm/", map[string]any{"name": "Hof Ährental", "city": "Ort"})
	field := c.Make("field/", map[string]any{"name": "Long field", "farm_id": farm, "boundary": json.RawMessage(
		`{"type":"MultiPolygon","coordinates":[[[[10,50],[10.01,50],[10.01,50.01],[10,50.01],[10,50]],[[10.002,50.002],[10.002,50.004],[10.004,50.004],[10.004,50.002],[10.002,50.002]]],[[[11,50],[11.01,50],[11,50.01],[11,50]]]]}`)})
	season := c.Make("season/", map[string]any{"name": "2026", "start_date": "2025-10-01", "end_date": "2026-07-31"})
	crop := int64(c.Expect(200, "GET", "crop/?search=wheat", nil).Map(t)["data"].(map[string]any)["results"].([]any)[0].(map[string]any)["id"].(float64))
	cultivation := c.Make("cultivation/", map[string]any{"field_id": field, "season_id": season, "crop_id": crop})
	c.Make("fertilization/", map[string]any{"cultivation_id": cultivation, "product": "urea", "product_name": "Urea 46", "applied_on": "2026-03-12", "amount": map[string]any{"value": 200, "unit": "kg/ha"}})
	c.Make("fertilization/", map[string]any{"cultivation_id": cultivation, "product": "dap"})
	file := filepath.Join(t.TempDir(), "fields.zip")
	require.NoError(t, os.WriteFile(file, c.Expect(http.StatusOK, "GET", "field/export/?format=isoxml", nil).Body, 0o600))

	text := readByOthers(t, file)
	var got struct {
		Warnings                          []string
		Version                           int
		Farms, Customers, Crops, Products []string
		Fields                            []struct {
			Name, Farm, Crop string
			Area             int64
			Outline          struct{ Coordinates [][][][2]float64 }
		}
		Tasks []struct {
			Status, Field, Product, Begin, DDI, Of string
			Rate                                   int64
		}
	}
	require.NoError(t, json.Unmarshal(text, &got), "%s", text)
	require.Empty(t, got.Warnings)
	require.Equal(t, 4, got.Version)
	require.Equal(t, []any{[]string{"Hof Ährental"}, []string{"Urea 46", "Diammonium phosphate"}}, []any{got.Farms, got.Products})
	require.Len(t, got.Customers, 1)
	require.Len(t, got.Fields, 1)
	f := got.Fields[0]
	require.Equal(t, []string{"Long field", "Hof Ährental", got.Crops[0]}, []string{f.Name, f.Farm, f.Crop})
	require.Positive(t, f.Area)
	require.Len(t, f.Outline.Coordinates, 2)
	require.Len(t, f.Outline.Coordinates[0], 2, "with its hole")
	require.Len(t, got.Tasks, 2)
	require.Equal(t, []string{"4", "Diammonium phosphate", ""}, []string{got.Tasks[1].Status, got.Tasks[1].Product, got.Tasks[1].Begin}, "without a day")
	task := got.Tasks[0]
	require.Equal(t, []string{"4", "Long field", "Urea 46", "2026-3-12-0", "0006", "Urea 46"}, []string{task.Status, task.Field, task.Product, task.Begin, task.DDI, task.Of})
	require.EqualValues(t, 20_000, task.Rate, "mg/m²")
}

// readByOthers returns what the library finds in a file, as JSON.
func readByOthers(t *testing.T, file string) []byte {
	t.Helper()
	in := copied(t, "../../tests/clients/isoxml")
	run(t, in, "npm", "ci", "--no-audit", "--no-fund")
	read := exec.CommandContext(t.Context(), "node", "read.mjs", file)
	read.Dir, read.Stderr = in, os.Stderr
	text, err := read.Output()
	require.NoError(t, err)
	return text
}

// The prescription of a zoning map is a planned task with a grid, whose cells carry the rates of their zones.
func TestPrescriptionsAreReadByOthers(t *testing.T) {
	has(t, "npm", "TILTH_CLIENTS")
	server := rig.Start(t, rig.Options{})
	c := server.Company("owner", 1000_00)
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
	const orders = "maps/zoning-map/orders/"
	body := land.OrderBody()
	body["no_of_classes"], body["is_background"] = 2, false
	at := orders + rig.Itoa(int64(c.Expect(http.StatusOK, "POST", orders, body).Data(t)["order_id"].(float64))) + "/"
	rig.Eventually(t, func() bool { return c.Expect(http.StatusOK, "GET", at, nil).Data(t)["status"] == "active" }, time.Minute, 50*time.Millisecond)
	file := filepath.Join(t.TempDir(), "task.zip")
	require.NoError(t, os.WriteFile(file, c.Expect(http.StatusOK, "GET", at+"zones/?format=isoxml&rates=180,120", nil).Body, 0o600))
	var got struct {
		Warnings []string
		Tasks    []struct {
			Zones int
			Cells map[string]int // by rate
		}
	}
	text := readByOthers(t, file)
	require.NoError(t, json.Unmarshal(text, &got), "%s", text)
	require.Empty(t, got.Warnings)
	require.Len(t, got.Tasks, 1)
	require.Equal(t, 3, got.Tasks[0].Zones, "two, and what lies beside them")
	rates := got.Tasks[0].Cells
	require.Len(t, rates, 3, "every cell is of a zone that there is: %v", rates)
	require.Positive(t, rates["18000"], "180 kg/ha are 18,000 mg/m²: %v", rates)
	require.Positive(t, rates["12000"], "%v", rates)
	require.Positive(t, rates["0"], "%v", rates)
}
