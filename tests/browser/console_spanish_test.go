package browser

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/assessment"
)

// The forms of assessments are in Spanish, too: a new member, choice or hint needs its line in es-terms.ts. The names
// of countries, and of forest zones by their climate and continent, are composed there from other terms.
func TestFormsHaveTheirTermsInSpanish(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("../../adapters/console/web/src/texts/es-terms.ts")
	require.NoError(t, err)
	terms := strings.ReplaceAll(string(file), `\'`, "'")
	known := func(text string) bool {
		for _, quote := range []string{"'", `"`} {
			if strings.Contains(terms, quote+text+quote+":") {
				return true
			}
		}
		exact, is := strings.CutSuffix(text, ": plus and minus per cent, at 95 %. Without it the figure is taken as exact.")
		return is && strings.Contains(terms, "'"+strings.TrimPrefix(exact, "Of ")+"':")
	}
	mapping, err := engine.Mapping()
	require.NoError(t, err)
	text, err := json.Marshal(assessment.NewTable(mapping).Schema())
	require.NoError(t, err)
	var schema any
	require.NoError(t, json.Unmarshal(text, &schema))
	missing := map[string]bool{}
	wordsOf(schema, "", func(text string) {
		if !known(text) {
			missing[text] = true
		}
	})
	require.Empty(t, missing)
}

// wordsOf calls of with every text of a schema that people read, except the names of countries and forest zones.
func wordsOf(schema any, member string, of func(text string)) {
	switch value := schema.(type) {
	case map[string]any:
		for name, inner := range value {
			text, is := inner.(string)
			switch {
			case is && (name == "title" || name == "description"):
				of(text)
			case name == "oneOf" && (member == "farm_country" || member == "forest_zone"):
			default:
				wordsOf(inner, name, of)
			}
		}
	case []any:
		for _, inner := range value {
			wordsOf(inner, member, of)
		}
	}
}
