package rest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
)

// shape is an answer whose form is data.
type shape struct{ value any }

func (s shape) MarshalJSON() ([]byte, error) { return json.Marshal(s.value) }

type named struct {
	Name string `json:"name" minLength:"1"`
}

// A route whose form is data takes what is sent as it is, and is documented by the
// schemas that were given.
func TestGivenSchemas(t *testing.T) {
	r := newRig(t)
	r.api.DefineSchema("Leaf", map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "number"}}})
	r.api.DefineSchema("Tree", map[string]any{"type": "object", "properties": map[string]any{"leaves": map[string]any{"type": "array", "items": rest.SchemaRef("Leaf")}}})
	route := rest.Route{Method: http.MethodPut, Path: "tree/{id}/", OperationID: "tree_put", Summary: "X", Tag: "T", Data: "Tree", Body: rest.GivenBody("Tree")}
	echo := func(_ context.Context, c *rest.Call, _ struct{}) (shape, error) {
		value, err := rest.DecodeValue(c)
		return shape{value}, err
	}
	rest.Handle(r.api, route, echo)
	route.Path, route.OperationID, route.Data, route.DataWith = "named/{id}/", "named_put", "", "Tree"
	route.Body = rest.Body[named]().With("Tree")
	rest.Handle(r.api, route, func(_ context.Context, _ *rest.Call, in rest.JSON[named]) (named, error) { return in.Body, nil })

	for body, want := range map[string]string{
		`{"leaves":[{"n":1.5e1}]}`: `{"leaves":[{"n":15}]}`, `[1,"x",null,true]`: `[1,"x",null,true]`, ` "a" `: `"a"`, `null`: `null`,
	} {
		w := r.ask("PUT", base+"tree/1/", body, token("good"))
		require.Equal(t, 200, w.Code, w.Body)
		var out struct{ Data json.RawMessage }
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &out))
		require.JSONEq(t, want, string(out.Data))
	}
	for _, bad := range []string{``, `{`, `{"a":1,"a":2}`, `{"n":1e999}`, `1 2`} {
		require.Equal(t, 400, r.ask("PUT", base+"tree/1/", bad, token("good")).Code, bad)
	}
	require.Equal(t, 400, r.ask("PUT", base+"named/1/", `{"leaves":[]}`, token("good")).Code, "the type's own members are checked")

	doc := load(t, r.api)
	for path, where := range map[string][2]string{"tree/{id}/": {"#/components/schemas/Tree", ""}, "named/{id}/": {"", "#/components/schemas/Tree"}} {
		op := doc.Paths.Value(base + path).Put
		body, data := op.RequestBody.Value.Content["application/json"].Schema, op.Responses.Status(200).Value.Content["application/json"].Schema.Value.Properties["data"]
		if where[0] != "" {
			require.Equal(t, where[0], body.Ref, path)
			require.Equal(t, where[0], data.Ref, path)
		}
		if where[1] != "" {
			require.Equal(t, where[1], body.Value.AllOf[1].Ref)
			require.Equal(t, where[1], data.Value.AllOf[1].Ref)
		}
	}
	require.True(t, strings.HasSuffix(doc.Components.Schemas["Tree"].Value.Properties["leaves"].Value.Items.Ref, "/Leaf"))

	require.Panics(t, func() { r.api.DefineSchema("Tree", nil) }, "twice")
	route.Path, route.OperationID, route.DataWith = "x/", "x", "Nothing"
	require.Panics(t, func() { rest.Handle(r.api, route, echo) }, "a schema that is not defined")
}
