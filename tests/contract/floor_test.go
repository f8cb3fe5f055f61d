package contract

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/bench/floor"
	"tilth/tests/rig"
)

// The floor, which the program is compared with, answers as the program does, and leaves the same entries in the trail.
func TestTheFloorDoesWhatTheProgramDoes(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		program := s.Company("owner", 0)
		farm := program.Make("farm/", map[string]any{"name": "Farm"})
		handler, err := floor.Handler(t.Context(), database)
		require.NoError(t, err)
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		bare := rig.Remote(t, server.URL, program.Token)

		one := map[string]any{"name": "New", "farm_id": farm, "soil_type": "loam", "notes": "bench"}
		made := program.Expect(http.StatusOK, http.MethodPost, "field/", one).Data(t)
		alike := bare.Expect(http.StatusOK, http.MethodPost, "field/", one).Data(t)
		for _, own := range []string{"id", "uuid", "created_at", "updated_at"} {
			delete(alike, own)
			require.Contains(t, made, own)
		}
		for member, value := range alike {
			require.Equal(t, made[member], value, member)
		}
		require.Equal(t, 4, len(made)-len(alike), "%v beside %v", slices.Sorted(maps.Keys(made)), slices.Sorted(maps.Keys(alike)))
		program.Expect(http.StatusOK, http.MethodPost, "field/", slices.Repeat([]any{one}, 3))
		bare.Expect(http.StatusOK, http.MethodPost, "field/", slices.Repeat([]any{one}, 3))

		page := "field/?page=1"
		require.Equal(t, inPage(t, program, page), inPage(t, bare, page))
		path := fmt.Sprintf("field/%.0f/", made["id"])
		require.Equal(t, program.Expect(http.StatusOK, http.MethodGet, path, nil).Data(t), bare.Expect(http.StatusOK, http.MethodGet, path, nil).Data(t))

		var trail []map[string]any
		program.Expect(http.StatusOK, http.MethodGet, "audit/?resource=field", nil).Into(t, &trail)
		require.Len(t, trail, 8)
		for _, entry := range trail {
			require.Equal(t, changed(trail[0]), changed(entry))
		}
	})
}

func inPage(t *testing.T, c *rig.Client, path string) (out []map[string]any) {
	t.Helper()
	var page struct {
		Count   int
		Results []map[string]any
	}
	c.Expect(http.StatusOK, http.MethodGet, path, nil).Into(t, &page)
	require.Len(t, page.Results, page.Count)
	return page.Results
}

// changed returns the members that an entry of the trail names.
func changed(entry map[string]any) (out []string) {
	for _, one := range entry["changes"].([]any) {
		out = append(out, one.(map[string]any)["member"].(string))
	}
	return out
}
