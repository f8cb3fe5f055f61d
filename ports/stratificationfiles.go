package ports

import (
	"io"

	"tilth/core/geo"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// ShownField is a field of an area of interest as files and pictures show it.
type ShownField struct {
	Name    string
	Outline geo.MultiPolygon // WGS84
}

// ShownMap is a map of zones as files and pictures show it.
type ShownMap struct {
	Map    zoning.Map   // whole
	Fields []ShownField // in the order of the frame's fields
	Stem   string       // name of the file without its ending: ASCII letters, digits, hyphens
}

// ShownPlan is a sample plan as files and pictures show it. Its points have longitude and
// latitude.
type ShownPlan struct {
	ShownMap
	Plan    plan.SamplePlan // whole
	Address string          // where the plan is found; empty where that is not known
}

// Formats of the files of maps and plans, beside SVG and PNG.
const (
	GeoJSON = "geojson"
	CSV     = "csv"
	KML     = "kml"
	GPX     = "gpx" // plans only
	SHP     = "shp" // a zipped shapefile
	PDF     = "pdf" // plans only: the field sheet
)

// The papers of field sheets.
const (
	PaperA4     = "A4"
	PaperLetter = "Letter"
)

// StratificationFiles writes maps and plans for other programs: WGS84, seven decimals. The
// same map or plan gives the same bytes.
type StratificationFiles interface {
	// WriteZones writes the zones of a map: as areas, in CSV their figures.
	WriteZones(to io.Writer, format string, zones ShownMap) error
	// WritePlan writes the points of a plan, along the walk.
	WritePlan(to io.Writer, format string, plan ShownPlan) error
}

// StratificationPictures draws maps and plans. The same map or plan gives the same bytes.
type StratificationPictures interface {
	// DrawZones draws a map of zones as SVG or PNG.
	DrawZones(to io.Writer, format string, zones ShownMap) error
	// DrawPlan draws a plan upon its zones as SVG or PNG.
	DrawPlan(to io.Writer, format string, plan ShownPlan) error
	// DrawSheet writes the field sheet of a plan as PDF, on one of the papers.
	DrawSheet(to io.Writer, paper string, plan ShownPlan) error
}
