package rest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/core/fault"
)

func TestRoutingAndCredentials(t *testing.T) {
	r := newRig(t)
	tests := []struct {
		name, method, path, token string
		status                    int
		code                      string
	}{
		{"unknown path", "GET", base + "nothing/", "good", 404, "not_found"},
		{"unknown path without a token", "GET", base + "nothing/", "", 404, "not_found"},
		{"the base itself", "GET", base, "good", 404, "not_found"},
		{"below a record", "GET", base + "plot/1/more/", "good", 404, "not_found"},
		{"double slash", "POST", base + "/plot/", "good", 404, "not_found"},
		{"two slashes at the end", "GET", base + "plot//", "good", 404, "not_found"},
		{"dot segment", "GET", base + "x/../plot/", "good", 404, "not_found"},
		{"no token", "GET", base + "plot/", "", 401, "not_authenticated"},
		{"invalid token", "GET", base + "plot/", "wrong", 401, "token_invalid"},
		{"expired token", "GET", base + "plot/", "expired", 401, "token_invalid"},
		{"no token comes before the method", "PATCH", base + "plot/", "", 401, "not_authenticated"},
		{"no token comes before the id", "GET", base + "plot/abc/", "", 401, "not_authenticated"},
		{"missing slug", "POST", base + "plot/", "viewer", 403, "permission_denied"},
		{"missing slug comes before the id", "DELETE", base + "plot/999/", "viewer", 403, "permission_denied"},
		{"missing slug comes before the body", "PUT", base + "plot/1/", "viewer", 403, "permission_denied"},
		{"id of letters", "GET", base + "plot/abc/", "good", 404, "not_found"},
		{"id too large", "GET", base + "plot/99999999999999999999/", "good", 404, "not_found"},
		{"id zero", "GET", base + "plot/0/", "good", 404, "not_found"},
		{"id negative", "DELETE", base + "plot/-1/", "good", 404, "not_found"},
		{"id with a sign", "GET", base + "plot/+1/", "good", 404, "not_found"},
		{"escaped slash", "GET", base + "plot/1%2F2/", "good", 404, "not_found"},
		{"no record", "GET", base + "plot/999/", "good", 404, "not_found"},
		{"no record comes before the body", "PUT", base + "plot/999/", "good", 404, "not_found"},
		{"wrong method", "PUT", base + "plot/", "good", 405, "method_not_allowed"},
		{"wrong method of a record", "POST", base + "plot/1/", "good", 405, "method_not_allowed"},
		{"method nobody has", "PROPFIND", base + "plot/1/", "good", 405, "method_not_allowed"},
		{"wrong method of a public path", "GET", base + "auth/token/", "", 405, "method_not_allowed"},
		{"internal error", "GET", base + "broken/", "good", 500, "internal_error"},
		{"delete", "DELETE", base + "plot/1/", "good", 204, ""},
		{"delete without the slash", "DELETE", base + "plot/1", "good", 204, ""},
		{"retrieve", "GET", base + "plot/1/", "good", 200, ""},
		{"retrieve without the slash", "GET", base + "plot/1", "good", 200, ""},
		{"a letter of the path escaped", "GET", base + "%70lot/1/", "good", 200, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := r.ask(tt.method, tt.path, "", token(tt.token))
			require.Equal(t, tt.status, w.Code, w.Body.String())
			if tt.status == 204 {
				require.Zero(t, w.Body.Len())
				return
			}
			out := object(t, w)
			if tt.code != "" {
				require.Equal(t, tt.code, out["code"])
			}
			if tt.status == 401 {
				require.Contains(t, w.Header().Get("WWW-Authenticate"), "Bearer")
			}
			if tt.status == 405 {
				require.NotEmpty(t, w.Header().Get("Allow"))
			}
		})
	}
}

func TestAllowListsTheMethodsOfThePath(t *testing.T) {
	r := newRig(t)
	require.Equal(t, "DELETE, GET, HEAD, OPTIONS, PATCH, PUT", r.ask("POST", base+"plot/1/", "").Header().Get("Allow"))
	w := r.ask("OPTIONS", base+"plot", "", token(""))
	require.Equal(t, 204, w.Code)
	require.Equal(t, "GET, HEAD, OPTIONS, POST", w.Header().Get("Allow"))
}

func TestPostWithoutTheSlashIsAnsweredInPlace(t *testing.T) {
	r := newRig(t)
	w := r.ask("POST", base+"plot", `{"name":"North","field_id":7}`)
	require.Equal(t, 200, w.Code, w.Body.String())
	require.Equal(t, float64(1), object(t, w)["data"].(map[string]any)["id"])
}

func TestPermissionErrorHasTheShapeOfTheSpecification(t *testing.T) {
	w := newRig(t).ask("POST", base+"plot/", "{", token("viewer"))
	require.Equal(t, 403, w.Code)
	require.JSONEq(t, `{"required_permission":"field.create","action":"create","resource":"FieldView"}`, details(t, w))
	require.Equal(t, "permission_denied", object(t, w)["code"])
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	r := newRig(t)
	for path, status := range map[string]int{"plot/1/": 200, "plot/": 200, "plot/?page=all": 200, "plot/999/": 404, "nothing/": 404} {
		w := r.ask("HEAD", base+path, "")
		require.Equal(t, status, w.Code, path)
		require.Zero(t, w.Body.Len(), path)
		require.NotEmpty(t, w.Header().Get("Content-Length"), path)
	}
}

func TestAPIKeysAreTakenWhereTheRouteSays(t *testing.T) {
	r := newRig(t)
	rest.Handle(r.api, rest.Route{Method: "GET", Path: "own/", OperationID: "own", Summary: "Own", Tag: "Tests", Keys: rest.KeyNowhere},
		func(context.Context, *rest.Call, struct{}) (owner, error) { return owner{}, nil })
	ask := func(path string, change ...func(*http.Request)) int {
		return r.ask("GET", base+path, "", append([]func(*http.Request){token("")}, change...)...).Code
	}
	require.Equal(t, 200, ask("plot/?api_key=k-123"))
	require.Equal(t, 200, ask("plot/", header("X-API-Key", "k-123")))
	require.Equal(t, 401, ask("plot/?api_key=wrong"))
	require.Equal(t, 200, ask("log/", header("X-API-Key", "k-123")), "the header is the default")
	require.Equal(t, 401, ask("log/?api_key=k-123"))
	require.Equal(t, 401, ask("own/", header("X-API-Key", "k-123")))
	require.Equal(t, 200, ask("own/", token("good")))
	require.Equal(t, 401, r.ask("PUT", base+"own/", "", token(""), header("X-API-Key", "k-123")).Code, "nor by a method that it lacks")
	require.Equal(t, 401, ask("plot/?api_key=k-123", token("wrong")), "a token is not replaced by a key")
}

// A signed link opens the routes that permit it, at the addresses that it is for, and no others. No answer repeats it.
func TestSignedLinksOpenWhereTheRouteSays(t *testing.T) {
	r := newRig(t, func(c *rest.Config) {
		c.AuthenticateLink = func(_ context.Context, link, path string) (access.Principal, error) {
			if link != "for "+path {
				return access.Principal{}, fault.New(fault.Unauthenticated, "link_invalid", "No.")
			}
			return access.Principal{UserID: 4, CompanyID: 10}, nil
		}
	})
	rest.Handle(r.api, rest.Route{Method: "GET", Path: "picture/{id}/", OperationID: "picture", Summary: "Picture", Tag: "Tests", Links: true},
		func(_ context.Context, c *rest.Call, _ struct{}) (owner, error) {
			return owner{ID: c.Principal().UserID, Name: c.Here(func(url.Values) {})}, nil
		})
	ask := func(path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
		return r.ask("GET", base+path, "", append([]func(*http.Request){token("")}, change...)...)
	}
	opened := ask("picture/7/?link=for+picture/7/")
	require.Equal(t, 200, opened.Code)
	require.Contains(t, opened.Body.String(), `"id":4`)
	require.NotContains(t, opened.Body.String(), "for+picture")
	require.Equal(t, 401, ask("picture/8/?link=for+picture/7/").Code)
	require.Equal(t, 401, ask("picture/7/").Code)
	require.Equal(t, 401, ask("plot/?link=for+plot/").Code, "not where the route does not say so")
	require.Equal(t, 400, ask("plot/?link=for+plot/", token("good")).Code, "where its name is not known")
	require.Equal(t, 401, ask("picture/7/?link=for+picture/7/", token("wrong")).Code, "a token is not replaced by a link")
	require.Equal(t, 401, r.ask("PUT", base+"picture/7/?link=for+plot/", "", token("")).Code)
}

func TestInternalErrorsDoNotLeak(t *testing.T) {
	r := newRig(t)
	w := r.ask("GET", base+"broken/", "", func(req *http.Request) {
		*req = *req.WithContext(rest.WithTrace(req.Context(), &rest.Trace{RequestID: "req-42"}))
	})
	require.Equal(t, 500, w.Code)
	require.NotContains(t, w.Body.String(), "hunter2")
	require.Contains(t, object(t, w)["message"], "req-42")
	require.Contains(t, r.log.String(), "hunter2", "the cause must be found in the log")
	require.Contains(t, r.log.String(), "req-42")
}

func TestTraceIsFilledIn(t *testing.T) {
	r, trace := newRig(t), &rest.Trace{}
	r.ask("GET", base+"plot/7", "", func(req *http.Request) { *req = *req.WithContext(rest.WithTrace(req.Context(), trace)) })
	require.Equal(t, rest.Trace{Route: base + "plot/{id}/", UserID: 1, CompanyID: 10}, *trace)
}

// Every path is answered with an envelope, and never with a redirect.
func TestNoPathRedirects(t *testing.T) {
	r := newRig(t)
	rapid.Check(t, func(t *rapid.T) {
		segments := rapid.SliceOfN(rapid.SampledFrom([]string{"plot", "plots", "1", "", ".", "..", "auth", "token", "echo", "%2e", "a b", "log"}), 0, 5).Draw(t, "segments")
		method := rapid.SampledFrom([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "TRACE"}).Draw(t, "method")
		path := base + strings.Join(segments, "/")
		req := httptest.NewRequest(method, "http://tilth.test/", strings.NewReader(""))
		req.URL.Path = path
		if u, err := url.Parse("http://tilth.test" + strings.ReplaceAll(path, " ", "%20")); err == nil {
			req.URL = u
		}
		req.Header.Set("Authorization", "Bearer good")
		w := httptest.NewRecorder()
		r.api.ServeHTTP(w, req)
		if w.Code >= 300 && w.Code < 400 || w.Header().Get("Location") != "" {
			t.Fatalf("%s %s answers %d", method, path, w.Code)
		}
		if w.Code != 204 && w.Header().Get("Content-Type") != "application/json" {
			t.Fatalf("%s %s answers %d without an envelope", method, path, w.Code)
		}
	})
}
