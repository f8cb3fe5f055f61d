package workbook

import (
	"archive/zip"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/exchange/internal/archive"
	"tilth/adapters/exchange/internal/elements"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/ports"
)

// Bounds of what the parts of a workbook unpack to.
const (
	maxSmallBytes = 8 << 20   // the lists of the parts, and the styles
	maxSheetBytes = 512 << 20 // as much as the largest file that is accepted
	maxRowBytes   = 4 << 20   // text of a row
	maxTextBytes  = 512 << 20 // text of a sheet, whose cells may share texts
)

// Is reports whether a file is a zip archive that holds a workbook.
func Is(found *zip.Reader) bool {
	return fileOf(found, mainPart) != nil || fileOf(found, rootRelations) != nil && fileOf(found, typesPart) != nil
}

const (
	typesPart     = "[Content_Types].xml"
	rootRelations = "_rels/.rels"
	mainPart      = "xl/workbook.xml"
)

// Rows reads the rows of a sheet.
type Rows struct {
	file    *elements.Reader
	part    io.Closer
	sheet   string
	shared  *texts
	dates   []dateStyle // by the style of a cell
	epoch   time.Time
	row     int // number of the one read last
	cells   []string
	columns int   // of the heading, 0 before it is read
	size    int64 // of the texts read
	maxSize int64 // the bound of size
}

// Open opens a sheet of a workbook, the first that is not hidden where no name is given, and reads its heading: the first row
// that is not empty.
//
// Faults: Invalid with "file", and with "sheet" where there is none of that name.
func Open(file ports.Object, sheet string) (*Rows, []string, error) {
	found, err := archive.Open(file)
	if err != nil {
		return nil, nil, err
	}
	b, err := openBook(found)
	if err != nil {
		return nil, nil, err
	}
	part, name, err := b.sheet(sheet)
	if err != nil {
		return nil, nil, err
	}
	out := &Rows{sheet: name, epoch: b.epoch, maxSize: maxTextBytes}
	if out.dates, err = readStyles(b.related("/styles")); err != nil {
		return nil, nil, err
	}
	if out.shared, err = readTexts(b.related("/sharedStrings")); err != nil {
		return nil, nil, err
	}
	in, err := archive.ContentUpTo(part, maxSheetBytes)
	if err != nil {
		return nil, nil, errors.Join(err, out.shared.Close())
	}
	out.file, out.part = elements.Of(fmt.Sprintf("sheet %q", name), in), in
	heading, err := out.Read()
	if errors.Is(err, io.EOF) {
		err = refuse("The sheet %q is empty; its first row is a heading that names the columns.", name)
	}
	if err != nil {
		return nil, nil, errors.Join(err, out.Close())
	}
	heading = list.Map(heading, strings.TrimSpace)
	for len(heading) > 0 && heading[len(heading)-1] == "" {
		heading = heading[:len(heading)-1]
	}
	if out.columns = len(heading); out.columns == 0 {
		return nil, nil, errors.Join(refuse("The first row of the sheet %q names no columns.", name), out.Close())
	}
	return out, heading, nil
}

// Close releases what the reading took.
func (r *Rows) Close() error { return errors.Join(r.part.Close(), r.shared.Close()) }

// Place names a cell of the row read last; for a column below 0, only the row.
func (r *Rows) Place(column int) string {
	if column < 0 {
		return fmt.Sprintf("Sheet %q, row %d", r.sheet, r.row)
	}
	return fmt.Sprintf("Sheet %q, row %d, column %s", r.sheet, r.row, ColumnName(column))
}

// Number returns the number of the row read last, as a spreadsheet shows it.
func (r *Rows) Number() int { return r.row }

// Read returns the next row that is not empty, with a text for each column of the heading, valid until the one after it is
// read; [io.EOF] at the end. A number is in its shortest form with a point, a day is as 2025-04-30, a time as if in UTC, and
// a formula is its result.
func (r *Rows) Read() ([]string, error) {
	for {
		token, err := r.file.Token()
		if errors.Is(err, io.EOF) && r.file.Depth() == 0 {
			return nil, io.EOF
		}
		if err != nil {
			return nil, r.file.Explained(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "row" {
			if filled, err := r.read(start); err != nil || filled {
				return r.cells, err
			}
		}
	}
}

// read reads a row whose start has been read.
func (r *Rows) read(start xml.StartElement) (filled bool, err error) {
	r.row++
	if n, err := strconv.Atoi(elements.Attribute(start, "r")); err == nil {
		r.row = n
	}
	if r.row < 1 || r.row > maxRows {
		return false, refuse("Sheet %q has a row %d; a sheet has 1 to %d.", r.sheet, r.row, maxRows)
	}
	clear(r.cells)
	r.cells = r.cells[:r.columns]
	column, size := -1, 0
	err = r.file.Each(func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "c" {
			return nil
		}
		column++
		if named, ok := columnOf(elements.Attribute(start, "r")); ok {
			column = named
		}
		if column >= MaxColumns {
			return refuse("%s: a sheet has at most %d columns.", r.Place(-1), MaxColumns)
		}
		text, err := r.cell(start, column)
		if size += len(text); size > maxRowBytes {
			return refuse("%s holds more than %d MiB.", r.Place(-1), maxRowBytes>>20)
		}
		if err != nil || text == "" {
			return err
		}
		filled = true
		return r.put(column, text)
	})
	if err != nil {
		return false, r.file.Explained(err)
	}
	if r.size += int64(size); r.size > r.maxSize {
		return false, refuse("%s: the sheet holds more than %d MiB of text.", r.Place(-1), r.maxSize>>20)
	}
	return filled, nil
}

// put keeps the text of a cell. The columns of the heading are not known while it is read itself.
func (r *Rows) put(column int, text string) error {
	switch last := r.columns - 1; {
	case r.columns == 0:
		for len(r.cells) <= column {
			r.cells = append(r.cells, "")
		}
		r.cells[column] = text
	case column <= last:
		r.cells[column] = text
	case len(r.cells[last]) >= MaxText: // a long text continues in the cells to the right
		r.cells[last] += text
	case strings.TrimSpace(text) != "":
		return refuse("%s has a value, and no name in the first row. Fix: name the column, or clear the cell.", r.Place(column))
	}
	return nil
}

// cell returns what a cell holds, whose start has been read, as text.
func (r *Rows) cell(start xml.StartElement, column int) (string, error) {
	kind, value, inline := elements.Attribute(start, "t"), "", ""
	err := r.file.Each(func(token xml.Token) (err error) {
		if start, ok := token.(xml.StartElement); ok {
			switch start.Name.Local {
			case "v":
				value, err = r.file.Text()
			case "is":
				inline, err = richText(r.file)
			case "f": // its result is stored beside it
				_, err = r.file.Text()
			}
		}
		return err
	})
	switch {
	case err != nil:
		return "", err
	case kind == "inlineStr":
		return inline, nil
	case kind == "str", kind == "d":
		return unescaped(value), nil
	case value == "":
		return "", nil
	case kind == "s":
		text, err := r.shared.at(value)
		if err != nil {
			return "", refuse("%s: %v.", r.Place(column), err)
		}
		return text, nil
	case kind == "b":
		return strconv.FormatBool(value != "0"), nil
	case kind == "e":
		return "", refuse("%s holds the error %.20q. Fix: repair its formula, or clear the cell.", r.Place(column), value)
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return "", refuse("%s holds %.40q, which is not a number.", r.Place(column), value)
	}
	style, _ := strconv.Atoi(elements.Attribute(start, "s"))
	if style >= 0 && style < len(r.dates) && r.dates[style] != noDate && number >= 0 {
		if text, ok := r.dates[style].text(number, r.epoch); ok {
			return text, nil
		}
	}
	return strconv.FormatFloat(number, 'f', -1, 64), nil
}

// richText reads a text whose start has been read, with its runs and without its pronunciation.
func richText(in *elements.Reader) (string, error) {
	var out strings.Builder
	err := in.Each(func(token xml.Token) error {
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "t" && start.Name.Local != "rPh" {
			return nil
		}
		text, err := in.Text()
		if err == nil && start.Name.Local == "t" {
			if out.Len()+len(text) > maxRowBytes {
				return refuse("A text of the workbook is longer than %d MiB.", maxRowBytes>>20)
			}
			out.WriteString(text)
		}
		return err
	})
	return unescaped(out.String()), err
}

// book is what the parts of a workbook state about one another.
type book struct {
	found  *zip.Reader
	folder string            // of the main part
	parts  map[string]string // by the ids of the relations of the main part
	kinds  map[string]string // the first part of each kind of relation
	sheets []sheetName
	epoch  time.Time
}

type sheetName struct {
	name, relation string
	hidden         bool
}

func openBook(found *zip.Reader) (*book, error) {
	b := &book{found: found, epoch: epoch1900}
	_, kinds, err := relationsOf(found, rootRelations, "")
	if err != nil {
		return nil, err
	}
	main := cmp.Or(kinds["/officeDocument"], mainPart)
	b.folder = path.Dir(main)
	if b.parts, b.kinds, err = relationsOf(found, path.Join(b.folder, "_rels", path.Base(main)+".rels"), b.folder); err != nil {
		return nil, err
	}
	err = eachElement(fileOf(found, main), "workbook", func(start xml.StartElement) error {
		switch start.Name.Local {
		case "workbookPr":
			if on := elements.Attribute(start, "date1904"); on == "1" || on == "true" {
				b.epoch = epoch1904
			}
		case "sheet":
			relation := ""
			for _, a := range start.Attr {
				if a.Name.Local == "id" && a.Name.Space != "" {
					relation = a.Value
				}
			}
			state := elements.Attribute(start, "state")
			b.sheets = append(b.sheets, sheetName{elements.Attribute(start, "name"), relation, state != "" && state != "visible"})
		}
		return nil
	})
	return b, err
}

// sheet returns the part of a sheet and its name.
func (b *book) sheet(name string) (*zip.File, string, error) {
	i := slices.IndexFunc(b.sheets, func(s sheetName) bool {
		return name == "" && !s.hidden || name != "" && strings.EqualFold(s.name, name)
	})
	if name == "" && i < 0 && len(b.sheets) > 0 {
		i = 0
	}
	if i < 0 {
		if name == "" {
			return nil, "", refuse("The workbook has no sheets.")
		}
		names := list.Map(b.sheets, func(s sheetName) string { return s.name })
		return nil, "", fault.Field("sheet", fmt.Sprintf("The workbook has no sheet %.60q. Its sheets are %.500s.", name, strings.Join(names, ", ")))
	}
	part := fileOf(b.found, b.parts[b.sheets[i].relation])
	if part == nil {
		return nil, "", refuse("The sheet %.60q of the workbook is missing from its archive.", b.sheets[i].name)
	}
	return part, b.sheets[i].name, nil
}

// related returns the part of a kind of relation; nil: there is none.
func (b *book) related(kind string) *zip.File { return fileOf(b.found, b.kinds[kind]) }

// relationsOf reads which parts a part refers to, by the ids and by the last word of the kinds of relations.
func relationsOf(found *zip.Reader, name, folder string) (byID, byKind map[string]string, err error) {
	byID, byKind = map[string]string{}, map[string]string{}
	part := fileOf(found, name)
	if part == nil {
		return byID, byKind, nil
	}
	err = eachElement(part, "workbook", func(start xml.StartElement) error {
		if start.Name.Local != "Relationship" {
			return nil
		}
		target := elements.Attribute(start, "Target")
		if strings.HasPrefix(target, "/") {
			target = target[1:]
		} else {
			target = path.Join(folder, target)
		}
		kind := elements.Attribute(start, "Type")
		kind = kind[max(strings.LastIndexByte(kind, '/'), 0):]
		byID[elements.Attribute(start, "Id")] = target
		if byKind[kind] == "" {
			byKind[kind] = target
		}
		return nil
	})
	return byID, byKind, err
}

func fileOf(found *zip.Reader, name string) *zip.File {
	i := slices.IndexFunc(found.File, func(f *zip.File) bool { return name != "" && strings.EqualFold(f.Name, name) })
	if i < 0 {
		return nil
	}
	return found.File[i]
}

// eachElement calls use with the start of every element of a small part.
func eachElement(part *zip.File, what string, use func(xml.StartElement) error) error {
	if part == nil {
		return refuse("The archive is not a workbook: a part of it is missing.")
	}
	in, err := archive.ContentUpTo(part, maxSmallBytes)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	e := elements.Of(what, in)
	for {
		token, err := e.Token()
		if errors.Is(err, io.EOF) && e.Depth() == 0 {
			return nil
		}
		if err != nil {
			return e.Explained(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := use(start); err != nil {
				return err
			}
		}
	}
}

func refuse(format string, args ...any) error {
	return fault.Field("file", fmt.Sprintf(format, args...))
}
