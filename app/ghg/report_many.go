package ghg

import (
	"archive/zip"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// ReportsManifest is the file of an archive of reports that lists the others.
const ReportsManifest = "manifest.csv"

// Reports returns what writes the reports of several assessments as a zip archive: a PDF of each, one at a time, in the
// order of the ids, and a manifest, which also tells what kept a report from being made. Live reports are those of what
// the assessments hold, others the versions submitted last. Faults: Invalid (ids), NotFound where one of the ids is none
// that the caller sees.
func (a *Assessments) Reports(ctx context.Context, who access.Principal, shared bool, ids []int64, live bool) (func(w io.Writer) error, error) {
	if err := a.MayView(ctx, who); err != nil {
		return nil, err
	}
	if err := checkIDs(ids, MaxReports); err != nil {
		return nil, err
	}
	scope := who.Scope(shared)
	_, err := app.In(ctx, a.Store.Read, func(ctx context.Context, tx ports.Repos) (none struct{}, err error) {
		for _, id := range ids {
			if _, err := tx.Assessments.Get(ctx, scope, id); err != nil {
				return none, err
			}
		}
		return none, nil
	})
	if err != nil {
		return nil, err
	}
	return func(w io.Writer) error {
		archive := zip.NewWriter(w)
		lines := [][]string{{"index", "assessment_id", "file", "basis", "version", "problem"}}
		for i, id := range ids {
			line, err := a.packed(ctx, archive, scope, reportOfMany{i, id, live})
			if err != nil {
				return err
			}
			lines = append(lines, line)
		}
		manifest, err := archive.Create(ReportsManifest)
		if err != nil {
			return err
		}
		if err := csv.NewWriter(manifest).WriteAll(lines); err != nil {
			return err
		}
		return archive.Close()
	}, nil
}

// reportOfMany is one of the reports of an archive.
type reportOfMany struct {
	index int
	id    int64
	live  bool
}

// packed writes one report into the archive and returns its line of the manifest. A report that cannot be made is a line
// without a file.
func (a *Assessments) packed(ctx context.Context, archive *zip.Writer, scope access.Scope, r reportOfMany) ([]string, error) {
	basis := map[bool]string{true: BasisLive, false: BasisSubmitted}[r.live]
	line := []string{strconv.Itoa(r.index), strconv.FormatInt(r.id, 10), "", basis, "", ""}
	doc, err := a.report(ctx, scope, r.id, ReportRequest{Live: r.live})
	if known, isFault := fault.As(err); isFault && known.Kind != fault.Internal && ctx.Err() == nil {
		if line[5] = known.Message; known.Kind == fault.NotFound {
			line[5] = "The assessment has no submitted version."
		}
		return line, nil
	}
	if err != nil {
		return nil, err
	}
	line[2] = fmt.Sprintf("%03d-impact-report-%d-%s.pdf", r.index+1, r.id, basis)
	if v := doc.Report.ResultVersion; v != nil {
		line[4] = strconv.Itoa(*v)
		line[2] = fmt.Sprintf("%03d-impact-report-%d-v%d.pdf", r.index+1, r.id, *v)
	}
	file, err := archive.Create(line[2])
	if err != nil {
		return nil, err
	}
	return line, a.Documents.PrintImpact(ctx, file, doc)
}
