package evidence_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/attachment"
	"tilth/core/fault"
	"tilth/core/record"
)

// TestWhatAFileIsOf: the place is checked against the assessment, follows its item, and survives the end of that item.
func TestWhatAFileIsOf(t *testing.T) {
	t.Parallel()
	m, err := engine.Mapping()
	require.NoError(t, err)
	table := assessment.NewTable(m)
	sheet := assessment.Sheet{"fertilizers": {{ID: 7}, {ID: 9}}, "soil": {{ID: 3}}}
	for _, c := range []struct {
		about evidence.About
		path  string
		wrong string // the member that is wrong; empty: none
	}{
		{evidence.About{}, "", ""},
		{evidence.About{Section: "general", Field: "growing_area"}, "growing_area", ""},
		{evidence.About{Section: "general"}, "general", ""},
		{evidence.About{Section: "soil", Field: "ph"}, "soil.ph", ""},
		{evidence.About{Section: "fertilizers"}, "fertilizers", ""},
		{evidence.About{Section: "fertilizers", ItemID: 9}, "fertilizers[1]", ""},
		{evidence.About{Section: "fertilizers", ItemID: 9, Field: "rate"}, "fertilizers[1].rate", ""},
		{evidence.About{Field: "rate"}, "", "section"},
		{evidence.About{Section: "nonsense"}, "", "section"},
		{evidence.About{Section: "soil", ItemID: 3}, "", "item_id"},
		{evidence.About{Section: "fertilizers", ItemID: 8}, "", "item_id"},
		{evidence.About{Section: "fertilizers", Field: "rate"}, "", "item_id"},
		{evidence.About{Section: "fertilizers", ItemID: 9, Field: "rat"}, "", "field"},
	} {
		wrong := c.about.Check(table, sheet)
		if c.wrong != "" {
			require.NotEmpty(t, wrong[c.wrong], "%+v: %v", c.about, wrong)
			continue
		}
		require.Empty(t, wrong)
		path, gone := c.about.Path(sheet)
		require.Equal(t, c.path, path)
		require.False(t, gone)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	file := evidence.File{File: attachment.File{ID: 12, Name: "a.pdf", Media: "application/pdf", Size: 4, SHA256: "ab", At: at, By: record.Ref{ID: 2, Name: "Ann"}}, About: evidence.About{Section: "fertilizers", ItemID: 8, Field: "rate"}}
	list, warnings := evidence.Listed([]evidence.File{file}, sheet)
	require.Equal(t, "fertilizers", list[0].For)
	require.Equal(t, "evidence_item_gone", warnings[0].Code)
	text, digest, err := list.Text()
	require.NoError(t, err)
	require.JSONEq(t, `[{"id":12,"for":"fertilizers","name":"a.pdf","media_type":"application/pdf","size":4,"sha256":"ab","note":"","uploaded_at":"2026-01-02T03:04:05.000006Z","uploaded_by":2}]`, string(text))
	require.Len(t, digest, 64)
	back, err := evidence.ReadList(text)
	require.NoError(t, err)
	require.Equal(t, list, back)
	text, digest, err = evidence.List{}.Text()
	require.NoError(t, err)
	require.Empty(t, string(text)+digest)
}

// TestCites: texts cite files by their ids, and nothing else that looks like it.
func TestCites(t *testing.T) {
	t.Parallel()
	m, err := engine.Mapping()
	require.NoError(t, err)
	table := assessment.NewTable(m)
	sheet := assessment.Sheet{
		"soil": {{Values: assessment.Values{"notes": "Seen in file:3, profile:4 and file:x.", "ph": 7.0}}},
		"fertilizers": {
			{Values: assessment.Values{"manual_ef_note": "none"}},
			{Values: assessment.Values{"manual_ef_note": "(file:12) and file:12345678901234567890", "notes": "file:3; file:5."}},
		},
	}
	cites := evidence.AllCites(table, sheet)
	require.ElementsMatch(t, []evidence.Cite{
		{Section: "soil", Item: -1, Member: "notes", File: 3}, {Section: "fertilizers", Item: 1, Member: "manual_ef_note", File: 12},
		{Section: "fertilizers", Item: 1, Member: "notes", File: 3}, {Section: "fertilizers", Item: 1, Member: "notes", File: 5},
	}, cites)
	unknown := evidence.Unknown(cites, []evidence.File{{File: attachment.File{ID: 3}}, {File: attachment.File{ID: 12}}})
	findings := evidence.Findings(unknown)
	require.Len(t, findings, 1)
	require.Equal(t, []string{"evidence_unknown", "fertilizers[1].notes"}, []string{findings[0].Code, findings[0].Path})
	item, ok := evidence.Wrong(unknown)["1"].(fault.Fields)
	require.True(t, ok)
	require.Len(t, item["notes"], 1)
	soil := evidence.Unknown(cites, []evidence.File{{File: attachment.File{ID: 12}}, {File: attachment.File{ID: 5}}})
	require.Equal(t, "soil.notes", soil[slices.IndexFunc(soil, func(c evidence.Cite) bool { return c.Section == "soil" })].Path())
	require.Contains(t, evidence.Wrong(soil), "notes")
	require.Empty(t, evidence.Wrong(nil))
}
