package seed

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A phrase and the pulse of a beacon yield seeds that a shell can compute as well:
//
//	printf 'tilth seed phrase MAP Ten old oaks stand here' | sha256sum   # 14 digits, shifted right by 3 bits
func TestSeedsAreHashesOfStatedTexts(t *testing.T) {
	t.Parallel()
	number, origin := Choice{Phrase: "Ten old oaks stand here"}.Of("MAP", nil)
	require.Equal(t, Origin{Source: Phrase, Phrase: "Ten old oaks stand here", Text: "tilth seed phrase MAP Ten old oaks stand here"}, origin)
	require.Equal(t, uint64(0xf67aee3ac8d412)>>3, number)
	other, _ := Choice{Phrase: "Ten old oaks stand here"}.Of("MAP2", nil)
	require.NotEqual(t, number, other, "the same phrase elsewhere")

	value := strings.Repeat("0A", 64)
	number, origin = Choice{Pulse: "NIST 2.0, chain 2, pulse 1", Value: value}.Of("", nil)
	require.Equal(t, "tilth seed beacon - "+strings.ToLower(value), origin.Text)
	require.Equal(t, uint64(0x32c4f2a2ba9ec3)>>3, number)
	require.Equal(t, Hash(origin.Text), number)
	require.LessOrEqual(t, number, uint64(Max))

	number, origin = Choice{}.Of("MAP", map[string]int{"b": 2, "a": 1})
	require.Equal(t, Origin{Source: Parameters, Text: `MAP{"a":1,"b":2}`}, origin)
	require.Equal(t, Hash(origin.Text), number)
	_, long := Choice{}.Of("MAP", strings.Repeat("x", maxText))
	require.Equal(t, Origin{Source: Parameters}, long)

	number, origin = Of(7).Of("MAP", nil)
	require.Contains(t, Origin{Source: Phrase, Phrase: "oaks"}.Words(), "oaks")
	require.Equal(t, uint64(7), number)
	require.Equal(t, Origin{Source: Given}, origin)
	require.Zero(t, origin.Chosen())
}

func TestChoicesThatAreNone(t *testing.T) {
	t.Parallel()
	large, one := uint64(Max+1), uint64(1)
	value := strings.Repeat("0a", 32)
	for name, of := range map[string]struct {
		choice Choice
		fields []string
	}{
		"nothing":          {Choice{}, nil},
		"phrase":           {Choice{Phrase: "eight ch"}, nil},
		"beacon":           {Choice{Pulse: "drand round 1", Value: value}, nil},
		"two":              {Choice{Number: &one, Phrase: "eight ch"}, []string{"seed"}},
		"large":            {Choice{Number: &large}, []string{"seed"}},
		"short":            {Choice{Phrase: "seven c"}, []string{"seed_phrase"}},
		"long":             {Choice{Phrase: strings.Repeat("x", maxPhrase+1)}, []string{"seed_phrase"}},
		"lines":            {Choice{Phrase: "eight\nchar"}, []string{"seed_phrase"}},
		"space":            {Choice{Phrase: "eight char "}, []string{"seed_phrase"}},
		"without a pulse":  {Choice{Value: value}, []string{"seed_beacon"}},
		"without a value":  {Choice{Pulse: "drand round 1"}, []string{"seed_beacon"}},
		"not hexadecimal":  {Choice{Pulse: "drand round 1", Value: strings.Repeat("0g", 32)}, []string{"seed_beacon"}},
		"too short a hash": {Choice{Pulse: "drand round 1", Value: value[2:]}, []string{"seed_beacon"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := of.choice.Check()
			require.Len(t, got, len(of.fields))
			for _, field := range of.fields {
				require.Contains(t, map[string]any(got), field)
			}
		})
	}
}
