package rig

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/require"

	"tilth/wire"
)

// document is the program's OpenAPI document, as its clients read it.
var document = sync.OnceValues(func() (*openapi3.T, error) {
	raw, err := wire.Program{}.OpenAPI()
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(raw)
})

var documented = sync.OnceValues(func() (routers.Router, error) {
	doc, err := document()
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// Document gives the program's OpenAPI document.
func Document(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := document()
	require.NoError(t, err)
	return doc
}

// maxChecked bounds the answers that are held against the document: a list of
// thousands says no more about it than one of ten.
const maxChecked = 1 << 20

// tellsTruth holds an answer against the document: every answer of every test that is
// given by a documented method of a documented path must be one that the document names.
func tellsTruth(t testing.TB, method, path string, a Answer) {
	t.Helper()
	if !strings.HasPrefix(path, "/api/v1.2/") || len(a.Body) > maxChecked {
		return
	}
	router, err := documented()
	if err != nil {
		t.Error(err)
		return
	}
	bare, query, _ := strings.Cut(path, "?")
	req := httptest.NewRequest(method, strings.TrimSuffix(bare, "/")+"/", http.NoBody)
	req.URL.RawQuery = query
	route, params, err := router.FindRoute(req)
	if err != nil {
		return // no such path or method: answered with the envelope alone
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, Route: route, PathParams: params},
		Status:                 a.Status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)),
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true,
			// Of pictures, archives and other files the document says the type alone.
			ExcludeResponseBody: !strings.Contains(a.Header.Get("Content-Type"), "json"),
		},
	})
	if err != nil { // not fatal: requests are also sent from goroutines of a test
		t.Errorf("%s %s answers what the document does not say: %d %s: %v", method, path, a.Status, a.Body, err)
	}
}
