package ports

import (
	"context"
	"io"
	"iter"

	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/sample"
)

// SoilSamples are the samples of a company. Those of a deleted area of interest are not seen.
// Filters are aoi, plan (the id of the saved plan), plan_uuid, zone, status, round, point, label
// and role, beside the common ones.
type SoilSamples interface {
	Records[sample.Sample]
	// OfPlan returns the samples of a plan in a round, by id.
	OfPlan(ctx context.Context, scope access.Scope, planID, round int64) ([]sample.Sample, error)
	// ByLabels returns those of the labels that are in the scope, by label; in a Write they are
	// locked until it ends.
	ByLabels(ctx context.Context, scope access.Scope, labels []string) (map[string]sample.Sample, error)
}

// SampleColumns are the columns that a table of results may have.
var SampleColumns = []string{
	"label", "status", "lon", "lat", "collected_at", "collected_by", "accuracy_m",
	"soc_pct", "bulk_density_g_cm3", "coarse_fragments_pct", "method", "lab_ref", "analysed_at", "notes",
}

// SampleRow is a row of a table of results: what it says of the sample with a label.
type SampleRow struct {
	Label  string
	Errors fault.Fields // what of it could not be read
	// Apply returns the sample as the row says; what the row does not say stays.
	Apply func(current sample.Sample) sample.Sample
}

// SampleTables reads and writes tables of samples.
type SampleTables interface {
	// Read reads CSV with a header, or a JSON array of objects. Faults: Invalid with "file".
	Read(file io.Reader, maxRows int) ([]SampleRow, error)
	// Write writes samples as CSV, which Read takes, or as GeoJSON. The first error of the
	// samples is returned as it is.
	Write(to io.Writer, format string, samples iter.Seq2[sample.Sample, error]) error
}
