package rest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
)

func TestNamesThatAreNotKnown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rest.Handle(r.api, rest.Route{Method: http.MethodGet, Path: "any/", OperationID: "any", Summary: "Any", Tag: "Tests", AnyQuery: true},
		func(context.Context, *rest.Call, struct{}) (soil, error) { return soil{}, nil })
	const plain = `"name":"N","field_id":7`
	for _, tt := range []struct {
		method, path, body string
		status             int
		says               string // in the message or the details
	}{
		// What GET answers can be sent back, and is ignored; so is what the specification calls inapplicable.
		{"POST", "plot/", `{` + plain + `,"id":1,"owner":{"id":5,"name":"Ana"},"shape":null,"names":{"x":"y"}}`, 200, ""},
		{"PUT", "plot/1/", `{` + plain + `,"id":1,"owner":null}`, 200, ""},
		{"PATCH", "plot/1/", `{"owner":3}`, 200, ""},
		{"PUT", "plot/1/", `{` + plain + `,"variety":"Emmer"}`, 200, ""},
		{"POST", "echo/", `{` + plain + `,"id":1}`, 400, "id"},
		// Members, at any depth.
		{"POST", "plot/", `{` + plain + `,"tenur":"owned"}`, 400, `tenur (did you mean "tenure"?)`},
		{"PATCH", "plot/1/", `{"tenur":"owned"}`, 400, `tenur (did you mean "tenure"?)`},
		{"PUT", "plot/1/", `{` + plain + `,"soil":{"texture":"clay","phh":7}}`, 400, `soil.phh (did you mean "ph"?)`},
		{"POST", "plot/", `[{` + plain + `},{` + plain + `,"soil":{"texture":"clay","phh":7}}]`, 402, `[1].soil.phh (did you mean "ph"?)`},
		{"POST", "plot/", `{` + plain + `,"boundary":{"anything":1}}`, 200, ""},
		{"PATCH", "plot/404/", `{"tenur":"owned"}`, 404, "No plot with that id."},
		{"POST", "auth/token/", `{"texture":"clay","otp":1}`, 400, "otp"},
		// Query parameters, whatever the method.
		{"GET", "plot/?crp=1", "", 400, `crp (did you mean "crop"?)`},
		{"GET", "plot/?page=2&sahre=true&ordering=nothing", "", 400, `sahre (did you mean "share"?)`},
		{"GET", "plot/1/?crop=1", "", 400, "crop"},
		{"GET", "plot/?variety=x", "", 400, "variety"},
		{"GET", "plot/?share=true&api_key=x", "", 200, ""},
		{"GET", "log/?api_key=x", "", 400, "api_key"},
		{"POST", "plot/?crop=1", `{` + plain + `}`, 400, "crop"},
		{"DELETE", "plot/1/?force=1", "", 400, "force"},
		{"DELETE", "plot/404/?share=true", "", 404, "No plot with that id."},
		{"PATCH", "plot/404/?share=true", `{}`, 404, "No plot with that id."},
		{"GET", "any/?crop=1&x", "", 200, ""},
	} {
		w := r.ask(tt.method, base+tt.path, tt.body)
		require.Equal(t, tt.status, w.Code, "%s %s %s: %s", tt.method, tt.path, tt.body, w.Body)
		if tt.status == 200 {
			continue
		}
		answer := object(t, w)
		require.Contains(t, answer["message"], tt.says)
		if tt.status != 404 {
			require.Equal(t, "unknown_name", answer["code"])
		}
		// A caller that prefers it has them ignored, and gets their names.
		w = r.ask(tt.method, base+tt.path, tt.body, header("Prefer", "respond-async, handling=Lenient"))
		if strings.Contains(tt.path, "ordering=nothing") || tt.status == 404 {
			require.Equal(t, map[bool]int{true: 404, false: 400}[tt.status == 404], w.Code, w.Body)
		} else {
			require.Less(t, w.Code, 300, w.Body)
			name, _, _ := strings.Cut(tt.says, " ")
			require.Equal(t, name, w.Header().Get("Tilth-Ignored"))
		}
	}

	// The operator may have them ignored for all callers.
	lenient := newRig(t, func(c *rest.Config) { c.IgnoreUnknown = true })
	w := lenient.ask("POST", base+"plot/?x,y=1", `[{`+plain+`,"tenur":1,"größe\n":{}},{`+plain+`,"tenur":1}]`)
	require.Equal(t, 200, w.Code, w.Body)
	require.Equal(t, `x%2Cy, [0].gr%C3%B6%C3%9Fe%0A, [0].tenur, [1].tenur`, w.Header().Get("Tilth-Ignored"))
}

// Many and long names cost no more than a few.
func TestManyNamesThatAreNotKnown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var body strings.Builder
	body.WriteString(`{"name":"N","field_id":7`)
	for i := range 20_000 {
		fmt.Fprintf(&body, `,"n%d%s":1`, i, strings.Repeat("n", 100))
	}
	body.WriteString(`}`)
	w := r.ask("POST", base+"plot/", body.String())
	require.Equal(t, 400, w.Code)
	require.Less(t, w.Body.Len(), 64<<10)
	w = r.ask("POST", base+"plot/", body.String(), header("Prefer", "handling=lenient"))
	require.Equal(t, 200, w.Code)
	require.Less(t, len(w.Header().Get("Tilth-Ignored")), 8<<10)
	require.True(t, strings.HasSuffix(w.Header().Get("Tilth-Ignored"), ", ..."))
}
