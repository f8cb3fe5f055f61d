package ports

import (
	"context"
	"image"
	"io"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/credit"
	"tilth/core/fieldmap"
	"tilth/core/geo"
	"tilth/core/ghg/report"
	"tilth/core/indexmap"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/generated"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
	"tilth/core/vegetation"
)

// SeriesChart is a series as it is drawn.
type SeriesChart struct {
	Title    string // above the picture; empty: the index and the span of days
	Note     string // stands where the points would, if there are none
	Series   vegetation.Series
	From, To time.Time // the season: civil dates, both inclusive
}

// The formats of a drawn series.
const (
	SVG = "svg"
	PNG = "png"
)

// Charts draws.
type Charts interface {
	// DrawSeries draws a series as SVG or PNG.
	DrawSeries(ctx context.Context, w io.Writer, format string, chart SeriesChart) error
}

// ShownLayer is a date of a map of an index as pictures show it.
type ShownLayer struct {
	Layer   *indexmap.Layer
	Field   ShownField
	Style   indexmap.Style
	Classes *indexmap.Classes // in which the values are shown; nil: each in its own shade
	Bare    bool              // the map alone, without title, legend and sources
	Small   bool              // of a bare map: in the size for lists
	About   *fieldmap.Layer   // of a layer of a map without dates
	Photo   *indexmap.Photo   // what the scenes of a date show, in place of its values; may be nil
}

// ShownTile is a tile of a date of a map.
type ShownTile struct {
	Layer *indexmap.Layer
	Style indexmap.Style
	Tile  indexmap.Tile
	How   indexmap.Sampling
}

// LayerPictures draws dates of maps of indices.
type LayerPictures interface {
	// DrawLayer draws a date as SVG or PNG, to be printed.
	DrawLayer(ctx context.Context, w io.Writer, format string, in ShownLayer) error
	// DrawTile draws a tile as PNG, transparent where the layer has no value. Faults: as indexmap.Layer.Sample.
	DrawTile(w io.Writer, in ShownTile) error
}

// LayerFiles writes dates of maps for people and their programs.
type LayerFiles interface {
	// WriteGeoTIFF writes a date as Cloud-Optimized GeoTIFF of 32-bit numbers: the index, and the weight of each pixel in the field.
	WriteGeoTIFF(w io.Writer, layer indexmap.Layer) error
	// WriteFieldGeoTIFF writes the same for only the pixels of the field, in one band.
	WriteFieldGeoTIFF(w io.Writer, layer indexmap.Layer) error
}

// ShownZones are the zones of a zoning map as files show them.
type ShownZones struct {
	Stem         string // name of the file without its ending
	Name         string // of the field, or of the map
	FieldID      int64  // that of the order where there is no field
	Outline      geo.MultiPolygon
	AreaM2       int64
	Layer        fieldmap.Layer
	Pixels       *indexmap.Layer
	Areas        []indexmap.Area
	Prescription fieldmap.Prescription
}

// ZoneFiles writes zones of zoning maps.
type ZoneFiles interface {
	// WriteMapZones writes the zones as areas (geojson, kml, shp), or as task data with a grid of treatment zones (isoxml).
	WriteMapZones(ctx context.Context, to io.Writer, format string, in ShownZones) error
}

// Sheets writes tables as csv (RFC 4180), safe to be opened in a spreadsheet, or as xlsx: a workbook.
type Sheets interface {
	// SeriesSheet writes a series, one line per date.
	SeriesSheet(w io.Writer, format string, series vegetation.Series) error
	// SeriesOfMany writes the series of many orders as jsonl (one line per order), csv and xlsx (one line per point) or
	// geojson (one feature per order, with one property per date). It stops at the first error of the series.
	SeriesOfMany(w io.Writer, format string, all iter.Seq2[OrderSeries, error]) error
	// StatementSheet writes a statement of a wallet: the opening state, the lines and the closing state.
	StatementSheet(w io.Writer, format string, opening credit.Wallet, lines iter.Seq2[credit.StatementLine, error]) error
}

// ImpactDocument is an impact report with what it is about.
type ImpactDocument struct {
	Report      report.Report
	Subject     assessment.Subject
	SubmittedBy *access.Named // of a version; nil where the user is gone
	Signatures  []Signature   // of a version
	Evidence    []ListedFile  // that was attached
}

// ListedFile is a file of evidence as a report lists it.
type ListedFile struct {
	evidence.Frozen
	By access.Named // without a name where the user is gone
}

// ImpactSheets writes reports as tables.
type ImpactSheets interface {
	// ImpactSheet writes the totals, lines and trace of a report as csv (RFC 4180), safe for spreadsheets, or xlsx.
	ImpactSheet(w io.Writer, format string, doc ImpactDocument) error
	// ImpactArchive begins a zip archive of reports.
	ImpactArchive(w io.Writer) ImpactArchive
}

// ImpactArchive is a zip archive of reports, written file by file.
type ImpactArchive interface {
	// Add begins the next file, with the time of its report.
	Add(name string, at time.Time) (io.Writer, error)
	// Close ends the archive with its manifest (CSV, one line per report), with the time of the newest file.
	Close(name string, reports []ArchivedReport) error
}

// ArchivedReport is what a manifest says about a report.
type ArchivedReport struct {
	Index        int // in the request
	AssessmentID int64
	File         string // empty where there is a problem
	Basis        string
	Version      *int   // nil: of none
	Problem      string // for people; empty where there is a file
}

// Documents prints documents for people to hand on.
type Documents interface {
	// PrintImpact writes a report as PDF. The same report yields the same bytes.
	PrintImpact(ctx context.Context, w io.Writer, doc ImpactDocument) error
}

// ShownField is a field of an area of interest as files and pictures show it.
type ShownField struct {
	Name    string
	Outline geo.MultiPolygon // WGS84
}

// ShownMap is a map of zones as files and pictures show it.
type ShownMap struct {
	Map    zoning.Map   // whole
	Fields []ShownField // in the order of the frame's fields
	Images ShownImages
	Layout string // of pictures: Desktop, also where it is empty, or Phone
	Stem   string // name of the file without its ending: ASCII letters, digits, hyphens
}

// ShownImages are images behind the fields of a map.
type ShownImages struct {
	Images []ShownImage // of the fields, in their order; none where there is no image
	About  string       // what they are, or why there are none; empty where none were asked for
}

// ShownImage is an image in the plane of a map.
type ShownImage struct {
	Box    geo.Box // of its outer edges, metres
	Pixels *image.NRGBA
}

// ShownPlan is a sample plan as files and pictures show it. Its points have longitude and latitude.
type ShownPlan struct {
	ShownMap
	Plan    plan.SamplePlan // whole
	Address string          // where its code leads; empty where it has none
	Round   int64           // of the labels
	Labels  []ShownLabel    // of its samples, in the order of the walk; none in files that show none
}

// ShownLabel is the label of a sample.
type ShownLabel struct {
	Sample  sample.Sample
	Address string // where its code leads
}

// ShownCarbon is a map of soil carbon as files and pictures show it. The strip along the edges is behind the zones
// where it was sampled as a stratum.
type ShownCarbon struct {
	ShownMap
	Carbon carbon.Map
	Frame  *frame.Frame
	Strata []int32 // the zone of each cell, or the strip
}

// Formats of the files of maps and plans, besides SVG and PNG.
const (
	GeoJSON = "geojson"
	CSV     = "csv"
	XLSX    = "xlsx"  // the table of CSV as a workbook
	JSONL   = "jsonl" // series only
	KML     = "kml"
	GPX     = "gpx"    // plans only
	SHP     = "shp"    // a zipped shapefile
	GPKG    = "gpkg"   // outlines only: a GeoPackage
	FGB     = "fgb"    // outlines only: FlatGeobuf
	ISOXML  = "isoxml" // outlines only: a zipped TASKDATA of ISO 11783-10
	PDF     = "pdf"    // plans only: the field sheet
	Labels  = "labels" // plans only: a sheet of labels, PDF
	QField  = "qfield" // plans only: a zipped package for crews
	GeoTIFF = "tif"    // maps of soil carbon only
)

// The layouts of pictures of maps and plans.
const (
	Desktop = "desktop"
	Phone   = "phone" // 390 CSS pixels wide, with all that explains the map below it
)

// The papers of field sheets and labels.
const (
	PaperA4     = "A4"
	PaperLetter = "Letter"
)

// StratificationFiles writes maps and plans in WGS84, seven decimals. The same input yields the same bytes.
type StratificationFiles interface {
	// WriteZones writes the zones of a map: as areas or, in CSV, their figures.
	WriteZones(to io.Writer, format string, zones ShownMap) error
	// WritePlan writes the points of a plan, along the walk.
	WritePlan(to io.Writer, format string, plan ShownPlan) error
	// WriteGenerated writes what was generated for an order as CSV or XLSX. It returns the first error of the entries as it is.
	WriteGenerated(to io.Writer, format string, entries iter.Seq2[generated.Entry, error]) error
	// WriteCarbon writes a map of soil carbon: its zones as areas or, in CSV, their figures; as GeoTIFF the stock of
	// the cells with both ends of its interval, in the plane of the frame.
	WriteCarbon(to io.Writer, format string, in ShownCarbon) error
}

// StratificationPictures draws maps and plans. The same map or plan yields the same bytes.
type StratificationPictures interface {
	// DrawZones draws a map of zones as SVG or PNG.
	DrawZones(ctx context.Context, to io.Writer, format string, zones ShownMap) error
	// DrawPlan draws a plan upon its zones as SVG or PNG.
	DrawPlan(ctx context.Context, to io.Writer, format string, plan ShownPlan) error
	// DrawCarbon draws a map of soil carbon as SVG or PNG.
	DrawCarbon(ctx context.Context, to io.Writer, format string, in ShownCarbon) error
	// DrawSheet writes the field sheet of a plan as PDF, on one of the papers.
	DrawSheet(ctx context.Context, to io.Writer, paper string, plan ShownPlan) error
	// DrawLabels writes the labels of a plan as PDF, on the sheets of labels of one of the papers.
	DrawLabels(ctx context.Context, to io.Writer, paper string, plan ShownPlan) error
}
