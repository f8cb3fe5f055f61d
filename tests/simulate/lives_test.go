package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/app/operating"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/tests/rig"
	"tilth/wire"
)

const ordersPath, mapsPath, assessmentsPath = "profiles/vegetation-index-profile/orders/", "maps/vegetation-index-map/orders/", "ghg/assessments/"

// life is a sequence of use cases of a company. prepare runs before a kill can happen.
type life struct {
	name    string
	prepare func(r *run) any
	live    func(r *run, prepared any)
	loose   []string // tables of requests without a key: a caller that a kill cut off makes these records again
}

// land is a field of a company that is ready for orders.
type land struct{ farm, field, uuid, season string }

// prepareLand makes a field and two weeks in which the archive covers it.
func prepareLand(r *run) any {
	return landIn(r, rig.GeoJSON(r.t, rig.Archive(r.t).Parcels[0].Boundary), "2025-05-01", "2025-05-14")
}

func landIn(r *run, boundary json.RawMessage, from, to string) land {
	l := land{farm: r.id("farm/", object{"name": "Farm"})}
	field := r.post("field/", object{"name": "Field", "farm_id": number(l.farm), "boundary": boundary})
	l.field, l.uuid = fmt.Sprint(int64(field["id"].(float64))), field["uuid"].(string)
	l.season = r.id("season/", object{"name": "Season", "start_date": from, "end_date": to})
	return l
}

// registerRaster has the operator register a raster that covers the fields of the archive, only for the company.
func registerRaster(r *run, name string) {
	found, err := filepath.Glob(filepath.Join(rig.Archive(r.t).Dir, "30TUM", "*", "B04.tif"))
	require.NoError(r.t, err)
	require.NotEmpty(r.t, found)
	args := []string{"layer", "add", "--name", name, "--file", found[0], "--company", fmt.Sprint(r.company)}
	env := map[string]string{"TILTH_DATABASE_URL": r.database, "TILTH_OBJECTS_URL": "file:" + r.folder}
	var out bytes.Buffer
	require.Zero(r.t, cli.Run(r.t.Context(), wire.Program{}, args, env, cli.Streams{Out: &out, Err: &out}), "%s", &out)
}

// inner is an outline within that of a field of the archive.
func inner(r *run) json.RawMessage {
	box := rig.Archive(r.t).Parcels[0].Boundary.Bounds()
	x, y, w, h := (box.MinX+box.MaxX)/2, (box.MinY+box.MaxY)/2, (box.MaxX-box.MinX)/5, (box.MaxY-box.MinY)/5
	return rig.GeoJSON(r.t, geo.MultiPolygon{{{{X: x - w, Y: y - h}, {X: x + w, Y: y - h}, {X: x + w, Y: y + h}, {X: x - w, Y: y + h}, {X: x - w, Y: y - h}}}})
}

type object = map[string]any

func number(id string) json.Number { return json.Number(id) }

func outline(r *run) json.RawMessage { return rig.GeoJSON(r.t, rig.Square(120, 0)) }

// square is a small square, shifted east by steps of its own width.
func square(step int) geo.MultiPolygon { return rig.Square(120, step) }

func nothing(*run) any { return nil }

var lives = []life{
	{name: "records", prepare: nothing, live: func(r *run, _ any) {
		farm := r.id("farm/", object{"name": "Farm"})
		r.post("farm/", []any{object{"name": "a"}, object{"name": "b"}})
		field := r.id("field/", object{"name": "Field", "farm_id": number(farm), "boundary": outline(r)})
		season := r.id("season/", object{"name": "Season", "start_date": "2024-04-01", "end_date": "2024-05-15"})
		r.request(http.MethodPatch, "field/"+field+"/", "application/json", []byte(`{"boundary":`+string(rig.GeoJSON(r.t, square(2)))+`}`))
		r.request(http.MethodDelete, "field/"+field+"/", "", nil)
		r.post("field/"+field+"/restore/", nil)
		r.request(http.MethodDelete, "season/"+season+"/", "", nil)
		r.work()
	}},
	{name: "order", prepare: func(r *run) any {
		r.post("webhook/", object{"url": r.listener()})
		return prepareLand(r)
	}, live: func(r *run, prepared any) {
		l := prepared.(land)
		r.post(ordersPath+"quote/", object{"field_uuid": l.uuid, "season_id": number(l.season)})
		r.post(ordersPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
		r.work()
	}},
	{name: "order without a point", prepare: func(r *run) any {
		return landIn(r, outline(r), "2024-04-01", "2024-05-15") // the archive has nothing there
	}, live: func(r *run, prepared any) {
		l := prepared.(land)
		for range 2 { // it fails, and is ordered again
			r.post(ordersPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
			r.work()
		}
	}},
	{name: "orders at once", prepare: prepareLand, live: func(r *run, prepared any) {
		l := prepared.(land)
		later := r.id("season/", object{"name": "Later", "start_date": "2025-05-15", "end_date": "2025-05-31"})
		order := func(season string) object { return object{"field_uuid": l.uuid, "season_id": number(season)} }
		r.post(ordersPath+"batch/", []any{order(l.season), order(later), order(later), order("999999")})
		r.work()
	}},
	{name: "maps and a profile", prepare: prepareLand, live: func(r *run, prepared any) {
		l := prepared.(land)
		r.post(mapsPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
		r.post(mapsPath+"batch/", []any{object{"field_boundary": inner(r), "date": "2025-05-07"}, object{"field_uuid": l.uuid, "date": "2024-05-07"}})
		r.post(ordersPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
		r.work()
	}},
	{name: "zones and relief", prepare: func(r *run) any {
		return landIn(r, rig.GeoJSON(r.t, rig.Archive(r.t).Parcels[0].Boundary), "2025-05-01", "2025-07-31")
	}, live: func(r *run, prepared any) {
		l := prepared.(land)
		r.post("maps/zoning-map/orders/", object{"field_uuid": l.uuid, "season_id": number(l.season)})
		r.post("maps/elevation-map/orders/batch/", []any{object{"field_uuid": l.uuid}, object{"field_boundary": inner(r)}})
		r.post("maps/soil-map/orders/", object{"field_uuid": l.uuid}) // there is no raster for it: it fails
		r.work()
	}},
	{name: "soil map", prepare: func(r *run) any {
		r.post("webhook/", object{"url": r.listener()})
		registerRaster(r, fmt.Sprint("clay_", r.company))
		return prepareLand(r)
	}, live: func(r *run, prepared any) {
		const soilMaps = "maps/soil-map/orders/"
		order := r.post(soilMaps, object{"field_uuid": prepared.(land).uuid})
		r.work()
		r.post(soilMaps, object{"field_boundary": inner(r)})
		r.post(soilMaps+fmt.Sprint(int64(order["order_id"].(float64)))+"/recompute/", nil)
		r.work()
	}},
	{name: "recomputed order", prepare: func(r *run) any {
		l := prepareLand(r).(land)
		order := r.post(ordersPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
		return [2]string{l.field, fmt.Sprint(int64(order["order_id"].(float64)))}
	}, live: func(r *run, prepared any) {
		of := prepared.([2]string)
		r.request(http.MethodPatch, "field/"+of[0]+"/", "application/json", []byte(`{"boundary":`+string(inner(r))+`}`))
		r.post(ordersPath+of[1]+"/recompute/", nil)
		r.work()
	}},
	{name: "split and merged field", prepare: func(r *run) any {
		l := prepareLand(r).(land)
		r.post("cultivation/", object{"field_id": number(l.field), "season_id": number(l.season), "crop_id": 1})
		r.post(ordersPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
		return l
	}, live: func(r *run, prepared any) {
		l, box := prepared.(land), rig.Archive(r.t).Parcels[0].Boundary.Bounds()
		x := (box.MinX + box.MaxX) / 2
		r.post("field/"+l.field+"/split/", object{"line": object{"type": "LineString", "coordinates": [][]float64{{x, box.MinY - 1}, {x, box.MaxY + 1}}}})
		var pieces []any
		for _, piece := range r.request(http.MethodGet, "field/?page=all", "", nil)["results"].([]any) {
			pieces = append(pieces, piece.(object)["id"])
		}
		merged := r.post("field/merge/", object{"field_ids": pieces, "name": "Again"})
		r.post(ordersPath, object{"field_uuid": merged["uuid"], "season_id": number(l.season)})
		r.work()
	}},
	{name: "cancelled order and refund", prepare: prepareLand, live: func(r *run, prepared any) {
		l := prepared.(land)
		r.post(ordersPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
		r.command(func(ctx context.Context, op *operating.Operating) error { return r.cancelJobs(ctx, op) })
		r.work()
		r.post(ordersPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
		r.work()
		r.command(func(ctx context.Context, op *operating.Operating) error {
			_, _, err := op.Refund(ctx, operating.RefundWanted{CompanyID: r.company, Transaction: r.capture()})
			if f, ok := fault.As(err); ok && f.Code == "already_refunded" {
				return nil
			}
			return err
		})
	}},
	{name: "assessment", prepare: nothing, live: func(r *run, _ any) {
		farm := r.id("farm/", object{"name": "Farm"})
		body := object{}
		require.NoError(r.t, json.Unmarshal([]byte(rig.Wheat), &body))
		body["resource_type"], body["resource_id"] = "farm", number(farm)
		id := r.id(assessmentsPath, body)
		r.work()
		r.post(assessmentsPath+id+"/submit/", nil)
		r.work()
		r.post(assessmentsPath+"copy-forward/", object{"from_year": 2024, "to_year": 2025})
		r.post(assessmentsPath+"submit/", object{"ids": []json.Number{number(id)}})
		r.post(assessmentsPath+id+"/completeness/", nil)
		r.work()
	}},
	{name: "evidence", prepare: func(r *run) any {
		farm := r.id("farm/", object{"name": "Farm"})
		body := object{}
		require.NoError(r.t, json.Unmarshal([]byte(rig.Wheat), &body))
		body["resource_type"], body["resource_id"] = "farm", number(farm)
		return r.id(assessmentsPath, body)
	}, live: func(r *run, prepared any) {
		id := prepared.(string)
		attach := func(name string) string {
			file := r.request(http.MethodPost, assessmentsPath+id+"/evidence/?name="+name, "text/plain", []byte(name))
			return fmt.Sprint(int64(file["id"].(float64)))
		}
		held, dropped := attach("held.txt"), attach("dropped.txt")
		r.request(http.MethodDelete, assessmentsPath+id+"/evidence/"+dropped+"/", "", nil)
		r.post(assessmentsPath+id+"/submit/", nil)
		r.request(http.MethodDelete, assessmentsPath+id+"/evidence/"+held+"/", "", nil)
		r.work()
		r.evidence(id, held, "held.txt")
	}, loose: []string{"assessment_evidence"}}, // an upload that a kill interrupted stays begun until it is swept
	{name: "footprints", prepare: func(r *run) any {
		body := object{}
		require.NoError(r.t, json.Unmarshal([]byte(rig.Wheat), &body))
		body["resource_type"], body["resource_id"] = "farm", number(r.id("farm/", object{"name": "Farm"}))
		id := r.id(assessmentsPath, body)
		r.work()
		r.post(assessmentsPath+id+"/submit/", nil)
		r.post("pact-client/", object{"name": "Mill", "events_url": r.listener()})
		r.work()
		return assessmentsPath + id + "/submissions/1/publish/"
	}, live: func(r *run, prepared any) {
		at := prepared.(string)
		terms := object{"product_ids": []string{"urn:x-a:1"}, "cross_sectoral_standards": []string{"ISO14067"}, "exempted_emissions_percent": 0}
		r.post(at, terms)
		terms["comment"] = "Another."
		r.post(at, terms)
		r.request(http.MethodDelete, at, "", nil)
		r.work()
	}},
	{name: "people", prepare: nothing, live: func(r *run, _ any) {
		r.post("role/", object{"name": "scout", "slugs": []string{"field.view"}})
		mail := fmt.Sprint("guest", r.number, "@simulate.example")
		r.post("invitation/", object{"email": mail, "roles": []string{"viewer"}})
		r.work()
		r.post("invitation/", object{"email": mail, "roles": []string{"scout"}})
		r.post("api-key/", object{"name": "key", "slugs": []string{"field.view"}})
		r.work()
	}, loose: []string{"api_keys", "invitation", "letters", "tickets", "audit_entries", "chain_"}},
	{name: "sharing", prepare: func(r *run) any {
		id, token := r.newCompany(fmt.Sprint("other", r.number, "@simulate.example"))
		company, err := r.server.Operating().Company(context.Background(), id)
		require.NoError(r.t, err)
		r.post("farm/", object{"name": "Farm"})
		return [2]string{company.UUID, token}
	}, live: func(r *run, prepared any) {
		other := prepared.([2]string)
		grant := r.id("share-grant/", object{"grantee_uuid": other[0], "target": "all", "slugs": []string{"field.view"}})
		r.requestAs(other[1], http.MethodPost, "share-grant/"+grant+"/accept/", "application/json", nil)
		r.request(http.MethodDelete, "share-grant/"+grant+"/", "", nil)
		r.work()
	}},
	{name: "import", prepare: func(r *run) any { return r.id("farm/", object{"name": "Farm"}) }, live: func(r *run, prepared any) {
		farm := prepared.(string)
		collection := object{"type": "FeatureCollection"}
		var features []any
		for i := range 3 {
			features = append(features, object{"type": "Feature", "properties": object{"name": fmt.Sprint(i)}, "geometry": rig.GeoJSON(r.t, square(i))})
		}
		collection["features"] = features
		raw, err := json.Marshal(collection)
		require.NoError(r.t, err)
		r.request(http.MethodPost, "field/import/?farm_id="+farm, "application/geo+json", raw)
		r.work()
	}},
	{name: "background import", prepare: func(r *run) any { return r.id("farm/", object{"name": "Farm"}) }, live: func(r *run, prepared any) {
		// Enough features for the background; all but a few are refused, to keep a life short.
		features := make([]any, rig.SmallBatches.AtOnce+1)
		for i := range features {
			feature := object{"type": "Feature", "properties": object{"name": fmt.Sprint(i)}, "geometry": nil}
			if i%20 == 0 {
				feature["geometry"] = rig.GeoJSON(r.t, square(i/20))
			}
			features[i] = feature
		}
		raw, err := json.Marshal(object{"type": "FeatureCollection", "features": features})
		require.NoError(r.t, err)
		r.request(http.MethodPost, "field/import/?farm_id="+prepared.(string), "application/geo+json", raw)
		r.work()
	}},
	{name: "webhooks", prepare: func(r *run) any { return r.id("webhook/", object{"url": r.listener()}) }, live: func(r *run, prepared any) {
		hook := prepared.(string)
		r.post("farm/", object{"name": "Farm"})
		r.work()
		r.post("farm/", []any{object{"name": "a"}, object{"name": "b"}})
		r.work()
		r.request(http.MethodDelete, "webhook/"+hook+"/", "", nil)
		r.post("farm/", object{"name": "Farm"})
		r.work()
	}},
	{name: "start", prepare: prepareLand, live: func(r *run, prepared any) {
		l := prepared.(land)
		r.post(ordersPath, object{"field_uuid": l.uuid, "season_id": number(l.season)})
		r.restart()
		r.work()
	}},
	{name: "soil", prepare: func(r *run) any {
		farm := r.id("farm/", object{"name": "Farm"})
		boundary := rig.GeoJSON(r.t, rig.Archive(r.t).Parcels[0].Boundary)
		field := r.post("field/", object{"name": "Field", "farm_id": number(farm), "boundary": boundary})
		require.NoError(r.t, r.server.Operating().SetPrice(context.Background(), credit.ServiceSTR, rig.STRPrice))
		require.NoError(r.t, r.server.Operating().SetPrice(context.Background(), credit.ServiceSOC, rig.STRPrice))
		return field["uuid"]
	}, live: func(r *run, field any) {
		aoi := r.id("soil/aois/", object{"field_uuids": []any{field}})
		order := r.id("soil/stratification/orders/", object{"aoi_id": number(aoi)})
		r.work()
		const soil = "soil/stratification/"
		maps := r.post(soil+"maps/generate/", object{"order": number(order), "min_zones": 2, "max_zones": 2, "min_zone_area": 0.05})
		zones := maps["candidates"].([]any)[0].(object)["map_uuid"].(string)
		r.post(soil+"maps/"+zones+"/save/", object{})
		plan := r.post(soil+"sample-plan/generate/", object{"map_uuid": zones, "number_of_samples": 8, "zone_offset": 5})
		uuid := plan["map_uuid"].(string)
		saved := r.id(soil+"sample-plan/"+uuid+"/save/", object{})
		r.post(soil+"samples/", object{"plan": uuid, "sampled_on": "2026-03-01", "depths": []any{object{"from": 0, "to": 30}}})
		var results []any
		for i, point := range plan["points"].([]any) {
			results = append(results, object{"label": fmt.Sprintf("P%s-%s-0-30", saved, point.(object)["id"]), "soc_pct": 2 + float64(i%3)/10, "bulk_density_g_cm3": 1.3})
		}
		r.post(soil+"samples/import/", results)
		r.id("soil/stratification/orders/", object{"aoi_id": number(aoi), "map_type": "SOC"})
		r.work()
	}},
}
