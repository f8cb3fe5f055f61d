package rig

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"
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
	route, _, err := router.FindRoute(req)
	if err != nil {
		return // no such path or method: answered with the envelope alone
	}
	if err := says(route, a); err != nil { // not fatal: requests are also sent from goroutines of a test
		t.Errorf("%s %s answers what the document does not say: %d %s: %v", method, path, a.Status, a.Body, err)
	}
}

// says reports what an answer has that the document does not say of its operation. The
// schema of a kind of answer is compiled once: compiling it costs more than all else.
func says(route *routers.Route, a Answer) error {
	response := route.Operation.Responses.Status(a.Status)
	if response == nil {
		return fmt.Errorf("the status is not documented")
	}
	if len(a.Body) == 0 {
		if len(response.Value.Content) > 0 {
			return fmt.Errorf("the body is missing")
		}
		return nil
	}
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if response.Value.Content.Get(kind) == nil {
		return fmt.Errorf("the content type %s is not documented", kind)
	}
	if !strings.Contains(kind, "json") {
		return nil // of pictures, archives and other files the document says the type alone
	}
	schema, err := schemas.of(route, a.Status, kind)
	if err != nil {
		return err
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err != nil {
		return err
	}
	return schema.Validate(body)
}

// schemas are the compiled schemas of the document's answers.
var schemas = &compiled{known: map[string]*jsonschema.Schema{}}

type compiled struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	known    map[string]*jsonschema.Schema
}

// of gives the schema of an answer, by its place in the document.
func (c *compiled) of(route *routers.Route, status int, kind string) (*jsonschema.Schema, error) {
	escape := strings.NewReplacer("~", "~0", "/", "~1").Replace
	place := fmt.Sprintf("openapi.json#/paths/%s/%s/responses/%d/content/%s/schema",
		escape(route.Path), strings.ToLower(route.Method), status, escape(kind))
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.known[place]; s != nil {
		return s, nil
	}
	if c.compiler == nil {
		raw, err := wire.Program{}.OpenAPI()
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		c.compiler = jsonschema.NewCompiler()
		c.compiler.DefaultDraft(jsonschema.Draft2020)
		c.compiler.AssertFormat()
		if err := c.compiler.AddResource("openapi.json", doc); err != nil {
			return nil, err
		}
	}
	s, err := c.compiler.Compile(place)
	if err == nil {
		c.known[place] = s
	}
	return s, err
}
