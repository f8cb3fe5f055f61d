package contract

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// TestExampleReport submits a rice farm that uses every section, has it signed by a second person, and prints it. With
// TILTH_PICTURES the document is kept (make example-report).
func TestExampleReport(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{})
	c := s.Company("owner", 0)
	text, err := os.ReadFile(filepath.Join("..", "testdata", "ghg", "example-farm.json"))
	require.NoError(t, err)
	body := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &body))
	body["resource_type"], body["resource_id"] = "farm", c.Make("farm/", map[string]any{"name": "Cascina San Rocco"})
	id, _ := assess(t, c, body)
	c.Expect(200, http.MethodPost, submitPath(id), nil)
	s.User(c.CompanyID, "editor").Expect(200, http.MethodPost, assessmentAt(id)+"submissions/1/sign/",
		map[string]any{"statement": "Compared with weighbridge tickets, invoices and the fuel book."})

	report := c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted", nil).Data(t)
	met := map[string]bool{}
	for _, list := range []string{"by_source", "removals_by_source"} {
		for _, l := range report[list].([]any) {
			met[l.(map[string]any)["section"].(string)] = true
		}
	}
	for _, section := range []string{
		"fertilizers", "organic_inputs", "crop_protection", "seeds", "residues", "rice", "irrigation", "fuel_energy", "machinery", "transport",
		"land_management", "land_use_change", "perennial_biomass",
	} {
		require.True(t, met[section], "the section %s has no line", section)
	}
	electricity := report["views"].(map[string]any)["electricity"].(map[string]any)
	require.Less(t, electricity["scope_2_market_based"], electricity["scope_2_location_based"])
	allocations := report["views"].(map[string]any)["iso_14067"].(map[string]any)["allocations"].([]any)
	require.Len(t, allocations, 3)
	for _, a := range allocations {
		require.NotContains(t, a, "not_possible")
	}
	for view, sum := range viewsOf(report) {
		require.InDelta(t, report["totals"].(map[string]any)["emissions"].(float64), sum, 1e-5, view)
	}
	file := c.Expect(200, http.MethodGet, reportPath(id)+"?basis=submitted&format=pdf", nil).Body
	require.Contains(t, string(file[:8]), "%PDF-")
	if dir := os.Getenv("TILTH_PICTURES"); dir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "example-report.pdf"), file, 0o600))
	}
}
