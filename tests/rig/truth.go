package rig

import (
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"tilth/tests/truth"
	"tilth/wire"
)

// openAPI is the program's OpenAPI document, as its clients read it.
var openAPI = sync.OnceValues(wire.Program{}.OpenAPI)

var document = sync.OnceValues(func() (*openapi3.T, error) {
	raw, err := openAPI()
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(raw)
})

// Document returns the program's OpenAPI document, which its callers share and do not change.
func Document(t testing.TB) *openapi3.T {
	t.Helper()
	doc, err := document()
	require.NoError(t, err)
	return doc
}

// documented is the parsed document, once per process.
var documented = sync.OnceValues(func() (*truth.Document, error) {
	raw, err := openAPI()
	if err != nil {
		return nil, err
	}
	return truth.Read(raw)
})

// maxChecked bounds the responses that are checked against the document: a list
// of thousands tells no more about it than one of ten.
const maxChecked = 1 << 20

// tellsTruth checks a response against the document: every response of every test to a
// documented method of a documented path must be one that the document names.
func tellsTruth(t testing.TB, method, path string, a Answer) {
	t.Helper()
	if !strings.HasPrefix(path, "/api/v1.2/") || len(a.Body) > maxChecked {
		return
	}
	known, err := documented()
	if err != nil {
		t.Error(err)
		return
	}
	bare, _, _ := strings.Cut(path, "?")
	if err := known.Check(method, bare, truth.Answer(a)); err != nil { // not fatal, because goroutines of a test send requests too
		t.Errorf("%s %s answers what the document does not say: %d %s: %v", method, path, a.Status, a.Body, err)
	}
}
