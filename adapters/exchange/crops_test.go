package exchange_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/core/fault"
)

func TestBuiltInCrops(t *testing.T) {
	t.Parallel()
	crops, err := exchange.BuiltInCrops()
	require.NoError(t, err)
	require.Len(t, crops, 179)
	flooded := 0
	for _, c := range crops {
		require.True(t, c.IsActive)
		if c.IsFlooded {
			flooded++
		}
		if c.Slug == "buckwheat" {
			require.Equal(t, "1.10", c.ICCCode, "a code is text")
			require.Equal(t, "01192", c.CPCCode)
			require.Equal(t, "trigo sarraceno", c.Names["es"])
		}
	}
	require.Equal(t, 1, flooded)
}

func TestReadCropsNamesTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "header",
		"name\nx\n":                          "slug",
		"slug,name\na,\n":                    "Line 2",
		"slug,name\na,A\na,B\n":              "Line 3",
		"slug,name,is_cover\na,A,yes\n":      "is_cover",
		"slug,name,lifecycle\na,A,eternal\n": "lifecycle",
		"slug,name\na,A,extra\n":             "wrong number of fields",
	} {
		_, err := exchange.ReadCrops(strings.NewReader(text))
		require.True(t, fault.Is(err, fault.Invalid), text)
		require.ErrorContains(t, err, want)
	}
	crops, err := exchange.ReadCrops(strings.NewReader("\uFEFFslug,name,names_es,is_active,curve_classes\na,A,á,false,X|Y\n"))
	require.NoError(t, err)
	require.Equal(t, "a", crops[0].Slug)
	require.False(t, crops[0].IsActive)
	require.Equal(t, []string{"X", "Y"}, crops[0].CurveClasses)
}

func FuzzReadCrops(f *testing.F) {
	f.Add("slug,name\na,A\n")
	f.Fuzz(func(t *testing.T, text string) {
		crops, err := exchange.ReadCrops(strings.NewReader(text))
		if err != nil && !fault.Is(err, fault.Invalid) {
			t.Fatalf("%q: %v", text, err)
		}
		for _, c := range crops {
			if c.Slug == "" || c.Name == "" {
				t.Fatalf("%q gives a crop without a name", text)
			}
		}
	})
}
