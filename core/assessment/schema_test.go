package assessment_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/assessment"
)

// plain returns a schema as a client gets it, through JSON.
func plain(t testing.TB, schema any) map[string]any {
	t.Helper()
	text, err := json.Marshal(schema)
	require.NoError(t, err)
	out, _ := tree(t, string(text)).(map[string]any)
	return out
}

// judge compiles a schema with a validator that knows nothing of this program.
func judge(t testing.TB, schema map[string]any) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("https://example.org/schema.json", schema))
	s, err := c.Compile("https://example.org/schema.json")
	require.NoError(t, err, "the schema itself is valid 2020-12")
	return s
}

func TestSchemaIsJSONSchema(t *testing.T) {
	t.Parallel()
	tab := table(t)
	whole := judge(t, plain(t, tab.Schema()))
	for name, body := range map[string]string{"wheat": wheat, "paddy": paddy} {
		require.NoError(t, whole.Validate(tree(t, body)), name)
	}
	titles := map[string]string{}
	var gather func(v any)
	gather = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if word, ok := v["const"].(string); ok {
				titles[word], _ = v["title"].(string)
			}
			for _, below := range v {
				gather(below)
			}
		case []any:
			for _, below := range v {
				gather(below)
			}
		}
	}
	gather(plain(t, tab.Schema()))
	for word, title := range map[string]string{
		"winter_wheat": "Winter wheat", "lpg": "LPG", "can": "Calcium ammonium nitrate", "cote_divoire": "Côte d'Ivoire", "lt_30d": "Less than 30 days",
	} {
		require.Equal(t, title, titles[word])
	}
	require.Error(t, whole.Validate(tree(t, `{"resource_type": "barn", "resource_id": 1}`)))
	withoutRice, _ := tree(t, paddy).(map[string]any)
	delete(withoutRice, "rice")
	require.Error(t, whole.Validate(withoutRice), "rice is required where rice_paddy grows")
	for _, s := range tab.Sections() {
		judge(t, plain(t, sectionSchema(t, tab, s.Key)))
	}
}

// TestWhatTheSchemaAllowsIsTaken builds bodies from the schema alone and passes them to the validator, which must
// accept them, keep them, and find nothing missing in them except what the schema can only state in words.
func TestWhatTheSchemaAllowsIsTaken(t *testing.T) {
	t.Parallel()
	tab := table(t)
	for _, s := range tab.Sections() {
		t.Run(s.Key, func(t *testing.T) {
			t.Parallel()
			schema := sectionSchema(t, tab, s.Key)
			client, validator := plain(t, schema), judge(t, plain(t, schema))
			rapid.Check(t, func(r *rapid.T) {
				body := generator{r}.value(client, s.Key)
				require.NoError(r, validator.Validate(body), "the generator keeps to the schema")
				rows, wrong := tab.Check(s.Key, body)
				require.Empty(r, wrong)
				again, wrong := tab.Check(s.Key, back(s, rows))
				require.Empty(r, wrong)
				require.Equal(r, rows, again, "what is kept can be sent again")
				state := stateOf(tab.Complete(&assessment.Assessment{}, withRice(s.Key, rows), today), s.Key)
				if len(rows) == 0 {
					return // an empty list says nothing
				}
				for _, m := range state.Missing {
					require.True(r, toldInWords(m.Field), "%s is missing and the schema did not ask for it: %v", m.Field, body)
				}
			})
		})
	}
}

// toldInWords reports whether the schema of one section cannot express when a field is needed.
func toldInWords(field string) bool {
	return slices.Contains([]string{
		"residues.management", // the sum of the shares
		"perennial_biomass[].growth", "perennial_biomass[].measured_stocks", "perennial_biomass[].width_m", "organic_inputs[].density_kg_l",
	}, field)
}

func back(s assessment.Section, rows []assessment.Row) any {
	out := []any{}
	for _, row := range rows {
		out = append(out, map[string]any(row.Values))
	}
	if s.Shape == assessment.List {
		return out
	}
	if len(out) == 0 {
		return nil
	}
	return out[0]
}

// withRice makes the section apply.
func withRice(section string, rows []assessment.Row) assessment.Sheet {
	sheet := assessment.Sheet{section: rows}
	if section == "rice" {
		sheet["crop"] = []assessment.Row{{Values: assessment.Values{"crop_type": "rice_paddy"}}}
	}
	return sheet
}

func stateOf(state assessment.State, section string) assessment.SectionState {
	for _, s := range state.Sections {
		if s.Section == section {
			return s
		}
	}
	return assessment.SectionState{}
}

// sectionSchema returns the schema of the body of a section, as that of an assessment holds it.
func sectionSchema(t *testing.T, tab *assessment.Table, section string) map[string]any {
	t.Helper()
	properties, _ := tab.Schema()["properties"].(map[string]any)
	schema, ok := properties[section].(map[string]any)
	require.True(t, ok, section)
	return schema
}
