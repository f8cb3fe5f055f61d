package contract

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/access"
	"tilth/tests/rig"
)

const profilesAt = "profiles/vegetation-index-profile/orders/"

// keyedKind is a kind of record other than land, with what the tests of its key in another system need.
type keyedKind struct {
	list    string // where its records are listed
	post    func(key string) rig.Answer
	changes bool // has PATCH
	deletes bool // has DELETE, which frees the key
}

// Every record of a company has a key in another system, which only one live record of a kind has: what is ordered,
// what is attached and what concerns access, as well as what is farmed.
func TestExternalIDsOfEveryOtherRecord(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { openHooks(c); c.RateLimit = 0 }})
		c, other := s.Company(access.RoleOwner, 1000_00), s.Company(access.RoleOwner, 1000_00)
		n := 0
		each := func(at string, body func(n int) map[string]any) func(string) rig.Answer {
			return func(key string) rig.Answer {
				n++
				sent := body(n)
				sent["external_id"], sent["source"] = key, "erp"
				return c.Do(http.MethodPost, at, sent)
			}
		}
		season := c.Make("season/", map[string]any{"name": "S", "start_date": "2025-01-01", "end_date": "2025-12-31"})
		farm := c.Make("farm/", map[string]any{"name": "F"})
		fieldUUID := func(n int) string {
			made := c.Expect(200, http.MethodPost, "field/", map[string]any{"name": itoa(int64(n)), "farm_id": farm, "boundary": rig.GeoJSON(t, rig.Square(100, 10*n))})
			return made.Data(t)["uuid"].(string)
		}
		ofSeason := func(n int) map[string]any { return map[string]any{"field_uuid": fieldUUID(n), "season_id": season} }
		ofLand := func(n int) map[string]any { return map[string]any{"field_uuid": fieldUUID(n)} }
		attach := func(at string, bytes string) func(string) rig.Answer {
			return func(key string) rig.Answer {
				n++
				return c.Upload(at+fmt.Sprintf("?name=f&external_id=%s&source=erp", key), "", strings.NewReader(bytes+itoa(int64(n))))
			}
		}
		assessment := int64(c.Expect(201, http.MethodPost, assessmentsPath, map[string]any{"resource_type": "farm", "resource_id": farm, "assessment_year": 2025}).Data(t)["id"].(float64))
		kinds := map[string]keyedKind{
			"role":          {"role/", each("role/", func(n int) map[string]any { return map[string]any{"name": itoa(int64(n)), "slugs": []any{"farm.view"}} }), true, true},
			"API key":       {"api-key/", each("api-key/", func(int) map[string]any { return map[string]any{"name": "k"} }), false, true},
			"webhook":       {"webhook/", each("webhook/", func(int) map[string]any { return map[string]any{"url": "http://127.0.0.1:1999/", "is_active": false} }), true, true},
			"PACT client":   {"pact-client/", each("pact-client/", func(int) map[string]any { return map[string]any{"name": "c"} }), true, true},
			"grant":         {"share-grant/", each("share-grant/", func(int) map[string]any { return map[string]any{"grantee_uuid": other.UUID(), "target": "all"} }), false, true},
			"profile":       {profilesAt, each(profilesAt, ofSeason), false, false},
			"index map":     {"maps/vegetation-index-map/orders/", each("maps/vegetation-index-map/orders/", ofSeason), false, false},
			"zoning map":    {zoningMapsPath, each(zoningMapsPath, ofSeason), false, false},
			"elevation map": {elevationMapsPath, each(elevationMapsPath, ofLand), false, false},
			"soil map":      {soilMapsPath, each(soilMapsPath, ofLand), false, false},
			"evidence":      {evidenceAt(assessment), attach(evidenceAt(assessment), "%PDF-1.7 "), false, true},
		}
		for name, kind := range kinds {
			found := func(keys string) (out []map[string]any) {
				data := c.Expect(200, http.MethodGet, kind.list+"?external_id="+keys, nil).Map(t)["data"]
				if files, ok := data.(map[string]any); ok {
					data = files["files"]
				}
				for _, one := range data.([]any) {
					out = append(out, one.(map[string]any))
				}
				return out
			}
			idOf := func(r map[string]any) string {
				id, ok := r["id"]
				if !ok {
					id = r["order_id"]
				}
				return itoa(int64(id.(float64)))
			}
			made := kind.post("K")
			require.Less(t, made.Status, 300, "%s: %s", name, made.Body)
			first := found("K")
			require.Len(t, first, 1, name)
			require.Equal(t, []any{"K", "erp"}, []any{first[0]["external_id"], first[0]["source"]}, name)
			again := kind.post("K")
			require.Equal(t, 409, again.Status, "%s: %s", name, again.Body)
			require.Equal(t, "duplicate_external_id", again.Map(t)["code"], name)
			require.Contains(t, string(again.Body), `"id":`+idOf(first[0]), name)
			second := kind.post("L")
			require.Less(t, second.Status, 300, "%s: %s", name, second.Body)
			require.Len(t, found("K,L,M"), 2, name)
			require.Empty(t, found("M"), name)
			at := kind.list + idOf(found("L")[0]) + "/"
			if kind.changes {
				require.Equal(t, "duplicate_external_id", c.Expect(409, http.MethodPatch, at, map[string]any{"external_id": "K"}).Map(t)["code"], name)
				require.Equal(t, "M", c.Expect(200, http.MethodPatch, at, map[string]any{"external_id": "M"}).Data(t)["external_id"], name)
			}
			byID := c.Expect(200, http.MethodGet, kind.list+"?id=999999,"+idOf(first[0]), nil)
			require.Contains(t, string(byID.Body), `"external_id":"K"`, name)
			require.NotContains(t, string(byID.Body), `"external_id":"L"`, name)
			require.NotContains(t, string(byID.Body), `"external_id":"M"`, name)
			if kind.changes {
				changesMany(t, c, kind.list, int64(first[0]["id"].(float64)), int64(found("M")[0]["id"].(float64)))
			}
			if kind.deletes {
				c.Expect(400, http.MethodDelete, kind.list, nil)
				gone := c.Expect(404, http.MethodDelete, kind.list+"?id=999998,999999,"+idOf(first[0]), nil)
				require.Contains(t, string(gone.Body), `"ids":[999998,999999]`, name)
				require.Len(t, found("K"), 1, "%s: all or none", name)
				c.Expect(204, http.MethodDelete, kind.list+"?id="+idOf(first[0]), nil)
				third := kind.post("K")
				require.Less(t, third.Status, 300, "%s: %s", name, third.Body)
			}
			long := kind.post(strings.Repeat("k", 256))
			require.Equal(t, 400, long.Status, "%s: %s", name, long.Body)
			require.Contains(t, long.Map(t)["details"], "external_id", name)
		}
		other.Expect(200, http.MethodPost, "role/", map[string]any{"name": "r", "slugs": []any{"farm.view"}, "external_id": "K"})
		require.Len(t, listedAt(t, other, "role/?external_id=K"), 1, "another company has its own keys")

		for list, body := range map[string]map[string]any{
			"role/": {"name": "in sets", "slugs": []any{"farm.view"}}, "webhook/": {"url": "http://127.0.0.1:1999/", "is_active": false}, "pact-client/": {"name": "c"},
		} {
			makesMany(t, c, list, body)
		}

		// Users.
		s.User(c.CompanyID, access.RoleViewer)
		users := listedAt(t, c, "user/")
		userAt := func(i int) string { return path("user", int64(users[i].(map[string]any)["id"].(float64))) }
		c.Expect(200, http.MethodPatch, userAt(0), map[string]any{"external_id": "K"})
		require.Equal(t, "duplicate_external_id", c.Expect(409, http.MethodPatch, userAt(1), map[string]any{"external_id": "K"}).Map(t)["code"])
		require.Len(t, listedAt(t, c, "user/?external_id=K"), 1)

		ids := []int64{int64(users[0].(map[string]any)["id"].(float64)), int64(users[1].(map[string]any)["id"].(float64))}
		changesMany(t, c, "user/", ids[0], ids[1])
		require.Len(t, listedAt(t, c, fmt.Sprintf("user/?id=%d", ids[1])), 1)
		invited := func(email string) int64 {
			return int64(c.Expect(200, http.MethodPost, "invitation/", map[string]any{"email": email, "roles": []any{"viewer"}}).Data(t)["id"].(float64))
		}
		open := fmt.Sprintf("invitation/?id=%d,%d", invited("a@example.org"), invited("b@example.org"))
		c.Expect(204, http.MethodDelete, open, nil)
		for _, one := range listedAt(t, c, open) {
			require.NotNil(t, one.(map[string]any)["revoked_at"])
		}
		require.Contains(t, string(c.Expect(400, http.MethodDelete, open, nil).Body), `"1":{"non_field_errors"`, "each is told why")

		// An order that is not ready yet, or has failed, takes the key of a repeated request; another record cannot take it.
		body := ofSeason(900)
		order := c.Expect(200, http.MethodPost, profilesAt, body).Data(t)["order_id"]
		body["external_id"] = "late"
		require.Equal(t, order, c.Expect(200, http.MethodPost, profilesAt, body).Data(t)["order_id"])
		require.Len(t, listedAt(t, c, profilesAt+"?external_id=late"), 1)
		batch := c.Expect(200, http.MethodPost, profilesAt+"batch/", []any{
			map[string]any{"field_uuid": fieldUUID(901), "season_id": season, "external_id": "late"},
			map[string]any{"field_uuid": fieldUUID(902), "season_id": season, "external_id": "later"},
			map[string]any{"field_uuid": fieldUUID(903), "season_id": season, "external_id": "later"},
		}).Data(t)["items"].([]any)
		verdict := func(i int) []any {
			item := batch[i].(map[string]any)
			return []any{item["verdict"], item["code"]}
		}
		require.Equal(t, []any{"fail", "duplicate_external_id"}, verdict(0))
		require.Equal(t, []any{"create", nil}, verdict(1))
		require.Equal(t, []any{"fail", "duplicate_external_id"}, verdict(2))
	})
}

// changesMany changes two records of a kind by their ids, all or none; the first has the key K.
func changesMany(t *testing.T, c *rig.Client, list string, first, second int64) {
	t.Helper()
	refused := c.Expect(400, http.MethodPatch, list, []any{
		map[string]any{"id": first, "source": "crm"}, map[string]any{"id": second, "sorce": "crm"}, map[string]any{"source": "crm"},
	})
	require.Contains(t, string(refused.Body), `"1":{"sorce":["`, list)
	require.Contains(t, string(refused.Body), `"2":{"id":["`, list)
	require.Contains(t, string(c.Expect(404, http.MethodPatch, list, []any{map[string]any{"id": first, "source": "crm"}, map[string]any{"id": 999_999}}).Body), `"ids":[999999]`)
	require.Equal(t, "duplicate_external_id", c.Expect(409, http.MethodPatch, list, []any{
		map[string]any{"id": first, "source": "crm"}, map[string]any{"id": second, "external_id": "K"},
	}).Map(t)["code"], list)
	require.NotContains(t, string(c.Expect(200, http.MethodGet, list+itoa(first)+"/", nil).Body), `"source":"crm"`, "%s: all or none", list)
	both := c.Expect(200, http.MethodPatch, list, []any{map[string]any{"id": second, "source": "crm"}, map[string]any{"id": first, "external_id": "K"}})
	require.Equal(t, []string{"updated", "unchanged"}, outcomes(t, both), list)
	require.Equal(t, "crm", recordsOf(t, both)[0]["source"], list)
}

// makesMany makes records of a kind, or changes those with the same external ids, all or none.
func makesMany(t *testing.T, c *rig.Client, list string, body map[string]any) {
	t.Helper()
	with := func(key string, changes map[string]any) map[string]any {
		item := maps.Clone(body)
		if item["external_id"] = key; item["name"] != nil { // unique for roles
			item["name"] = fmt.Sprint(item["name"], " ", key)
		}
		maps.Copy(item, changes)
		return item
	}
	count := func() int { return len(listedAt(t, c, list)) }
	said := func(a rig.Answer) string { return a.Map(t)["message"].(string) }
	const upsert = "?on_conflict=external_id"
	secretOf := func(r map[string]any) any {
		if secret, ok := r["secret"]; ok {
			return secret
		}
		return r["client_secret"]
	}

	// Several at once, and one after another.
	before := count()
	both := c.Expect(200, http.MethodPost, list, []any{with("S-1", nil), with("S-2", nil)})
	require.Len(t, recordsOf(t, both), 2, list)
	require.NotContains(t, both.Map(t), "outcomes", list)
	require.Equal(t, before+2, count(), list)
	mixed := c.Expect(200, http.MethodPost, list+upsert, []any{with("S-1", nil), with("S-2", map[string]any{"source": "crm"}), with("S-3", nil)})
	require.Equal(t, []string{"unchanged", "updated", "created"}, outcomes(t, mixed), list)
	require.Equal(t, "1 created, 1 updated, 1 unchanged.", said(mixed), list)
	records := recordsOf(t, mixed)
	require.Equal(t, recordsOf(t, both)[0]["id"], records[0]["id"], list)
	require.Equal(t, "crm", records[1]["source"], list)
	if list != "role/" {
		require.NotEmpty(t, secretOf(records[2]), list)
		require.Equal(t, []any{"", ""}, []any{secretOf(records[0]), secretOf(records[1])}, "%s: the secret of a record that is there is not told", list)
		require.NotEmpty(t, secretOf(recordsOf(t, both)[0]), list)
	}
	one := c.Expect(200, http.MethodPost, list+upsert, with("S-3", map[string]any{"source": "erp"}))
	require.Equal(t, []string{"updated"}, outcomes(t, one), list)
	require.Contains(t, said(one), " updated.", list)
	require.Contains(t, said(c.Expect(200, http.MethodPost, list+upsert, with("S-3", map[string]any{"source": "erp"}))), " unchanged.", list)
	require.Equal(t, before+3, count(), list)

	// All or none, with every error of each, over every stage.
	refused := c.Expect(400, http.MethodPost, list+upsert, []any{
		with("S-1", map[string]any{"source": "lost"}), with("", nil), with("S-1", nil), with("S-4", map[string]any{"sorce": "x", "source": strings.Repeat("s", 256)}), with("S-5", nil),
	})
	for _, part := range []string{`"1":{"external_id":["`, `"2":{"external_id":["`, `"sorce":["`, `"source":["`} {
		require.Contains(t, string(refused.Body), part, list)
	}
	require.Contains(t, said(refused), "3 of 5", list)
	require.Empty(t, listedAt(t, c, list+"?external_id=S-4,S-5"), list)
	taken := c.Expect(409, http.MethodPost, list, []any{with("S-6", nil), with("S-1", nil), with("S-2", nil)})
	require.Regexp(t, `"external_ids":\[\{"external_id":"S-1","id":\d+,"index":1\},\{"external_id":"S-2","id":\d+,"index":2\}\]`, string(taken.Body), list)
	several := c.Expect(400, http.MethodPost, list, []any{with("S-6", map[string]any{"source": strings.Repeat("s", 256)}), with("S-1", nil)})
	require.Contains(t, string(several.Body), `"1":{"external_id":["The external id \"S-1\" belongs to`, list)
	require.Equal(t, "duplicate_external_id", c.Expect(409, http.MethodPost, list, []any{with("S-6", nil), with("S-6", map[string]any{"source": "crm"})}).Map(t)["code"], list)
	require.Equal(t, before+3, count(), list)
	ids := make([]string, 0, 3)
	for _, r := range listedAt(t, c, list+"?external_id=S-1,S-2,S-3") {
		ids = append(ids, itoa(int64(r.(map[string]any)["id"].(float64))))
	}
	require.Len(t, ids, 3, list)
	c.Expect(204, http.MethodDelete, list+"?id="+strings.Join(ids, ","), nil)
}
