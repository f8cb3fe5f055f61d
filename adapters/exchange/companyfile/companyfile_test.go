package companyfile_test

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange/companyfile"
	"tilth/core/fault"
	"tilth/ports"
)

type object struct{ *bytes.Reader }

func (object) Close() error { return nil }

func of(raw []byte) ports.Object { return object{bytes.NewReader(raw)} }

// written is an archive with entries, each a name and its content.
func written(t testing.TB, entries ...[2]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := companyfile.Files{}.Write(&out)
	for _, e := range entries {
		to, err := w.Add(e[0], time.Date(2026, 3, 4, 5, 6, 7, 8, time.UTC))
		require.NoError(t, err)
		_, err = to.Write([]byte(e[1]))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a row\n", 50_000)
	raw := written(t, [2]string{"tables/farms.jsonl", long}, [2]string{"files/evidence/7", "%PDF"}, [2]string{"manifest.json", "{}"})
	require.Less(t, len(raw), len(long)/10)
	in, err := companyfile.Files{}.Open(of(raw))
	require.NoError(t, err)
	require.Equal(t, []string{"tables/farms.jsonl", "files/evidence/7", "manifest.json"}, in.Names())
	content, err := in.Open("tables/farms.jsonl", int64(len(long)))
	require.NoError(t, err)
	text, err := io.ReadAll(content)
	require.NoError(t, err)
	require.Equal(t, long, string(text))
	require.NoError(t, content.Close())
	small, err := in.Small("manifest.json", 2)
	require.NoError(t, err)
	require.Equal(t, "{}", string(small))
	require.Equal(t, raw, written(t, [2]string{"tables/farms.jsonl", long}, [2]string{"files/evidence/7", "%PDF"}, [2]string{"manifest.json", "{}"}), "the same content is the same file")
}

func TestFilesOfStrangersAreRefused(t *testing.T) {
	t.Parallel()
	good := written(t, [2]string{"a", strings.Repeat("a", 1000)})
	foreign := func(names ...string) []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, name := range names {
			_, err := w.Create(name)
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	for name, c := range map[string]struct {
		raw  []byte
		says string
	}{
		"nothing":        {nil, "not a complete zip archive"},
		"text":           {[]byte("a company"), "not a complete zip archive"},
		"half":           {good[:len(good)/2], "not a complete zip archive"},
		"a folder above": {foreign("../etc/passwd"), "not a plain file"},
		"a root":         {foreign("/etc/passwd"), "not a plain file"},
		"a drive":        {foreign(`c:\x`), "not a plain file"},
		"a folder":       {foreign("x/"), "not a plain file"},
		"twice":          {foreign("x", "x"), "occurs twice"},
		"a long directory": {bytes.Replace(good, []byte("PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00"),
			[]byte("PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00"), 1)[:len(good)-10], "not a complete zip archive"},
	} {
		_, err := companyfile.Files{}.Open(of(c.raw))
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", name, err)
		require.Contains(t, err.Error(), c.says, name)
	}
	in, err := companyfile.Files{}.Open(of(good))
	require.NoError(t, err)
	_, err = in.Open("b", 1)
	require.ErrorContains(t, err, "b is not in it")
	_, err = in.Open("a", 1)
	require.ErrorContains(t, err, "the manifest states 1")
	_, err = in.Small("a", 999)
	require.ErrorContains(t, err, "more than 999 bytes")
	_, err = in.Small("manifest.json", 999)
	require.ErrorContains(t, err, "tilth company export")
}

// An entry whose header states less than it unpacks to ends with an error, and so does one that states more.
func TestAnEntryIsAsLongAsItSays(t *testing.T) {
	t.Parallel()
	for _, says := range []uint64{10, 2000} {
		var packed, out bytes.Buffer
		inner := zip.NewWriter(&packed)
		to, err := inner.Create("a")
		require.NoError(t, err)
		_, err = to.Write(bytes.Repeat([]byte{0}, 1000))
		require.NoError(t, err)
		require.NoError(t, inner.Close())
		r, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
		require.NoError(t, err)
		header := r.File[0].FileHeader
		header.UncompressedSize64 = says
		header.Flags &^= 8
		w := zip.NewWriter(&out)
		raw, err := w.CreateRaw(&header)
		require.NoError(t, err)
		from, err := r.File[0].OpenRaw()
		require.NoError(t, err)
		_, err = io.Copy(raw, from)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		in, err := companyfile.Files{}.Open(of(out.Bytes()))
		require.NoError(t, err)
		content, err := in.Open("a", int64(says))
		require.NoError(t, err)
		_, err = io.ReadAll(content)
		require.True(t, fault.Is(err, fault.Invalid), "%d: %v", says, err)
	}
}

// FuzzOpen checks that no file crashes the program, and that a refusal is a fault with a message.
func FuzzOpen(f *testing.F) {
	f.Add(written(f, [2]string{"a", "b"}, [2]string{"manifest.json", "{}"}))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := companyfile.Files{}.Open(of(raw))
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		for _, name := range in.Names() {
			text, err := in.Small(name, 1<<16)
			if err != nil {
				require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			}
			require.LessOrEqual(t, len(text), 1<<16)
		}
	})
}
