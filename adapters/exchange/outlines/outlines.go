// Package outlines reads the outlines of fields from the files that people have: one reader per format.
package outlines

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"iter"
	"maps"
	"mime"
	"slices"
	"strings"

	"tilth/adapters/exchange/internal/archive"
	"tilth/adapters/exchange/internal/delimited"
	"tilth/adapters/exchange/internal/flatgeobuf"
	"tilth/adapters/exchange/internal/geopackage"
	"tilth/adapters/exchange/internal/taskdata"
	"tilth/adapters/exchange/internal/workbook"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// Content types of the files of outlines.
const (
	MediaGeoJSON = "application/geo+json"
	MediaJSON    = "application/json"
	MediaKML     = "application/vnd.google-earth.kml+xml"
	MediaZip     = "application/zip"
	MediaCSV     = "text/csv"
	MediaGPKG    = "application/geopackage+sqlite3"
	MediaFGB     = "application/flatgeobuf"
	MediaXML     = "application/xml" // task data that is not zipped
	MediaXLSX    = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// Reader reads files of field outlines, one feature at a time: the memory that it takes does not grow with the file.
type Reader struct{ limits geo.Limits }

// New makes a reader whose boundaries keep the given limits.
func New(limits geo.Limits) *Reader { return &Reader{limits} }

// scan is one reading of a file. It skips what is not wanted.
type scan struct {
	limits   geo.Limits
	outlines bool
	sheet    string // of a workbook; empty: the first
	left     map[string]*ports.LeftOut
}

// leave counts a record that is skipped, where a survey asks for that.
func (s *scan) leave(kind, name string) {
	if s.left == nil {
		return
	}
	of := s.left[kind]
	if of == nil {
		of = &ports.LeftOut{Kind: kind}
		s.left[kind] = of
	}
	of.Count++
	of.Samples = sampled(of.Samples, name)
}

// reader reads the features of one format.
type reader func(ctx context.Context, file ports.Object, scan *scan, yield func(ports.Feature) bool) error

// Bounds of what a survey looks at and reports.
const (
	maxProperties = 1_000
	maxSamples    = 3
	maxSample     = 60 // characters
)

// Survey implements ports.Outlines.
func (o *Reader) Survey(ctx context.Context, media string, file ports.Object) (out ports.Survey, err error) {
	read, sheet, err := readerOf(media, file)
	if err != nil {
		return out, err
	}
	found, scan := map[string]*ports.Property{}, &scan{limits: o.limits, sheet: sheet, left: map[string]*ports.LeftOut{}}
	err = read(ctx, file, scan, func(f ports.Feature) bool {
		out.Features++
		out.More = look(found, f.Attributes) || out.More
		return ctx.Err() == nil
	})
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out.Properties = append(out.Properties, *found[name])
	}
	for _, kind := range slices.Sorted(maps.Keys(scan.left)) {
		out.LeftOut = append(out.LeftOut, *scan.left[kind])
	}
	return out, cmp.Or(err, ctx.Err())
}

// look counts the attributes of a feature, and reports whether it leaves some out because there are too many names.
func look(found map[string]*ports.Property, attributes map[string]string) (more bool) {
	var fresh []string
	for name, value := range attributes {
		if p := found[name]; p == nil {
			fresh = append(fresh, name)
		} else {
			count(p, value)
		}
	}
	slices.Sort(fresh)
	for _, name := range fresh {
		if len(found) == maxProperties {
			return true
		}
		found[name] = &ports.Property{Name: name}
		count(found[name], attributes[name])
	}
	return false
}

func count(p *ports.Property, value string) {
	if value != "" {
		p.Features++
		p.Samples = sampled(p.Samples, value)
	}
}

// sampled adds a value to the samples that are shown, if there is room for it and it is not among them yet.
func sampled(samples []string, value string) []string {
	if letters := []rune(value); len(letters) > maxSample {
		value = string(letters[:maxSample]) + "…"
	}
	if value != "" && len(samples) < maxSamples && !slices.Contains(samples, value) {
		samples = append(samples, value)
	}
	return samples
}

// Read implements ports.Outlines.
func (o *Reader) Read(ctx context.Context, media string, file ports.Object) iter.Seq2[ports.Feature, error] {
	return o.features(ctx, media, file, &scan{limits: o.limits, outlines: true})
}

// Attributes implements ports.Outlines.
func (o *Reader) Attributes(ctx context.Context, media string, file ports.Object) iter.Seq2[ports.Feature, error] {
	return o.features(ctx, media, file, &scan{limits: o.limits})
}

func (o *Reader) features(ctx context.Context, media string, file ports.Object, scan *scan) iter.Seq2[ports.Feature, error] {
	return func(yield func(ports.Feature, error) bool) {
		read, sheet, err := readerOf(media, file)
		enough := false
		if scan.sheet = sheet; err == nil {
			err = read(ctx, file, scan, func(f ports.Feature) bool {
				enough = !yield(f, nil)
				return !enough && ctx.Err() == nil
			})
		}
		if err = cmp.Or(err, ctx.Err()); err != nil && !enough {
			yield(ports.Feature{}, err)
		}
	}
}

// readerOf returns the reader of a file, and the sheet of a workbook that its content type names.
func readerOf(media string, file ports.Object) (reader, string, error) {
	kind, params, err := mime.ParseMediaType(media)
	if media != "" && err != nil {
		return nil, "", unsupported(media)
	}
	read, err := readerOfKind(kind, media, file)
	return read, params["sheet"], err
}

// readerOfKind chooses by the content type, and by the file itself where that says nothing.
func readerOfKind(plain, media string, file ports.Object) (reader, error) {
	switch plain {
	case MediaGeoJSON, MediaJSON, "application/vnd.geo+json":
		return readGeoJSON, nil
	case MediaKML:
		return readKML, nil
	case MediaZip, "application/x-zip-compressed":
		return readerOfArchive(file)
	case MediaXML, "text/xml":
		return readTaskData, nil
	case MediaCSV, MediaXLSX:
		return readTable, nil
	case MediaGPKG, "application/vnd.sqlite3", "application/x-sqlite3":
		return readGeoPackage, nil
	case MediaFGB, "application/vnd.flatgeobuf":
		return readFlatGeobuf, nil
	case "", "application/octet-stream":
		return readerByContent(file)
	}
	return nil, unsupported(media)
}

func unsupported(media string) error {
	return taken(media, MediaGeoJSON, MediaKML, MediaZip, MediaCSV, MediaXLSX, MediaGPKG, MediaFGB, MediaXML)
}

// taken makes the fault of a content type that is none of the accepted ones.
func taken(media string, these ...string) error {
	return fault.Newf(fault.Limit, "unsupported_media_type", "Content-Type %.80q is not accepted here; send %s.", media, strings.Join(these, ", "))
}

// readerByContent distinguishes the formats by how files begin.
func readerByContent(file ports.Object) (reader, error) {
	head := make([]byte, 512)
	n, err := file.ReadAt(head, 0)
	if err != nil && n == 0 && file.Size() > 0 {
		return nil, err
	}
	head = head[:n]
	text := bytes.TrimLeft(bytes.TrimPrefix(head, delimited.ByteOrderMark), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("PK")):
		return readerOfArchive(file)
	case bytes.HasPrefix(text, []byte("<")) && bytes.Contains(text, []byte("<"+taskdata.Root)):
		return readTaskData, nil
	case bytes.HasPrefix(text, []byte("<")):
		return readKML, nil
	case bytes.HasPrefix(text, []byte("{")):
		return readGeoJSON, nil
	case bytes.HasPrefix(head, []byte(geopackage.Head)):
		return readGeoPackage, nil
	case bytes.HasPrefix(head, []byte(flatgeobuf.Magic)):
		return readFlatGeobuf, nil
	case n == 0:
		return nil, refuse("The file is empty.")
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0")), looksLikeCSV(head): // the first is an older workbook, which the reader reports
		return readTable, nil
	}
	return nil, refuse("The file is neither GeoJSON nor KML nor a zipped shapefile, a GeoPackage, FlatGeobuf, task data, CSV or a workbook (.xlsx).")
}

// readerOfArchive distinguishes task data, workbooks and shapefiles by the names of their files.
func readerOfArchive(file ports.Object) (reader, error) {
	found, err := archive.Open(file)
	if err != nil {
		return nil, err
	}
	switch {
	case mainFile(found) != nil:
		return readTaskData, nil
	case workbook.Is(found):
		return readTable, nil
	}
	return readShapefile, nil
}

// looksLikeCSV reports whether a file begins as text whose first line names several columns.
func looksLikeCSV(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.ContainsAny(line, ",;\t") && !bytes.ContainsRune(head, 0)
}

// FileField is the name that refusals of a whole file are filed under.
const FileField = "file"

// refuse makes the fault of a file that cannot be read as a whole.
func refuse(format string, args ...any) error {
	f := fault.Fields{}
	f.Addf(FileField, format, args...)
	return f.Err()
}

// refuseOutline makes the fault of one feature.
func refuseOutline(format string, args ...any) error {
	f := fault.Fields{}
	f.Addf(geo.BoundaryField, format, args...)
	return f.Err()
}

// whole returns a file from its beginning.
func whole(file ports.Object) io.Reader { return io.NewSectionReader(file, 0, file.Size()) }

// put sets an attribute, unless there are too many or it is too long to be of use.
func put(attributes map[string]string, name, value string) {
	if len(attributes) < maxAttributes && len(name) <= maxAttributeBytes && len(value) <= maxAttributeBytes {
		attributes[name] = strings.TrimSpace(value)
	}
}

// Bounds of the attributes that are looked at. Names and external ids are far shorter.
const (
	maxAttributes     = 2_000
	maxAttributeBytes = 16 << 10
)
