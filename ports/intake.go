package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"tilth/core/eudr"
	"tilth/core/farm"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/record"
)

// Objects keeps files of any size under names made of words and slashes.
type Objects interface {
	// Put stores all that can be read, or nothing, and returns its size, or the reader's own error.
	Put(ctx context.Context, name string, from io.Reader) (size int64, err error)
	// Open returns a file to read. Faults: NotFound.
	Open(ctx context.Context, name string) (Object, error)
	// Remove removes a file; a missing file is not an error.
	Remove(ctx context.Context, name string) error
	// RemoveOlder removes the files below a folder that were stored before a time.
	RemoveOlder(ctx context.Context, folder string, before time.Time) error
}

// Object is a stored file, open to be read.
type Object interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// Feature is an outline of a file, with its attributes as text.
type Feature struct {
	Line       int64         // of a table, as a spreadsheet numbers it; 0: there is none
	Boundary   *geo.Boundary // nil where there is none, or where it is refused
	Geometry   string        // the file's word for what is there: "Polygon", "Point"; empty for nothing
	Attributes map[string]string
	Cut        map[string]bool // attributes that may be cut off: they fill the room that the format has
	Applied    []TaskInput     // to it, of task data
	Farm       *farm.Farm      // its address, of task data; nil: the file says none
	Err        error           // Invalid: why this one feature cannot be imported; the others continue
}

// Property is an attribute of the features of a file.
type Property struct {
	Name     string
	Features int64    // that have a value for it
	Samples  []string // some of the values
}

// Survey is what a file of outlines contains.
type Survey struct {
	Features   int64
	Properties []Property // in order of their names
	More       bool       // there are more properties than these
	LeftOut    []LeftOut  // in order of their kinds
}

// LeftOut are records of a file that are not outlines and that are skipped when it is read.
type LeftOut struct {
	Kind    string // application, product, task, device, worker, guidance, way, point
	Count   int64
	Samples []string // some of their names
}

// Outlines reads files of field outlines: GeoJSON, KML, zipped shapefiles, CSV, workbooks, GeoPackages, FlatGeobuf and ISO 11783-10
// task data.
//
// The parameter sheet of a content type names the sheet of a workbook.
//
// Faults: Invalid with a message for "file" where the file as a whole cannot be read;
// Limit (code unsupported_media_type) where its content type is none of these.
type Outlines interface {
	// Survey reads the whole file, so that a broken one is refused at once.
	Survey(ctx context.Context, media string, file Object) (Survey, error)
	// Attributes returns the features one by one, without their outlines. It ends after an error.
	Attributes(ctx context.Context, media string, file Object) iter.Seq2[Feature, error]
	// Read returns the features one by one. It ends after an error.
	Read(ctx context.Context, media string, file Object) iter.Seq2[Feature, error]
}

// PlaceFiles reads files with places where samples are taken: task data of ISO 11783-10, zipped or its main file alone.
//
// Faults: Invalid with a message for "file" where the file cannot be read; Limit (code unsupported_media_type) where its content type is
// another one.
type PlaceFiles interface {
	// Places returns the places in the order of the file, with their names.
	Places(ctx context.Context, media string, file Object) ([]TaskPoint, error)
}

// ColumnKind is what an attribute of an exported outline holds.
type ColumnKind string

// The kinds of attributes.
const (
	TextColumn   ColumnKind = "text"   // string
	WholeColumn  ColumnKind = "whole"  // int64
	NumberColumn ColumnKind = "number" // float64
	FlagColumn   ColumnKind = "flag"   // bool
)

// Column describes an attribute of exported outlines.
type Column struct {
	Name  string
	Short string // at most 10 ASCII letters, for formats that allow no more
	Kind  ColumnKind
	// Decimals of a NumberColumn in tables of text; 0: as many as needed, or six in tables of fixed widths.
	Decimals int
	// Holds states that a TextColumn holds days or times, which workbooks show as such.
	Holds ColumnTime
}

// ColumnTime is the kind of time in a column of texts.
type ColumnTime string

// The kinds of times.
const (
	Days  ColumnTime = "day"  // 2025-04-30
	Times ColumnTime = "time" // RFC 3339
)

// Outline is a feature to be written, with a value of its kind, or nil, for every column.
type Outline struct {
	Name     string
	Boundary *geo.Boundary
	Values   []any
}

// PartField is a field with what else task data of ISO 11783-10 says about it.
type PartField struct {
	Field  farm.Field
	Farm   farm.Farm   // with its address where the caller may see it; at least its id and name
	Crop   record.Ref  // that grows there last; ID 0: none is known
	Points []TaskPoint // places where samples are taken
	Spread []TaskInput // products that were applied, in order of id
}

// TaskInput is a product that was, or is to be, applied to a field.
type TaskInput struct {
	ID            int64  // of the fertilization that is written
	Task          string // id in the file that is read
	ExternalID    string
	Product       string // its name
	Cut           bool   // Product may be cut off
	Typed         string // what people called it, in full; empty: they did not, or another program wrote it
	Key           string // of the catalog of agronomy; empty: it has none, or another program wrote it
	Sown          string // the cultivation, as [farm.Grown] is named; empty: not known
	DensityKgPerL *float64
	On            *time.Time // civil date; nil: not known
	Planned       bool       // the date is yet to come
	Rate          float64    // 0: not known
	Unit          fieldmap.RateUnit
}

// TaskPoint is a place in a field.
type TaskPoint struct {
	Name string
	At   geo.Position
}

// OutlineWriter writes files of outlines.
type OutlineWriter interface {
	// WriteTaskData writes fields as a zipped TASKDATA of ISO 11783-10, with the products that are applied to them. It returns the
	// first error of the fields as it is.
	WriteTaskData(ctx context.Context, to io.Writer, fields iter.Seq2[PartField, error]) error
	// Write writes outlines as "geojson", "kml", "shp" (zipped), "csv", "xlsx", "gpkg" or "fgb". It returns their first error as it is.
	Write(ctx context.Context, format string, to io.Writer, columns []Column, outlines iter.Seq2[Outline, error]) error
}

// PlotFiles writes plots of the EU's due diligence statements as GeoJSON.
type PlotFiles interface {
	// Size returns a measure of files, which writes nothing.
	Size() PlotSize
	// Write writes plots as one file or, where they are several, as an archive of files that are each small enough. It
	// returns their first error as it is.
	Write(ctx context.Context, to io.Writer, several bool, features iter.Seq2[eudr.Feature, error]) error
}

// PlotSize measures the files of plots.
type PlotSize interface {
	Add(f eudr.Feature) error
	Bytes() int64 // of one file of all
	Files() int64 // that they take: at least one
}
