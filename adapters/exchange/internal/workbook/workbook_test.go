package workbook_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/adapters/exchange/internal/workbook"
	"tilth/core/fault"
)

type object struct{ *bytes.Reader }

func (object) Close() error { return nil }

// rowsOf reads a whole sheet.
func rowsOf(file []byte, sheet string) (heading []string, rows [][]string, err error) {
	in, heading, err := workbook.Open(object{bytes.NewReader(file)}, sheet)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			return heading, rows, nil
		}
		if err != nil {
			return heading, rows, err
		}
		rows = append(rows, append([]string{}, row...))
	}
}

func written(t require.TestingT, columns []string, rows ...[]any) []byte {
	var out bytes.Buffer
	w, err := workbook.New(&out, "Fields", columns)
	require.NoError(t, err)
	for _, row := range rows {
		require.NoError(t, w.Row(row...))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	day := time.Date(2025, 4, 30, 0, 0, 0, 0, time.UTC)
	long := strings.Repeat("10.5 50.25, ", 9_000)
	write := func() []byte {
		return written(t, []string{"a", "b", "c"},
			[]any{"=1+1", 0.30000000000000004, workbook.Day(day)},
			[]any{"007", int64(-42), day.Add(13*time.Hour + 5*time.Second)},
			[]any{nil, nil, nil},
			[]any{true, int64(1<<53 + 1), long},
			[]any{"_x0041_ \x01\r\n <&> \U0001F33E", math.NaN(), workbook.Day(time.Date(1850, 1, 2, 0, 0, 0, 0, time.UTC))},
			[]any{long, 1e-9, ""},
		)
	}
	file := write()
	heading, rows, err := rowsOf(file, "fields")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, heading)
	require.True(t, rows[2][2] == long)
	rows[2][2] = "long"
	require.Equal(t, [][]string{
		{"=1+1", "0.30000000000000004", "2025-04-30"},
		{"007", "-42", "2025-04-30T13:00:05Z"},
		{"true", "9007199254740993", "long"},
		{"_x0041_ \x01\r\n <&> \U0001F33E", "NaN", "1850-01-02"},
	}, rows[:4])
	require.Len(t, rows, 5, "an empty row is passed over")
	require.Contains(t, rows[4][0], "… (cut: a cell holds 32,767 characters)")
	require.Len(t, []rune(rows[4][0]), workbook.MaxText)
	require.Equal(t, "0.000000001", rows[4][1])
	require.Equal(t, file, write(), "the same rows are the same bytes")
}

// Rows that do not fit into a sheet go into a second one, which repeats the heading.
func TestManyRowsTakeFurtherSheets(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := workbook.New(&out, "Fields/2026", []string{"a"})
	require.NoError(t, err)
	w.Limit(1_000)
	for range 999 {
		require.NoError(t, w.Row(nil))
	}
	require.NoError(t, w.Row("the last"))
	require.NoError(t, w.Close())
	heading, rows, err := rowsOf(out.Bytes(), "Fields 2026 2")
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, heading)
	require.Equal(t, [][]string{{"the last"}}, rows)
}

// Sheets look as people expect them: a heading that stays, columns as wide as what is in them, text that stays text.
func TestSheetsAreMadeForPeople(t *testing.T) {
	t.Parallel()
	file := written(t, []string{"name", "notes"}, []any{"=HYPERLINK(1)", strings.Repeat("x", 100)})
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	part, err := in.Open("xl/worksheets/sheet1.xml")
	require.NoError(t, err)
	text, err := io.ReadAll(part)
	require.NoError(t, err)
	for _, has := range []string{`ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"`, `max="1" width="14"`, `max="2" width="61"`, `<c r="A2" s="3" t="inlineStr">`} {
		require.Contains(t, string(text), has)
	}
	require.NotContains(t, string(text), "<f>")
	_, err = workbook.New(io.Discard, "x", make([]string, workbook.MaxColumns+1))
	require.Equal(t, fault.Limit, fault.KindOf(err))
}

func TestEveryTextComesBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[_x0-9A-F]{0,20}`)).Draw(t, "text")
		text = strings.Map(func(r rune) rune {
			if r >= 0xFFFE || r == 0xFFFD || r > 0xD7FF && r < 0xE000 {
				return -1 // what XML cannot hold
			}
			return r
		}, text)
		number := rapid.Float64().Draw(t, "number")
		_, rows, err := rowsOf(written(t, []string{"a", "b", "c"}, []any{"x", number, text}), "")
		require.NoError(t, err)
		require.Equal(t, text, rows[0][2])
		var back float64
		_, err = fmt.Sscan(rows[0][1], &back)
		require.NoError(t, err)
		require.InDelta(t, number, back, 0)
	})
}

// parts returns a workbook as other programs write it: with texts that cells share, and styles.
func parts(sheet string, change map[string]string) []byte {
	files := map[string]string{
		"[Content_Types].xml": "<Types/>",
		"_rels/.rels":         `<Relationships><Relationship Id="r" Type="http://x/officeDocument" Target="/xl/book.xml"/></Relationships>`,
		"xl/book.xml": `<x:workbook xmlns:x="http://main" xmlns:r="http://rel"><x:workbookPr date1904="0"/><x:sheets><x:sheet name="Secret" sheetId="1" state="hidden" r:id="a"/>` +
			`<x:sheet name="Lab &amp; Co" sheetId="2" r:id="b"/></x:sheets></x:workbook>`,
		"xl/_rels/book.xml.rels": `<Relationships><Relationship Id="a" Type="http://x/worksheet" Target="s1.xml"/><Relationship Id="b" Type="http://x/worksheet" Target="/xl/s2.xml"/>` +
			`<Relationship Id="c" Type="http://x/sharedStrings" Target="texts.xml"/><Relationship Id="d" Type="http://x/styles" Target="styles.xml"/></Relationships>`,
		"xl/texts.xml": `<sst><si><t>label</t></si><si><r><t>so</t></r><r><t>c</t></r><rPh><t>unsaid</t></rPh></si><si><t xml:space="preserve"> on </t></si></sst>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-407]dd\.mm\.yyyy;@"/><numFmt numFmtId="171" formatCode="0.0 &quot;d&quot;"/><numFmt numFmtId="172" formatCode="hh:mm"/></numFmts>` +
			`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="22"/><xf numFmtId="172"/></cellXfs></styleSheet>`,
		"xl/s1.xml": `<worksheet><sheetData><row><c t="inlineStr"><is><t>hidden</t></is></c></row></sheetData></worksheet>`,
		"xl/s2.xml": `<worksheet><sheetData>` + sheet + `</sheetData></worksheet>`,
	}
	for name, content := range change {
		files[name] = content
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range files {
		if content != "" {
			file, _ := w.Create(name)
			_, _ = file.Write([]byte(content))
		}
	}
	_ = w.Close()
	return out.Bytes()
}

const heading = `<row r="2"><c r="B2" t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c><c t="str"><f>"x"</f><v> </v></c></row>`

func TestWorkbooksOfOthersAreRead(t *testing.T) {
	t.Parallel()
	file := parts(heading+`<row r="3"/><row r="5"><c r="B5" s="1"><v>45777</v></c><c r="C5" s="2"><v>2.5000000000000001E-2</v></c><c r="D5" t="b"><v>1</v></c></row>`+
		`<row r="6"><c r="D6" s="3"><v>45777.75</v></c><c r="B6" s="4"><v>0.5</v></c><c r="C6"><f>1+1</f><v>2</v></c></row>`+
		`<row><c r="B7" s="1"><v>59</v></c><c t="d"><v>2025-01-02</v></c></row>`, nil)
	for _, sheet := range []string{"", "lab & co"} {
		names, rows, err := rowsOf(file, sheet)
		require.NoError(t, err)
		require.Equal(t, []string{"", "label", "soc", "on"}, names)
		require.Equal(t, [][]string{
			{"", "2025-04-30", "0.025", "true"}, {"", "12:00:00", "2", "2025-04-30T18:00:00Z"}, {"", "1900-02-28", "2025-01-02", ""},
		}, rows)
	}
	names, _, err := rowsOf(file, "Secret")
	require.NoError(t, err)
	require.Equal(t, []string{"hidden"}, names)
	old := `<x:workbook xmlns:x="http://main" xmlns:r="http://rel"><x:workbookPr date1904="1"/><x:sheets><x:sheet name="A" sheetId="2" r:id="b"/></x:sheets></x:workbook>`
	_, rows, err := rowsOf(parts(heading+`<row><c r="B3" s="1"><v>44315</v></c></row>`, map[string]string{"xl/book.xml": old}), "")
	require.NoError(t, err)
	require.Equal(t, "2025-04-30", rows[0][1])
}

// A fault names the sheet, the row and the column.
func TestFaultsNameTheCell(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sheet, named string
		change       map[string]string
		field, says  string
	}{
		"an error":          {sheet: `<row r="7"><c r="C7" t="e"><v>#DIV/0!</v></c></row>`, says: `Sheet "Lab & Co", row 7, column C holds the error "#DIV/0!".`},
		"no number":         {sheet: `<row r="7"><c r="C7"><v>many</v></c></row>`, says: `row 7, column C holds "many"`},
		"no such text":      {sheet: `<row r="7"><c r="C7" t="s"><v>99</v></c></row>`, says: "row 7, column C: it refers to a text that does not exist"},
		"no name":           {sheet: `<row r="7"><c r="AB7"><v>1</v></c></row>`, says: "row 7, column AB has a value, and no name"},
		"a far row":         {sheet: `<row r="1048577"/>`, says: "a row 1048577"},
		"a far column":      {sheet: `<row><c r="XFE1"><v>1</v></c></row>`, says: "at most 16384 columns"},
		"no sheet":          {named: "Fields", field: "sheet", says: `no sheet "Fields". Its sheets are Secret, Lab & Co.`},
		"nothing":           {change: map[string]string{"xl/s2.xml": "<worksheet/>"}, says: "is empty"},
		"no names":          {change: map[string]string{"xl/s2.xml": `<worksheet><row><c t="str"><v> </v></c></row></worksheet>`}, says: "names no columns"},
		"cut off":           {change: map[string]string{"xl/s2.xml": "<worksheet><row><c><v>1"}, says: "malformed"},
		"a part is missing": {change: map[string]string{"xl/s2.xml": ""}, says: "missing from its archive"},
		"no sheets":         {change: map[string]string{"xl/book.xml": "<workbook/>"}, says: "no sheets"},
		"no book":           {change: map[string]string{"xl/book.xml": ""}, says: "not a workbook"},
		"deep":              {change: map[string]string{"xl/s2.xml": strings.Repeat("<a>", 1_000)}, says: "nested"},
	} {
		_, _, err := rowsOf(parts(heading+tt.sheet, tt.change), tt.named)
		known, ok := fault.As(err)
		require.True(t, ok, "%s: %v", name, err)
		if tt.field == "" {
			tt.field = "file"
		}
		require.Contains(t, strings.Join(known.Fields.Messages()[tt.field], ""), tt.says, name)
	}
}

// A text that many cells share counts as often as it is used: a small file does not take a long time.
func TestTextsCountAsOftenAsTheyAreTold(t *testing.T) {
	t.Parallel()
	file := parts(heading+strings.Repeat(`<row><c t="s" r="B9"><v>3</v></c></row>`, 40), map[string]string{
		"xl/texts.xml": "<sst><si><t>a</t></si><si><t>b</t></si><si><t>c</t></si><si><t>" + strings.Repeat("x", 100_000) + "</t></si></sst>",
	})
	in, _, err := workbook.Open(object{bytes.NewReader(file)}, "")
	require.NoError(t, err)
	in.LimitText(2 << 20)
	rows := 0
	for ; err == nil; rows++ {
		_, err = in.Read()
	}
	require.Equal(t, 21, rows)
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Contains(t, known.Fields.Messages()["file"][0], `Sheet "Lab & Co", row 23: the sheet holds more than 2 MiB of text.`)
	require.NoError(t, in.Close())
}

// Whatever a workbook holds, it is read with as many columns as its heading has, or refused.
func FuzzWorkbook(f *testing.F) {
	f.Add(heading+`<row r="3"><c r="B3" s="1"><v>45777</v></c></row>`, "<sst><si><t>_x0041_</t></si></sst>", `<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>`, "")
	f.Add(`<row><c r="ZZZZZZ1" t="s"><v>-1</v></c></row>`, "<sst/>", `<numFmt numFmtId="1" formatCode="\"/><numFmt formatCode='"'/>`, "Secret")
	f.Add(`<row><c t="inlineStr"><is><t>a</t></is></c></row><row><c s="0"><v>1e300</v></c></row><row r="-1"/>`, "", "", "x")
	f.Fuzz(func(t *testing.T, sheet, texts, styles, name string) {
		names, rows, err := rowsOf(parts(sheet, map[string]string{"xl/texts.xml": texts, "xl/styles.xml": styles}), name)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
		}
		for _, row := range rows {
			require.Len(t, row, len(names))
		}
	})
}

// FuzzWorkbookFile puts the fuzz into the archive itself.
func FuzzWorkbookFile(f *testing.F) {
	f.Add(parts(heading, nil))
	f.Add(written(f, []string{"a"}, []any{"x"}))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, _, err := rowsOf(file, ""); err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err), "%v", err)
		}
	})
}
