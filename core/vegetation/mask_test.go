package vegetation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/fault"
	"tilth/core/vegetation"
)

func parsed(t require.TestingT, text string) vegetation.Mask {
	m, err := vegetation.ParseMask(text)
	require.NoError(t, err, "%q", text)
	return m
}

func TestTheNamedMasks(t *testing.T) {
	t.Parallel()
	keeps := func(text string) (kept []int) {
		for c := range 20 {
			if parsed(t, text).Keeps(vegetation.Class(c)) {
				kept = append(kept, c)
			}
		}
		return kept
	}
	require.Equal(t, []int{4, 5, 6, 7}, keeps(""))
	require.Equal(t, []int{4, 5, 6, 7}, keeps("standard"))
	require.Equal(t, []int{4, 5}, keeps("strict"))
	require.Equal(t, []int{1, 2, 4, 5, 6, 7, 10, 11}, keeps("out:3,8,9"))
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, keeps("out:none"), "no class, and never a pixel without data")
	require.Equal(t, vegetation.Mask{}, parsed(t, "standard"), "the mask of before")
	require.Equal(t, vegetation.MaskStandard, parsed(t, ""))
	require.Equal(t, vegetation.MaskStrict, parsed(t, "strict"))
	require.InDelta(t, 0.5, vegetation.MaskStandard.MinCoverage(), 0)
}

// A mask that can be written in several ways has one text, which is the key of its readings.
func TestAMaskHasOneText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "standard", "standard": "standard", "strict": "strict",
		"out:1,2,3,8,9,10,11":       "standard",
		"out:11,10,9,8,7,6,3,2,1,1": "strict",
		"out:9,8,3":                 "out:3,8,9",
		"out:none":                  "out:none",
		"dilate:2":                  "standard,dilate:2",
		"cloud:40,dilate:02":        "standard,dilate:2,cloud:40",
		"strict,coverage:0.50":      "strict",
		"buffer:10.50,coverage:.8":  "standard,buffer:10.5,coverage:0.8",
		"dilate:0,buffer:-0":        "standard",
		"out:9,qa_pixel:9,8,fmask:7,6,dilate:1,buffer:20,coverage:1,cloud:100": "out:9,fmask:6,7,qa_pixel:8,9,dilate:1,buffer:20,coverage:1,cloud:100",
	} {
		require.Equal(t, want, parsed(t, text).String(), "%q", text)
	}
}

func TestWrongMasksNameThePartAndTheFix(t *testing.T) {
	t.Parallel()
	for text, part := range map[string]string{
		"Strict": "Strict", "blue": "blue", "strict,out:9": `"out" may only come first`, "dilate:2,standard": `"standard" may only come first`,
		"out:": "out:", "out": "out has no numbers", "out:0": "a class, 1 to 11", "out:12": "a class", "out:x": "a class", "out:none,3": "a class",
		"fmask:8": "a bit of Fmask, 0 to 7", "qa_pixel:16": "a bit of QA_PIXEL, 0 to 15",
		"dilate:21": "0 to 20, pixels", "dilate:1.5": "whole number of pixels", "dilate:1,2": "dilate", "dilate:-1": "dilate",
		"buffer:501": "0 to 500, metres", "buffer:NaN": "buffer", "buffer:Inf": "buffer", "coverage:0": "0.01 to 1", "coverage:1.1": "coverage", "coverage:80": "coverage",
		"cloud:0": "1 to 100, percent", "cloud:101": "cloud", "dilate:1,dilate:1": `"dilate" occurs twice`, "3": "3", ",": "not part", "standard:": "standard",
		strings.Repeat("1,", 300): "longer than 400",
	} {
		_, err := vegetation.ParseMask(text)
		f, ok := fault.As(err)
		require.True(t, ok, "%q", text)
		require.Equal(t, fault.Invalid, f.Kind)
		message := f.Fields.Messages()["mask"]
		require.Len(t, message, 1, "%q", text)
		require.Contains(t, message[0], part, "%q", text)
		require.Contains(t, message[0], "Write standard, strict or out:")
	}
}

// anyMask draws a text of each part, or none.
func anyMask(t *rapid.T) vegetation.Mask {
	part := func(label string, texts *rapid.Generator[string]) string {
		return rapid.OneOf(rapid.Just(""), texts).Draw(t, label)
	}
	numbers := func(name, digits string) *rapid.Generator[string] {
		return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(strings.Split(digits, " ")), 1, 12), func(n []string) string { return name + ":" + strings.Join(n, ",") })
	}
	parts := []string{
		rapid.OneOf(rapid.SampledFrom([]string{"standard", "strict", "out:none"}), numbers("out", "1 2 3 4 5 6 7 8 9 10 11")).Draw(t, "classes"),
		part("fmask", numbers("fmask", "0 1 2 3 4 5 6 7")), part("qa", numbers("qa_pixel", "0 1 4 7 9 15")),
		part("dilate", rapid.StringMatching("dilate:1?[0-9]")), part("buffer", rapid.StringMatching(`buffer:[1-4]?[0-9]{1,2}(\.[0-9]{1,9})?`)),
		part("coverage", rapid.StringMatching(`coverage:0\.[1-9][0-9]{0,17}`)), part("cloud", rapid.StringMatching("cloud:[1-9][0-9]?")),
	}
	text := parts[0]
	for _, p := range parts[1:] {
		if p != "" {
			text += "," + p
		}
	}
	return parsed(t, text)
}

func TestAMaskSurvivesItsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyMask(t)
		require.Equal(t, m, parsed(t, m.String()))
		require.Equal(t, m.String(), parsed(t, m.String()).String())
	})
}

func FuzzParseMask(f *testing.F) {
	for _, text := range []string{"", "strict,dilate:2", "out:3,8,9,fmask:6,7,qa_pixel:9,dilate:1,buffer:10.5,coverage:0.8,cloud:40", "out:none", "out:,", "1,2", "buffer:0x1p-2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := vegetation.ParseMask(text)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		again, err := vegetation.ParseMask(m.String())
		if err != nil || again != m {
			t.Fatalf("%q became %q, and that %q: %v", text, m, again, err)
		}
	})
}
