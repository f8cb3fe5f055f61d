package contract

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/realdata"
	"tilth/tests/rig"
)

type warnedField struct {
	ID       int64
	Warnings []struct {
		Code, Message string
		Swapped       *struct{ Coordinates []float64 }
	}
}

// codes returns the codes of the warnings about the position of a field.
func (f warnedField) codes() []string {
	out := []string{}
	for _, w := range f.Warnings {
		if w.Code != "overlap" && w.Code != "sliver" {
			out = append(out, w.Code)
		}
	}
	return out
}

// outlines returns the first outlines of a file of real ones, each also with its axes swapped.
func outlines(t *testing.T, file string, n int) (right, swapped []any) {
	t.Helper()
	raw, err := os.ReadFile(realdata.Path(t, "satellite", "fields", file))
	require.NoError(t, err)
	var all struct {
		Features []struct{ Geometry map[string]any }
	}
	require.NoError(t, json.Unmarshal(raw, &all))
	var swap func(v any) any
	swap = func(v any) any {
		list := v.([]any)
		if x, ok := list[0].(float64); ok {
			return []any{list[1], x}
		}
		out := make([]any, len(list))
		for i := range list {
			out[i] = swap(list[i])
		}
		return out
	}
	for _, f := range all.Features[:n] {
		right = append(right, f.Geometry)
		swapped = append(swapped, map[string]any{"type": f.Geometry["type"], "coordinates": swap(f.Geometry["coordinates"])})
	}
	return right, swapped
}

// TestSwappedOutlinesAreWarnedOf checks that a field far from its farm carries a warning in every response: on create,
// update and import preview, alone and in lists.
func TestSwappedOutlinesAreWarnedOf(t *testing.T) {
	t.Parallel()
	const each = 3
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 0)
		for country, file := range map[string]string{
			"austria": "at_schlaege_2025.geojson", "denmark": "dk_marker_2026.geojson", "netherlands": "nl_brp_2023.geojson", "sweden": "se_2023.geojson",
		} {
			right, swapped := outlines(t, file, each)
			farm := c.Make("farm/", map[string]any{"name": country, "country": country})
			create := func(boundary any) (out warnedField) {
				c.Expect(200, http.MethodPost, "field/", map[string]any{"name": "Field", "farm_id": farm, "boundary": boundary}).Into(t, &out)
				return out
			}
			made := create(right[0])
			require.Empty(t, made.codes(), "%s: %+v", country, made)
			for i := range right {
				lost := create(swapped[i])
				require.Equal(t, []string{"likely_axis_swap"}, lost.codes(), country)
				var moved, shown warnedField
				c.Expect(200, http.MethodPatch, path("field", made.ID), map[string]any{"boundary": swapped[i]}).Into(t, &moved)
				require.Equal(t, []string{"likely_axis_swap"}, moved.codes(), country)
				c.Expect(200, http.MethodGet, path("field", made.ID), nil).Into(t, &shown)
				require.Equal(t, moved.codes(), shown.codes())
				c.Expect(200, http.MethodPatch, path("field", made.ID), map[string]any{"boundary": right[i]}).Into(t, &moved)
				require.Empty(t, moved.codes(), country)
			}
			previewed(t, c, farm, swapped[0], right[1])
		}
		var page struct{ Results []warnedField }
		c.Expect(200, http.MethodGet, "field/?page=all", nil).Into(t, &page)
		require.Len(t, page.Results, 4*(each+1))
		overlaps, swaps := 0, 0
		for _, listed := range page.Results {
			var alone warnedField
			c.Expect(200, http.MethodGet, path("field", listed.ID), nil).Into(t, &alone)
			require.Equal(t, alone, listed, "a list shows what the record alone shows")
			for _, w := range listed.Warnings {
				switch w.Code {
				case "overlap":
					overlaps++
				case "likely_axis_swap":
					swaps++
					require.NotNil(t, w.Swapped)
					require.Contains(t, w.Message, "with the axes swapped")
				}
			}
		}
		require.Equal(t, 4*each, swaps)
		_ = c.Make("field/", map[string]any{"name": "On", "farm_id": c.Make("farm/", map[string]any{"name": "F"}), "boundary": rig.GeoJSON(t, rig.Square(300, 0))})
		_ = c.Make("field/", map[string]any{"name": "Over", "farm_id": c.Make("farm/", map[string]any{"name": "F"}), "boundary": rig.GeoJSON(t, rig.Square(200, 0))})
		c.Expect(200, http.MethodGet, "field/?search=Over", nil).Into(t, &page)
		for _, w := range page.Results[0].Warnings {
			if w.Code == "overlap" {
				overlaps++
			}
		}
		require.Positive(t, overlaps, "overlaps are in lists too")
	})
}

// previewed checks that a preview of an import warns about a swapped outline and not about a right one.
func previewed(t *testing.T, c *rig.Client, farm int64, swapped, right any) {
	t.Helper()
	feature := func(name string, outline any) any {
		return map[string]any{"type": "Feature", "properties": map[string]any{"name": name}, "geometry": outline}
	}
	raw, err := json.Marshal(map[string]any{"type": "FeatureCollection", "features": []any{feature("a", swapped), feature("b", right)}})
	require.NoError(t, err)
	var preview struct{ Features []warnedField }
	answer := c.Upload(importPath(farm, "&preview=true"), mediaGeoJSON, strings.NewReader(string(raw)))
	require.Equal(t, 200, answer.Status, string(answer.Body))
	answer.Into(t, &preview)
	require.Equal(t, []string{"likely_axis_swap"}, preview.Features[0].codes())
	require.Empty(t, preview.Features[1].codes())
}
