package exchange_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/exchange"
	"tilth/adapters/exchange/internal/delimited"
	"tilth/core/fault"
)

type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

func sheetOf(text string) inMemory { return inMemory{bytes.NewReader([]byte(text))} }

func allRows(t testing.TB, text string) (heading []string, rows [][]string, err error) {
	t.Helper()
	file := sheetOf(text)
	if heading, err = (exchange.AssessmentTables{}).Heading(file, ""); err != nil {
		return nil, nil, err
	}
	for row, err := range (exchange.AssessmentTables{}).Rows(file, "") {
		if err != nil {
			return heading, rows, err
		}
		rows = append(rows, row.Texts)
	}
	return heading, rows, nil
}

func TestTablesAreRead(t *testing.T) {
	t.Parallel()
	want := [][]string{{"1", "two\nlines; and, more"}, {"2", ""}}
	for name, text := range map[string]string{
		"commas":             "a,b\n1,\"two\nlines; and, more\"\n2\n",
		"semicolons":         "a;b\n1;\"two\nlines; and, more\"\n2;\n",
		"tabs":               "a\tb\n1\t\"two\nlines; and, more\"\n2\t\n",
		"a byte order mark":  "\uFEFFa;b\n1;\"two\nlines; and, more\"\n2;\n",
		"carriage returns":   "a,b\r\n1,\"two\r\nlines; and, more\"\r\n2,\r\n",
		"empty lines, edges": "a , b,,\n\n1,\"two\nlines; and, more\"\n,,\n  ,\n2,,,\n",
	} {
		heading, rows, err := allRows(t, text)
		require.NoError(t, err, name)
		require.Equal(t, []string{"a", "b"}, heading, name)
		require.Equal(t, want, rows, name)
	}
}

func TestTablesAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, says string }{
		"empty":           {"", "empty"},
		"an open quote":   {"a,b\n1,\"" + strings.Repeat("x", delimited.MaxLineBytes+1<<20), "longer than"},
		"a stray quote":   {"a,b\n1,x\"y\n", "Line 2"},
		"a nameless cell": {"a,b\n1,2,3\n", "column 3"},
		"UTF-16":          {"\xFF\xFEa\x00", "UTF-16"},
		"Latin 1":         {"a,b\n1,Gr\xfcn\n", "UTF-8"},
	} {
		_, _, err := allRows(t, c.text)
		known, ok := fault.As(err)
		require.True(t, ok, "%s: %v", name, err)
		require.Equal(t, fault.Invalid, known.Kind, name)
		require.Contains(t, known.Fields["file"].([]string)[0], c.says, name)
	}
}

func TestFormulasAreGuardedAndComeBack(t *testing.T) {
	t.Parallel()
	for text, file := range map[string]string{
		"=1+1": "'=1+1", "@x": "'@x", "+a": "'+a", "-a": "'-a", "'=": "''=", "'": "''", "''x": "'''x", "\tx": "'\tx", "-5.25": "-5.25", "+3": "+3", "plain": "plain", "": "", "x=1": "x=1",
	} {
		require.Equal(t, file, delimited.Reversible(text))
		require.Equal(t, text, delimited.ReadBack(file))
	}
	require.Equal(t, "'it", delimited.ReadBack("'it"), "what a person typed stays")
}

func FuzzAssessmentTables(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("\uFEFFa;b\n\"1\n;\";'=2\n")
	f.Add("a\tb\n\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		heading, rows, err := allRows(t, text)
		if err != nil {
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
			return
		}
		for _, row := range rows {
			require.Len(t, row, len(heading))
		}
	})
}
