package document_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"tilth/adapters/http/document"
	"tilth/adapters/http/query"
)

type plotWrite struct {
	Name string   `json:"name" minLength:"1" doc:"What it is called."`
	Area *float64 `json:"area,omitempty" doc:"In hectares."`
}

type plotRecord struct {
	ID int64 `json:"id" doc:"Of the plot."`
	plotWrite
}

type refusal struct {
	Reason string `json:"reason" doc:"Why."`
}

func written(record any, shape document.Shape) document.Records {
	return document.Records{Type: reflect.TypeOf(record), Shape: shape}
}

// plots is an interface with an operation of every kind.
func plots() document.Interface {
	const list, one = "/api/plot/", "/api/plot/{id}/"
	op := func(method, pattern, id string, answer document.Answer) document.Operation {
		answer.Status, answer.Message = http.StatusOK, "Done."
		return document.Operation{
			Method: method, Pattern: pattern, ID: id, Summary: "S", Tag: "Plots", Schemes: []string{"bearer"}, Answer: answer,
			Query: []query.Param{{Name: "company", Type: query.Integer, Description: "Id."}}, Failures: []int{400, 500},
		}
	}
	of := document.Interface{
		Title: "Plots", Version: "1", MaxBulk: 7, Tags: []document.Tag{{Name: "Plots", Description: "Land."}},
		Schemes: []document.Scheme{{Name: "bearer", Description: "A token."}, {Name: "key", In: "header", Key: "X-Key", Description: "A key."}},
		Codes:   map[string]string{"not_found": "It is not there."},
		Schemas: map[string]map[string]any{"Soil": {"type": "object", "properties": map[string]any{"ph": map[string]any{"type": "number"}}}},
		Bodies:  map[string]string{"plot_create": `{"name": "North"}`}, Answers: map[string]json.RawMessage{"plot_retrieve": json.RawMessage(`{"status": "success", "message": "Done.", "data": {"id": 7, "name": "North"}}`)},
		Operations: []document.Operation{
			op("GET", list, "plot_list", document.Answer{Data: written(plotRecord{}, document.Page)}),
			op("POST", list, "plot_create", document.Answer{Data: written(plotRecord{}, document.OneOrMany), Also: map[int]string{207: "Some."}, Outcomes: []string{"created"}}),
			op("PATCH", list, "plot_change_many", document.Answer{Data: written(plotRecord{}, document.Many)}),
			op("GET", one, "plot_retrieve", document.Answer{Data: written(plotRecord{}, document.One), Tagged: true, Forms: []document.Form{{Media: "text/csv", Description: "A table.", Missing: true}}}),
			op("PATCH", one, "plot_change", document.Answer{Data: document.Records{Given: "Soil"}}),
			op("DELETE", one, "plot_delete", document.Answer{}),
			op("GET", "/other/", "other", document.Answer{Bare: reflect.TypeFor[plotRecord](), BareMedia: "application/hal+json"}),
		},
	}
	ops := of.Operations
	ops[1].Body = &document.Body{Records: written(plotWrite{}, document.OneOrMany), Files: map[string]string{"text/csv": "A table."}}
	ops[2].Body = &document.Body{Records: written(plotWrite{}, document.Changes)}
	ops[3].Path, ops[4].Path, ops[5].Path = []string{"id"}, []string{"id"}, []string{"id"}
	ops[4].Body = &document.Body{Records: written(plotWrite{}, document.One), Partial: true, Optional: true}
	ops[4].Permission, ops[4].Ignored, ops[4].Headers = "plot.edit", []string{"variety"}, []document.Header{{Name: "If-Match", Description: "An ETag."}}
	ops[6].FailedAs, ops[6].Schemes = reflect.TypeFor[refusal](), nil
	return of
}

func load(t *testing.T, of document.Interface) *openapi3.T {
	t.Helper()
	text, err := document.Write(of).JSON()
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	return doc
}

func TestDocumentSaysWhatIsDescribed(t *testing.T) {
	doc := load(t, plots())
	list, one := doc.Paths.Find("/api/plot/"), doc.Paths.Find("/api/plot/{id}/")
	body := func(op *openapi3.Operation, media string) string {
		return op.RequestBody.Value.Content[media].Schema.Ref
	}
	answer := func(op *openapi3.Operation, status, media string) string {
		return op.Responses.Value(status).Value.Content[media].Schema.Ref
	}
	const at = "#/components/schemas/"
	for want, is := range map[string]string{
		"PlotRecordPageAnswer":                    answer(list.Get, "200", "application/json"),
		"PlotWriteOrPlotWriteList":                body(list.Post, "application/json"),
		"PlotRecordOrPlotRecordListWrittenAnswer": answer(list.Post, "200", "application/json"),
		"PlotChangeList":                          body(list.Patch, "application/json"),
		"PlotRecordListAnswer":                    answer(list.Patch, "200", "application/json"),
		"PlotPatch":                               body(one.Patch, "application/json"),
		"SoilAnswer":                              answer(one.Patch, "200", "application/json"),
		"PlotRecordAnswer":                        answer(one.Get, "200", "application/json"),
		"Error":                                   answer(one.Get, "404", "application/json"),
		"PlotRecord":                              answer(doc.Paths.Find("/other/").Get, "200", "application/hal+json"),
		"Refusal":                                 answer(doc.Paths.Find("/other/").Get, "default", "application/json"),
	} {
		require.Equal(t, at+want, is)
	}
	require.Empty(t, one.Delete.Responses.Value("200").Value.Content)
	require.NotNil(t, one.Get.Responses.Value("304"), "what has an ETag can be confirmed")
	require.Equal(t, map[string]any{"name": "North"}, list.Post.RequestBody.Value.Content["application/json"].Example)
	require.NotNil(t, one.Get.Responses.Value("200").Value.Content["application/json"].Example)
	require.Equal(t, "Needs the permission `plot.edit`.\n\nIgnored, as it does not apply: `variety`.", one.Patch.Description)
	require.Equal(t, "plot.edit", one.Patch.Extensions["x-permission"])
	require.Equal(t, []any{400.0, 500.0}, one.Patch.Extensions["x-failures"])
	require.NotNil(t, one.Patch.Parameters.GetByInAndName("header", "If-Match"))
	require.Equal(t, "#/components/parameters/CompanyParam", list.Get.Parameters[0].Ref, "what many operations take is described once")
	require.Empty(t, doc.Components.Schemas["PlotPatch"].Value.Required)
	require.Equal(t, []string{"id"}, doc.Components.Schemas["PlotChange"].Value.Required)
	require.EqualValues(t, 7, *doc.Components.Schemas["PlotChangeList"].Value.MaxItems)
	require.Equal(t, []any{"not_found"}, doc.Components.Schemas["ErrorCode"].Value.Enum)
	require.Empty(t, *doc.Paths.Find("/other/").Get.Security)
}

func TestExampleOfNoOperationIsAMistake(t *testing.T) {
	of := plots()
	of.Bodies["plot_creat"] = `{}`
	require.PanicsWithValue(t, "document: an example is of no operation: plot_creat", func() { document.Write(of) })
}

func TestSameDescriptionMakesTheSameDocument(t *testing.T) {
	text := func(of document.Interface) string {
		d := document.Write(of)
		asJSON, err := d.JSON()
		require.NoError(t, err)
		asYAML, err := d.YAML()
		require.NoError(t, err)
		return fmt.Sprintf("%s\n%s", asJSON, asYAML)
	}
	require.Equal(t, text(plots()), text(plots()))
}
