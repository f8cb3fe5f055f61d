package contract

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/adapters/persistence"
	"tilth/app/satellite"
	"tilth/app/task"
	"tilth/core/access"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/rig"
)

// joined has a company share a field or everything with another, which accepts, and returns the path of the grant.
func joined(t *testing.T, from, to *rig.Client, more map[string]any) string {
	t.Helper()
	one := path("share-grant", grantor{Client: from}.offer(t, to.UUID(), more))
	to.Expect(200, http.MethodPost, one+"accept/", nil)
	return one
}

// orderedBy places an order as a company and returns its id, once it is active.
func orderedBy(t *testing.T, c *rig.Client, field string, season int64) int64 {
	t.Helper()
	id := int64(c.Expect(200, http.MethodPost, rig.OrdersPath, map[string]any{"field_uuid": field, "season_id": season}).Data(t)["order_id"].(float64))
	c.Until(id, "active")
	return id
}

// ordersListed returns the ids of a list of orders, after checking its count.
func ordersListed(t *testing.T, c *rig.Client, query string) []int64 {
	t.Helper()
	var list []struct {
		OrderID int64 `json:"order_id"`
	}
	answer := c.Expect(200, http.MethodGet, rig.OrdersPath+query+"&page=1&page_size=50", nil)
	answer.Into(t, &list)
	require.Equal(t, itoa(int64(len(list))), answer.Header.Get("X-Total-Count"), query)
	ids := []int64{}
	for _, o := range list {
		ids = append(ids, o.OrderID)
	}
	return ids
}

var programmeSlugs = []string{"farm.view", "field.view", "vi-profile.view", "vi-profile.create"}

// A programme orders profiles of the fields of two suppliers, for its own season and from its own wallet, and has them in
// one list with what the suppliers ordered. When the sharing ends all of it is hidden, and the ledger keeps what was paid.
func TestAProgrammeOrdersProfilesOfSharedFields(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit = 0 }})
		b, stranger := s.Company("owner", amount(1000)), s.Company("owner", amount(1000))
		first, second := s.Company("owner", amount(1000)), s.Company("owner", amount(1000))
		outline := rig.Archive(t).Parcels[0].Boundary
		land, other := first.Land(outline, "2025-03-01", "2025-10-31"), second.Land(outline, "2025-03-01", "2025-10-31")
		season := b.Make("season/", map[string]any{"name": "programme", "start_date": "2025-04-01", "end_date": "2025-09-30"})
		theirs := orderedBy(t, first, land.FieldUUID, land.Season)

		grant := joined(t, first, b, map[string]any{"target": "all", "slugs": programmeSlugs})
		joined(t, second, b, map[string]any{"target": "farm", "farm_id": other.Farm, "slugs": programmeSlugs})
		body := map[string]any{"field_uuid": land.FieldUUID, "season_id": season}
		quote := b.Expect(200, http.MethodPost, rig.OrdersPath+"quote/", body).Data(t)
		require.Positive(t, quote["charge"], "each company pays for a field itself")
		require.Equal(t, false, quote["already_charged"])
		before, firsts := b.Wallet(), first.Wallet()
		mine, other1 := orderedBy(t, b, land.FieldUUID, season), orderedBy(t, b, other.FieldUUID, season)
		paid := b.Wallet()
		require.InDelta(t, before.Balance-2*quote["charge"].(float64), paid.Balance, 1e-9)
		require.Equal(t, firsts, first.Wallet())
		require.EqualValues(t, 0, b.Expect(200, http.MethodPost, rig.OrdersPath+"quote/", map[string]any{
			"field_uuid": land.FieldUUID, "season_id": b.Make("season/", map[string]any{"name": "before", "start_date": "2024-04-01", "end_date": "2024-09-30"}),
		}).Data(t)["charge"], "it is charged once")
		require.Equal(t, "duplicate_profile", b.Expect(409, http.MethodPost, rig.OrdersPath, body).Map(t)["code"])
		got := b.Expect(200, http.MethodGet, rig.OrdersPath+itoa(mine)+"/", nil).Data(t)
		require.EqualValues(t, b.CompanyID, got["company"])
		require.EqualValues(t, first.CompanyID, got["field_company"])
		require.NotEmpty(t, got["profile"])

		// One list of the programme, with and without what the suppliers ordered.
		require.Equal(t, []int64{mine, other1}, ordersListed(t, b, "?"))
		require.Equal(t, []int64{theirs, mine, other1}, ordersListed(t, b, "?share=true"))
		require.Equal(t, []int64{theirs, mine}, ordersListed(t, b, "?share=true&field="+itoa(land.Field)))
		require.Equal(t, []int64{mine}, ordersListed(t, b, "?season="+itoa(season)+"&farm="+itoa(land.Farm)))
		require.Equal(t, []int64{mine, other1}, ordersListed(t, b, "?search=field"))
		require.EqualValues(t, 2, b.Expect(200, http.MethodGet, "field/?share=true", nil).Data(t)["count"])
		b.Expect(200, http.MethodPost, rig.OrdersPath+itoa(mine)+"/recompute/", nil)

		// The suppliers and strangers see none of it, and the grant permits no other write.
		for _, c := range []*rig.Client{first, second, stranger} {
			for _, query := range []string{"", "?share=true"} {
				c.Expect(404, http.MethodGet, rig.OrdersPath+itoa(mine)+"/"+query, nil)
			}
		}
		require.Equal(t, []int64{theirs}, ordersListed(t, first, "?"))
		stranger.Expect(400, http.MethodPost, rig.OrdersPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": stranger.Make("season/",
			map[string]any{"name": "s", "start_date": "2025-04-01", "end_date": "2025-09-30"})})
		b.Expect(500, http.MethodPost, rig.OrdersPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season}) // not of its company
		b.Expect(404, http.MethodPatch, path("field", land.Field)+"?share=true", `{"name":"mine"}`)
		b.Expect(404, http.MethodPost, rig.OrdersPath+itoa(theirs)+"/recompute/", nil)
		third := s.Company("owner", 0)
		joined(t, b, third, map[string]any{"target": "all", "slugs": programmeSlugs})
		require.Empty(t, ordersListed(t, third, "?share=true"), "nobody hands on what is not its own")

		rig.Exec(t, database, `INSERT INTO profile_monitors (id, company_id, rules, alerts, created_at, updated_at)
			SELECT id, company_id, '[]', '[]', created_at, updated_at FROM profile_orders WHERE id IN (`+itoa(mine)+","+itoa(other1)+")")
		b.Expect(200, http.MethodGet, rig.OrdersPath+itoa(mine)+"/monitor/", nil)

		// After the revocation it is hidden in every view; the order of the other supplier stays, and so does the ledger.
		ledger := b.Expect(200, http.MethodGet, "wallet/transactions/?order="+itoa(mine), nil).Map(t)["data"]
		first.Expect(204, http.MethodDelete, grant, nil)
		gone := func(why string) {
			t.Helper()
			require.Equal(t, []int64{other1}, ordersListed(t, b, "?"), why)
			require.Equal(t, []int64{other1}, ordersListed(t, b, "?share=true"), why)
			for _, below := range []string{"", "?share=true", "?index_code=EVI", "chart.svg", "export.csv", "monitor/"} {
				b.Expect(404, http.MethodGet, rig.OrdersPath+itoa(mine)+"/"+below, nil)
			}
			b.Expect(404, http.MethodPost, rig.OrdersPath+itoa(mine)+"/recompute/", nil)
			b.Expect(400, http.MethodPost, rig.OrdersPath, body)
			require.Equal(t, ledger, b.Expect(200, http.MethodGet, "wallet/transactions/?order="+itoa(mine), nil).Map(t)["data"], why)
			require.Equal(t, paid, b.Wallet(), why)
		}
		gone("revoked")
		notRefreshed(t, database, b.CompanyID, mine)

		// After another grant it is back as it was; after the grant has expired or its field is deleted, it is not.
		again := joined(t, first, b, map[string]any{"target": "field", "field_id": land.Field, "slugs": []string{"vi-profile.view"}})
		require.Equal(t, []int64{mine, other1}, ordersListed(t, b, "?"))
		require.Equal(t, "field_uuid", only(b.Expect(400, http.MethodPost, rig.OrdersPath, body).Map(t)["details"]), "to view is not to order")
		rig.Exec(t, database, "UPDATE share_grants SET ends_on = '2020-01-01' WHERE target = 'field'")
		gone("expired")
		first.Expect(409, http.MethodDelete, again, nil)
		joined(t, first, b, map[string]any{"target": "all", "slugs": programmeSlugs})
		require.Equal(t, "duplicate_profile", b.Expect(409, http.MethodPost, rig.OrdersPath, body).Map(t)["code"])
		first.Expect(204, http.MethodDelete, path("field", land.Field), nil)
		gone("deleted")
	})
}

// only returns the single key of an object.
func only(object any) string {
	for key := range object.(map[string]any) {
		return key
	}
	return ""
}

// notRefreshed runs the refresh of an order whose field is no longer shared, and asserts that it ends without a trace.
func notRefreshed(t *testing.T, database string, company, order int64) {
	t.Helper()
	db, err := persistence.Open(t.Context(), database, persistence.Options{
		Clock: identity.Clock{}, IDs: identity.Random{}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	scope, long := access.Own(company).WithLapsed(), time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)
	stored := func() (s vegetation.OrderState) {
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, tx ports.Repos) (err error) {
			s, err = tx.Orders.Get(ctx, scope, order)
			return err
		}))
		return s
	}
	require.NoError(t, db.Consult(t.Context(), func(ctx context.Context, tx ports.OperatorRepos) error {
		due, err := tx.Monitors.Due(ctx, time.Now().Add(time.Hour), long, 0, 10)
		require.Len(t, due, 1, "the one that is still shared")
		require.NotEqual(t, order, due[0].OrderID)
		return err
	}))
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx ports.Repos) error {
		s, err := tx.Orders.GetForUpdate(ctx, scope, order)
		require.NoError(t, err)
		s.LastCheckedAt = &long
		if err := tx.Orders.Update(ctx, scope, s); err != nil {
			return err
		}
		return tx.Jobs.Enqueue(ctx, task.JobOn(satellite.RefreshJob, company, order, time.Now()))
	}))
	rig.Eventually(t, func() bool {
		waits := false
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, tx ports.Repos) (err error) {
			waits, err = tx.Jobs.Waits(ctx, satellite.RefreshJob, itoa(order))
			return err
		}))
		return !waits
	}, 3*time.Minute, 20*time.Millisecond)
	require.Equal(t, long, stored().LastCheckedAt.UTC())
	require.Equal(t, vegetation.Active, stored().Status)
}

// An open order whose field is no longer shared fails and releases its hold, even if it waits for its season.
func TestAnOpenOrderEndsWithTheGrant(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		first, b := s.Company("owner", 0), s.Company("owner", amount(1000))
		land := first.Land(rig.Archive(t).Parcels[0].Boundary, "2025-03-01", "2025-10-31")
		season := b.Make("season/", map[string]any{"name": "later", "start_date": "2099-04-01", "end_date": "2099-09-30"})
		grant := joined(t, first, b, map[string]any{"target": "all", "slugs": programmeSlugs})
		full := b.Wallet()
		id := int64(b.Expect(200, http.MethodPost, rig.OrdersPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": season}).Data(t)["order_id"].(float64))
		b.Until(id, "pending")
		require.Less(t, b.Wallet().Available, full.Available)
		first.Expect(204, http.MethodDelete, grant, nil)
		rig.Exec(t, database, "UPDATE jobs SET run_at = created_at FROM (SELECT created_at FROM companies LIMIT 1) AS c WHERE kind = 'vi_profile'") // a day later
		rig.Eventually(t, func() bool { return b.Wallet() == full }, 3*time.Minute, 20*time.Millisecond)
		b.Expect(404, http.MethodGet, rig.OrdersPath+itoa(id)+"/", nil)
		joined(t, first, b, map[string]any{"target": "all", "slugs": programmeSlugs})
		require.Contains(t, *b.Until(id, "failed").Reason, "no longer shared")
	})
}

// Areas of interest, maps, plans and samples are shared by their own slugs, and only if all their fields are.
func TestAreasOfInterestAreSharedWithTheirFields(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit = 0 }})
		a, b, stranger := s.Company("owner", amount(1000)), s.Company("owner", 0), s.Company("owner", 0)
		s.Subscribe(a, b, stranger)
		sampled(t, a)
		lists := map[string]string{
			aoisPath: "aoi.view", savedMaps: "stratification_map.view", savedPlans: "sample_plan_map.view", samplesPath: "sample.view",
		}
		ids := map[string][]int64{}
		for list := range lists {
			ids[list] = idsAt(t, a, list)
			require.NotEmpty(t, ids[list], list)
		}
		field := int64(a.Expect(200, http.MethodGet, "field/", nil).Data(t)["results"].([]any)[0].(map[string]any)["id"].(float64))
		// sees asserts what a company sees of it, by slug.
		sees := func(c *rig.Client, slug, why string) {
			t.Helper()
			for list, needs := range lists {
				want := []int64{}
				if needs == slug {
					want = ids[list]
				}
				require.Equal(t, want, idsAt(t, c, list+"?share=true"), "%s: %s", why, list)
				require.Empty(t, idsAt(t, c, list), why)
				status := map[bool]int{true: 200, false: 404}[needs == slug]
				for _, id := range ids[list][:1] {
					c.Expect(status, http.MethodGet, list+itoa(id)+"/?share=true", nil)
					c.Expect(404, http.MethodGet, list+itoa(id)+"/", nil)
					if list == aoisPath || list == samplesPath {
						c.Expect(404, http.MethodPatch, list+itoa(id)+"/?share=true", `{"name":"mine"}`)
					}
				}
			}
		}
		for _, slug := range lists {
			grant := joined(t, a, b, map[string]any{"target": "field", "field_id": field, "slugs": []string{slug}})
			sees(b, slug, slug)
			sees(stranger, "", slug)
			a.Expect(204, http.MethodDelete, grant, nil)
			sees(b, "", "revoked")
		}

		// An area over two fields is shared if both are; its maps are shared if the fields of their order are, whatever the area is now.
		aoi := a.Expect(200, http.MethodGet, aoisPath+itoa(ids[aoisPath][0])+"/", nil).Data(t)
		uuid := aoi["aoi_fields"].([]any)[0].(map[string]any)["field_uuid"].(string)
		second := a.Land(rig.Archive(t).Parcels[1].Boundary, "2025-03-01", "2025-10-31")
		all := []string{"aoi.view", "stratification_map.view", "sample_plan_map.view", "sample.view"}
		joined(t, a, b, map[string]any{"target": "field", "field_id": field, "slugs": all})
		covers := func(uuids ...string) {
			t.Helper()
			a.Expect(200, http.MethodPatch, aoisPath+itoa(ids[aoisPath][0])+"/", map[string]any{"field_uuids": uuids})
		}
		seen := func() (n [4]int) {
			for i, list := range []string{aoisPath, savedMaps, savedPlans, samplesPath} {
				n[i] = len(idsAt(t, b, list+"?share=true"))
			}
			return n
		}
		whole := [4]int{1, len(ids[savedMaps]), len(ids[savedPlans]), len(ids[samplesPath])}
		require.Equal(t, whole, seen())
		require.Equal(t, uuid, b.Expect(200, http.MethodGet, aoisPath+aoi["aoi_uuid"].(string)+"/?share=true", nil).Data(t)["aoi_fields"].([]any)[0].(map[string]any)["field_uuid"])
		covers(uuid, second.FieldUUID)
		require.Equal(t, [4]int{}, seen(), "one of two is not shared")
		both := joined(t, a, b, map[string]any{"target": "field", "field_id": second.Field, "slugs": all})
		require.Equal(t, whole, seen(), "two grants cover it together")
		covers(second.FieldUUID)
		require.Equal(t, whole, seen())
		a.Expect(204, http.MethodDelete, both, nil)
		covers(uuid)
		require.Equal(t, whole, seen())
		third := joined(t, a, stranger, map[string]any{"target": "field", "field_id": second.Field, "slugs": all})
		covers(second.FieldUUID)
		require.Len(t, idsAt(t, stranger, aoisPath+"?share=true"), 1)
		require.Empty(t, idsAt(t, stranger, savedMaps+"?share=true"), "the map is of land that is not shared")
		require.Empty(t, idsAt(t, stranger, samplesPath+"?share=true"))
		a.Expect(204, http.MethodDelete, third, nil)
		a.Expect(204, http.MethodDelete, aoisPath+itoa(ids[aoisPath][0])+"/", nil)
		require.Equal(t, [4]int{}, seen(), "deleted")
	})
}

// idsAt returns the ids of a list outside farm management.
func idsAt(t *testing.T, c *rig.Client, list string) []int64 {
	t.Helper()
	var found []struct{ ID int64 }
	c.Expect(200, http.MethodGet, list, nil).Into(t, &found)
	out := []int64{}
	for _, one := range found {
		out = append(out, one.ID)
	}
	return out
}
