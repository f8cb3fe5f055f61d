package evidence_test

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/engine"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/fault"
	"tilth/core/record"
)

func archived(t *testing.T, names ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		_, err := w.Create(name)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.String()
}

func identified(t *testing.T, name, content string, upper int64) (evidence.File, error) {
	t.Helper()
	f := evidence.File{Name: name}
	r := evidence.NewReader(iotest.OneByteReader(strings.NewReader(content)))
	if _, err := io.Copy(io.Discard, r); err != nil {
		return f, err
	}
	return f, r.Identify(&f, strings.NewReader(content), upper)
}

// TestWhatAFileIs: the content says what a file is, its name has to agree, and what a browser would run is not taken.
func TestWhatAFileIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, content, media, called string }{
		{"invoice.pdf", "%PDF-1.7\n…", "application/pdf", "invoice.pdf"},
		{"invoice", "%PDF-1.7\n…", "application/pdf", "invoice.pdf"},
		{"field.PNG", "\x89PNG\r\n\x1a\n\x00\x00", "image/png", "field.PNG"},
		{"field.jpeg", "\xff\xd8\xff\xe0\x00", "image/jpeg", "field.jpeg"},
		{"field.webp", "RIFF\x10\x00\x00\x00WEBPVP8 ", "image/webp", "field.webp"},
		{"fuel.csv", "\xef\xbb\xbfday;litres\r\n2024-03-01;40\r\n", "text/csv", "fuel.csv"},
		{"fuel.csv", "Tag;Menge f\xfcr D\xfcnger\n", "text/csv", "fuel.csv"},
		{"note.txt", "As agreed on the phone.", "text/plain", "note.txt"},
		{"book.xlsx", archived(t, "[Content_Types].xml", "xl/workbook.xml"), "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "book.xlsx"},
	} {
		f, err := identified(t, c.name, c.content, 1<<20)
		require.NoError(t, err, c.name)
		require.Equal(t, []any{c.media, c.called, int64(len(c.content))}, []any{f.Media, f.Name, f.Size})
		require.Len(t, f.SHA256, 64)
	}
	for content, name := range map[string]string{
		"":                                "empty.txt",
		"<html><script>1</script>":        "page.txt",
		" \n\t<svg onload=1>":             "drawing.csv",
		"\xef\xbb\xbf<?xml version='1'?>": "data.txt",
		"MZ\x90\x00":                      "invoice.pdf",
		"%PDF-1.7":                        "invoice.exe",
		"plain words":                     "invoice.pdf",
		"a\x00b\x00c\x00":                 "utf16.csv",
		archived(t, "word/document.xml"):  "letter.xlsx",
		archived(t, "xl/workbook.xml", "xl/vbaProject.bin"): "macros.xlsx",
		"PK\x03\x04 cut off": "book.xlsx",
	} {
		_, err := identified(t, name, content, 1<<20)
		known, ok := fault.As(err)
		require.True(t, ok && known.Kind == fault.Invalid, "%q: %v", content, err)
		require.NotEmpty(t, known.Fields["file"], name)
	}
	_, err := identified(t, "a.txt", "12345", 5)
	require.NoError(t, err)
	_, err = identified(t, "a.txt", "123456", 5)
	require.True(t, fault.Is(err, fault.Limit), "%v", err)
}

func TestNames(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`C:\Users\me\Rechnung März.pdf`: "Rechnung März.pdf", "../../etc/passwd": "passwd", " a.pdf ": "a.pdf",
	} {
		name, wrong := evidence.CleanName(sent)
		require.Equal(t, []string{want, ""}, []string{name, wrong})
	}
	for _, sent := range []string{"", "/", "..", "a\nb.pdf", "a\u202efdp.exe", "a\xffb", strings.Repeat("x", 201)} {
		_, wrong := evidence.CleanName(sent)
		require.NotEmpty(t, wrong, "%q", sent)
	}
}

// TestWhatAFileIsOf: the place is checked against the assessment, follows its item, and survives its end.
func TestWhatAFileIsOf(t *testing.T) {
	t.Parallel()
	m, err := engine.Mapping()
	require.NoError(t, err)
	table := assessment.NewTable(m)
	sheet := assessment.Sheet{"fertilizers": {{ID: 7}, {ID: 9}}, "soil": {{ID: 3}}}
	for _, c := range []struct {
		about evidence.About
		path  string
		wrong string // the member that is; empty: none
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
	file := evidence.File{ID: 12, Name: "a.pdf", Media: "application/pdf", Size: 4, SHA256: "ab", About: evidence.About{Section: "fertilizers", ItemID: 8, Field: "rate"}, At: at, By: record.Ref{ID: 2, Name: "Ann"}}
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
	unknown := evidence.Unknown(cites, []evidence.File{{ID: 3}, {ID: 12}})
	findings := evidence.Findings(unknown)
	require.Len(t, findings, 1)
	require.Equal(t, []string{"evidence_unknown", "fertilizers[1].notes"}, []string{findings[0].Code, findings[0].Path})
	item, ok := evidence.Wrong(unknown)["1"].(fault.Fields)
	require.True(t, ok)
	require.Len(t, item["notes"], 1)
	soil := evidence.Unknown(cites, []evidence.File{{ID: 12}, {ID: 5}})
	require.Equal(t, "soil.notes", soil[slices.IndexFunc(soil, func(c evidence.Cite) bool { return c.Section == "soil" })].Path())
	require.Contains(t, evidence.Wrong(soil), "notes")
	require.Empty(t, evidence.Wrong(nil))
}
