package exchange

import (
	"archive/zip"
	"errors"
	"io"
	"time"

	"tilth/ports"
)

// impactArchive implements ports.ImpactArchive.
type impactArchive struct {
	zip    *zip.Writer
	newest time.Time
}

// ImpactArchive implements ports.ImpactSheets.
func (Sheets) ImpactArchive(w io.Writer) ports.ImpactArchive {
	return &impactArchive{zip: zip.NewWriter(w), newest: firstDay}
}

func (a *impactArchive) Add(name string, at time.Time) (io.Writer, error) {
	if at = at.UTC().Truncate(time.Second); at.After(a.newest) {
		a.newest = at
	}
	return begin(a.zip, name, at)
}

func (a *impactArchive) Close(name string, reports []ports.ArchivedReport) error {
	file, err := begin(a.zip, name, a.newest)
	if err != nil {
		return err
	}
	out := newSheet(file, []string{"index", "assessment_id", "file", "basis", "version", "problem"})
	for _, r := range reports {
		var version any
		if r.Version != nil {
			version = *r.Version
		}
		_ = out.line(r.Index, r.AssessmentID, r.File, r.Basis, version, r.Problem) // end returns the first error
	}
	return errors.Join(out.end(), a.zip.Close())
}

// firstDay is the first day that an archive can store.
var firstDay = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// begin begins a compressed entry of an archive.
func begin(archive *zip.Writer, name string, at time.Time) (io.Writer, error) {
	return archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at})
}
