package contract

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/tests/rig"
)

// plot is a rectangle as GeoJSON, in thousandths of a degree from a corner.
func plot(west, south, east, north float64) map[string]any {
	at := func(x, y float64) []float64 { return []float64{-4.22 + x/1000, 41.78 + y/1000} }
	return map[string]any{"type": "Polygon", "coordinates": [][][]float64{{at(west, south), at(east, south), at(east, north), at(west, north), at(west, south)}}}
}

func cutLine(positions ...[2]float64) map[string]any {
	var at [][]float64
	for _, p := range positions {
		at = append(at, []float64{-4.22 + p[0]/1000, 41.78 + p[1]/1000})
	}
	return map[string]any{"type": "LineString", "coordinates": at}
}

// reshaped is a field as the tests of splits and merges look at it.
type reshaped struct {
	ID         int64
	UUID       string
	Name       string
	AreaHa     float64 `json:"area_ha"`
	SoilType   string  `json:"soil_type"`
	Declared   float64 `json:"declared_area_ha"`
	SplitFrom  *int64  `json:"split_from"`
	MergedFrom []int64 `json:"merged_from"`
	ReplacedBy []int64 `json:"replaced_by"`
}

// quoted returns what an order of a field would cost.
func quoted(t *testing.T, c *rig.Client, uuid string, season int64) (charge float64, charged bool) {
	t.Helper()
	got := c.Expect(200, http.MethodPost, rig.OrdersPath+"quote/", map[string]any{"field_uuid": uuid, "season_id": season}).Data(t)
	return got["charge"].(float64), got["already_charged"].(bool)
}

func paged(t *testing.T, c *rig.Client, list string) []map[string]any {
	t.Helper()
	var page struct{ Results []map[string]any }
	c.Expect(200, http.MethodGet, list, nil).Into(t, &page)
	return page.Results
}

func TestFieldsAreSplitAndMerged(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		s := rig.Start(t, rig.Options{Database: database, Config: func(c *cli.Config) { c.RateLimit = 0 }})
		c, stranger, buyer := s.Company("owner", amount(1000)), s.Company("owner", 0), s.Company("owner", amount(1000))
		crop := c.Land(rig.Square(300, 3), "2025-01-01", "2025-12-31").Crop
		farm := c.Make("farm/", map[string]any{"name": "Split"})
		season := c.Make("season/", map[string]any{"name": "2025", "start_date": "2025-03-01", "end_date": "2025-10-31"})
		field := c.Make("field/", map[string]any{"name": "Long", "farm_id": farm, "boundary": plot(0, 0, 4, 2), "soil_type": "loam", "declared_area_ha": 8, "external_id": "L"})
		sown := c.Make("cultivation/", map[string]any{"field_id": field, "season_id": season, "crop_id": crop})
		c.Make("fertilization/", map[string]any{"cultivation_id": sown, "applied_on": "2025-04-01", "product": "urea", "amount": map[string]any{"value": 1000, "unit": "kg"}, "treated_area_ha": 4, "external_id": "F"})
		c.Make("fertilization/", map[string]any{"cultivation_id": sown, "applied_on": "2025-05-01", "product": "urea", "amount": map[string]any{"value": 100, "unit": "kg/ha"}})
		var whole reshaped
		c.Expect(200, http.MethodGet, path("field", field), nil).Into(t, &whole)
		joined(t, c, buyer, map[string]any{"target": "all", "slugs": programmeSlugs})
		theirs := buyer.Make("season/", map[string]any{"name": "2025", "start_date": "2025-03-01", "end_date": "2025-10-31"})

		// Invalid requests are refused with the reason, and change nothing.
		at := path("field", field) + "split/"
		for name, w := range map[string]struct {
			body any
			want string
		}{
			"nothing":     {map[string]any{}, "pieces"},
			"both":        {map[string]any{"line": cutLine([2]float64{1, -1}, [2]float64{1, 3}), "pieces": []any{map[string]any{"boundary": plot(0, 0, 2, 2)}, map[string]any{"boundary": plot(2, 0, 4, 2)}}}, "not both"},
			"a gap":       {map[string]any{"pieces": []any{map[string]any{"boundary": plot(0, 0, 1, 2)}, map[string]any{"boundary": plot(2, 0, 4, 2)}}}, "uncovered"},
			"an overlap":  {map[string]any{"pieces": []any{map[string]any{"boundary": plot(0, 0, 3, 2)}, map[string]any{"boundary": plot(2, 0, 4, 2)}}}, "overlap by 1.84"},
			"land beyond": {map[string]any{"pieces": []any{map[string]any{"boundary": plot(0, 0, 2, 3)}, map[string]any{"boundary": plot(2, 0, 4, 2)}}}, "beyond the field"},
			"bad outline": {map[string]any{"pieces": []any{map[string]any{"boundary": plot(0, 0, 2, 2)}, map[string]any{"boundary": map[string]any{"type": "Point"}}}}, `"1"`},
			"ends inside": {map[string]any{"line": cutLine([2]float64{1, -1}, [2]float64{1, 1})}, "inside the field"},
			"beside it":   {map[string]any{"line": cutLine([2]float64{9, -1}, [2]float64{9, 1})}, "does not divide"},
			"names":       {map[string]any{"line": cutLine([2]float64{1, -1}, [2]float64{1, 3}), "names": []string{"a", "b", "c"}}, "3 names"},
			"no line":     {map[string]any{"line": map[string]any{"type": "Point", "coordinates": []int{1, 2}}}, "LineString"},
		} {
			require.Contains(t, string(c.Expect(400, http.MethodPost, at, w.body).Body), w.want, name)
			require.Contains(t, string(c.Expect(400, http.MethodPost, at+"preview/", w.body).Body), w.want, name)
		}
		body := map[string]any{"line": cutLine([2]float64{1, -1}, [2]float64{1, 3}), "names": []string{"West"}}
		stranger.Expect(404, http.MethodPost, at, body)
		require.Equal(t, "field.edit", s.User(c.CompanyID, "viewer").Expect(403, http.MethodPost, at, body).Map(t)["details"].(map[string]any)["required_permission"])
		later := c.Make("season/", map[string]any{"name": "later", "start_date": "2099-04-01", "end_date": "2099-09-30"})
		waits := int64(c.Expect(200, http.MethodPost, rig.OrdersPath, map[string]any{"field_uuid": whole.UUID, "season_id": later}).Data(t)["order_id"].(float64))
		open := c.Expect(409, http.MethodPost, at, body).Map(t)
		require.Equal(t, open["details"], c.Expect(409, http.MethodPost, at+"preview/", body).Map(t)["details"])
		require.Equal(t, "orders_open", open["code"])
		require.EqualValues(t, []any{float64(waits)}, open["details"].(map[string]any)["orders"])
		require.Len(t, paged(t, c, "field/?farm="+itoa(farm)), 1)
		c.Expect(204, http.MethodDelete, path("season", later), nil) // which fails the order

		// A charged field is split by a line: the areas of its pieces add up, they have what was grown, and they are not charged again, whoever paid.
		order, bought := orderedBy(t, c, whole.UUID, season), orderedBy(t, buyer, whole.UUID, theirs)
		var pieces, foretold []reshaped
		c.Expect(200, http.MethodPost, at+"preview/", body).Into(t, &foretold)
		stranger.Expect(404, http.MethodPost, at+"preview/", body)
		s.User(c.CompanyID, "viewer").Expect(403, http.MethodPost, at+"preview/", body)
		answer := send(t, s, c, http.MethodPost, at, body, "Idempotency-Key", "split-1")
		require.Equal(t, 200, answer.Status, "%s", answer.Body)
		answer.Into(t, &pieces)
		require.Len(t, pieces, 2)
		require.Equal(t, []string{"West", "Long 2"}, []string{pieces[0].Name, pieces[1].Name})
		for i, p := range pieces {
			require.Equal(t, reshaped{Name: p.Name, AreaHa: p.AreaHa}, foretold[i], "as the preview said")
		}
		require.InDelta(t, whole.AreaHa, pieces[0].AreaHa+pieces[1].AreaHa, 2e-4)
		require.InDelta(t, whole.AreaHa/4, pieces[0].AreaHa, 2e-4)
		require.InDelta(t, 2, pieces[0].Declared, 1e-6)
		replay := send(t, s, c, http.MethodPost, at, body, "Idempotency-Key", "split-1")
		require.Equal(t, answer.Body, replay.Body, "repeated, it is answered and not done again")
		c.Expect(404, http.MethodGet, path("field", field), nil)
		gone := paged(t, c, "field/deleted/")
		require.Len(t, gone, 1)
		require.Equal(t, []any{float64(pieces[0].ID), float64(pieces[1].ID)}, gone[0]["replaced_by"])
		total := 0.0
		for i, p := range pieces {
			require.Equal(t, field, *p.SplitFrom)
			require.Equal(t, "loam", p.SoilType)
			require.Len(t, paged(t, c, "cultivation/?field="+itoa(p.ID)), 1)
			applied := paged(t, c, "fertilization/?ordering=applied_on&field="+itoa(p.ID))
			require.Len(t, applied, 2)
			total += applied[0]["amount"].(map[string]any)["value"].(float64)
			require.InDelta(t, []float64{1, 3}[i], applied[0]["treated_area_ha"], 1e-3)
			require.InDelta(t, 250, applied[0]["mass_kg_per_ha"], 1e-6)
			require.InDelta(t, 100, applied[1]["amount"].(map[string]any)["value"], 1e-9)
			for _, payer := range []struct {
				*rig.Client
				season int64
			}{{c, season}, {buyer, theirs}} {
				charge, charged := quoted(t, payer.Client, p.UUID, payer.season)
				require.Zero(t, charge)
				require.True(t, charged)
			}
			history := paged(t, c, path("field", p.ID)+"boundaries/")
			require.Len(t, history, 2, "its own, and that of the field")
			require.Nil(t, history[0]["valid_to"])
			require.NotNil(t, history[1]["valid_to"])
			require.EqualValues(t, field, history[1]["field"])
		}
		require.InDelta(t, 1000, total, 1e-6)
		require.NotEmpty(t, c.Expect(200, http.MethodGet, rig.OrdersPath+itoa(order)+"/", nil).Data(t)["profile"], "it stays readable with the field that was")
		buyer.Expect(404, http.MethodGet, rig.OrdersPath+itoa(bought)+"/", nil) // its field is deleted
		paid := c.Wallet()
		orderedBy(t, c, pieces[0].UUID, season)
		require.Equal(t, paid, c.Wallet())
		var trail []map[string]any
		c.Expect(200, http.MethodGet, "audit/?resource=field&record="+itoa(field)+"&action=split", nil).Into(t, &trail)
		require.Len(t, trail, 1)

		// It cannot be restored beside its pieces; after they are deleted it is restored as it was.
		require.Equal(t, "field_replaced", c.Expect(409, http.MethodPost, path("field", field)+"restore/", nil).Map(t)["code"])
		c.Expect(204, http.MethodDelete, "field/?id="+itoa(pieces[0].ID)+","+itoa(pieces[1].ID), nil)
		c.Expect(200, http.MethodPost, path("field", field)+"restore/", nil)
		require.Len(t, paged(t, c, "fertilization/?field="+itoa(field)), 2)
		require.Equal(t, "field_replaced", c.Expect(409, http.MethodPost, path("field", pieces[0].ID)+"restore/", nil).Map(t)["code"])
		_, charged := quoted(t, c, whole.UUID, c.Make("season/", map[string]any{"name": "2024", "start_date": "2024-03-01", "end_date": "2024-10-31"}))
		require.True(t, charged)

		// By outlines; then the pieces are merged with a neighbour that was never charged.
		c.Expect(200, http.MethodPost, at, map[string]any{"pieces": []any{
			map[string]any{"name": "A", "boundary": plot(0, 0, 2, 2), "external_id": "L"}, map[string]any{"name": "B", "boundary": plot(2, 0, 4, 2)},
		}}).Into(t, &pieces)
		other := c.Make("field/", map[string]any{"name": "Other", "farm_id": farm, "boundary": plot(4, 0, 6, 2), "soil_type": "loam"})
		require.Equal(t, "farms_differ", c.Expect(409, http.MethodPost, "field/merge/", map[string]any{"name": "x", "field_ids": []int64{pieces[0].ID, c.Land(rig.Square(300, 7), "2025-01-01", "2025-12-31").Field}}).Map(t)["code"])
		bare := c.Make("field/", map[string]any{"name": "Bare", "farm_id": farm})
		require.Equal(t, "boundary_missing", c.Expect(409, http.MethodPost, "field/merge/", map[string]any{"name": "x", "field_ids": []int64{bare, other}}).Map(t)["code"])
		c.Expect(409, http.MethodPost, path("field", bare)+"split/", body)
		c.Expect(400, http.MethodPost, "field/merge/", map[string]any{"name": "x", "field_ids": []int64{other, other}})
		require.Equal(t, []any{999_999.0}, c.Expect(404, http.MethodPost, "field/merge/", map[string]any{"name": "x", "field_ids": []int64{other, 999_999}}).Map(t)["details"].(map[string]any)["ids"])
		var another int64
		for _, one := range paged(t, c, "crop/?page_size=2") {
			if id := int64(one["id"].(float64)); id != crop {
				another = id
			}
		}
		c.Make("cultivation/", map[string]any{"field_id": other, "season_id": season, "crop_id": another})
		all := []int64{pieces[0].ID, pieces[1].ID, other}
		mixed := c.Expect(409, http.MethodPost, "field/merge/", map[string]any{"name": "Whole", "field_ids": all}).Map(t)
		require.Equal(t, "cultivations_differ", mixed["code"])
		require.Equal(t, "cultivations_differ", c.Expect(409, http.MethodPost, "field/merge/preview/", map[string]any{"name": "Whole", "field_ids": all}).Map(t)["code"])
		together := c.Expect(200, http.MethodPost, "field/merge/preview/", map[string]any{"name": "Whole", "field_ids": all, "keep_mixed": true}).Data(t)
		stranger.Expect(404, http.MethodPost, "field/merge/preview/", map[string]any{"name": "Whole", "field_ids": all})
		require.Len(t, mixed["details"].(map[string]any)["seasons"].([]any)[0].(map[string]any)["fields"], 3)
		var merged reshaped
		c.Expect(200, http.MethodPost, "field/merge/", map[string]any{"name": "Whole", "field_ids": all, "keep_mixed": true, "external_id": "L"}).Into(t, &merged)
		require.Equal(t, all, merged.MergedFrom)
		require.InDelta(t, whole.AreaHa*1.5, merged.AreaHa, 2e-4)
		require.Equal(t, []any{"Whole", merged.AreaHa}, []any{together["name"], together["area_ha"]}, "as the preview said")
		require.Len(t, paged(t, c, "cultivation/?field="+itoa(merged.ID)), 2, "one of each crop")
		applied := paged(t, c, "fertilization/?field="+itoa(merged.ID))
		require.Len(t, applied, 4)
		kilograms := 0.0
		for _, f := range applied {
			require.NotNil(t, f["treated_area_ha"], "each treats what it treated")
			kilograms += f["mass_kg_per_ha"].(float64) * f["treated_area_ha"].(float64)
		}
		require.InDelta(t, 1000+100*whole.AreaHa, kilograms, 0.1)
		full := c.Wallet()
		charge, charged := quoted(t, c, merged.UUID, season)
		require.False(t, charged)
		require.InDelta(t, whole.AreaHa/2, charge, 0.02, "the land of the neighbour alone")
		orderedBy(t, c, merged.UUID, season)
		require.InDelta(t, full.Balance-charge, c.Wallet().Balance, 1e-9)
		theirCharge, _ := quoted(t, buyer, merged.UUID, theirs)
		require.InDelta(t, whole.AreaHa/2, theirCharge, 0.02)
		c.Expect(200, http.MethodPost, path("field", merged.ID)+"split/", map[string]any{"line": cutLine([2]float64{3, -1}, [2]float64{3, 3})}).Into(t, &pieces)
		for _, p := range pieces {
			charge, charged := quoted(t, c, p.UUID, season)
			require.True(t, charged)
			require.Zero(t, charge)
			half, _ := quoted(t, buyer, p.UUID, theirs)
			require.InDelta(t, theirCharge/2, half, 0.02, "what is left to pay is shared out by area")
		}
		require.Len(t, paged(t, c, path("field", pieces[0].ID)+"boundaries/?page=all"), 7, "of all that it was")
	})
}
