package contract

import (
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/rig"
)

// entry is an entry of the audit trail.
type entry struct {
	ID   int64
	At   time.Time
	User *struct {
		ID   int64
		Name string
	}
	Actor    string
	Operator bool
	APIKey   *int64 `json:"api_key"`
	Action   string
	Resource string
	Record   int64
	Changes  []struct {
		Member        string
		Before, After any
	}
}

func trailOf(t *testing.T, c *rig.Client, query string) []entry {
	t.Helper()
	var out []entry
	c.Expect(200, "GET", "audit/"+query, nil).Into(t, &out)
	return out
}

func TestAuditTrail(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		owner, other := s.Company("owner", 0), s.Company("owner", 0)
		land := owner.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")

		// A new record: its content.
		made := trailOf(t, owner, "?resource=field")
		require.Len(t, made, 1)
		require.Equal(t, "create", made[0].Action)
		require.Equal(t, land.Field, made[0].Record)
		require.NotNil(t, made[0].User)
		members := map[string]any{}
		for _, c := range made[0].Changes {
			require.Nil(t, c.Before, c.Member)
			members[c.Member] = c.After
		}
		require.Equal(t, "Field", members["name"])
		require.EqualValues(t, land.Farm, members["farm_id"])
		require.Contains(t, members["boundary"], "area_ha")
		require.NotContains(t, members, "overlaps")

		// A change: the members that differ, before and after. No change: no entry.
		owner.Expect(200, "PATCH", path("season", land.Season), `{"name":"Renamed","end_date":"2025-11-30"}`)
		owner.Expect(200, "PATCH", path("season", land.Season), `{"name":"Renamed"}`)
		owner.Expect(400, "PATCH", path("season", land.Season), `{"name":""}`)
		changed := trailOf(t, owner, "?resource=season&action=update")
		require.Len(t, changed, 1)
		require.Len(t, changed[0].Changes, 2)
		require.Equal(t, []any{"name", "Season", "Renamed"}, []any{changed[0].Changes[0].Member, changed[0].Changes[0].Before, changed[0].Changes[0].After})
		require.Equal(t, []any{"end_date", "2025-12-31", "2025-11-30"}, []any{changed[0].Changes[1].Member, changed[0].Changes[1].Before, changed[0].Changes[1].After})

		// The same figures, another outline.
		owner.Expect(200, "PATCH", path("field", land.Field), map[string]any{"boundary": rig.GeoJSON(t, rig.Square(300, 1))})
		moved := trailOf(t, owner, "?resource=field&action=update")
		require.Len(t, moved, 1)
		require.Equal(t, "boundary", moved[0].Changes[0].Member)

		// A deletion: the record, and one entry for each record deleted with it.
		owner.Expect(204, "DELETE", path("farm", land.Farm), nil)
		gone := trailOf(t, owner, "?action=delete")
		resources := map[string]int64{}
		for _, e := range gone {
			resources[e.Resource] = e.Record
		}
		require.Len(t, gone, 3)
		require.Equal(t, land.Farm, resources["farm"])
		require.Equal(t, land.Field, resources["field"])
		require.Contains(t, resources, "cultivation")

		// A restore: the same records come back.
		owner.Expect(200, "POST", path("farm", land.Farm)+"restore/", nil)
		require.Len(t, trailOf(t, owner, "?action=restore"), 3)

		// Changes to people are recorded as well.
		role := owner.Make("role/", map[string]any{"name": "scout", "slugs": []string{"field.view"}})
		owner.Expect(200, "PATCH", path("role", role), `{"slugs":["field.view","farm.view"]}`)
		owner.Expect(204, "DELETE", path("role", role), nil)
		require.Len(t, trailOf(t, owner, "?resource=role"), 3)
		colleague := s.User(owner.CompanyID, "viewer")
		id := int64(colleague.Expect(200, "GET", "auth/me/", nil).Data(t)["id"].(float64))
		owner.Expect(200, "PATCH", path("user", id), `{"roles":["editor"]}`)
		require.Equal(t, "roles", trailOf(t, owner, "?resource=user")[0].Changes[0].Member)
		invitation := owner.Make("invitation/", map[string]any{"email": "guest@trail.example", "roles": []string{"viewer"}})
		owner.Expect(204, "DELETE", path("invitation", invitation), nil)
		require.Len(t, trailOf(t, owner, "?resource=invitation"), 2)

		// A bulk request: an entry for each record; a refused one: none.
		owner.Expect(200, "POST", "farm/", []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}})
		owner.Expect(400, "POST", "farm/", []any{map[string]any{"name": "c"}, map[string]any{"name": ""}})
		require.Len(t, trailOf(t, owner, "?resource=farm&action=create"), 3)

		// Newest first, filtered, paged.
		all := trailOf(t, owner, "")
		for i := 1; i < len(all); i++ {
			require.Greater(t, all[i-1].ID, all[i].ID)
		}
		paged := owner.Expect(200, "GET", "audit/?page_size=2&page=2", nil)
		require.Equal(t, itoa(int64(len(all))), paged.Header.Get("X-Total-Count"))
		var page []entry
		paged.Into(t, &page)
		require.Equal(t, all[2:4], page)
		byCommand := 0
		for _, e := range all {
			if e.User == nil {
				require.Equal(t, "operator (command line)", e.Actor)
				byCommand++
			}
		}
		require.Equal(t, 3, byCommand, "the company and two users")
		require.Len(t, trailOf(t, owner, "?user="+itoa(all[0].User.ID)), len(all)-byCommand)
		require.Empty(t, trailOf(t, owner, "?user=999999"))
		require.Empty(t, trailOf(t, owner, "?resource=nothing"))
		at := func(name string, when time.Time) string {
			return "?" + url.Values{name: {when.Format(time.RFC3339Nano)}}.Encode()
		}
		require.Empty(t, trailOf(t, owner, at("since", time.Now().Add(time.Hour))))
		require.Empty(t, trailOf(t, owner, at("until", time.Now().Add(-time.Hour))))
		require.Len(t, trailOf(t, owner, at("until", time.Now().Add(time.Hour))), len(all))
		require.Equal(t, all[0].ID, trailOf(t, owner, at("since", all[0].At))[0].ID)
		for _, bad := range []string{"?since=yesterday", "?record=x", "?user=x", "?page=0"} {
			owner.Expect(400, "GET", "audit/"+bad, nil)
		}

		// By key, and only for owners; another company has its own trail.
		key, id := newKey(t, owner, nil)
		status, _ := with(t, s, "POST", "farm/", `{"name":"by key"}`, "X-API-Key", key, "Content-Type", "application/json")
		require.Equal(t, 200, status)
		require.Equal(t, &id, trailOf(t, owner, "?page_size=1")[0].APIKey)
		for _, role := range []string{"viewer", "editor"} {
			denied := s.User(owner.CompanyID, role).Expect(403, "GET", "audit/", nil).Map(t)
			require.Equal(t, "audit.view", denied["details"].(map[string]any)["required_permission"])
		}
		for _, e := range trailOf(t, other, "") {
			require.Nil(t, e.User, "nobody but the command line did anything there")
			require.Contains(t, []string{"company", "user"}, e.Resource)
		}
		s.Anonymous().Expect(401, "GET", "audit/", nil)
		for _, method := range []string{"POST", "PUT", "DELETE"} {
			owner.Expect(405, method, "audit/", `{}`)
		}

		// The command line has no user.
		operatorKey(t, database, owner.Email)
		cli := trailOf(t, owner, "?resource=api_key&page_size=1")
		require.Nil(t, cli[0].User)
	})
}
