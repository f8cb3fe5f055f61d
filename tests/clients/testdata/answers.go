// Answers requests every kind of response of the generated client: records, refusals, files, nothing, and unchanged
// records. It runs beside the walk of docs/clients/go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"example.org/walk/tilth"
)

func main() {
	if err := answers(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println("done")
}

func answers(ctx context.Context) error {
	in, err := tilth.NewClient(os.Getenv("TILTH_URL")).TokenCreate(ctx, tilth.SignIn{Email: "owner@demo.example", Password: "tilth-demo-2025"})
	if err != nil {
		return err
	}
	api := tilth.NewClient(os.Getenv("TILTH_URL")+"/", func(_ context.Context, req *http.Request) error {
		req.Header.Set("Authorization", "Bearer "+in.JSON.Data.Access)
		return nil
	})
	for _, ask := range []func(context.Context, *tilth.Client) error{records, refusals, files, columns} {
		if err := ask(ctx, api); err != nil {
			return err
		}
	}
	return nil
}

// records requests lists with parameters of several kinds, one record, and the same record again while it is unchanged.
func records(ctx context.Context, api *tilth.Client) error {
	page, size, ids := tilth.PageParam{}, tilth.PageSizeParam(2), tilth.IdParam{}
	if err := page.FromPageNumber0(1); err != nil {
		return err
	}
	list, err := api.FieldList(ctx, &tilth.FieldListParams{Page: &page, PageSize: &size})
	if err != nil {
		return err
	}
	for _, field := range list.JSON.Data.Results {
		ids = append(ids, field.Id)
	}
	named, err := api.FieldList(ctx, &tilth.FieldListParams{Id: &ids})
	if err != nil {
		return err
	}
	if len(ids) != 2 || len(named.JSON.Data.Results) != 2 {
		return fmt.Errorf("%v are found as %d", ids, len(named.JSON.Data.Results))
	}
	one, err := api.FieldRetrieve(ctx, fmt.Sprint(ids[0]), nil)
	if err != nil {
		return err
	}
	again, err := api.FieldRetrieve(ctx, fmt.Sprint(ids[0]), nil, func(_ context.Context, req *http.Request) error {
		req.Header.Set("If-None-Match", one.Header.Get("ETag"))
		return nil
	})
	if err != nil || again.StatusCode != http.StatusNotModified || len(again.Body) > 0 {
		return fmt.Errorf("the same once more: %v, %w", again, err)
	}
	return nil
}

// refusals requests a missing record, and changes one that was changed since.
func refusals(ctx context.Context, api *tilth.Client) error {
	_, err := api.FarmRetrieve(ctx, "999/999?", nil)
	var refused *tilth.Refused
	if !errors.As(err, &refused) || refused.StatusCode != http.StatusNotFound || refused.Code != tilth.ErrorCodeNotFound {
		return fmt.Errorf("no farm: %w", err)
	}
	name, etag := "Other", tilth.IfMatchParam(`"1-0"`)
	farms, err := api.FarmList(ctx, nil)
	if err != nil {
		return err
	}
	_, err = api.FarmPartialUpdate(ctx, fmt.Sprint(farms.JSON.Data.Results[0].Id), &tilth.FarmPartialUpdateParams{IfMatch: &etag}, tilth.FarmPatch{Name: &name})
	if !errors.As(err, &refused) || refused.Code != tilth.ErrorCodePreconditionFailed {
		return fmt.Errorf("a farm that was changed since: %w", err)
	}
	return nil
}

// files requests a file from an operation with several formats, and one from an operation that returns only files.
func files(ctx context.Context, api *tilth.Client) error {
	form := tilth.FieldExportParamsFormatCsv
	table, err := api.FieldExport(ctx, &tilth.FieldExportParams{Format: &form})
	if err != nil || len(table.Body) < 100 || table.Body[0] == '{' {
		return fmt.Errorf("a table of fields: %w", err)
	}
	template, err := api.AssessmentImportTemplate(ctx, nil)
	if err != nil {
		return err
	}
	defer template.Body.Close()
	head, err := io.ReadAll(template.Body)
	if err != nil || string(head[:3]) != "id," {
		return fmt.Errorf("a template of assessments: %.40q, %w", head, err)
	}
	return nil
}

// columns sends a parameter that is a list of pairs, and removes what was made.
func columns(ctx context.Context, api *tilth.Client) error {
	var body tilth.FarmCreateJSONRequestBody
	if err := body.FromFarmWrite(tilth.FarmWrite{Name: "Farm of a table"}); err != nil {
		return err
	}
	made, err := api.FarmCreate(ctx, nil, body)
	if err != nil {
		return err
	}
	farm, err := made.JSON.Data.AsFarm()
	if err != nil {
		return err
	}
	pairs, preview := []string{"name:LABEL", "external_id:REGION+NUMBER"}, true
	file := tilth.GeoJSONFeatureCollection{Type: "FeatureCollection", Features: []tilth.GeoJSONFeature{{
		Type: "Feature", Properties: &map[string]any{"LABEL": "a & b", "REGION": "r", "NUMBER": 1},
	}}}
	seen, err := api.FieldImportWithApplicationGeoPlusJSONBody(ctx, &tilth.FieldImportParams{FarmId: farm.Id, Map: &pairs, Preview: &preview}, file)
	if err != nil || len(seen.JSON.Data.Features) != 1 {
		return fmt.Errorf("a preview: %v, %w", seen, err)
	}
	return api.FarmDestroy(ctx, fmt.Sprint(farm.Id), nil)
}
