package soil

import (
	"context"
	"io"

	"tilth/app/batches"
	"tilth/core/access"
	"tilth/core/stratification/crew"
	"tilth/core/stratification/labtable"
	"tilth/ports"
)

// uploads is where packages of crews wait while they are read.
const uploads = "imports"

// ImportCrew changes samples by what a crew recorded in a package: the zipped folder, or only its GeoPackage. It judges as
// [Samples.Import] does; open is called once it is clear that the caller may import.
func (f *SampleFiles) ImportCrew(ctx context.Context, who access.Principal, options SampleImportOptions, open func() (io.Reader, error)) (ImportedSamples, error) {
	if err := f.Samples.Gate.Require(ctx, who, access.ImportSamples); err != nil {
		return ImportedSamples{}, err
	}
	body, err := open()
	if err != nil {
		return ImportedSamples{}, err
	}
	inbox := batches.Inbox{Deps: f.Samples.Deps, Objects: f.Objects, Folder: uploads}
	return batches.Take(ctx, inbox, body, func(_ string, stored ports.Object) (ImportedSamples, error) {
		records, err := f.Packages.Read(ctx, stored, MaxSampleRows)
		if err != nil {
			return ImportedSamples{}, err
		}
		rows, taken := crew.Rows(records.Points, records.Samples)
		photos, err := f.Photos.bring(ctx, who, records, rows, taken, options.Preview)
		if err != nil {
			return ImportedSamples{}, err
		}
		return f.Samples.take(ctx, who, options, labtable.Table{Rows: rows}, func(ctx context.Context, tx ports.Repos, judged []JudgedSample) error {
			return f.Photos.attachAll(ctx, tx, who, photos, judged, options.Preview)
		})
	})
}
