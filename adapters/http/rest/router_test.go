package rest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
)

// A method that a path lacks is not answered by another path whose parameter matches. A
// path with a NUL is unknown.
func TestPathsOfRoutesThatOverlap(t *testing.T) {
	r := newRig(t)
	type named struct {
		Name string `path:"name"`
	}
	answer := func(_ context.Context, _ *rest.Call, in named) (owner, error) { return owner{1, in.Name}, nil }
	route := func(method, path, operation string) rest.Route {
		return rest.Route{Method: method, Path: path, OperationID: operation, Summary: "X", Tag: "Tests"}
	}
	rest.Handle(r.api, route(http.MethodGet, "part/{name}/", "part"), answer)
	rest.Handle(r.api, route(http.MethodPost, "part/import/", "part_import"), func(context.Context, *rest.Call, struct{}) (owner, error) { return owner{}, nil })
	rest.Handle(r.api, route(http.MethodGet, "part/{name}/more/", "part_more"), answer)

	for _, method := range []string{"GET", "HEAD", "PUT", "TRACE", "PROPFIND"} {
		w := r.ask(method, base+"part/import/", "")
		require.Equal(t, 405, w.Code, method)
		require.Equal(t, "OPTIONS, POST", w.Header().Get("Allow"), method)
	}
	require.Equal(t, 200, r.ask("POST", base+"part/import/", "").Code)
	w := r.ask("POST", base+"part/import/more/", "")
	require.Equal(t, 405, w.Code)
	require.Equal(t, "GET, HEAD, OPTIONS", w.Header().Get("Allow"))
	require.Equal(t, "x", object(t, r.ask("GET", base+"part/x/", ""))["data"].(map[string]any)["name"])
	require.Equal(t, 200, r.ask("GET", base+"part/import/more/", "").Code)
	require.Equal(t, 404, r.ask("GET", base+"part/a%00b/", "").Code)
	require.Equal(t, 404, r.ask("GET", base+"plot/1%00/", "").Code)
}
