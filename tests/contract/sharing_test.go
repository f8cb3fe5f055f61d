package contract

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// grantor is a company with two farms: a field on each, a season and a cultivation of
// each field, and an order on the first.
type grantor struct {
	*rig.Client
	first, second rig.Land
	order         int64
}

func newGrantor(t *testing.T, s *rig.Server) grantor {
	t.Helper()
	e := grantor{Client: s.Company("owner", amount(10_000))}
	e.first = e.Land(rig.Square(300, 0), "2025-01-01", "2025-12-31")
	e.second = e.Land(rig.Square(300, 5), "2024-01-01", "2024-12-31")
	e.order = int64(e.Expect(200, "POST", "profiles/vegetation-index-profile/orders/",
		map[string]any{"field_uuid": e.first.FieldUUID, "season_id": e.first.Season}).Data(t)["order_id"].(float64))
	return e
}

const orders = "profiles/vegetation-index-profile/orders"

// sight returns the ids that a company sees as shared, by resource. It checks that
// every listed record can be retrieved, and that the counts agree.
func sight(t *testing.T, c *rig.Client) map[string][]int64 {
	t.Helper()
	out := map[string][]int64{}
	for _, resource := range []string{"farm", "field", "season", "cultivation"} {
		var page struct {
			Count   int64
			Results []struct{ ID int64 }
		}
		c.Expect(200, "GET", resource+"/?share=true&page=all", nil).Into(t, &page)
		require.Len(t, page.Results, int(page.Count))
		for _, r := range page.Results {
			out[resource] = append(out[resource], r.ID)
			c.Expect(200, "GET", path(resource, r.ID)+"?share=true", nil)
		}
	}
	var list []struct {
		OrderID int64 `json:"order_id"`
	}
	c.Expect(200, "GET", orders+"/?share=true", nil).Into(t, &list)
	for _, o := range list {
		out[orders] = append(out[orders], o.OrderID)
		c.Expect(200, "GET", path(orders, o.OrderID)+"?share=true", nil)
	}
	return out
}

// records returns the ids of all records of a grantor, by resource.
func (e grantor) records(t *testing.T) map[string][]int64 {
	t.Helper()
	out := map[string][]int64{
		"farm": {e.first.Farm, e.second.Farm}, "field": {e.first.Field, e.second.Field},
		"season": {e.first.Season, e.second.Season}, orders: {e.order},
	}
	var page struct{ Results []struct{ ID int64 } }
	e.Expect(200, "GET", "cultivation/?page=all", nil).Into(t, &page)
	for _, r := range page.Results {
		out["cultivation"] = append(out["cultivation"], r.ID)
	}
	return out
}

// offer makes a grant and returns its id.
func (e grantor) offer(t *testing.T, to string, more map[string]any) int64 {
	t.Helper()
	body := map[string]any{"grantee_uuid": to}
	maps.Copy(body, more)
	got := e.Expect(200, "POST", "share-grant/", body).Data(t)
	require.Equal(t, "pending", got["status"])
	require.Equal(t, "given", got["direction"])
	return int64(got["id"].(float64))
}

func TestEachGrantShowsExactlyWhatItSays(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit = 0 }})
		e, b, c := newGrantor(t, s), s.Company("owner", 0), s.Company("owner", 0)
		all := e.records(t)
		require.Len(t, all["cultivation"], 2)
		of := func(names ...string) map[string][]int64 {
			out := map[string][]int64{}
			for _, name := range names {
				out[name] = all[name]
			}
			return out
		}
		firsts := func(names ...string) map[string][]int64 {
			out := map[string][]int64{}
			for _, name := range names {
				out[name] = all[name][:1]
			}
			return out
		}
		to := b.UUID()
		for name, g := range map[string]struct {
			body map[string]any
			want map[string][]int64
		}{
			"everything": {map[string]any{"target": "all"}, of("farm", "field", "season", "cultivation")},
			"a farm":     {map[string]any{"target": "farm", "farm_id": e.first.Farm}, firsts("farm", "field", "season", "cultivation")},
			"a field":    {map[string]any{"target": "field", "field_id": e.first.Field}, firsts("field", "season", "cultivation")},
			"fields":     {map[string]any{"target": "all", "slugs": []string{"field.view"}}, of("field")},
			"farms":      {map[string]any{"target": "all", "slugs": []string{"farm.view"}}, of("farm")},
			"seasons":    {map[string]any{"target": "field", "field_id": e.first.Field, "slugs": []string{"season.view"}}, firsts("season")},
			"profiles":   {map[string]any{"target": "farm", "farm_id": e.first.Farm, "slugs": []string{"vi-profile.view"}}, of(orders)},
			// The last day itself is for the suite of the store, which has a clock of its own: here midnight may come.
			"last day": {map[string]any{"target": "all", "slugs": []string{"farm.view"}, "ends_on": time.Now().UTC().AddDate(0, 0, 1).Format(time.DateOnly)}, of("farm")},
		} {
			id := e.offer(t, to, g.body)
			require.Empty(t, sight(t, b), "%s: pending", name)
			b.Expect(200, "POST", path("share-grant", id)+"accept/", nil)
			require.Equal(t, g.want, sight(t, b), name)
			require.Empty(t, sight(t, c), "%s: a third company", name)
			require.Empty(t, sight(t, e.Client), "%s: the grantor", name)
			seesNothingElse(t, b, all, g.want)
			if name == "everything" { // no other grant shares more
				changesNothing(t, b, all)
			}
			e.Expect(204, "DELETE", path("share-grant", id), nil)
			require.Empty(t, sight(t, b), "%s: revoked", name)
			seesNothingElse(t, b, all, nil)
		}
		changesNothing(t, b, all)
	})
}

// seesNothingElse asserts that only reads of what is shared find another company's records.
func seesNothingElse(t *testing.T, c *rig.Client, all, shared map[string][]int64) {
	t.Helper()
	for resource, ids := range all {
		for _, id := range ids {
			c.Expect(404, "GET", path(resource, id), nil)
			if !slices.Contains(shared[resource], id) {
				c.Expect(404, "GET", path(resource, id)+"?share=true", nil)
			}
		}
	}
}

// changesNothing asserts that no writing method reaches another company's records.
func changesNothing(t *testing.T, c *rig.Client, all map[string][]int64) {
	t.Helper()
	for resource, ids := range all {
		if resource == orders {
			continue
		}
		for _, id := range ids {
			for _, query := range []string{"", "?share=true"} {
				c.Expect(404, "PUT", path(resource, id)+query, `{}`)
				c.Expect(404, "PATCH", path(resource, id)+query, `{"name":"mine"}`)
				c.Expect(404, "DELETE", path(resource, id)+query, nil)
			}
		}
	}
}

func TestSharedRecordsLeakNothing(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		e, b := newGrantor(t, s), s.Company("owner", 0)
		e.Expect(200, "PATCH", path("farm", e.first.Farm), map[string]any{"description": "secret-farm", "phone": "secret-phone"})
		neighbour := e.Make("field/", map[string]any{"name": "secret-neighbour", "farm_id": e.first.Farm, "boundary": rig.GeoJSON(t, rig.Square(400, 0))})
		id := e.offer(t, b.UUID(), map[string]any{"target": "field", "field_id": e.first.Field})
		b.Expect(200, "POST", path("share-grant", id)+"accept/", nil)

		// Of the farm of a shared field only an id and a name are shown; overlaps are not reported.
		got := b.Expect(200, "GET", path("field", e.first.Field)+"?share=true", nil)
		require.Equal(t, map[string]any{"id": float64(e.first.Farm), "name": "Farm"}, got.Data(t)["farm"])
		require.Empty(t, got.Data(t)["warnings"])
		for _, p := range []string{
			path("field", e.first.Field) + "?share=true", "field/?share=true", "season/?share=true", "cultivation/?share=true",
			"share-grant/", path("share-grant", id),
		} {
			body := string(b.Expect(200, "GET", p, nil).Body)
			require.NotContains(t, body, "secret", p)
			require.NotContains(t, body, "@", "%s names an e-mail address", p)
		}
		// Filters and counts know only what is shared.
		for query, want := range map[string]int64{
			fmt.Sprintf("field/?share=true&farm=%d", e.first.Farm):              1,
			fmt.Sprintf("field/?share=true&farm=%d", e.second.Farm):             0,
			fmt.Sprintf("field/?share=true&company=%d", e.CompanyID):            1,
			fmt.Sprintf("cultivation/?share=true&field=%d", neighbour):          0,
			fmt.Sprintf("cultivation/?share=true&field=%d", e.first.Field):      1,
			fmt.Sprintf("field/?company=%d", e.CompanyID):                       0,
			fmt.Sprintf("cultivation/?share=true&season=%d", e.second.Season):   0,
			fmt.Sprintf("cultivation/?share=true&company=%d", b.CompanyID):      0,
			fmt.Sprintf("farm/?share=true&company=%d&page_size=1", e.CompanyID): 0,
		} {
			require.EqualValues(t, want, b.Expect(200, "GET", query, nil).Data(t)["count"], query)
		}
		// A refusal is the same for what is shared, for what is not, and for what never existed.
		unknown := b.Expect(404, "PATCH", path("field", 999_999), `{"name":"x"}`).Map(t)
		require.Equal(t, unknown, b.Expect(404, "PATCH", path("field", e.first.Field), `{"name":"x"}`).Map(t))
		require.Equal(t, unknown, b.Expect(404, "PATCH", path("field", neighbour), `{"name":"x"}`).Map(t))
		mine := b.Make("farm/", map[string]any{"name": "mine"})
		b.Expect(400, "POST", "field/", map[string]any{"name": "x", "farm_id": e.first.Farm})
		season := b.Make("season/", map[string]any{"name": "s", "start_date": "2025-01-01", "end_date": "2025-12-31"})
		refused := b.Expect(400, "POST", "cultivation/", map[string]any{"field_id": e.first.Field, "season_id": season, "crop_id": e.first.Crop})
		require.NotContains(t, string(refused.Body), "Field\"")
		b.Expect(400, "POST", orders+"/", map[string]any{"field_uuid": e.first.FieldUUID, "season_id": season})
		require.Equal(t, []int64{mine}, own(t, b, "farm"), "lists without share hold one's own records")
		// A cultivation deleted with its field is no longer shared; nor is the field.
		e.Expect(204, "DELETE", path("field", e.first.Field), nil)
		require.Empty(t, sight(t, b))
	})
}

func own(t *testing.T, c *rig.Client, resource string) []int64 {
	t.Helper()
	var page struct{ Results []struct{ ID int64 } }
	c.Expect(200, "GET", resource+"/?page=all", nil).Into(t, &page)
	var out []int64
	for _, r := range page.Results {
		out = append(out, r.ID)
	}
	return out
}

func TestShareGrantLife(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		e, b, c := newGrantor(t, s), s.Company("owner", 0), s.Company("owner", 0)
		to := b.UUID()
		id := e.offer(t, to, map[string]any{"target": "farm", "farm_id": e.first.Farm})
		one := path("share-grant", id)

		got := b.Expect(200, "GET", one, nil).Data(t)
		require.Equal(t, "received", got["direction"])
		require.Equal(t, "Farm", got["farm"].(map[string]any)["name"])
		require.Equal(t, to, got["grantee"].(map[string]any)["uuid"])
		require.Equal(t, []any{"farm.view", "field.view", "season.view", "cultivation.view", "fertilization.view"}, got["slugs"])

		// Each company can do only its own part; to a third company the grant does not exist.
		b.Expect(404, "DELETE", one, nil)
		for _, action := range []string{"accept/", "decline/"} {
			e.Expect(404, "POST", one+action, nil)
			c.Expect(404, "POST", one+action, nil)
		}
		c.Expect(404, "GET", one, nil)
		c.Expect(404, "DELETE", one, nil)
		require.Equal(t, "pending", e.Expect(200, "GET", one, nil).Data(t)["status"])

		require.Equal(t, "accepted", b.Expect(200, "POST", one+"accept/", nil).Data(t)["status"])
		for _, action := range []string{"accept/", "decline/"} {
			require.Equal(t, "share_grant_state", b.Expect(409, "POST", one+action, nil).Map(t)["code"])
		}
		e.Expect(200, "PATCH", path("farm", e.first.Farm), `{"name":"Renamed"}`)
		e.Expect(204, "DELETE", one, nil)
		require.Equal(t, "share_grant_state", e.Expect(409, "DELETE", one, nil).Map(t)["code"])
		require.Equal(t, "Renamed", e.Expect(200, "GET", one, nil).Data(t)["farm"].(map[string]any)["name"])
		over := b.Expect(200, "GET", one, nil).Data(t)
		require.Equal(t, "revoked", over["status"])
		require.Nil(t, over["farm"], "a grant that is over tells its grantee nothing new")

		declined := e.offer(t, to, map[string]any{"target": "all"})
		require.Equal(t, "declined", b.Expect(200, "POST", path("share-grant", declined)+"decline/", nil).Data(t)["status"])
		b.Expect(409, "POST", path("share-grant", declined)+"accept/", nil)
		require.Empty(t, sight(t, b))

		for query, want := range map[string]int{
			"": 2, "?status=declined": 1, "?status=pending": 0, "?direction=given": 0, "?direction=received": 2,
			"?farm=" + itoa(e.first.Farm): 1, "?field=" + itoa(e.first.Field): 0, "?page_size=1&page=2": 1,
		} {
			var list []map[string]any
			b.Expect(200, "GET", "share-grant/"+query, nil).Into(t, &list)
			require.Len(t, list, want, query)
		}
		b.Expect(400, "GET", "share-grant/?direction=sideways", nil)
		var none []any
		c.Expect(200, "GET", "share-grant/", nil).Into(t, &none)
		require.Empty(t, none)
	})
}

func TestGrantsThatCannotBeOffered(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		e, b := newGrantor(t, s), s.Company("owner", 0)
		theirs := b.Make("farm/", map[string]any{"name": "theirs"})
		to, self := b.UUID(), e.UUID()
		for name, g := range map[string]struct {
			body  map[string]any
			field string
		}{
			"unknown company":        {map[string]any{"grantee_uuid": "00000000-0000-4000-8000-000000000000", "target": "all"}, "grantee_uuid"},
			"no uuid":                {map[string]any{"grantee_uuid": "x", "target": "all"}, "grantee_uuid"},
			"oneself":                {map[string]any{"grantee_uuid": self, "target": "all"}, "grantee_uuid"},
			"unknown target":         {map[string]any{"grantee_uuid": to, "target": "season"}, "target"},
			"farm without an id":     {map[string]any{"grantee_uuid": to, "target": "farm"}, "farm_id"},
			"another's farm":         {map[string]any{"grantee_uuid": to, "target": "farm", "farm_id": theirs}, "farm_id"},
			"unknown field":          {map[string]any{"grantee_uuid": to, "target": "field", "field_id": 999_999}, "field_id"},
			"a farm too many":        {map[string]any{"grantee_uuid": to, "target": "field", "field_id": e.first.Field, "farm_id": e.first.Farm}, "farm_id"},
			"everything, and a farm": {map[string]any{"grantee_uuid": to, "target": "all", "farm_id": e.first.Farm}, "farm_id"},
			"no slugs":               {map[string]any{"grantee_uuid": to, "target": "all", "slugs": []string{}}, "slugs"},
			"writing":                {map[string]any{"grantee_uuid": to, "target": "all", "slugs": []string{"field.edit"}}, "slugs"},
			"the wallet":             {map[string]any{"grantee_uuid": to, "target": "all", "slugs": []string{"wallet.view"}}, "slugs"},
			"a pattern":              {map[string]any{"grantee_uuid": to, "target": "all", "slugs": []string{"*"}}, "slugs"},
			"over before it began":   {map[string]any{"grantee_uuid": to, "target": "all", "ends_on": "2020-01-01"}, "ends_on"},
			"no date":                {map[string]any{"grantee_uuid": to, "target": "all", "ends_on": "2025-02-30"}, "ends_on"},
		} {
			refused := e.Expect(400, "POST", "share-grant/", g.body).Map(t)
			require.Contains(t, refused["details"], g.field, name)
		}
		var none []any
		b.Expect(200, "GET", "share-grant/", nil).Into(t, &none)
		require.Empty(t, none)

		viewer := s.User(e.CompanyID, "viewer")
		denied := viewer.Expect(403, "POST", "share-grant/", `{`).Map(t)
		require.Equal(t, "share_grant.create", denied["details"].(map[string]any)["required_permission"])
		id := e.offer(t, to, map[string]any{"target": "all"})
		require.Equal(t, "share_grant.edit", s.User(b.CompanyID, "viewer").Expect(403, "POST", path("share-grant", id)+"accept/", nil).
			Map(t)["details"].(map[string]any)["required_permission"])
		viewer.Expect(403, "DELETE", path("share-grant", id), nil)
	})
}
