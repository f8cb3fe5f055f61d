package wire_test

import (
	"encoding/json"
	"testing"

	"tilth/wire"

	"github.com/stretchr/testify/require"
)

// Every member of every schema is described where it stands: readers and generated clients see no other.
func TestEveryMemberIsDescribed(t *testing.T) {
	text, err := wire.Program{}.OpenAPI()
	require.NoError(t, err)
	var document map[string]any
	require.NoError(t, json.Unmarshal(text, &document))
	members := 0
	var walk func(path string, node any)
	walk = func(path string, node any) {
		switch of := node.(type) {
		case []any:
			for _, item := range of {
				walk(path+"[]", item)
			}
		case map[string]any:
			for key, inner := range of {
				properties, _ := inner.(map[string]any)
				if key == "example" || key == "examples" {
					continue
				}
				if key != "properties" {
					walk(path+"."+key, inner)
					continue
				}
				for name, member := range properties {
					members++
					if member, _ := member.(map[string]any); member["description"] == nil || member["description"] == "" {
						t.Errorf("%s.%s has no description. Fix: give the member a tag doc, or describe it where its schema is made.", path, name)
					}
					walk(path+"."+name, member)
				}
			}
		}
	}
	walk("", document)
	require.Greater(t, members, 2000)
}
