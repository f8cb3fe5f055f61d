package grams_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/persistence/grams"
)

// has reports whether a text has all letters that a condition asks for, as FTS5 would.
func has(text, condition string) bool {
	for want := range strings.SplitSeq(condition, " AND ") {
		if !strings.Contains(text, strings.ReplaceAll(strings.Trim(want, `"`), `""`, `"`)) {
			return false
		}
	}
	return true
}

func TestWhatNumbersAreAskedFor(t *testing.T) {
	for _, c := range []struct {
		name, text string
		asked, has bool
	}{
		{"field 9999993", "9999993", true, true},
		{"field 9999993", "99999", true, true},
		{"field 9999993", "d 9999993", true, true},
		{"field 9999993", "9993", false, false},   // too short
		{"field 9999993", "12345", true, false},   // another
		{"field 9999993", "9999994", true, false}, // the last digit
		{"12345-67890", "345-67890", true, true},  // the longest number of the text
		{"12345-67890", "45-67891", true, false},  // which no name has
		{"1234-5678", "1234-5678", false, false},  // none of five digits
		{"wheat ٣٤٥٦٧", "٣٤٥٦٧", false, false},    // digits of other scripts are letters
		{"00000", "00000", true, true},            // all the same
		{"plot 0012345678901234567890", "0123456789012345678", true, true},
	} {
		condition := grams.OfNumber(c.text)
		require.Equal(t, c.asked, condition != "", c.text)
		if c.asked {
			require.Equal(t, c.has, has(grams.Numbers(c.name), condition), "%s in %s", c.text, c.name)
		}
	}
}

// No name that contains a text is missed.
func TestNumbersMissNoName(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"1", "23", "90817", "0", " ", "-", "a", "é", "٣"}), 1, 12).Draw(rt, "name"), "")
		letters := []rune(name)
		from := rapid.IntRange(0, len(letters)-1).Draw(rt, "from")
		text := string(letters[from:rapid.IntRange(from+1, len(letters)).Draw(rt, "to")])
		if condition := grams.OfNumber(text); condition != "" {
			require.True(rt, has(grams.Numbers(name), condition), "%q in %q", text, name)
		}
	})
}

func TestTheWordThatFewNamesHave(t *testing.T) {
	for text, want := range map[string]string{
		"field 999993": "999993", "north field 12": "north field 12", "wheat 2025": "wheat 2025", "plot a12-345 east": "a12-345", "": "",
	} {
		require.Equal(t, want, grams.RareWord(text), text)
	}
}

func TestAConditionIsBounded(t *testing.T) {
	require.Equal(t, `"nor" AND "ort" AND "rth"`, grams.Of("north"))
	require.Equal(t, `"aaa"`, grams.Of("aaaaaaa"), "each once")
	require.Equal(t, `"""a"""`, grams.Of(`"a"`))
	require.Empty(t, grams.Of("ab"))
	require.LessOrEqual(t, strings.Count(grams.Of(strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 9)), " AND "), 32)
	require.NotEqual(t, grams.OfCompany(1, 2), grams.OfCompany(2, 1))
}
