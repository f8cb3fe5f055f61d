package farm_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
)

func TestMappingsReadFeatures(t *testing.T) {
	t.Parallel()
	feature := map[string]string{"REGION": "BB", "NUMBER": "7", "WET": "J", "EMPTY": " ", "ID": "{0F8FAD5B-D9CB-469F-A165-70867728950E}"}
	for name, c := range map[string]struct {
		member string
		source farm.Source
		want   string
		wrong  string
	}{
		"as it stands":        {"notes", farm.Source{Properties: []string{"WET"}}, "J", ""},
		"not there":           {"notes", farm.Source{Properties: []string{"X"}}, "", ""},
		"default":             {"notes", farm.Source{Properties: []string{"EMPTY"}, Default: "d"}, "d", ""},
		"constant":            {"notes", farm.Source{Default: "d"}, "d", ""},
		"several":             {"notes", farm.Source{Properties: []string{"REGION", "EMPTY", "NUMBER"}, Separator: ", "}, "BB, 7", ""},
		"a key of several":    {"external_id", farm.Source{Properties: []string{"REGION", "NUMBER"}, Separator: "-"}, "BB-7", ""},
		"half a key":          {"external_id", farm.Source{Properties: []string{"REGION", "EMPTY"}, Separator: "-"}, "", "not all of them"},
		"no key":              {"external_id", farm.Source{Properties: []string{"X", "EMPTY"}, Separator: "-"}, "", ""},
		"translated":          {"irrigated", farm.Source{Properties: []string{"WET"}, Values: map[string]string{"J": "true"}}, "true", ""},
		"not translated":      {"irrigated", farm.Source{Properties: []string{"WET"}, Values: map[string]string{"N": "false"}}, "", `"J" of WET is not among the values N.`},
		"translated to none":  {"irrigated", farm.Source{Properties: []string{"WET"}, Values: map[string]string{"J": ""}, Default: "false"}, "false", ""},
		"nothing, translated": {"irrigated", farm.Source{Properties: []string{"EMPTY"}, Values: map[string]string{"": "false"}}, "false", ""},
		"a uuid":              {"uuid", farm.Source{Properties: []string{"ID"}}, "0f8fad5b-d9cb-469f-a165-70867728950e", ""},
		"another's key":       {"uuid", farm.Source{Properties: []string{"WET"}}, "", ""},
		"no uuid, as said":    {"uuid", farm.Source{Properties: []string{"WET"}, Param: "map"}, "", "not a UUID"},
	} {
		said, errs := farm.Mapping{c.member: c.source}.Read(feature, nil)
		require.Equal(t, c.want, said.Texts[c.member], name)
		if c.wrong == "" {
			require.Empty(t, errs, name)
			continue
		}
		require.Contains(t, errs.Messages()[c.member][0], c.wrong, name)
	}
}

func TestWhatAFileSaysOfAField(t *testing.T) {
	t.Parallel()
	day := func(text string) *time.Time {
		at, err := time.Parse(time.DateOnly, text)
		require.NoError(t, err)
		return &at
	}
	for _, c := range []struct {
		member, text string
		before, want farm.Field
		wrong        string
	}{
		{"name", "B", farm.Field{Name: "A"}, farm.Field{Name: "B"}, ""},
		{"name", "A", farm.Field{Name: " A\r\n"}, farm.Field{Name: " A\r\n"}, ""},
		{"notes", "a\nb", farm.Field{Notes: "a\r\nb"}, farm.Field{Notes: "a\r\nb"}, ""},
		{"declared_area_ha", "12,5", farm.Field{}, farm.Field{DeclaredAreaHa: new(12.5)}, ""},
		{"declared_area_ha", "0.300000000000000", farm.Field{DeclaredAreaHa: new(0.1 + 0.2)}, farm.Field{DeclaredAreaHa: new(0.1 + 0.2)}, ""},
		{"declared_area_ha", "1,234", farm.Field{}, farm.Field{}, "thousands"},
		{"declared_area_ha", "1.234,5", farm.Field{}, farm.Field{}, "not a number"},
		{"declared_area_ha", "NaN", farm.Field{}, farm.Field{}, "not a number"},
		{"irrigated", "T", farm.Field{}, farm.Field{Irrigated: new(true)}, ""},
		{"irrigated", "0", farm.Field{Irrigated: new(false)}, farm.Field{Irrigated: new(false)}, ""},
		{"irrigated", "J", farm.Field{}, farm.Field{}, "translate"},
		{"active_from", "20250401", farm.Field{}, farm.Field{ActiveFrom: day("2025-04-01")}, ""},
		{"active_to", "2025-04-01T00:00:00Z", farm.Field{ActiveTo: day("2025-04-01")}, farm.Field{ActiveTo: day("2025-04-01")}, ""},
		{"boundary_observed_on", "1.4.2025", farm.Field{}, farm.Field{}, "not a date"},
		{"external_id", "x", farm.Field{}, farm.Field{External: record.External{ExternalID: "x"}}, ""},
		{"uuid", "0f8fad5b-d9cb-469f-a165-70867728950e", farm.Field{UUID: "u"}, farm.Field{UUID: "u"}, ""},
	} {
		got, errs := c.before, fault.Fields{}
		changed := farm.Said{Texts: map[string]string{c.member: c.text}}.Assign(&got, errs)
		require.Equal(t, c.want, got, c.text)
		require.Equal(t, !equal(c.before, c.want), changed, c.text)
		if c.wrong == "" {
			require.Empty(t, errs)
			continue
		}
		require.Contains(t, errs.Messages()[c.member][0], c.wrong)
	}
	long := farm.Field{Notes: "the whole of it"}
	require.False(t, farm.Said{Texts: map[string]string{"notes": "the who"}, Cut: map[string]bool{"notes": true}}.Assign(&long, fault.Fields{}))
	require.True(t, farm.Said{Texts: map[string]string{"notes": "the who"}}.Assign(&long, fault.Fields{}))
}

func equal(a, b farm.Field) bool {
	return a.Name == b.Name && a.Notes == b.Notes && a.ExternalID == b.ExternalID && (a.DeclaredAreaHa == nil) == (b.DeclaredAreaHa == nil) &&
		(a.Irrigated == nil) == (b.Irrigated == nil) && (a.ActiveFrom == nil) == (b.ActiveFrom == nil) && (a.ActiveTo == nil) == (b.ActiveTo == nil)
}

// A file that was written from a field says what the field has: reading it changes nothing.
func TestPropertyWhatAFieldHasChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		f := farm.Field{Name: text.Draw(t, "name"), Notes: text.Draw(t, "notes"), External: record.External{ExternalID: text.Draw(t, "id"), Source: text.Draw(t, "source")}}
		said := farm.Mapping{"name": {Properties: []string{"a"}}, "notes": {Properties: []string{"b"}}, "external_id": {Properties: []string{"c"}}, "source": {Properties: []string{"d"}}}
		read, errs := said.Read(map[string]string{"a": f.Name, "b": f.Notes, "c": f.ExternalID, "d": f.Source}, nil)
		before := f
		if len(errs) > 0 || read.Assign(&f, errs) || f.Name != before.Name || f.Notes != before.Notes {
			t.Fatalf("%q became %q: %v", before.Notes, f.Notes, errs)
		}
	})
}
