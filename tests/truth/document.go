// Package truth checks answers against the OpenAPI document of the interface: what the document does not state about an
// operation is wrong. It also records answers as the examples of the document.
package truth

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tilth/adapters/http/schema"
)

// Answer is the response to a request.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Document is the set of possible answers of each operation.
type Document struct{ root *segment }

// Read parses a document.
func Read(raw []byte) (*Document, error) {
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	components, _ := read.(map[string]any)["components"].(map[string]any)
	shared, _ := components["responses"].(map[string]any)
	schemas := &compiled{shared: shared, compiler: jsonschema.NewCompiler(), known: map[string]*jsonschema.Schema{}}
	schemas.compiler.DefaultDraft(jsonschema.Draft2020)
	schemas.compiler.AssertFormat()
	if err := schemas.compiler.AddResource("openapi.json", read); err != nil {
		return nil, err
	}
	root := &segment{}
	for path, item := range read.(map[string]any)["paths"].(map[string]any) {
		root.add(path, item.(map[string]any), schemas)
	}
	return &Document{root}, nil
}

// Check returns an error for what an answer has that the document does not state about its operation. It checks nothing
// of the answer to a method and path that are not an operation, which is only the envelope.
func (d *Document) Check(method, path string, a Answer) error {
	if op := d.root.find(method, path); op != nil {
		return op.says(a)
	}
	return nil
}

// segment is a place in the tree of documented paths.
type segment struct {
	below      map[string]*segment // "" is the segment of a parameter
	operations map[string]*operation
}

func (s *segment) add(path string, item map[string]any, schemas *compiled) {
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if strings.HasPrefix(part, "{") {
			part = ""
		}
		if s.below == nil {
			s.below = map[string]*segment{}
		}
		if s.below[part] == nil {
			s.below[part] = &segment{}
		}
		s = s.below[part]
	}
	s.operations = map[string]*operation{}
	for method, one := range item {
		if members, ok := one.(map[string]any); ok {
			responses, _ := members["responses"].(map[string]any)
			failures, _ := members["x-failures"].([]any)
			place := "openapi.json#/paths/" + pointer(path) + "/" + method + "/responses/"
			id, _ := members["operationId"].(string)
			s.operations[strings.ToUpper(method)] = &operation{id, place, responses, failures, schemas, &sync.Map{}}
		}
	}
}

// find returns the operation that answers a method of a path, or nil if there is none.
func (s *segment) find(method, path string) *operation {
	return s.walk(method, strings.Split(strings.Trim(path, "/"), "/"))
}

func (s *segment) walk(method string, parts []string) *operation {
	if len(parts) == 0 {
		return s.operations[method]
	}
	for _, name := range []string{parts[0], ""} {
		if next := s.below[name]; next != nil && parts[0] != "" {
			if found := next.walk(method, parts[1:]); found != nil {
				return found
			}
		}
	}
	return nil
}

// operation is what the document states about one method of one path.
type operation struct {
	id        string
	place     string // of its responses, in the document
	responses map[string]any
	failures  []any // statuses covered by the answer called default
	schemas   *compiled
	held      *sync.Map // the answers found right, by the digest of what is checked
}

// jsonLines is the type of answers with one object per line.
const jsonLines = "application/x-ndjson"

// says returns an error for what an answer has that the document does not state about its operation.
func (o *operation) says(a Answer) (err error) {
	status := strconv.Itoa(a.Status)
	response, place, err := o.answer(status)
	if err != nil {
		return err
	}
	content, _ := response["content"].(map[string]any)
	if len(a.Body) == 0 {
		if len(content) > 0 && content[jsonLines] == nil { // no lines are an answer, too
			return fmt.Errorf("the body is missing")
		}
		return nil
	}
	kind, _, err := mime.ParseMediaType(a.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if content[kind] == nil {
		return fmt.Errorf("the content type %s is not documented", kind)
	}
	if a.Status < http.StatusMultiStatus && kind == schema.Shown(maps.Keys(content)) {
		defer func() {
			if err == nil {
				o.record(a, place, kind)
			}
		}()
	}
	if !strings.Contains(kind, "json") || kind == jsonLines {
		return nil // for pictures, archives and other files the document states only the type
	}
	// A client that waits asks again and again, and gets the same answer.
	digest := sha256.Sum256(append([]byte(status+" "+kind+" "), a.Body...))
	if _, before := o.held.Load(digest); before {
		return nil
	}
	schema, err := o.schemas.of(place + "/content/" + pointer(kind) + "/schema")
	if err != nil {
		return err
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err != nil {
		return err
	}
	if err := schema.Validate(body); err != nil {
		return err
	}
	o.held.Store(digest, nil)
	return nil
}

// answer returns what the document states about answers with a status, and where it does so.
func (o *operation) answer(status string) (response map[string]any, place string, err error) {
	if response, ok := o.responses[status].(map[string]any); ok {
		return response, o.place + status, nil
	}
	if !slices.Contains(o.failures, any(json.Number(status))) {
		return nil, "", fmt.Errorf("the status is not documented")
	}
	response, _ = o.responses["default"].(map[string]any)
	if ref, ok := response["$ref"].(string); ok {
		response, err = o.schemas.response(strings.TrimPrefix(ref, "#/components/responses/"))
		return response, "openapi.json" + ref, err
	}
	return response, o.place + "default", nil
}

// pointer escapes a member for a JSON pointer.
func pointer(member string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(member) }

// compiled are the schemas of the document's answers, by their place in it. Compiling one
// costs more than everything else.
type compiled struct {
	shared   map[string]any // responses of many operations, by name
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	known    map[string]*jsonschema.Schema
}

func (c *compiled) response(name string) (map[string]any, error) {
	response, ok := c.shared[name].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("there is no response %s", name)
	}
	return response, nil
}

func (c *compiled) of(place string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.known[place]; s != nil {
		return s, nil
	}
	s, err := c.compiler.Compile(place)
	if err == nil {
		c.known[place] = s
	}
	return s, err
}
