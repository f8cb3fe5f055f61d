package rest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
)

func load(t *testing.T, a *rest.API) *openapi3.T {
	t.Helper()
	text, err := a.OpenAPI()
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	require.NoError(t, doc.Validate(t.Context()))
	return doc
}

func TestDocumentIsValidAndComplete(t *testing.T) {
	r := newRig(t)
	doc := load(t, r.api)
	require.Equal(t, "3.1.0", doc.OpenAPI)
	require.Equal(t, "Tilth", doc.Info.Title)
	list := doc.Paths.Find(base + "plot/")
	require.NotNil(t, list, "paths are given in full")
	require.NotNil(t, list.Post)
	one := doc.Paths.Find(base + "plot/{id}/")
	require.NotNil(t, one.Patch)
	require.Nil(t, one.Post)
	require.Equal(t, "field.edit", one.Patch.Extensions["x-permission"])
	require.Contains(t, one.Patch.Description, "`field.edit`")
	require.Contains(t, list.Post.Extensions["x-failures"], 402.0, "the route's exceptions are documented")
	require.NotNil(t, list.Get.Responses.Value("200"))
	require.Equal(t, []any{400.0, 401.0, 402.0, 403.0, 404.0, 429.0, 500.0, 503.0}, list.Get.Extensions["x-failures"])
	require.Equal(t, "Error", strings.TrimPrefix(list.Get.Responses.Value("default").Value.Content["application/json"].Schema.Ref, "#/components/schemas/"))
	for _, name := range []string{"page", "page_size", "share", "crop", "ordering"} {
		require.NotNil(t, list.Get.Parameters.GetByInAndName("query", name), name)
	}
	open := doc.Paths.Find(base + "auth/token/").Post.Security
	require.NotNil(t, open)
	require.Empty(t, *open)
	require.Len(t, *list.Get.Security, 4)
	code := doc.Components.Schemas["ErrorCode"].Value
	require.Equal(t, code.Enum, doc.Components.Schemas["Error"].Value.Properties["code"].Value.Enum)
	for _, word := range []string{"permission_denied", "validation_failed", "not_found", "internal_error"} {
		require.Contains(t, code.Description, word)
		require.Contains(t, code.Enum, word)
	}
}

func TestDocumentIsDeterministic(t *testing.T) {
	first, err := newRig(t).api.OpenAPI()
	require.NoError(t, err)
	firstYAML, err := newRig(t).api.OpenAPIYAML()
	require.NoError(t, err)
	for range 5 {
		again, err := newRig(t).api.OpenAPI()
		require.NoError(t, err)
		require.Equal(t, string(first), string(again))
		yaml, err := newRig(t).api.OpenAPIYAML()
		require.NoError(t, err)
		require.Equal(t, string(firstYAML), string(yaml))
	}
	fromYAML, err := openapi3.NewLoader().LoadFromData(firstYAML)
	require.NoError(t, err)
	require.NoError(t, fromYAML.Validate(t.Context()))
}

func TestTagsStandWhereTheyAreNamed(t *testing.T) {
	r := newRig(t)
	r.api.DescribeTag("Last", "described first")
	r.api.DescribeTag("First", "described last")
	require.Panics(t, func() { r.api.OrderTags("First") }, "one without a place would come before all")
	r.api.OrderTags("First", "Last")
	text, err := r.api.OpenAPI()
	require.NoError(t, err)
	require.Less(t, bytes.Index(text, []byte("described last")), bytes.Index(text, []byte("described first")))
}

func TestDocumentSaysWhatIsEnforced(t *testing.T) {
	text, err := newRig(t).api.OpenAPI()
	require.NoError(t, err)
	var doc struct {
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	written, answered := doc.Components.Schemas["Plot"], doc.Components.Schemas["PlotRecord"]
	require.ElementsMatch(t, []any{"name", "field_id"}, written["required"])
	require.NotContains(t, written, "additionalProperties", "what GET answers can be sent back beside them")
	members := written["properties"].(map[string]any)
	require.Equal(t, "date", members["sown_on"].(map[string]any)["format"])
	require.Equal(t, float64(10000), members["area_ha"].(map[string]any)["maximum"])
	require.Contains(t, members, "external_id")
	members = answered["properties"].(map[string]any)
	require.Equal(t, []any{"string", "null"}, members["sown_on"].(map[string]any)["type"])
	require.Equal(t, []any{map[string]any{"type": "string", "enum": []any{"owned", "leased"}}, map[string]any{"type": "null"}}, members["tenure"].(map[string]any)["anyOf"], "null is none of the choices")
	require.Equal(t, "array", members["tags"].(map[string]any)["type"], "no items are an empty array")
	require.Contains(t, members["owner"], "anyOf", "a nil pointer to a record is answered as null")
}

// The answers are what the document says.
func TestAnswersMatchTheDocument(t *testing.T) {
	r := newRig(t)
	doc := load(t, r.api)
	router, err := gorillamux.NewRouter(doc)
	require.NoError(t, err)
	for _, call := range []struct{ method, path, body, token string }{
		{"GET", "plot/", "", "good"}, {"GET", "plot/?page=all", "", "good"}, {"GET", "plot/1/", "", "good"}, {"GET", "plot/77/", "", "good"},
		{"GET", "plot/?page=x", "", "good"}, {"GET", "plot/", "", ""}, {"POST", "plot/", `{"name":"N","field_id":7}`, "good"},
		{"POST", "plot/", `[{"name":"N","field_id":7}]`, "good"}, {"POST", "plot/", `[{"name":"N"}]`, "good"}, {"POST", "plot/", `{`, "good"},
		{"POST", "plot/", `{}`, "viewer"}, {"PATCH", "plot/1/", `{"area_ha":null}`, "good"}, {"DELETE", "plot/1/", "", "good"},
		{"GET", "broken/", "", "good"}, {"GET", "log/", "", "good"},
	} {
		w := r.ask(call.method, base+call.path, call.body, token(call.token))
		req := httptest.NewRequest(call.method, base+call.path, strings.NewReader(call.body))
		route, params, err := router.FindRoute(req)
		require.NoError(t, err)
		require.NoError(t, matches(t, req.Method, route, params, w), "%s %s: %d %s", call.method, call.path, w.Code, w.Body)
	}
}

func matches(t *testing.T, method string, route *routers.Route, params map[string]string, w *httptest.ResponseRecorder) error {
	t.Helper()
	return openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: httptest.NewRequest(method, "/", nil), Route: route, PathParams: params},
		Status:                 w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader(w.Body.Bytes())),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
}

func TestMistakesInDescriptionsArePanics(t *testing.T) {
	r := newRig(t)
	good := rest.Route{Method: "GET", Path: "x/", OperationID: "x", Summary: "X", Tag: "T"}
	type unenforced struct {
		Host string `json:"host" format:"hostname"`
	}
	for name, change := range map[string]func(*rest.Route){
		"method": func(r *rest.Route) { r.Method = "TRACE" }, "no id": func(r *rest.Route) { r.OperationID = "" },
		"twice": func(r *rest.Route) { r.Path = "plot/" }, "id twice": func(r *rest.Route) { r.OperationID = "plot_list" },
		"public with a key": func(r *rest.Route) { r.Public, r.Keys = true, rest.KeyInQuery },
	} {
		route := good
		change(&route)
		require.Panics(t, func() { rest.Handle[struct{}, owner](r.api, route, nil) }, name)
	}
	require.Panics(t, func() { rest.Handle[rest.JSON[unenforced], owner](r.api, good, nil) })
	again := good
	again.Method, again.Path, again.OperationID = "PATCH", "plot/{uuid}/", "again"
	require.PanicsWithValue(t, "rest: "+base+"plot/{id}/ and "+base+"plot/{uuid}/ are the same path", func() {
		rest.Handle[struct {
			UUID string `path:"uuid"`
		}, owner](r.api, again, nil)
	})
	r.api.ShowBodies(map[string]string{"plot_create": `{"name": "North", "field_id": 7}`})
	doc := load(t, r.api)
	require.Equal(t, map[string]any{"name": "North", "field_id": 7.0}, doc.Paths.Find(base + "plot/").Post.RequestBody.Value.Content["application/json"].Example)
	r.api.ShowBodies(map[string]string{"no_such_operation": `{}`})
	require.Panics(t, func() { _, _ = r.api.OpenAPI() })
}
