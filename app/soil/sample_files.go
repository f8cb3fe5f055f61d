package soil

import (
	"context"
	"io"

	"tilth/core/access"
	"tilth/ports"
)

// SampleFiles are the use cases that take and answer with files of samples.
type SampleFiles struct {
	Samples *Samples
	Tables  ports.SampleTables
}

// Import changes samples by the labels in a file, as [Samples.Import] does; open is called when
// the caller may import.
func (f *SampleFiles) Import(ctx context.Context, who access.Principal, options SampleImportOptions, open func() (io.Reader, error)) ([]JudgedSample, error) {
	return f.Samples.Import(ctx, who, options, func() ([]ports.SampleRow, error) {
		file, err := open()
		if err != nil {
			return nil, err
		}
		return f.Tables.Read(file, MaxSampleRows)
	})
}

// Export returns a function that writes the samples of a query as CSV or GeoJSON.
// Faults: Unauthenticated, Forbidden.
func (f *SampleFiles) Export(ctx context.Context, who access.Principal, format string, q ports.Query) (func(to io.Writer) error, error) {
	found, err := f.Samples.List(ctx, who, q)
	return func(to io.Writer) error { return f.Tables.Write(to, format, found.Each) }, err
}
