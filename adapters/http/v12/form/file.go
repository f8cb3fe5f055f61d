package form

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"slices"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/core/fault"
	"tilth/ports"
)

// Zip is the format of an archive of files.
const Zip = "zip"

// XLSXType is the content type of workbooks.
const XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// formats has the content types of files, and the extensions of their names.
var formats = map[string]struct{ media, ending string }{
	ports.GeoJSON: {rest.GeoJSONType, "geojson"},
	ports.CSV:     {"text/csv; charset=utf-8", "csv"},
	ports.XLSX:    {XLSXType, "xlsx"},
	ports.KML:     {"application/vnd.google-earth.kml+xml", "kml"},
	ports.GPX:     {"application/gpx+xml", "gpx"},
	ports.SHP:     {"application/zip", "zip"},
	ports.GPKG:    {"application/geopackage+sqlite3", "gpkg"},
	ports.FGB:     {"application/flatgeobuf", "fgb"},
	ports.ISOXML:  {"application/zip", "isoxml.zip"},
	Zip:           {"application/zip", "zip"},
	ports.JSONL:   {"application/x-ndjson", "jsonl"},
	ports.PDF:     {"application/pdf", "pdf"},
	ports.Labels:  {"application/pdf", "labels.pdf"},
	ports.QField:  {"application/zip", "qfield.zip"},
	ports.SVG:     {"image/svg+xml", "svg"},
	ports.PNG:     {"image/png", "png"},
	ports.GeoTIFF: {"image/tiff; application=geotiff", "tif"},
}

// Media returns the content types of formats, for the document.
func Media(of ...string) []string {
	return Each(of, func(format string) string {
		media, _, _ := strings.Cut(formats[format].media, ";")
		return media
	})
}

// FormatParam selects one of several formats, of which the first is the default.
func FormatParam(formats ...string) rest.Param {
	return rest.Param{Name: "format", Type: rest.String, Enum: formats, Description: "Default: what the header Accept names, otherwise " + formats[0] + "."}
}

// Formatted is the input of a route that takes [FormatParam].
type Formatted struct {
	Format string `query:"format"`
}

// Among returns the format that a caller requests among those of [FormatParam].
func (f Formatted) Among(c *rest.Call, formats ...string) string {
	if f.Format != "" {
		return f.Format
	}
	return formats[max(c.Preferred(Media(formats...)), 0)]
}

// Tables are the formats of tables.
var Tables = []string{ports.CSV, ports.XLSX}

// SheetParam names a sheet of a workbook that is imported.
var SheetParam = rest.Param{Name: "sheet", Type: rest.String, Description: "Of a workbook (.xlsx): the name of the sheet. Default: the first that is not hidden."}

// Download answers with a file; name is without an extension.
func Download(name, format string, write func(w io.Writer) error) rest.Raw {
	return rest.Raw{ContentType: formats[format].media, Filename: name + "." + formats[format].ending, Write: write}
}

// Picture answers with a picture. A browser that opens a drawing may use the styles in it, and nothing else.
func Picture(c *rest.Call, format string, write func(w io.Writer) error) rest.Raw {
	if format == ports.SVG {
		c.SetHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'")
	}
	return rest.Raw{ContentType: formats[format].media, Write: write}
}

// MaxUpload bounds an uploaded file.
const MaxUpload = 512 << 20

// File is the file of a request.
type File struct {
	Name    string // as the form states it; empty if the file is the body
	Media   string // content type; empty if the sender does not state it
	Content io.Reader
	Texts   map[string]string // fields of a form that are read, by their names
}

// maxText bounds a field of a form.
const maxText = 1 << 20

// unsaid is the content type that curl sends with every body for which the caller states none. No file has it.
const unsaid = "application/x-www-form-urlencoded"

// MediaType returns the content type of a body that is a file; empty if the sender does not state it.
func MediaType(c *rest.Call) string {
	header := c.Header("Content-Type")
	if kind, _, _ := mime.ParseMediaType(header); kind == unsaid {
		return ""
	}
	return header
}

// UploadedFile returns the file of a request: the body, or the first file of a form together with the named texts that come before it.
func UploadedFile(c *rest.Call, texts ...string) (File, error) {
	header := MediaType(c)
	kind, params, err := mime.ParseMediaType(header)
	if err != nil || kind != "multipart/form-data" {
		return File{Media: header, Content: c.BodyReader()}, nil
	}
	form, others, read := multipart.NewReader(c.BodyReader(), params["boundary"]), fault.Fields{}, map[string]string{}
	for {
		part, err := form.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			others.Add("file", "The form contains no file.")
			return File{}, others.Err()
		case err != nil:
			return File{}, formFault(err)
		case slices.Contains(texts, part.FormName()): // even if it is sent as a file, as by curl's mapping=@mapping.json
			if err := readText(part, read); err != nil {
				return File{}, err
			}
		case part.FileName() == "":
			if name := part.FormName(); c.Takes(name) {
				others.Misplaced(name, "Fields of a form are not read: send it in the query.")
			}
		default:
			if ignore := Ignore(c); ignore != nil {
				ignore(others)
			} else if err := others.Err(); err != nil {
				return File{}, err
			}
			return File{part.FileName(), part.Header.Get("Content-Type"), formPart{part, form, texts}, read}, nil
		}
	}
}

// Ignore returns the function that receives unknown names in a file, if the caller wants them ignored; nil if they are to be refused.
func Ignore(c *rest.Call) func(unknown fault.Fields) {
	if c.Lenient() {
		return c.Ignored
	}
	return nil
}

// Upload returns the function that opens the file of a request, to be called once that is permitted.
func Upload(c *rest.Call) func() (io.Reader, error) {
	return func() (io.Reader, error) {
		file, err := UploadedFile(c)
		return file.Content, err
	}
}

// readText reads a field of a form, and refuses a repeated one.
func readText(part *multipart.Part, into map[string]string) error {
	name := part.FormName()
	text, err := io.ReadAll(io.LimitReader(part, maxText+1))
	switch _, twice := into[name]; {
	case err != nil:
		return formFault(err)
	case twice:
		return fault.Field(name, "The form contains it more than once.")
	case len(text) > maxText:
		return fault.Field(name, "A field of a form has at most 1 MiB.")
	}
	into[name] = string(text)
	return nil
}

// formPart is the file of a form. It reports errors in the form as faults, including a text that comes too late.
type formPart struct {
	io.Reader
	form  *multipart.Reader
	texts []string
}

func (p formPart) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	switch {
	case errors.Is(err, io.EOF) && len(p.texts) > 0:
		for next, late := p.form.NextPart(); late == nil; next, late = p.form.NextPart() {
			if name := next.FormName(); slices.Contains(p.texts, name) {
				return n, fault.Field(name, "It comes after the file. Fix: send it before the file.")
			}
		}
	case err != nil && !errors.Is(err, io.EOF):
		err = formFault(err)
	}
	return n, err
}

func formFault(err error) error {
	if known, ok := fault.As(err); ok {
		return known
	}
	return fault.Field(fault.NonField, "The multipart form cannot be read; it ends in the middle or is malformed.")
}
