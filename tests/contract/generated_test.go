package contract

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/access"
	"tilth/tests/rig"
)

// nothingHidden follows what was generated for an order: the plans of a phrase and of a beacon whose seeds
// a client recomputes, and the list of every call for maps and of every plan, saved or not.
func nothingHidden(t *testing.T, s *rig.Server, c, stranger *rig.Client, order int64, uuid string) {
	t.Helper()
	generate := plansPath + "generate/"
	value := strings.Repeat("5eed", 16)
	for member, wrong := range map[string]any{
		"seed": 1, "seed_phrase": "short", "seed_beacon": map[string]any{"pulse": "drand round 1", "value": "5eed"},
	} {
		body := map[string]any{"map_uuid": uuid, "seed_phrase": "Ten old oaks stand here", member: wrong}
		require.Contains(t, c.Expect(400, http.MethodPost, generate, body).Map(t)["details"], member)
	}
	var origin map[string]any
	var last string
	for _, chosen := range []map[string]any{
		{"map_uuid": uuid, "seed_phrase": "Ten old oaks stand here"},
		{"map_uuid": uuid, "seed_beacon": map[string]any{"pulse": "drand round 1", "value": value}},
		{"map_uuid": uuid},
	} {
		made := c.Expect(200, http.MethodPost, generate, chosen).Data(t)
		require.Equal(t, made, c.Expect(200, http.MethodPost, generate, chosen).Data(t))
		metadata := made["metadata"].(map[string]any)
		last = made["map_uuid"].(string)
		origin = metadata["seed_origin"].(map[string]any)
		sum := sha256.Sum256([]byte(origin["text"].(string)))
		require.EqualValues(t, binary.BigEndian.Uint64(sum[:8])>>11, metadata["seed"], "the seed can be recomputed")
		require.Contains(t, origin["text"], uuid)
	}
	require.Equal(t, "parameters", origin["source"])
	var points strings.Builder // as documented
	for _, f := range c.Expect(200, http.MethodGet, plansPath+last+"/export/", nil).Map(t)["features"].([]any) {
		p := f.(map[string]any)["properties"].(map[string]any)
		_, _ = fmt.Fprintf(&points, "%s %.2f %.2f\n", p["id"], p["easting"], p["northing"])
	}

	path := ordersOfAOIs + itoa(order) + "/generated/"
	all := c.Expect(200, http.MethodGet, path, nil).Map(t)["data"].([]any)
	var sources, kinds []string
	saved := 0
	for _, one := range all {
		entry := one.(map[string]any)
		require.NotEmpty(t, entry["user"])
		require.NotEmpty(t, entry["parameters"])
		kinds = append(kinds, entry["kind"].(string))
		sources = append(sources, entry["seed_origin"].(map[string]any)["source"].(string))
		saved += len(entry["saved"].([]any))
	}
	require.Equal(t, append(many("plan", 10), many("maps", 2)...), kinds, "once each, however often it was asked for")
	require.Equal(t, append([]string{"parameters", "beacon", "phrase"}, many("given", 9)...), sources)
	require.Equal(t, 3, saved, "a map and two plans")
	require.Equal(t, value, all[1].(map[string]any)["seed_origin"].(map[string]any)["beacon"].(map[string]any)["value"])
	require.Equal(t, fmt.Sprintf("%x", sha256.Sum256([]byte(points.String()))), all[0].(map[string]any)["outcome"].(map[string]any)["points_sha256"])
	moved, custom := all[3].(map[string]any), all[4].(map[string]any)
	require.Equal(t, custom["based_on"], moved["based_on"])
	require.EqualValues(t, 1, moved["outcome"].(map[string]any)["points_by_hand"])
	require.NotEqual(t, custom["outcome"].(map[string]any)["points_sha256"], moved["outcome"].(map[string]any)["points_sha256"])
	maps := all[len(all)-1].(map[string]any)
	require.EqualValues(t, 7, maps["seed"])
	require.Contains(t, maps["made"], uuid)
	require.Equal(t, []any{uuid}, maps["saved"])

	page := c.Expect(200, http.MethodGet, path+"?page_size=2&page=2", nil).Map(t)["data"].([]any)
	require.Equal(t, all[2:4], page)
	rows, err := csv.NewReader(strings.NewReader(string(c.Expect(200, http.MethodGet, path+"export/", nil).Body))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+len(all))
	require.Contains(t, strings.Join(rows[3], " "), "Ten old oaks stand here")
	trail := c.Expect(200, http.MethodGet, fmt.Sprintf("audit/?resource=stratification_order&record=%d&action=generate", order), nil).Map(t)["data"]
	require.Len(t, trail, len(all))
	c.Expect(200, http.MethodPost, "role/", map[string]any{"name": "planner", "slugs": []string{"sample_plan_map.view", "stratification_order.view"}})
	planner := s.User(c.CompanyID, "planner")
	for _, at := range []string{path, path + "export/"} {
		stranger.Expect(404, http.MethodGet, at, nil)
		s.User(c.CompanyID, access.RoleViewer).Expect(200, http.MethodGet, at, nil)
		require.Contains(t, string(planner.Expect(403, http.MethodGet, at, nil).Body), "stratification_map.view")
		c.Expect(404, http.MethodGet, strings.Replace(at, itoa(order), "999999", 1), nil)
	}
}

func many(word string, n int) []string { return strings.Fields(strings.Repeat(word+" ", n)) }
