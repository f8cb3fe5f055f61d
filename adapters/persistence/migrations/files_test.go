package migrations

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMarksAreReplaced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, sqlite, postgres string }{
		{"a {{.DAY}} b {{.DAY}}", "a TEXT b TEXT", "a DATE b DATE"},
		{"{{if .POSTGRES}}p {{.STAMP}}{{else}}s {{.STAMP}}{{end}};", "s TEXT;", "p TIMESTAMPTZ;"},
		{"x{{if not .POSTGRES}} WITHOUT ROWID{{end}};", "x WITHOUT ROWID;", "x;"},
		{"'{ \"a\": {} }'", "'{ \"a\": {} }'", "'{ \"a\": {} }'"},
	} {
		for forPostgres, want := range map[bool]string{false: c.sqlite, true: c.postgres} {
			got, err := spell(c.text, forPostgres)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
	}
	for _, bad := range []string{"{{.OTHER}}", "{{if .POSTGRES}}", "{{else}}", "{{end}}", "{{if .POSTGRES}}{{if .POSTGRES}}{{end}}{{end}}", "{{if .POSTGRES}}{{.OTHER}}{{end}}", "{{range .X}}"} {
		for _, forPostgres := range []bool{false, true} {
			_, err := spell(bad, forPostgres)
			require.Error(t, err, bad)
		}
	}
}

func TestEveryFileIsReadForBothDatabases(t *testing.T) {
	t.Parallel()
	all, err := fs.Glob(Files, "*.sql")
	require.NoError(t, err)
	for _, file := range all {
		for _, forPostgres := range []bool{false, true} {
			text, err := Statements(file, forPostgres)
			require.NoError(t, err)
			require.NotContains(t, text, "{{", file)
		}
	}
}
