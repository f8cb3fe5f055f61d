package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/stratification/crew"
	"tilth/core/stratification/labtable"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/sample"
	"tilth/core/stratification/zoning"
)

// StratificationRuns are the calls that make maps of zones, except those of a deleted area of interest.
type StratificationRuns interface {
	Lockable[zoning.Run]
	// Find returns the run of an order with a key. Faults: NotFound.
	Find(ctx context.Context, scope access.Scope, orderID int64, key string) (zoning.Run, error)
	// Insert stores a new run and fills in its id. Faults: Conflict (run_exists): the key in the database decides.
	Insert(ctx context.Context, scope access.Scope, run *zoning.Run) error
	// Update stores status, progress, reason and maps. Faults: NotFound.
	Update(ctx context.Context, scope access.Scope, run zoning.Run) error
}

// Drafts are maps or plans, candidates and saved ones, except those of a deleted area of interest.
type Drafts[T any] interface {
	// Keyed covers saved ones, including those of a deleted area of interest, which may be restored.
	Keyed
	// ByUUID returns a candidate or a saved one; whole: with its large parts. Faults: NotFound.
	ByUUID(ctx context.Context, scope access.Scope, uuid string, whole bool) (T, error)
	// ByUUIDForUpdate returns one without its large parts, and locks it. Faults: NotFound.
	ByUUIDForUpdate(ctx context.Context, scope access.Scope, uuid string) (T, error)
	// Save stores how one was saved. Faults: NotFound; Conflict (tag_taken) within its order.
	Save(ctx context.Context, scope access.Scope, record T) error
	// CountSaved counts the saved ones, and EachSaved lists them by id.
	CountSaved(ctx context.Context, scope access.Scope, q Query) (int64, error)
	EachSaved(ctx context.Context, scope access.Scope, q Query, large bool) iter.Seq2[T, error]
	// GetSaved returns a saved one. Faults: NotFound.
	GetSaved(ctx context.Context, scope access.Scope, id int64, large bool) (T, error)
}

// StratificationMaps are the maps of zones. Their labels and outlines are large; lists have no
// labels, and outlines where wanted. Filters are order, aoi and map_tag.
type StratificationMaps interface {
	Drafts[zoning.Map]
	// Put stores candidates and fills in their ids; one that is stored already keeps its id and takes the new creation time.
	Put(ctx context.Context, scope access.Scope, maps []*zoning.Map) error
}

// SamplePlans are the sample plans. Their points are large; lists have them where wanted. Filters
// are order, aoi, stratification_map, map_tag (the map's) and plan_tag.
type SamplePlans interface {
	Drafts[plan.SamplePlan]
	// Put stores a candidate as the candidates of maps are stored. Faults: NotFound (its map).
	Put(ctx context.Context, scope access.Scope, plan *plan.SamplePlan) error
}

// MapKeeper removes what was not saved, of all companies.
type MapKeeper interface {
	// Prune removes up to limit plans and up to limit maps that were made before a time and not
	// saved, and up to limit runs that old; it returns how many records it removed. Records that
	// another transaction holds stay for the next time.
	Prune(ctx context.Context, before time.Time, limit int) (int64, error)
}

// SoilSamples are the samples of a company. Those of a deleted area of interest are not visible.
// Filters are aoi, plan (the id of the saved plan), plan_uuid, zone, status, round, point, label
// and role, besides the common ones.
type SoilSamples interface {
	Records[sample.Sample]
	// OfPlan returns the samples of a plan in a round, by id.
	OfPlan(ctx context.Context, scope access.Scope, planID, round int64) ([]sample.Sample, error)
	// ByLabels returns those of the labels that are in the scope, by label; in a Write they are locked.
	ByLabels(ctx context.Context, scope access.Scope, labels []string) (map[string]sample.Sample, error)
	// ByComposites returns those whose composites have the labels, by label and in order of id, and locks them likewise.
	ByComposites(ctx context.Context, scope access.Scope, labels []string) (map[string][]sample.Sample, error)
}

// SampleTables reads and writes tables of samples.
type SampleTables interface {
	// Read reads a laboratory's table: CSV with a header, a workbook, or a JSON array of objects. Faults: Invalid with "file",
	// and with "sheet" where the workbook has none of that name.
	Read(file io.Reader, options SampleTableOptions) (labtable.Table, error)
	// Write writes samples as CSV or a workbook, which Read takes, or as GeoJSON. It returns their first error as it is.
	Write(to io.Writer, format string, samples iter.Seq2[sample.Sample, error]) error
	// WriteEstimate writes an estimate as CSV or a workbook: a row for the area and for each zone, field and farm, of each quantity.
	WriteEstimate(to io.Writer, format string, report sample.Report) error
}

// SampleTableOptions says how a table of samples is read.
type SampleTableOptions struct {
	MaxRows     int
	Sheet       string   // of a workbook; empty: the first
	SOCLimitPct *float64 // of results below a limit that the table does not state, %; nil: not known
}

// CrewPackages writes and reads the packages that crews take to the field, for QField and QGIS.
type CrewPackages interface {
	// Write writes a zip: a project, a GeoPackage with the points, samples, zones and fields of a plan, and a folder
	// for photos. Its labels are the samples to take. The same plan and samples yield the same bytes.
	Write(ctx context.Context, to io.Writer, plan ShownPlan) error
	// Read reads what a crew recorded: the zipped folder of a package, or its GeoPackage alone. Faults: Invalid with "file".
	Read(ctx context.Context, file Object, maxRows int) (CrewRecords, error)
}

// CrewRecords are what a crew recorded.
type CrewRecords struct {
	Points  []crew.Point
	Samples []crew.Sample
	// Photo opens a photo by its path, while the file is open; nil: the file is a GeoPackage alone. Faults: Invalid
	// with "photo" where it is missing.
	Photo func(path string) (io.ReadCloser, error)
}
