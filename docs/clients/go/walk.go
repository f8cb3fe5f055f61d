// Walk signs in, makes a farm with fields from a file, and reads the season's NDVI of each. The package tilth is
// generated from the document of the interface: oapi-codegen -config oapi-codegen.yaml openapi.json
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
	"time"

	"github.com/oapi-codegen/runtime/types"

	"example.org/walk/tilth"
)

func main() {
	if err := walk(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// failing is every answer of the interface.
type failing interface{ GetJSONDefault() *tilth.ErrorAnswer }

// refused is the error of a request that failed on its way, or was refused.
func refused(answer failing, err error) error {
	if err != nil {
		return err
	}
	if failed := answer.GetJSONDefault(); failed != nil {
		return fmt.Errorf("%s: %s %v", failed.Code, failed.Message, failed.Details)
	}
	return nil
}

func signedIn(ctx context.Context) (*tilth.ClientWithResponses, error) {
	url := cmp.Or(os.Getenv("TILTH_URL"), "http://127.0.0.1:8080")
	door, err := tilth.NewClientWithResponses(url)
	if err != nil {
		return nil, err
	}
	answer, err := door.TokenCreateWithResponse(ctx, tilth.SignIn{
		Email: cmp.Or(os.Getenv("TILTH_EMAIL"), "owner@demo.example"), Password: cmp.Or(os.Getenv("TILTH_PASSWORD"), "tilth-demo-2025"),
	})
	if err = refused(answer, err); err != nil {
		return nil, err
	}
	token := answer.JSON200.Data.Access
	return tilth.NewClientWithResponses(url, tilth.WithRequestEditorFn(func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
}

func walk(ctx context.Context) error {
	api, err := signedIn(ctx)
	if err != nil {
		return err
	}
	farm, err := makeFarm(ctx, api)
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
	fields, err := api.FieldListWithResponse(ctx, &tilth.FieldListParams{Farm: &farm.Id, Page: &page})
	if err = refused(fields, err); err != nil {
		return err
	}
	season, err := cultivate(ctx, api, fields.JSON200.Data.Results)
	if err != nil {
		return err
	}
	return series(ctx, api, fields.JSON200.Data.Results, season)
}

func makeFarm(ctx context.Context, api *tilth.ClientWithResponses) (tilth.Farm, error) {
	var body tilth.FarmCreateJSONRequestBody
	country := "spain"
	if err := body.FromFarmWrite(tilth.FarmWrite{Name: "Farm of a Go walk", Country: &country}); err != nil {
		return tilth.Farm{}, err
	}
	made, err := api.FarmCreateWithResponse(ctx, nil, body)
	if err = refused(made, err); err != nil {
		return tilth.Farm{}, err
	}
	return made.JSON200.Data.AsFarm()
}

// importFields makes fields from a file: one request for up to 1,000 features. Sent again, it changes nothing.
func importFields(ctx context.Context, api *tilth.ClientWithResponses, farm int64) error {
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
	made, err := api.FieldImportWithApplicationGeoPlusJSONBodyWithResponse(ctx, load, file)
	if err = refused(made, err); err != nil {
		return err
	}
	again, err := api.FieldImportWithApplicationGeoPlusJSONBodyWithResponse(ctx, load, file)
	if err = refused(again, err); err != nil {
		return err
	}
	if made.JSON200.Data.Created != 3 || again.JSON200.Data.Skipped != 3 {
		return fmt.Errorf("created %d, then skipped %d", made.JSON200.Data.Created, again.JSON200.Data.Skipped)
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

// cultivate grows winter wheat in all fields, in a season that it makes.
func cultivate(ctx context.Context, api *tilth.ClientWithResponses, fields []tilth.Field) (season int64, err error) {
	var body tilth.SeasonCreateJSONRequestBody
	day := func(month time.Month, day int) types.Date {
		return types.Date{Time: time.Date(2025, month, day, 0, 0, 0, 0, time.UTC)}
	}
	if err := body.FromSeasonWrite(tilth.SeasonWrite{Name: "Summer 2025", StartDate: day(time.March, 1), EndDate: day(time.October, 31)}); err != nil {
		return 0, err
	}
	made, err := api.SeasonCreateWithResponse(ctx, nil, body)
	if err = refused(made, err); err != nil {
		return 0, err
	}
	one, err := made.JSON200.Data.AsSeason()
	if err != nil {
		return 0, err
	}
	search := "winter wheat"
	crops, err := api.CropListWithResponse(ctx, &tilth.CropListParams{Search: &search})
	if err = refused(crops, err); err != nil {
		return 0, err
	}
	var all tilth.CultivationWriteList
	for _, field := range fields {
		all = append(all, tilth.CultivationWrite{FieldId: field.Id, SeasonId: one.Id, CropId: crops.JSON200.Data.Results[0].Id})
	}
	var many tilth.CultivationCreateJSONRequestBody
	if err := many.FromCultivationWriteList(all); err != nil {
		return 0, err
	}
	grown, err := api.CultivationCreateWithResponse(ctx, nil, many)
	return one.Id, refused(grown, err)
}

// series orders the series of all fields at once, and reads each when it is there.
func series(ctx context.Context, api *tilth.ClientWithResponses, fields []tilth.Field, season int64) error {
	var orders tilth.OrderWriteList
	for _, field := range fields {
		orders = append(orders, tilth.OrderWrite{FieldUuid: field.Uuid, SeasonId: season})
	}
	var body tilth.ViProfileOrderBatchJSONRequestBody
	if err := body.FromOrderWriteList(orders); err != nil {
		return err
	}
	placed, err := api.ViProfileOrderBatchWithResponse(ctx, nil, body)
	if err = refused(placed, err); err != nil {
		return err
	}
	for _, item := range placed.JSON200.Data.Items {
		order, err := awaited(ctx, api, strconv.FormatInt(*item.OrderId, 10))
		if err != nil {
			return err
		}
		best := slices.MaxFunc(order.Profile, func(x, y tilth.ProfilePoint) int { return cmp.Compare(x.Value, y.Value) })
		fmt.Printf("field %d: %d dates, NDVI up to %.2f\n", order.Field, len(order.Profile), best.Value)
	}
	return nil
}

func awaited(ctx context.Context, api *tilth.ClientWithResponses, id string) (tilth.Profile, error) {
	for range 120 {
		order, err := api.ViProfileOrderRetrieveWithResponse(ctx, id, nil)
		if err = refused(order, err); err != nil {
			return tilth.Profile{}, err
		}
		switch order.JSON200.Data.Status {
		case tilth.ProfileStatusActive:
			return order.JSON200.Data, nil
		case tilth.ProfileStatusFailed:
			return tilth.Profile{}, fmt.Errorf("order %s failed: %s", id, *order.JSON200.Data.Reason)
		}
		time.Sleep(500 * time.Millisecond)
	}
	return tilth.Profile{}, fmt.Errorf("order %s is not ready after a minute", id)
}
