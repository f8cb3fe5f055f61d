package attachment_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"tilth/core/attachment"
	"tilth/core/fault"
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

func identified(t *testing.T, name, content string, upper int64) (attachment.File, error) {
	t.Helper()
	f := attachment.File{Name: name}
	r := attachment.NewReader(iotest.OneByteReader(strings.NewReader(content)))
	if _, err := io.Copy(io.Discard, r); err != nil {
		return f, err
	}
	return f, r.Identify(&f, strings.NewReader(content), upper)
}

// TestWhatAFileIs: the content says what a file is, its name has to agree, and what a browser would run is not accepted.
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
	photo := attachment.File{Name: "photo.pdf"}
	r := attachment.NewReader(strings.NewReader("%PDF-1.7"))
	_, err := io.Copy(io.Discard, r)
	require.NoError(t, err)
	require.ErrorContains(t, r.Identify(&photo, strings.NewReader("%PDF-1.7"), 100, attachment.Pictures...), "the file is PDF, not one of PNG, JPEG, WebP")
	_, err = identified(t, "a.txt", "12345", 5)
	require.NoError(t, err)
	_, err = identified(t, "a.txt", "123456", 5)
	require.True(t, fault.Is(err, fault.Limit), "%v", err)
}

func TestNames(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`C:\Users\me\Rechnung März.pdf`: "Rechnung März.pdf", "../../etc/passwd": "passwd", " a.pdf ": "a.pdf",
	} {
		name, wrong := attachment.CleanName(sent)
		require.Equal(t, []string{want, ""}, []string{name, wrong})
	}
	for _, sent := range []string{"", "/", "..", "a\nb.pdf", "a\u202efdp.exe", "a\xffb", strings.Repeat("x", 201)} {
		_, wrong := attachment.CleanName(sent)
		require.NotEmpty(t, wrong, "%q", sent)
	}
}
