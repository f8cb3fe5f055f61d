package rest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/http/rest"
)

type onRecord struct {
	ID int64 `path:"id"`
}

type wholeInput struct {
	onRecord
	Plan   string   `path:"plan,uuid"`
	Share  bool     `query:"share"`
	Depth  *float64 `query:"depth"`
	Round  *int64   `query:"round"`
	Format string   `query:"format"`
	rest.JSON[soil]
}

type inputSeen struct {
	ID     int64    `json:"id"`
	Plan   string   `json:"plan"`
	Share  bool     `json:"share"`
	Depth  *float64 `json:"depth"`
	Round  *int64   `json:"round"`
	Format string   `json:"format"`
	Soil   soil     `json:"soil"`
}

func inputRoute() rest.Route {
	return rest.Route{
		Method: http.MethodPost, Path: "input/{id}/{plan}/", OperationID: "input", Summary: "Input", Tag: "Tests", Noun: "input",
		Query: []rest.Param{
			{Name: "share", Type: rest.Boolean}, {Name: "depth", Type: rest.Number}, {Name: "round", Type: rest.Integer}, {Name: "format", Type: rest.String},
		},
	}
}

// The input of a handler is read in the order of its fields, and the first part of the
// request that is wrong decides the answer.
func TestInput(t *testing.T) {
	r := newRig(t)
	rest.Handle(r.api, inputRoute(), func(_ context.Context, _ *rest.Call, in wholeInput) (inputSeen, error) {
		return inputSeen{in.ID, in.Plan, in.Share, in.Depth, in.Round, in.Format, in.Body}, nil
	})
	const uuid, body = "0a1b2c3d-0000-4000-8000-00000000000a", `{"texture":"clay"}`
	w := r.ask("POST", base+"input/7/0A1B2C3D-0000-4000-8000-00000000000A/?share=true&round=0&format=csv", body, token("good"))
	require.Equal(t, 200, w.Code, w.Body)
	for _, part := range []string{`"id":7,"plan":"` + uuid + `","share":true,"depth":null,"round":0,"format":"csv"`, `"texture":"clay"`} {
		require.Contains(t, w.Body.String(), part)
	}
	for _, c := range []struct {
		path, body, says string
		status           int
	}{
		{"x/no/?share=maybe", `[]`, "No input with that id.", 404},
		{"7/no/?share=maybe", `[]`, "No input with that id.", 404},
		{"7/" + uuid + "/?share=maybe&round=x", `[]`, `"round":["\"x\" is not a whole number."],"share"`, 400},
		{"7/" + uuid + "/?share=1", `[]`, "Expected an object", 400},
		{"7/" + uuid + "/?share=1", ``, "malformed_body", 400},
	} {
		w := r.ask("POST", base+"input/"+c.path, c.body, token("good"))
		require.Equal(t, c.status, w.Code, "%s: %s", c.path, w.Body)
		require.Contains(t, w.Body.String(), c.says, c.path)
	}
	require.Equal(t, 401, r.ask("POST", base+"input/x/no/", `[]`, token("")).Code, "who calls comes before what is asked")
}

// An input that reads what its route does not declare is found when the program starts.
func TestInputsAreDeclared(t *testing.T) {
	for name, register := range map[string]func(a *rest.API){
		"a path parameter": func(a *rest.API) {
			takes[struct {
				Other int64 `path:"other"`
			}](a)
		},
		"a query parameter": func(a *rest.API) {
			takes[struct {
				Other string `query:"other"`
			}](a)
		},
		"another type": func(a *rest.API) {
			takes[struct {
				Round string `query:"round"`
			}](a)
		},
		"a field from nowhere": func(a *rest.API) { takes[struct{ ID int64 }](a) },
	} {
		require.Panics(t, func() { register(newRig(t).api) }, name)
	}
}

func takes[I any](a *rest.API) {
	rest.Handle(a, inputRoute(), func(context.Context, *rest.Call, I) (rest.NoContent, error) { return rest.NoContent{}, nil })
}
