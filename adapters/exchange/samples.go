package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"tilth/adapters/exchange/internal/archive"
	"tilth/adapters/exchange/internal/delimited"
	"tilth/adapters/exchange/internal/tables"
	"tilth/adapters/exchange/internal/workbook"
	"tilth/core/fault"
	"tilth/core/list"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

// SampleTables implements ports.SampleTables.
type SampleTables struct{}

// sampleColumns are the columns of an export, those of an import among them.
var sampleColumns = slices.Concat(labtable.Shown, labtable.Names)

// maxSampleFile bounds a file of results: 10,000 rows with long notes.
const maxSampleFile = 8 << 20

// Read implements ports.SampleTables.
func (SampleTables) Read(file io.Reader, options ports.SampleTableOptions) (labtable.Table, error) {
	content, err := io.ReadAll(io.LimitReader(file, maxSampleFile+1))
	if err != nil {
		return labtable.Table{}, err
	}
	if len(content) > maxSampleFile {
		return labtable.Table{}, fault.Field("file", "A file may have at most 8 MiB.")
	}
	packed := bytes.HasPrefix(content, []byte("PK\x03\x04"))
	if packed && !isWorkbook(content) || bytes.HasPrefix(content, []byte("SQLite format 3\x00")) {
		return labtable.Table{}, fault.Field("file", "This is not a table but an archive or a GeoPackage. Fix: send what a crew recorded to samples/import/crew/.")
	}
	plain := bytes.TrimPrefix(content, delimited.ByteOrderMark)
	if start := bytes.TrimLeft(plain, " \t\r\n"); len(start) > 0 && start[0] == '[' {
		return sampleObjects(plain, labtable.Options{SOCLimitPct: options.SOCLimitPct})
	}
	if !packed && !bytes.HasPrefix(content, []byte("\xd0\xcf")) && !utf8.Valid(content) { // as spreadsheets on Windows write it
		if content, err = charmap.Windows1252.NewDecoder().Bytes(content); err != nil {
			return labtable.Table{}, fault.Field("file", "The text of the file cannot be read; save it as CSV in UTF-8.")
		}
	}
	lines, header, err := tables.Open(held{bytes.NewReader(content)}, options.Sheet)
	if err != nil {
		return labtable.Table{}, err
	}
	defer func() { _ = lines.Close() }()
	columns, err := labtable.Columns(header)
	if err != nil {
		return labtable.Table{}, err
	}
	var rows [][]string
	var numbers []int64
	size := 0
	err = lines.Each(func(values []string) error {
		if len(rows) == options.MaxRows {
			return fault.Field("file", fmt.Sprintf("A file must have 1 to %d rows.", options.MaxRows))
		}
		numbers = append(numbers, lines.Line())
		rows = append(rows, list.Map(values, func(v string) string {
			size += len(v)
			return lines.Text(strings.TrimSpace(v))
		}))
		if size > maxSampleFile { // a workbook stores a text once that many cells hold
			return fault.Field("file", "The cells of a file may hold at most 8 MiB of text.")
		}
		return nil
	})
	if err != nil {
		return labtable.Table{}, err
	}
	out, err := labtable.Read(columns, rows, labtable.Options{Commas: lines.CommaIsFree(), SOCLimitPct: options.SOCLimitPct})
	for i := range out.Rows {
		out.Rows[i].Line = numbers[i]
	}
	return out, err
}

// held is a file in memory.
type held struct{ *bytes.Reader }

func (held) Close() error { return nil }

func isWorkbook(content []byte) bool {
	found, err := archive.Open(held{bytes.NewReader(content)})
	return err == nil && workbook.Is(found)
}

func sampleObjects(content []byte, options labtable.Options) (labtable.Table, error) {
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	var objects []map[string]any
	if err := d.Decode(&objects); err != nil || d.Decode(&struct{}{}) != io.EOF {
		return labtable.Table{}, fault.Field("file", "This is not a JSON array of objects.")
	}
	if len(objects) == 0 {
		return labtable.Table{}, nil
	}
	names := map[string]bool{}
	for _, object := range objects {
		for name := range object {
			names[name] = true
		}
	}
	header := slices.Sorted(maps.Keys(names))
	columns, err := labtable.Columns(header)
	if err != nil {
		return labtable.Table{}, err
	}
	rows := list.Map(objects, func(object map[string]any) []string {
		return list.Map(header, func(name string) string {
			if object[name] == nil {
				return ""
			}
			return strings.TrimSpace(fmt.Sprint(object[name]))
		})
	})
	return labtable.Read(columns, rows, options)
}

// sampleValues returns the values of a sample by the columns of an export.
func sampleValues(s sample.Sample) []any {
	var lon, lat, accuracy, moved, soc, limit, density, fragments *float64
	var taken, analysed *time.Time
	by, method, ref := "", "", ""
	if c := s.Collected; c != nil {
		by, accuracy, moved = c.By, c.AccuracyM, c.MovedM
		if c.LonLat != nil {
			lon, lat = &c.LonLat.X, &c.LonLat.Y
		}
		if !c.At.IsZero() {
			taken = &c.At
		}
	}
	if l := s.Lab; l != nil {
		soc, limit, density, fragments, method, ref, analysed = &l.SOCPct, l.SOCLimitPct, l.BulkDensity, l.CoarseFragmentsPct, l.Method, l.Ref, l.At
	}
	return []any{
		s.ID, s.PlanUUID, s.AOI.Name, s.Round, roundDay(s), s.Point, int64(s.Zone), string(s.Role), s.Depth.FromCm(), s.Depth.ToCm(), s.Planned.X, s.Planned.Y, moved, s.OutOfZone(), s.CompositeLabel(), s.ExternalID,
		s.Label, string(s.Status), lon, lat, taken, by, accuracy, soc, limit, density, fragments, method, ref, analysed, s.Notes,
	}
}

func roundDay(s sample.Sample) any {
	if s.SampledOn == nil {
		return ""
	}
	return day(*s.SampledOn)
}

// Write implements ports.SampleTables. A sample lies where it was taken, or else where it was planned.
func (SampleTables) Write(to io.Writer, format string, samples iter.Seq2[sample.Sample, error]) error {
	f := shapesFile{format: format, stem: "Samples"}
	for _, name := range sampleColumns {
		f.columns = append(f.columns, ports.Column{Name: name})
	}
	return f.write(context.Background(), to, func(yield func(shape, error) bool) {
		for s, err := range samples {
			at := &s.Planned
			if s.Collected != nil && s.Collected.LonLat != nil {
				at = s.Collected.LonLat
			}
			if !yield(shape{point: at, values: sampleValues(s)}, err) || err != nil {
				return
			}
		}
	})
}
