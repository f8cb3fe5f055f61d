package contract

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/geo"
	"tilth/tests/rig"
)

const viMapsPath = "maps/vegetation-index-map/orders/"

// mapOf orders a map of an index and returns it once it is ready.
func mapOf(t *testing.T, c *rig.Client, body map[string]any) map[string]any {
	t.Helper()
	return mapAt(t, c, viMapsPath, body)
}

// mapAt is mapOf for the product at a path.
func mapAt(t *testing.T, c *rig.Client, path string, body map[string]any) map[string]any {
	t.Helper()
	body["is_background"] = false
	placed := c.Expect(200, http.MethodPost, path, body).Data(t)
	require.Len(t, placed, 2)
	return untilMapAt(t, c, path+itoa(int64(placed["order_id"].(float64)))+"/")
}

// untilMap waits until an order is no longer processing; on a busy machine this may take longer than a response waits.
func untilMap(t *testing.T, c *rig.Client, id int64) map[string]any {
	t.Helper()
	return untilMapAt(t, c, viMapsPath+itoa(id)+"/")
}

func untilMapAt(t *testing.T, c *rig.Client, at string) (out map[string]any) {
	t.Helper()
	rig.Eventually(t, func() bool {
		out = c.Expect(200, http.MethodGet, at, nil).Data(t)
		return out["status"] != "processing"
	}, 10*time.Minute, 20*time.Millisecond)
	return out
}

// mapsListed returns the ids of a list of orders.
func mapsListed(t *testing.T, c *rig.Client, query string) []int64 {
	t.Helper()
	var list []struct {
		OrderID int64 `json:"order_id"`
	}
	c.Expect(200, http.MethodGet, viMapsPath+query, nil).Into(t, &list)
	ids := []int64{}
	for _, o := range list {
		ids = append(ids, o.OrderID)
	}
	return ids
}

// A map is ordered, computed and charged as a profile is, and agrees with the profile of the same field; the field is
// charged once for both.
func TestAMapIsOrderedAndChargedOnceWithTheProfile(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c, other := s.Company("owner", 1000_00), s.Company("owner", 1000_00)
		land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-06-30")
		body := map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season, "output_data_type": "geotiff", "no_of_classes": 5}
		quote := c.Expect(200, http.MethodPost, viMapsPath+"quote/", body).Data(t)
		require.Positive(t, quote["charge"])
		require.Positive(t, quote["scenes"])
		made := mapOf(t, c, body)
		require.Equal(t, "active", made["status"], made["reason"])
		require.InDelta(t, 1000-quote["charge"].(float64), c.Wallet().Balance, 1e-9)
		id := int64(made["order_id"].(float64))

		c.Expect(200, http.MethodPost, rig.OrdersPath, land.OrderBody())
		list := []map[string]any{}
		c.Expect(200, http.MethodGet, rig.OrdersPath, nil).Into(t, &list)
		profile := c.Until(int64(list[0]["order_id"].(float64)), "active")
		require.InDelta(t, 1000-quote["charge"].(float64), c.Wallet().Balance, 1e-9, "a field is charged once over all products")
		dates := made["dates"].([]any)
		require.Len(t, dates, len(profile.Observations))
		require.EqualValues(t, len(dates), made["number_of_dates"])
		for i, o := range profile.Observations {
			date := dates[i].(map[string]any)
			require.Equal(t, o.Date, date["date"])
			require.InDelta(t, o.Value, date["value"], 1e-9)
			require.Positive(t, date["bytes"])
		}
		require.Len(t, made["rejected"], len(profile.Rejected))
		require.Equal(t, true, made["synthetic"])

		again := c.Expect(409, http.MethodPost, viMapsPath, body).Map(t)
		require.Equal(t, "duplicate_map", again["code"])
		require.Equal(t, map[string]any{"map_uuid": made["map_uuid"], "order_id": made["order_id"]}, again["details"])
		free := c.Expect(200, http.MethodPost, viMapsPath+"quote/", map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season, "index_code": "evi"}).Data(t)
		require.Equal(t, []any{0.0, true, nil}, []any{free["charge"], free["already_charged"], free["duplicate_of"]})
		other1 := mapOf(t, c, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season, "index_code": "evi"})
		require.Equal(t, "EVI", other1["index_code"])
		eviID := int64(other1["order_id"].(float64))

		for query, want := range map[string][]int64{
			"?": {id, eviID}, "?index_code=ev": {eviID}, "?field=" + itoa(land.Field): {id, eviID}, "?season=999999": {}, "?status=active": {id, eviID},
			"?status=failed": {}, "?company=" + itoa(c.CompanyID): {id, eviID}, "?farm=" + itoa(land.Farm): {id, eviID}, "?boundary_outdated=true": {}, "?share=true": {},
		} {
			require.ElementsMatch(t, want, mapsListed(t, c, query), query)
		}
		for _, at := range []string{viMapsPath + itoa(id) + "/", viMapsPath + itoa(id) + "/?share=true"} {
			other.Expect(404, http.MethodGet, at, nil)
		}
		other.Expect(404, http.MethodPost, viMapsPath+itoa(id)+"/recompute/", nil)
		require.Empty(t, mapsListed(t, other, "?"))
		viewer := s.User(c.CompanyID, "viewer")
		viewer.Expect(200, http.MethodGet, viMapsPath+itoa(id)+"/", nil)
		for _, below := range []string{"", "quote/", "batch/"} {
			require.Equal(t, "permission_denied", viewer.Expect(403, http.MethodPost, viMapsPath+below, body).Map(t)["code"])
		}
		poor := s.Company("owner", 1)
		field := poor.Land(rig.Archive(t).Parcels[1].Boundary, "2025-05-01", "2025-06-30")
		short := poor.Expect(402, http.MethodPost, viMapsPath, map[string]any{"field_uuid": field.FieldUUID, "season_id": field.Season}).Map(t)
		require.Equal(t, "insufficient_credit", short["code"])
		require.Empty(t, mapsListed(t, poor, "?"))

		// A field or a season with a map restricts changes as one with a profile does.
		require.Contains(t, c.Expect(400, http.MethodPatch, path("season", land.Season), map[string]any{"end_date": "2025-07-15"}).Map(t)["details"], "end_date")
		events := c.Expect(200, http.MethodGet, "audit/?resource=vi-map", nil).Map(t)
		require.NotEmpty(t, events["data"])
		heard, _ := listen(t, s.URL, c.Token, "", "?last_event_id=0&type=vi_map_completed").next()
		require.Equal(t, "vi_map_completed", heard.event)
		require.Contains(t, heard.data, `"map_uuid":"`+made["map_uuid"].(string)+`"`)
	})
}

// An outline that belongs to no field is identified by its content, whatever the order of its corners. A map of a date
// uses the nearest usable acquisition; without one nothing is charged.
func TestMapsOfOutlinesAndDates(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database})
		c := s.Company("owner", 1000_00)
		outline := rig.Archive(t).Parcels[0].Boundary
		turned := geo.MultiPolygon{{slices.Concat(outline[0][0][1:], outline[0][0][1:2])}}
		first := mapOf(t, c, map[string]any{"field_boundary": rig.GeoJSON(t, outline), "date": "2025-06-02"})
		require.Equal(t, "active", first["status"], first["reason"])
		paid := c.Wallet()
		require.Less(t, paid.Balance, 1000.0)
		require.Zero(t, paid.Held)
		require.Nil(t, first["field"])
		require.Len(t, first["outline"], 64)
		require.Len(t, first["dates"], 1)
		day, err := time.Parse(time.DateOnly, first["dates"].([]any)[0].(map[string]any)["date"].(string))
		require.NoError(t, err)
		require.LessOrEqual(t, day.Sub(time.Date(2025, 6, 2, 0, 0, 0, 0, time.UTC)).Abs(), 5*24*time.Hour)
		require.Equal(t, "duplicate_map", c.Expect(409, http.MethodPost, viMapsPath, map[string]any{"field_boundary": rig.GeoJSON(t, turned), "date": "2025-06-02"}).Map(t)["code"])
		second := mapOf(t, c, map[string]any{"field_boundary": rig.GeoJSON(t, turned), "date": "2025-06-02", "index_code": "NDMI"})
		require.Equal(t, first["outline"], second["outline"])
		require.Equal(t, paid, c.Wallet(), "the same land is charged once")
		require.EqualValues(t, 0, c.Expect(200, http.MethodGet, "field/", nil).Data(t)["count"], "no field is made of it")

		none := mapOf(t, c, map[string]any{"field_boundary": rig.GeoJSON(t, rig.Archive(t).Parcels[1].Boundary), "date": "2025-11-20"})
		require.Equal(t, "failed", none["status"])
		require.Contains(t, none["reason"], "within 5 days of 2025-11-20")
		require.Contains(t, none["reason"], "The nearest usable dates are 2025-10-")
		require.Equal(t, paid, c.Wallet(), "no date, no charge")
		coming := mapOf(t, c, map[string]any{"field_boundary": rig.GeoJSON(t, rig.Archive(t).Parcels[1].Boundary), "date": "2099-06-01"})
		require.Equal(t, []any{"pending", "The date has not come yet."}, []any{coming["status"], coming["reason"]})
		require.Positive(t, c.Wallet().Held)
	})
}

// Errors in an order are named, and nothing of it is stored.
func TestOrdersOfMapsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, rig.Options{Database: rig.SQLite(t)})
	c, other := s.Company("owner", 1000_00), s.Company("owner", 1000_00)
	land := c.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-06-30")
	square := rig.GeoJSON(t, rig.Archive(t).Parcels[1].Boundary)
	theirs := other.Make("season/", map[string]any{"name": "theirs", "start_date": "2025-04-01", "end_date": "2025-09-30"})
	good := map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season}
	for name, wrong := range map[string]map[string]any{
		"field_uuid":       {"field_uuid": nil},
		"field_boundary":   {"field_boundary": square},
		"season_id":        {"season_id": nil},
		"date":             {"date": "2025-06-01"},
		"index_code":       {"index_code": "XYZ"},
		"mask":             {"mask": "none"},
		"dataset":          {"dataset": "modis"},
		"output_data_type": {"output_data_type": "gif"},
		"no_of_classes":    {"no_of_classes": 10},
		"is_background":    {"is_background": "later"},
		"colour":           {"colour": "red"},
	} {
		body := map[string]any{}
		for _, from := range []map[string]any{good, wrong} {
			for member, value := range from {
				body[member] = value
			}
		}
		for _, below := range []string{"", "quote/"} {
			require.Contains(t, c.Expect(400, http.MethodPost, viMapsPath+below, body).Map(t)["details"], name)
		}
	}
	require.Contains(t, c.Expect(400, http.MethodPost, viMapsPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": theirs}).Map(t)["details"], "season_id")
	require.Contains(t, other.Expect(400, http.MethodPost, viMapsPath, map[string]any{"field_uuid": land.FieldUUID, "season_id": theirs}).Map(t)["details"], "field_uuid")
	require.Contains(t, c.Expect(400, http.MethodPost, viMapsPath, map[string]any{"season_id": land.Season, "field_boundary": map[string]any{"type": "Point", "coordinates": []int{1, 2}}}).Map(t)["details"], "field_boundary")
	items := c.Expect(200, http.MethodPost, viMapsPath+"batch/", []any{
		map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season, "index_code": "zz"}, map[string]any{"season_id": land.Season},
	}).Data(t)["items"].([]any)
	for _, one := range items {
		require.Equal(t, "fail", one.(map[string]any)["verdict"])
	}
	require.Empty(t, mapsListed(t, c, "?"))
	require.Zero(t, c.Wallet().Held)

	// A batch places the orders that it can; deleting a field fails its pending order, whose hold is released.
	later := c.Make("season/", map[string]any{"name": "later", "start_date": "2099-01-01", "end_date": "2099-12-31"})
	placed := c.Expect(200, http.MethodPost, viMapsPath+"batch/", []any{
		map[string]any{"field_uuid": land.FieldUUID, "season_id": later}, map[string]any{"field_uuid": land.FieldUUID, "season_id": later},
	}).Data(t)["items"].([]any)
	require.Equal(t, []any{"create", "skip", "order_open"}, []any{placed[0].(map[string]any)["verdict"], placed[1].(map[string]any)["verdict"], placed[1].(map[string]any)["code"]})
	id := int64(placed[0].(map[string]any)["order_id"].(float64))
	require.Equal(t, "pending", untilMap(t, c, id)["status"])
	require.Positive(t, c.Wallet().Held)
	box := rig.Archive(t).Parcels[0].Boundary.Bounds()
	middle := (box.MinX + box.MaxX) / 2
	open := c.Expect(409, http.MethodPost, path("field", land.Field)+"split/", map[string]any{
		"line": map[string]any{"type": "LineString", "coordinates": [][]float64{{middle, box.MinY - 0.01}, {middle, box.MaxY + 0.01}}},
	}).Map(t)
	require.Equal(t, "orders_open", open["code"])
	require.Equal(t, []any{float64(id)}, open["details"].(map[string]any)["map_orders"])
	c.Expect(204, http.MethodDelete, path("field", land.Field), nil)
	require.Zero(t, c.Wallet().Held)
	failed := c.Expect(200, http.MethodGet, viMapsPath+itoa(id)+"/", nil).Data(t)
	require.Equal(t, []any{"failed", "The field was deleted."}, []any{failed["status"], failed["reason"]})
}

// A company orders a map of a field that another shares with vi-map.create, and sees it for as long as the field is shared.
func TestMapsOfSharedFields(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit = 0 }})
		grower, buyer := s.Company("owner", 1000_00), s.Company("owner", 1000_00)
		land := grower.Land(rig.Archive(t).Parcels[0].Boundary, "2025-05-01", "2025-06-30")
		season := buyer.Make("season/", map[string]any{"name": "s", "start_date": "2025-05-01", "end_date": "2025-05-31"})
		body := map[string]any{"field_uuid": land.FieldUUID, "season_id": season}
		profiles := joined(t, grower, buyer, map[string]any{"target": "all", "slugs": programmeSlugs})
		require.Contains(t, buyer.Expect(400, http.MethodPost, viMapsPath, body).Map(t)["details"], "field_uuid", "to order profiles is not to order maps")
		grower.Expect(204, http.MethodDelete, profiles, nil)
		grant := joined(t, grower, buyer, map[string]any{"target": "all", "slugs": []string{"field.view", "vi-map.view", "vi-map.create"}})
		buyer.Expect(400, http.MethodPost, rig.OrdersPath, body)
		own := mapOf(t, buyer, body)
		require.Equal(t, "active", own["status"], own["reason"])
		require.EqualValues(t, grower.CompanyID, own["field_company"])
		require.Less(t, buyer.Wallet().Balance, 1000.0)
		require.InDelta(t, 1000.0, grower.Wallet().Balance, 1e-9)
		theirs := mapOf(t, grower, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season})
		id, other := int64(own["order_id"].(float64)), int64(theirs["order_id"].(float64))
		require.Equal(t, []int64{id}, mapsListed(t, buyer, "?"))
		require.ElementsMatch(t, []int64{id, other}, mapsListed(t, buyer, "?share=true"))
		require.Equal(t, []int64{other}, mapsListed(t, grower, "?"))
		buyer.Expect(404, http.MethodGet, viMapsPath+itoa(other)+"/", nil)
		buyer.Expect(200, http.MethodGet, viMapsPath+itoa(other)+"/?share=true", nil)

		grower.Expect(204, http.MethodDelete, grant, nil)
		require.Empty(t, mapsListed(t, buyer, "?"))
		require.Empty(t, mapsListed(t, buyer, "?share=true"))
		buyer.Expect(404, http.MethodGet, viMapsPath+itoa(id)+"/", nil)
	})
}

// A map is recomputed on another outline of its field, at no charge; its files are in the object store.
func TestAMapIsRecomputedOnTheOutlineOfToday(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		files := t.TempDir()
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.ObjectsURL = "file:" + files }})
		c := s.Company("owner", 1000_00)
		parcel := rig.Archive(t).Parcels[0].Boundary
		land := c.Land(scaled(parcel, 0.5), "2025-05-01", "2025-05-31")
		made := mapOf(t, c, map[string]any{"field_uuid": land.FieldUUID, "season_id": land.Season})
		require.Equal(t, "active", made["status"], made["reason"])
		at, paid := viMapsPath+itoa(int64(made["order_id"].(float64)))+"/", c.Wallet()
		stored, err := filepath.Glob(filepath.Join(files, "maps", "*.tif"))
		require.NoError(t, err)
		sizes := map[any]bool{}
		for _, file := range stored {
			info, err := os.Stat(file)
			require.NoError(t, err)
			sizes[float64(info.Size())] = true
		}
		for _, one := range made["dates"].([]any) {
			require.Contains(t, sizes, one.(map[string]any)["bytes"])
		}
		c.Expect(200, http.MethodPatch, path("field", land.Field), map[string]any{"boundary": rig.GeoJSON(t, scaled(parcel, 0.3))})
		require.Equal(t, true, c.Expect(200, http.MethodGet, at, nil).Data(t)["boundary_outdated"])
		c.Expect(200, http.MethodPost, at+"recompute/", nil)
		var again map[string]any
		rig.Eventually(t, func() bool {
			again = c.Expect(200, http.MethodGet, at, nil).Data(t)
			return again["boundary_outdated"] == false
		}, 10*time.Minute, 20*time.Millisecond)
		require.NotEqual(t, made["dates"], again["dates"])
		require.Equal(t, paid, c.Wallet(), "it costs nothing")
		c.Expect(200, http.MethodPatch, path("field", land.Field), map[string]any{"boundary": rig.GeoJSON(t, scaled(parcel, 0.6))})
		require.Equal(t, "boundary_too_different", c.Expect(409, http.MethodPost, at+"recompute/", nil).Map(t)["code"])
	})
}
