// Walk signs in, creates a farm with fields from a file, and reads the season's NDVI of each. The package tilth is
// generated from the OpenAPI document: oapi-codegen -config oapi-codegen.yaml openapi.json
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oapi-codegen/runtime/types"

	"example.org/walk/tilth"
)

func main() {
	if err := walk(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func signedIn(ctx context.Context) (*tilth.Client, error) {
	url := cmp.Or(os.Getenv("TILTH_URL"), "http://127.0.0.1:8080")
	answer, err := tilth.NewClient(url).TokenCreate(ctx, tilth.SignIn{
		Email: cmp.Or(os.Getenv("TILTH_EMAIL"), "owner@demo.example"), Password: cmp.Or(os.Getenv("TILTH_PASSWORD"), "tilth-demo-2025"),
	})
	if err != nil {
		return nil, err // a *tilth.Refused with code, message and details, if the service refused
	}
	return tilth.NewClient(url, func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+answer.JSON.Data.Access)
		return nil
	}), nil
}

func walk(ctx context.Context) error {
	api, err := signedIn(ctx)
	if err != nil {
		return err
	}
	supplier, err := makeFarm(ctx, api, "Supplier of a Go walk")
	if err != nil {
		return err
	}
	if err := importTable(ctx, api, supplier.Id); err != nil {
		return err
	}
	farm, err := makeFarm(ctx, api, "Farm of a Go walk")
	if err != nil {
		return err
	}
	if err := importFields(ctx, api, farm.Id); err != nil {
		return err
	}
	page := tilth.PageParam{}
	if err := page.FromPageNumber1("all"); err != nil {
		return err
	}
	fields, err := api.FieldList(ctx, &tilth.FieldListParams{Farm: &farm.Id, Page: &page})
	if err != nil {
		return err
	}
	season, err := cultivate(ctx, api, fields.JSON.Data.Results)
	if err != nil {
		return err
	}
	return series(ctx, api, fields.JSON.Data.Results, season)
}

func makeFarm(ctx context.Context, api *tilth.Client, name string) (tilth.Farm, error) {
	var body tilth.FarmCreateJSONRequestBody
	country := "spain"
	if err := body.FromFarmWrite(tilth.FarmWrite{Name: name, Country: &country}); err != nil {
		return tilth.Farm{}, err
	}
	made, err := api.FarmCreate(ctx, nil, body)
	if err != nil {
		return tilth.Farm{}, err
	}
	return made.JSON.Data.AsFarm()
}

// importTable creates many fields of a supplier from a table with their outlines as WKT, in one request. Sent again, it changes nothing.
func importTable(ctx context.Context, api *tilth.Client, farm int64) error {
	const many = 200
	table := strings.Builder{}
	table.WriteString("ref,name,wkt\n")
	for i := range many {
		west, south := -4.5+0.004*float64(i%40), 41.5+0.004*float64(i/40)
		ring := fmt.Sprintf("%[1]f %[2]f, %[3]f %[2]f, %[3]f %[4]f, %[1]f %[4]f, %[1]f %[2]f", west, south, west+0.0035, south+0.0028)
		fmt.Fprintf(&table, "go-%d-%d,Field %d,\"POLYGON((%s))\"\n", farm, i, i+1, ring)
	}
	load := func() (tilth.FieldImportAnswer, error) {
		ref := "ref"
		answer, err := api.FieldImportWithBody(ctx, &tilth.FieldImportParams{FarmId: farm, ExternalIdProperty: &ref}, "text/csv", strings.NewReader(table.String()))
		if err != nil {
			return tilth.FieldImportAnswer{}, err
		}
		return answer.JSON, nil
	}
	made, err := load()
	if err != nil {
		return err
	}
	again, err := load()
	if err != nil {
		return err
	}
	fmt.Printf("table: %d created, then %d unchanged\n", made.Data.Created, again.Data.Skipped)
	return nil
}

// importFields creates fields from a file: one request for up to 1,000 features. Sent again, it changes nothing.
func importFields(ctx context.Context, api *tilth.Client, farm int64) error {
	file := tilth.GeoJSONFeatureCollection{Type: "FeatureCollection"}
	for i := range 3 {
		feature := tilth.GeoJSONFeature{Type: "Feature", Geometry: &tilth.GeoJSONFeature_Geometry{}, Properties: &map[string]any{
			"name": fmt.Sprintf("Field %d", i+1), "ref": fmt.Sprintf("go-%d-%d", farm, i),
		}}
		if err := feature.Geometry.FromGeoJSONPolygon(square(-4.2243+0.004*float64(i), 41.7794, 0.0035)); err != nil {
			return err
		}
		file.Features = append(file.Features, feature)
	}
	ref := "ref"
	load := &tilth.FieldImportParams{FarmId: farm, ExternalIdProperty: &ref}
	made, err := api.FieldImportWithApplicationGeoPlusJSONBody(ctx, load, file)
	if err != nil {
		return err
	}
	again, err := api.FieldImportWithApplicationGeoPlusJSONBody(ctx, load, file)
	if err != nil {
		return err
	}
	if made.JSON.Data.Created != 3 || again.JSON.Data.Skipped != 3 {
		return fmt.Errorf("created %d, then skipped %d", made.JSON.Data.Created, again.JSON.Data.Skipped)
	}
	return nil
}

// square returns a GeoJSON polygon, longitude first.
func square(west, south, side float64) tilth.GeoJSONPolygon {
	east, north := west+side, south+side*0.8
	return tilth.GeoJSONPolygon{Type: "Polygon", Coordinates: [][]tilth.GeoJSONPosition{
		{{west, south}, {east, south}, {east, north}, {west, north}, {west, south}},
	}}
}

// cultivate grows winter wheat in all fields, in a season that it creates.
func cultivate(ctx context.Context, api *tilth.Client, fields []tilth.Field) (season int64, err error) {
	var body tilth.SeasonCreateJSONRequestBody
	day := func(month time.Month, day int) types.Date {
		return types.Date{Time: time.Date(2025, month, day, 0, 0, 0, 0, time.UTC)}
	}
	if err := body.FromSeasonWrite(tilth.SeasonWrite{Name: "Summer 2025", StartDate: day(time.March, 1), EndDate: day(time.October, 31)}); err != nil {
		return 0, err
	}
	made, err := api.SeasonCreate(ctx, nil, body)
	if err != nil {
		return 0, err
	}
	one, err := made.JSON.Data.AsSeason()
	if err != nil {
		return 0, err
	}
	search := "winter wheat"
	crops, err := api.CropList(ctx, &tilth.CropListParams{Search: &search})
	if err != nil {
		return 0, err
	}
	var all tilth.CultivationWriteList
	for _, field := range fields {
		all = append(all, tilth.CultivationWrite{FieldId: field.Id, SeasonId: one.Id, CropId: crops.JSON.Data.Results[0].Id})
	}
	var many tilth.CultivationCreateJSONRequestBody
	if err := many.FromCultivationWriteList(all); err != nil {
		return 0, err
	}
	_, err = api.CultivationCreate(ctx, nil, many)
	return one.Id, err
}

// series orders the series of all fields at once, and reads each when it is ready.
func series(ctx context.Context, api *tilth.Client, fields []tilth.Field, season int64) error {
	var orders tilth.OrderWriteList
	for _, field := range fields {
		orders = append(orders, tilth.OrderWrite{FieldUuid: field.Uuid, SeasonId: season})
	}
	var body tilth.ViProfileOrderBatchJSONRequestBody
	if err := body.FromOrderWriteList(orders); err != nil {
		return err
	}
	placed, err := api.ViProfileOrderBatch(ctx, nil, body)
	if err != nil {
		return err
	}
	for _, item := range placed.JSON.Data.Items {
		order, err := awaited(ctx, api, strconv.FormatInt(*item.OrderId, 10))
		if err != nil {
			return err
		}
		best := slices.MaxFunc(order.Profile, func(x, y tilth.ProfilePoint) int { return cmp.Compare(x.Value, y.Value) })
		fmt.Printf("field %d: %d dates, NDVI up to %.2f\n", order.Field, len(order.Profile), best.Value)
	}
	return nil
}

func awaited(ctx context.Context, api *tilth.Client, id string) (tilth.Profile, error) {
	for range 120 {
		order, err := api.ViProfileOrderRetrieve(ctx, id, nil)
		if err != nil {
			return tilth.Profile{}, err
		}
		switch order.JSON.Data.Status {
		case tilth.ProfileStatusActive:
			return order.JSON.Data, nil
		case tilth.ProfileStatusFailed:
			return tilth.Profile{}, fmt.Errorf("order %s failed: %s", id, *order.JSON.Data.Reason)
		}
		time.Sleep(500 * time.Millisecond)
	}
	return tilth.Profile{}, fmt.Errorf("order %s is not ready after a minute", id)
}
