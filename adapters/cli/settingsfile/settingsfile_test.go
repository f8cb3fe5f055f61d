package settingsfile

import (
	"bytes"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var known = []Setting{
	{Variable: "TILTH_ADDR", Help: "address to listen on, HOST:PORT", Default: "127.0.0.1:8080"},
	{Variable: "TILTH_WORKERS", Help: "background jobs that run at a time", Default: "2", Plain: true},
	{Variable: "TILTH_RATE_LIMIT", Help: strings.Repeat("requests a second ", 12), Default: "50", Plain: true},
	{Variable: "TILTH_BUILTIN_ISSUER", Help: "issue tokens", Default: "true", Plain: true},
	{Variable: "TILTH_KEEP_JOBS", Help: "how long jobs stay", Default: "2160h0m0s"},
	{Variable: "OTEL_EXPORTER_OTLP_ENDPOINT", Help: "collector"},
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       map[string]string
		fault      string
	}{
		{"nothing", "# a comment\n", map[string]string{}, ""},
		{"every kind of value", "addr = ':80'\nworkers = 4\nrate_limit = 2.5\nbuiltin_issuer = false\nkeep_jobs = \"48h\"\notel_exporter_otlp_endpoint = 'http://c:1'\n", map[string]string{
			"TILTH_ADDR": ":80", "TILTH_WORKERS": "4", "TILTH_RATE_LIMIT": "2.5", "TILTH_BUILTIN_ISSUER": "false", "TILTH_KEEP_JOBS": "48h",
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1",
		}, ""},
		{"a text for a number", "workers = '4'\n", map[string]string{"TILTH_WORKERS": "4"}, ""},
		{"misspelt", "adr = ':80'\n", nil, `"adr" is not a setting. Fix: name addr`},
		{"as a variable", "TILTH_ADDR = ':80'\n", nil, "Fix: name addr"},
		{"as a flag", "rate-limit = 1\n", nil, "Fix: name rate_limit"},
		{"unknown", "something_quite_different = 1\n", nil, "tilth config"},
		{"a table", "[addr]\nhost = 'x'\n", nil, "addr: it is neither"},
		{"a list", "addr = ['x']\n", nil, "addr: it is neither"},
		{"two mistakes", "adr = 1\nworker = 1\n", nil, "name workers"},
		{"twice", "addr = 'a'\naddr = 'b'\n", nil, "addr"},
		{"no TOML", "addr = \nworkers = 2\n", nil, "line 1"},
		{"too large", "#" + strings.Repeat("x", maxBytes), nil, "larger than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := Read(strings.NewReader(c.text), known)
			if c.fault != "" {
				require.ErrorContains(t, err, c.fault)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestWrittenFilesAreRead(t *testing.T) {
	t.Parallel()
	set := map[string]string{"TILTH_ADDR": "a 'quoted' \"value\" \\ of ü\x7f\t\n", "TILTH_WORKERS": "7"}
	var b bytes.Buffer
	require.NoError(t, Write(&b, known, set))
	text := b.String()
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, len(line), 125, line)
	}
	require.Contains(t, text, "#builtin_issuer = true\n")
	got, err := Read(&b, known)
	require.NoError(t, err)
	require.Equal(t, set, got)

	// Without their # all lines are settings with the values that hold without a file.
	var all strings.Builder
	for line := range strings.Lines(text) {
		if after, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(after, " ") {
			line = after
		}
		all.WriteString(line)
	}
	got, err = Read(strings.NewReader(all.String()), known)
	require.NoError(t, err)
	require.Len(t, got, len(known))
	require.Equal(t, "true", got["TILTH_BUILTIN_ISSUER"])
}

func TestAsk(t *testing.T) {
	t.Parallel()
	questions := []Question{{"A", "First?", "one"}, {"B", "Second?", "two"}}
	check := func(variable, answer string) error {
		if answer == "bad" {
			return io.ErrUnexpectedEOF
		}
		return nil
	}
	for _, c := range []struct {
		typed string
		want  map[string]string
	}{
		{"\n\n", map[string]string{"A": "one", "B": "two"}},
		{" x \nbad\ny\n", map[string]string{"A": "x", "B": "y"}},
		{"x\n", nil}, {"", nil}, {strings.Repeat("bad\n", 9), nil},
	} {
		got, err := Ask(strings.NewReader(c.typed), io.Discard, questions, check)
		require.Equal(t, c.want == nil, err != nil, c.typed)
		require.True(t, maps.Equal(c.want, got), c.typed)
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "addr = 'x'\nworkers = 3", "addr = \"\\u00fc\"", "[a]\nb = 1", "rate_limit = 1e3", "addr = '''\nx'''", "workers = 1979-05-27"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read, err := Read(strings.NewReader(text), known)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if _, plain := read["TILTH_WORKERS"]; plain {
			return // a value for a number is checked where the setting is read
		}
		delete(read, "TILTH_RATE_LIMIT")
		delete(read, "TILTH_BUILTIN_ISSUER")
		require.NoError(t, Write(&b, known, read))
		again, err := Read(&b, known)
		require.NoError(t, err)
		require.Equal(t, read, again)
	})
}
