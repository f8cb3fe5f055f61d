package wire_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"tilth/adapters/http/schema"
	"tilth/wire"
)

// unshown are the operations whose answer the document does not show, and why.
var unshown = map[string]string{}

// Every operation that answers with text shows an answer, which its schema allows and which holds no name that the schema
// does not have. The examples are what operations answered in tests, so they are true; one that a change of the interface has
// made wrong must be recorded anew.
func TestAnswersHaveExamples(t *testing.T) {
	text, err := wire.Program{}.OpenAPI()
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(text, &document))
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("openapi.json", read))
	shown := 0
	for path, methods := range document["paths"].(map[string]any) {
		for method, one := range methods.(map[string]any) {
			op, ok := one.(map[string]any)
			if !ok {
				continue
			}
			id := op["operationId"].(string)
			status, content := success(op)
			media := schema.Shown(maps.Keys(content))
			if media == "" {
				continue // nothing, or no text
			}
			body := content[media].(map[string]any)
			example, ok := body["example"]
			if reason := unshown[id]; ok != (reason == "") {
				t.Errorf("%s shows no answer, or one that it need not (%q). Fix: make answers, with a test that sends it.", id, reason)
			}
			if !ok {
				continue
			}
			shown++
			place := "openapi.json#/paths/" + pointer(path) + "/" + method + "/responses/" + status + "/content/" + pointer(media) + "/schema"
			schema, err := compiler.Compile(place)
			require.NoError(t, err, id)
			const fix = "%s. Fix: delete adapters/http/v12/answers/%[1]s.json, and make answers."
			assert.NoErrorf(t, schema.Validate(example), fix, id)
			if media == "application/json" { // GeoJSON allows everybody members of their own
				assert.Emptyf(t, unknown(document, "", example, body["schema"]), fix, id)
			}
		}
	}
	t.Logf("%d answers are shown", shown)
}

// success returns a successful status of an operation whose answer is shown, or else any; empty where none answers with text.
func success(op map[string]any) (status string, content map[string]any) {
	for code, one := range op["responses"].(map[string]any) {
		of, _ := one.(map[string]any)["content"].(map[string]any)
		media := schema.Shown(maps.Keys(of))
		if code[0] != '2' || media == "" {
			continue
		}
		_, shows := of[media].(map[string]any)["example"]
		if shows {
			return code, of
		}
		status, content = code, of
	}
	return status, content
}
