package ghg

import (
	"context"
	"fmt"
	"io"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// ReportsManifest is the file that lists the others in an archive of reports.
const ReportsManifest = "manifest.csv"

// Reports returns a function that writes the reports of several assessments as a zip archive: a PDF of each, one at a
// time, in the order of the ids, and a manifest, which also states why a report could not be made. Live reports show the
// present content of the assessments, others the last submitted versions. Faults: Invalid (ids), NotFound if the caller
// cannot see one of the ids.
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
		archive, listed := a.Sheets.ImpactArchive(w), make([]ports.ArchivedReport, len(ids))
		for i, id := range ids {
			var err error
			if listed[i], err = a.packed(ctx, archive, scope, reportOfMany{i, id, live}); err != nil {
				return err
			}
		}
		return archive.Close(ReportsManifest, listed)
	}, nil
}

// reportOfMany is one of the reports of an archive.
type reportOfMany struct {
	index int
	id    int64
	live  bool
}

// packed writes one report into the archive and returns its line of the manifest. A report that cannot be made becomes a
// line without a file.
func (a *Assessments) packed(ctx context.Context, archive ports.ImpactArchive, scope access.Scope, r reportOfMany) (ports.ArchivedReport, error) {
	line := ports.ArchivedReport{Index: r.index, AssessmentID: r.id, Basis: map[bool]string{true: BasisLive, false: BasisSubmitted}[r.live]}
	doc, err := a.report(ctx, scope, r.id, ReportRequest{Live: r.live})
	if known, isFault := fault.As(err); isFault && known.Kind != fault.Internal && ctx.Err() == nil {
		if line.Problem = known.Message; known.Kind == fault.NotFound {
			line.Problem = "The assessment has no submitted version."
		}
		return line, nil
	}
	if err != nil {
		return line, err
	}
	line.File, line.Version = fmt.Sprintf("%03d-impact-report-%d-%s.pdf", r.index+1, r.id, line.Basis), doc.Report.ResultVersion
	if v := line.Version; v != nil {
		line.File = fmt.Sprintf("%03d-impact-report-%d-v%d.pdf", r.index+1, r.id, *v)
	}
	file, err := archive.Add(line.File, doc.Report.ComputedAt)
	if err != nil {
		return line, err
	}
	return line, a.Documents.PrintImpact(ctx, file, doc)
}
