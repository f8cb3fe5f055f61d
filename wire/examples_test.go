package wire_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"tilth/wire"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// bodied is an operation with its request body, by content type.
type bodied struct {
	id      string
	content map[string]map[string]any
	place   string // of the content, in the document
}

// bodies returns the document and those of its operations that take a body.
func bodies(t *testing.T) (document map[string]any, out []bodied) {
	t.Helper()
	text, err := wire.Program{}.OpenAPI()
	require.NoError(t, err)
	var paths struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			RequestBody struct {
				Content map[string]map[string]any `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(text, &document))
	require.NoError(t, json.Unmarshal(text, &paths))
	for path, methods := range paths.Paths {
		for method, op := range methods {
			if len(op.RequestBody.Content) > 0 {
				place := "/paths/" + pointer(path) + "/" + method + "/requestBody/content/"
				out = append(out, bodied{op.OperationID, op.RequestBody.Content, place})
			}
		}
	}
	require.NotEmpty(t, out)
	return document, out
}

func pointer(word string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(word)
}

// Every operation whose body is text shows one, which its schema allows and which holds no name that would be refused.
func TestBodiesHaveExamples(t *testing.T) {
	document, operations := bodies(t)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	text, err := json.Marshal(document)
	require.NoError(t, err)
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, compiler.AddResource("openapi.json", read))
	for _, op := range operations {
		shown, asked := 0, false
		for media, body := range op.content {
			asked = asked || strings.HasSuffix(media, "json") || strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "-urlencoded")
			example, ok := body["example"]
			if !ok {
				continue
			}
			shown++
			schema, err := compiler.Compile("openapi.json#" + op.place + pointer(media) + "/schema")
			require.NoError(t, err, op.id)
			require.NoError(t, schema.Validate(example), op.id)
			require.Empty(t, unknown(document, "", example, body["schema"]), "%s: names that its schema does not have", op.id)
		}
		if asked && shown == 0 {
			t.Errorf("%s has no example of its body. Fix: add one to examples.go of its package.", op.id)
		}
	}
}

// unknown returns the paths of members that none of the schemas of a value has.
func unknown(document map[string]any, path string, value any, schemas ...any) (out []string) {
	known, items, open := map[string][]any{}, []any{}, false
	for _, schema := range flat(document, schemas...) {
		if of, ok := schema["items"]; ok {
			items = append(items, of)
		}
		properties, _ := schema["properties"].(map[string]any)
		for name, member := range properties {
			known[name] = append(known[name], member)
		}
		allowed, ok := schema["additionalProperties"]
		open = open || ok && allowed != false || anything(schema)
	}
	switch of := value.(type) {
	case []any:
		for _, item := range of {
			out = append(out, unknown(document, path+"[]", item, items...)...)
		}
	case map[string]any:
		for name, member := range of {
			switch {
			case known[name] != nil:
				out = append(out, unknown(document, path+"."+name, member, known[name]...)...)
			case !open:
				out = append(out, path+"."+name)
			}
		}
	}
	return out
}

// anything reports whether a schema says nothing about the form of a value.
func anything(schema map[string]any) bool {
	for _, keyword := range []string{"type", "properties", "allOf", "anyOf", "oneOf", "enum", "items"} {
		if schema[keyword] != nil {
			return false
		}
	}
	return true
}

// flat returns schemas with all that they refer to or are made of.
func flat(document map[string]any, schemas ...any) (out []map[string]any) {
	for _, one := range schemas {
		schema, _ := one.(map[string]any)
		if ref, ok := schema["$ref"].(string); ok {
			var place any = document
			for word := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
				place = place.(map[string]any)[word]
			}
			out = append(out, flat(document, place)...)
			continue
		}
		out = append(out, maps.Clone(schema))
		for _, key := range []string{"allOf", "anyOf", "oneOf"} {
			parts, _ := schema[key].([]any)
			out = append(out, flat(document, parts...)...)
		}
	}
	return out
}
