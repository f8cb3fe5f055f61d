package workbook

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"tilth/adapters/exchange/internal/delimited"
	"tilth/core/fault"
)

// Writer writes a workbook: a sheet under a frozen heading, and further ones where the rows do not fit into one. Numbers,
// dates and times are cells of their kind; every text is a cell of text, which no spreadsheet runs as a formula, and texts
// that look like one are marked as typed text, so that they stay text when somebody edits them.
type Writer struct {
	zip     *zip.Writer
	title   string
	columns []string
	first   []string // the first rows, which determine how wide the columns are; they are written after the widths
	widths  []int
	out     *bufio.Writer // of the open sheet
	rows    int           // of the open sheet, the heading included
	limit   int           // of the rows of a sheet
	sheets  int
	err     error
}

const (
	namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packages  = "http://schemas.openxmlformats.org/package/2006/"
	mainType  = "application/vnd.openxmlformats-officedocument.spreadsheetml."
)

// The styles of cells, by their places in the part below.
const (
	styleNone = iota
	styleHeading
	styleText
	styleTyped // text that looks like a formula
	styleDay
	styleTime
)

const styles = `<styleSheet xmlns="` + namespace + `"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/><numFmt numFmtId="165" formatCode="yyyy\-mm\-dd\ hh:mm:ss"/></numFmts>` +
	`<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
	`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6">` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>` +
	`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
	`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

const (
	widthRows          = 200 // rows that the widths are taken from
	minWidth, maxWidth = 8, 60
	maxSheetName       = 25 // characters, which leaves room for a number
)

// New begins a workbook; title names its sheet. Faults: Limit (code too_many_columns), before anything is written.
func New(w io.Writer, title string, columns []string) (*Writer, error) {
	if len(columns) > MaxColumns {
		return nil, fault.Newf(fault.Limit, "too_many_columns", "The table has %d columns, and a sheet of a workbook at most %d. Fix: ask for format=csv.", len(columns), MaxColumns).
			With("columns", len(columns)).With("max_columns", MaxColumns)
	}
	out := &Writer{zip: zip.NewWriter(w), title: title, columns: columns, widths: make([]int, len(columns)), rows: 1, limit: maxRows}
	for i, name := range columns {
		out.widths[i] = width(name) + 2 // bold letters are wider
	}
	out.part("_rels/.rels", `<Relationships xmlns="`+packages+`relationships"><Relationship Id="rId1" Type="`+relations+`/officeDocument" Target="xl/workbook.xml"/></Relationships>`)
	out.part("xl/styles.xml", styles)
	return out, out.err
}

// begin begins a file of the workbook. Its time is fixed, so that the same rows give the same bytes.
func (w *Writer) begin(name string) *bufio.Writer {
	file, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		w.fail(err)
		file = io.Discard
	}
	out := bufio.NewWriterSize(file, 32<<10)
	_, _ = out.WriteString(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n") // Flush returns the first error
	return out
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) part(name, content string) {
	out := w.begin(name)
	_, _ = out.WriteString(content)
	w.fail(out.Flush())
}

// Row writes a value for each column: nil, string, bool, float64, int64, Day or time.Time. The error is the first of all
// that was written.
func (w *Writer) Row(values ...any) error {
	switch {
	case w.sheets == 0 && len(w.first) == widthRows:
		w.beginSheet()
	case w.rows == w.limit:
		w.endSheet()
		w.beginSheet()
		w.rows = 1
	}
	row := w.cells(w.rows+1, values)
	w.rows++
	if w.sheets == 0 {
		for i, v := range values {
			w.widths[i] = max(w.widths[i], width(v))
		}
		w.first = append(w.first, row)
		return w.err
	}
	_, err := w.out.WriteString(row)
	w.fail(err)
	return w.err
}

func (w *Writer) name(sheet int) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/?*[]'`, r) {
			return ' '
		}
		return r
	}, w.title)
	if letters := []rune(name); len(letters) > maxSheetName {
		name = string(letters[:maxSheetName])
	}
	if sheet > 1 {
		name += fmt.Sprintf(" %d", sheet)
	}
	return name
}

func (w *Writer) beginSheet() {
	w.sheets++
	w.out = w.begin(fmt.Sprintf("xl/worksheets/sheet%d.xml", w.sheets))
	selected := ""
	if w.sheets == 1 {
		selected = ` tabSelected="1"`
	}
	var b strings.Builder
	b.WriteString(`<worksheet xmlns="` + namespace + `"><sheetViews><sheetView` + selected + ` workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`)
	if len(w.columns) > 0 {
		b.WriteString("<cols>")
		for i, width := range w.widths {
			fmt.Fprintf(&b, `<col min="%d" max="%d" width="%d" customWidth="1"/>`, i+1, i+1, min(max(width, minWidth), maxWidth)+1)
		}
		b.WriteString("</cols>")
	}
	b.WriteString(`<sheetData><row r="1">`)
	for i, name := range w.columns {
		writeText(&b, ColumnName(i)+"1", styleHeading, name)
	}
	b.WriteString("</row>")
	_, _ = w.out.WriteString(b.String())
	for _, row := range w.first {
		_, _ = w.out.WriteString(row)
	}
	w.first = nil
}

func (w *Writer) endSheet() {
	_, _ = w.out.WriteString("</sheetData></worksheet>")
	w.fail(w.out.Flush())
}

// Close ends the workbook. It returns the first error of all that was written.
func (w *Writer) Close() error {
	if w.sheets == 0 {
		w.beginSheet()
	}
	w.endSheet()
	var sheets, related, types strings.Builder
	for i := range w.sheets {
		n := i + 1
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%d"/>`, attribute(w.name(n)), n, n)
		fmt.Fprintf(&related, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, n, relations, n)
		fmt.Fprintf(&types, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sworksheet+xml"/>`, n, mainType)
	}
	w.part("xl/workbook.xml", `<workbook xmlns="`+namespace+`" xmlns:r="`+relations+`"><bookViews><workbookView/></bookViews><sheets>`+sheets.String()+`</sheets></workbook>`)
	w.part("xl/_rels/workbook.xml.rels", `<Relationships xmlns="`+packages+`relationships">`+related.String()+
		fmt.Sprintf(`<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, w.sheets+1, relations))
	w.part("[Content_Types].xml", `<Types xmlns="`+packages+`content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>`+
		`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="`+mainType+`sheet.main+xml"/>`+
		`<Override PartName="/xl/styles.xml" ContentType="`+mainType+`styles+xml"/>`+types.String()+`</Types>`)
	w.fail(w.zip.Close())
	return w.err
}

// cells returns a row as it is written.
func (w *Writer) cells(number int, values []any) string {
	var b strings.Builder
	row := strconv.Itoa(number)
	b.WriteString(`<row r="` + row + `">`)
	for i, value := range values {
		text, isText := value.(string)
		if !isText || i < len(values)-1 {
			writeCell(&b, ColumnName(i)+row, value)
			continue
		}
		for at := i; text != ""; at++ { // a long text in the last column continues in those to the right, as [Rows] reads it
			n := fits(text, MaxText)
			writeCell(&b, ColumnName(at)+row, text[:n])
			text = text[n:]
		}
	}
	b.WriteString("</row>\n")
	return b.String()
}

// fits returns how many bytes of a text fit into some UTF-16 units, never ending within a letter.
func fits(text string, units int) int {
	if len(text) <= units {
		return len(text)
	}
	for i, r := range text {
		if units -= max(utf16.RuneLen(r), 1); units < 0 {
			return i
		}
	}
	return len(text)
}

// cut ends a text that a cell cannot hold.
const cut = "… (cut: a cell holds 32,767 characters)"

func writeCell(b *strings.Builder, ref string, value any) {
	switch v := value.(type) {
	case nil:
	case string:
		writeString(b, ref, v)
	case bool:
		fmt.Fprintf(b, `<c r="%s" t="b"><v>%d</v></c>`, ref, map[bool]int{true: 1}[v])
	case int64:
		if v > 1<<53 || v < -1<<53 { // a cell would round it
			writeText(b, ref, styleText, strconv.FormatInt(v, 10))
			return
		}
		b.WriteString(`<c r="` + ref + `"><v>` + strconv.FormatInt(v, 10) + "</v></c>")
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			writeText(b, ref, styleText, strconv.FormatFloat(v, 'f', -1, 64))
			return
		}
		b.WriteString(`<c r="` + ref + `"><v>` + strconv.FormatFloat(v, 'g', -1, 64) + "</v></c>")
	case Day:
		t := time.Time(v)
		writeMoment(b, ref, styleDay, time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC), v.String())
	case time.Time:
		writeMoment(b, ref, styleTime, v.UTC(), v.UTC().Format(time.RFC3339Nano))
	default:
		writeString(b, ref, fmt.Sprint(v))
	}
}

func writeString(b *strings.Builder, ref, text string) {
	if text == "" {
		return
	}
	if fits(text, MaxText) < len(text) {
		text = text[:fits(text, MaxText-utf8.RuneCountInString(cut))] + cut
	}
	style := styleText
	if delimited.Guarded(text) != text {
		style = styleTyped
	}
	writeText(b, ref, style, text)
}

func writeText(b *strings.Builder, ref string, style int, text string) {
	fmt.Fprintf(b, `<c r="%s" s="%d" t="inlineStr"><is><t xml:space="preserve">`, ref, style)
	_ = xml.EscapeText(b, []byte(escaped(text))) // writing to a strings.Builder never fails
	b.WriteString("</t></is></c>")
}

// writeMoment writes a day or a time as a number of days.
func writeMoment(b *strings.Builder, ref string, style int, t time.Time, text string) {
	if t.Before(firstDay) || t.Year() > 9999 {
		writeText(b, ref, styleText, text)
		return
	}
	seconds := t.Unix() - epoch1900.Unix()
	days := strconv.FormatInt(seconds/daySeconds, 10)
	if rest := seconds % daySeconds; rest > 0 {
		days = strconv.FormatFloat(float64(seconds)/daySeconds, 'f', -1, 64)
	}
	fmt.Fprintf(b, `<c r="%s" s="%d"><v>%s</v></c>`, ref, style, days)
}

// width returns how many letters wide a value is shown.
func width(value any) int {
	switch v := value.(type) {
	case nil:
		return 0
	case string:
		return min(utf8.RuneCountInString(v), maxWidth)
	case time.Time:
		return len("2006-01-02 15:04:05")
	case float64:
		return min(len(strconv.FormatFloat(v, 'f', -1, 64)), maxWidth)
	default:
		return len(fmt.Sprint(v))
	}
}

func attribute(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // writing to a strings.Builder never fails
	return b.String()
}
