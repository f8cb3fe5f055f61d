package country_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/country"
)

func TestKnown(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"spain", "united_states", "cote_divoire", "zimbabwe"} {
		require.True(t, country.Known(key), key)
	}
	for _, key := range []string{"", "Spain", "key", "atlantis"} {
		require.False(t, country.Known(key), key)
	}
	require.Len(t, country.Keys(), 200)
}

func TestParseTakesNamesAliasesAndCodes(t *testing.T) {
	t.Parallel()
	for word, key := range map[string]string{
		"france": "france", "France": "france", " FRANCE ": "france", "FR": "france", "fra": "france",
		"turkey": "turkiye", "Türkiye": "turkiye", "ivory_coast": "cote_divoire", "Côte d'Ivoire": "cote_divoire", "Côte d’Ivoire": "cote_divoire",
		"czech_republic": "czechia", "Swaziland": "eswatini", "uk": "united_kingdom", "USA": "united_states", "us": "united_states",
		"Guinea-Bissau": "guinea_bissau", "Congo": "republic_of_the_congo", "cd": "democratic_republic_of_the_congo",
		"Viet Nam": "vietnam", "macedonia": "north_macedonia", "Holy See (Vatican City State)": "holy_see",
	} {
		got, ok := country.Parse(word)
		require.True(t, ok, word)
		require.Equal(t, key, got, word)
	}
	for _, word := range []string{"", "  ", "_", "atlantis", "zz", "france and spain"} {
		_, ok := country.Parse(word)
		require.False(t, ok, word)
	}
}

// TestEveryWordMeansOneCountry compares each word of the table with every other row: an alias or a code that two
// countries shared would answer with the wrong one.
func TestEveryWordMeansOneCountry(t *testing.T) {
	t.Parallel()
	file, err := os.Open("countries.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		for _, word := range append(row[:4:4], strings.Split(row[5], "|")...) {
			if word == "" {
				continue // Kosovo has no official code
			}
			key, ok := country.Parse(word)
			require.True(t, ok, word)
			require.Equal(t, row[0], key, word)
		}
	}
}
