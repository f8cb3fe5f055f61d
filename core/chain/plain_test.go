package chain

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The short way through changes of simple values returns what the long way does, or nothing.
func TestPlainChangesAreWhatParsingFinds(t *testing.T) {
	t.Parallel()
	for _, stored := range []string{
		`[{"member":"name","before":null,"after":"Æcker €"},{"member":"area_ha","before":-12.50,"after":0}]`,
		`[{"after": "New", "before": null, "member": "name"}, {"after": true, "before": false, "member": "irrigated"}]`,
	} {
		for _, l := range []layout{ofTrail, ofPostgres} {
			if found, ok := plainChanges(stored, l); ok {
				want, fine := parsedChanges(stored)
				require.True(t, fine)
				require.Equal(t, want, found)
				require.Equal(t, l == ofTrail, Plain(stored))
				stored = ""
			}
		}
		require.Empty(t, stored, "no way was short")
	}
	for _, stored := range []string{
		``, `[`, `[]`, `[ ]`, `null`, `{}`, `[{}]`, `[{"member":"a","before":1,"after":2}`, `[{"member":"a","before":1,"after":2}],`, `[{"member":"a","before":1,"after":2},]`,
		`[{"member":"a","before":1,"after":2}, {"member":"b","before":1,"after":2}]`, `[{"member":"a","before":1,"after":2,"more":3}]`, `[{"member":1,"before":1,"after":2}]`,
		`[{"member":"a","before":-0,"after":2}]`, `[{"member":"a","before":-0.0,"after":2}]`, `[{"member":"a","before":1e3,"after":2}]`, `[{"member":"a","before":01,"after":2}]`,
		`[{"member":"a","before":1.,"after":2}]`, `[{"member":"a","before":[1],"after":2}]`, `[{"member":"a","before":"<b>","after":2}]`, `[{"member":"a","before":"\n","after":2}]`,
		`[{"member":"a","before":"` + "\xff" + `","after":2}]`, `[{"member":"a","before":"` + "\u2028" + `","after":2}]`, `[{"member":"a","before":"` + "\t" + `","after":2}]`,
		`[{"member":"a","before":nullx,"after":2}]`, `[{"member":"a","before":"x,"after":2}]`, `[{"after":2,"before":1,"member":"a"}]`, `[{"member":"a","before":-,"after":2}]`,
	} {
		require.False(t, Plain(stored), stored)
		_, ok := plainChanges(stored, ofPostgres)
		require.False(t, ok, stored)
	}
}

func TestAnyPlainChangeIsWhatParsingFinds(t *testing.T) {
	t.Parallel()
	value := rapid.OneOf(rapid.SampledFrom([]string{"null", "true", "0", "-0", "-0.00", "10", "012", "1.", "-7.250", "1E2", "{}", " 1", `"`, `"\u0041"`}),
		rapid.Custom(func(t *rapid.T) string {
			raw, _ := json.Marshal(rapid.String().Draw(t, "text"))
			return string(raw)
		}), rapid.StringMatching(`"[ -~é€]*"`))
	rapid.Check(t, func(t *rapid.T) {
		form := rapid.SampledFrom([]string{`{"member":%[1]s,"before":%[2]s,"after":%[3]s}`, `{"after": %[3]s, "before": %[2]s, "member": %[1]s}`}).Draw(t, "form")
		var all []string
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			all = append(all, fmt.Sprintf(form, value.Draw(t, "member"), value.Draw(t, "before"), value.Draw(t, "after")))
		}
		stored := "[" + strings.Join(all, rapid.SampledFrom([]string{",", ", "}).Draw(t, "comma")) + "]"
		for _, l := range []layout{ofTrail, ofPostgres} {
			if found, ok := plainChanges(stored, l); ok {
				want, fine := parsedChanges(stored)
				require.True(t, fine, stored)
				require.Equal(t, want, found, stored)
			}
		}
		if Plain(stored) {
			var list []struct {
				Member string `json:"member"`
				Before any    `json:"before"`
				After  any    `json:"after"`
			}
			require.NoError(t, Decode([]byte(stored), &list))
			again, err := json.Marshal(list)
			require.NoError(t, err)
			require.Equal(t, stored, string(again), "as the trail writes it")
		}
	})
}

// A text is quoted as JSON quotes it.
func TestTextsAreQuotedAsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching("[ -~\u007f\u2028<>&\"]*")).Draw(t, "text")
		var want strings.Builder
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(text))
		require.Equal(t, strings.TrimSuffix(want.String(), "\n"), string(appendQuoted(nil, text)))
	})
}

func BenchmarkAppend(b *testing.B) {
	stored := `[{"member":"uuid","before":null,"after":"fbf0472f-8673-4d24-bb1b-0568f221fa07"},{"member":"name","before":null,"after":"New"},{"member":"farm_id","before":null,"after":1},{"member":"notes","before":null,"after":"bench"}]`
	id := ID{Name: Audit, CompanyID: 7}
	for name, changes := range map[string]func(string) ([]Field, bool){"plain": Changes, "parsed": parsedChanges} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fields, _ := changes(stored)
				if _, _, err := id.Append(Checkpoint{}, Row{ID: 1, Fields: fields}, "secret"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
