package moving_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/audit"
	"tilth/core/chain"
	"tilth/core/credit"
	"tilth/core/moving"
)

func ids() moving.IDs {
	return moving.IDs{
		Spans:  map[string]moving.Span{"fields": {First: 3, Last: 9}, "farms": {First: 1, Last: 1}, "assessment_evidence": {First: 5, Last: 5}},
		Shifts: map[string]int64{"fields": 100, "farms": 20, "assessment_evidence": 1},
	}
}

func TestIDsMoveByOneDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		table     string
		id, moved int64
		ok        bool
	}{
		{"fields", 3, 103, true}, {"fields", 9, 109, true}, {"fields", 2, 0, false}, {"fields", 10, 0, false}, {"seasons", 3, 0, false}, {"farms", 1, 21, true},
	} {
		moved, ok := ids().Move(c.table, c.id)
		require.Equal(t, c.moved, moved, "%s %d", c.table, c.id)
		require.Equal(t, c.ok, ok, "%s %d", c.table, c.id)
	}
}

func TestIDsWithinJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, before, after string }{
		{"[].field_id", `[{"field_id":4,"x":4},{"field_id":0},{}]`, `[{"field_id":104,"x":4},{"field_id":0},{}]`},
		{"fields[].series.field_id", `{"fields":[{"series":null},{"series":{"field_id":5}}]}`, `{"fields":[{"series":null},{"series":{"field_id":105}}]}`},
		{"field_id", `{"field_id":77}`, `{"field_id":0}`}, // of nobody: no id, rather than somebody else's
		{"ids[]", `{"ids":[3,9,2]}`, `{"ids":[103,109,0]}`},
		{"field_id", `[1]`, `[1]`}, {"field_id", `null`, `null`}, {"[].x", `{"x":1}`, `{"x":1}`}, {"field_id", `{"field_id":"4"}`, `{"field_id":"4"}`},
	} {
		value, err := moving.Decoded([]byte(c.before))
		require.NoError(t, err)
		ids().MoveJSON(value, []moving.Path{{Path: c.path, Table: "fields"}})
		after, err := json.Marshal(value)
		require.NoError(t, err)
		require.JSONEq(t, c.after, string(after), "%s of %s", c.path, c.before)
	}
	value, err := moving.Decoded([]byte(`{"note":"see file:5, file:6 and profile:5","list":["file:5"]}`))
	require.NoError(t, err)
	after, err := json.Marshal(ids().MoveCites(value, "assessment_evidence"))
	require.NoError(t, err)
	require.JSONEq(t, `{"note":"see file:6, file:6 and profile:5","list":["file:6"]}`, string(after))
}

func TestIDsWithinTheTrail(t *testing.T) {
	t.Parallel()
	var changes []audit.Change
	require.NoError(t, chain.Decode([]byte(`[{"member":"farm_id","before":null,"after":1},{"member":"merged_from","before":[4,77],"after":null},
{"member":"resource_type","before":null,"after":"field"},{"member":"resource_id","before":null,"after":4},{"member":"area_m2","before":4,"after":5}]`), &changes))
	ids().MoveChanges(changes)
	after, err := json.Marshal(changes)
	require.NoError(t, err)
	require.JSONEq(t, `[{"member":"farm_id","before":null,"after":21},{"member":"merged_from","before":[104,77],"after":null},
{"member":"resource_type","before":null,"after":"field"},{"member":"resource_id","before":null,"after":104},{"member":"area_m2","before":4,"after":5}]`, string(after))
}

func TestBooks(t *testing.T) {
	t.Parallel()
	var books moving.Books
	require.NoError(t, books.Balanced(nil))
	for _, kind := range []credit.Kind{credit.Credit, credit.Hold, credit.Capture} {
		amount := credit.Amount(100)
		if kind == credit.Credit {
			amount = 500
		}
		for _, e := range credit.Entries(kind, amount) {
			books.Add(e.Account, e.Amount)
		}
	}
	require.NoError(t, books.Balanced(&moving.Wallet{Balance: 400}))
	require.ErrorContains(t, books.Balanced(&moving.Wallet{Balance: 400, Held: 1}), "the wallet states")
	require.ErrorContains(t, books.Balanced(nil), "adds up to a balance")
	books.Add(credit.Available, 1)
	require.ErrorContains(t, books.Balanced(&moving.Wallet{Balance: 401}), "not to 0")
}

func TestManifestsAreRefused(t *testing.T) {
	t.Parallel()
	const company = `"company":{"id":1,"uuid":"u","name":"n"}`
	_, err := moving.ReadManifest([]byte(`{"format":1,` + company + `,"ids":{"farms":{"first":1,"last":2}},"tables":[{"name":"farms","file":"tables/farms.jsonl"}],"files":[{"file":"files/p/7","of":"p","record":"7"}],"new":true}`))
	require.NoError(t, err, "what a later release of the same format adds is no obstacle")
	for text, says := range map[string]string{
		`x`: "not JSON", `{}`: "format 0", `{"format":2}`: "upgrade this installation", `{"format":1}`: "names no company", `{"format":1,"tables":3}`: "cannot be read",
		`{"format":1,` + company + `,"ids":{"farms":{"first":0,"last":2}}}`:                                                 "not a range",
		`{"format":1,` + company + `,"ids":{"farms":{"first":1,"last":9007199254740993}}}`:                                  "not a range",
		`{"format":1,` + company + `,"tables":[{"name":"farms","file":"../farms"}]}`:                                        "not that of",
		`{"format":1,` + company + `,"tables":[{"name":"a","file":"tables/a.jsonl"},{"name":"a","file":"tables/a.jsonl"}]}`: "twice",
		`{"format":1,` + company + `,"files":[{"file":"files/p/7","of":"p","record":"8"}]}`:                                 "not that of p 8",
		`{"format":1,` + company + `,"chains":[{"name":"operator"}]}`:                                                       "not a chain",
	} {
		_, err := moving.ReadManifest([]byte(text))
		require.ErrorContains(t, err, says, text)
	}
}

func TestOutlinesAreGeoJSON(t *testing.T) {
	t.Parallel()
	feature, has, err := moving.Outlines[0].Feature([]byte(`{"id":3,"uuid":"u","name":"North \"pivot\"","boundary":{"type":"Polygon","coordinates":[]}}`))
	require.NoError(t, err)
	require.True(t, has)
	require.JSONEq(t, `{"type":"Feature","id":3,"properties":{"uuid":"u","name":"North \"pivot\"","farm_id":null,"area_ha":null,"external_id":null,
"boundary_observed_on":null,"deleted_at":null},"geometry":{"type":"Polygon","coordinates":[]}}`, string(feature))
	_, has, err = moving.Outlines[0].Feature([]byte(`{"id":3,"boundary":null}`))
	require.NoError(t, err)
	require.False(t, has)
}

// FuzzReadManifest asserts that no manifest makes the program panic.
func FuzzReadManifest(f *testing.F) {
	f.Add([]byte(`{"format":1,"company":{"id":1,"uuid":"u","name":"n"},"ids":{"farms":{"first":1,"last":2}}}`))
	f.Fuzz(func(_ *testing.T, text []byte) { _, _ = moving.ReadManifest(text) })
}

// FuzzLines asserts that no row makes the program panic, whatever its chain makes of it.
func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"id":1,"changes":[{"member":"a","before":null,"after":1}],"line":1,"chain":"audit"}`))
	f.Fuzz(func(_ *testing.T, text []byte) {
		line, err := moving.ReadLine(text)
		if err != nil {
			return
		}
		line.Entry()
		line.Transaction([]moving.Line{line})
		line.Link()
	})
}
