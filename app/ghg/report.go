package ghg

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/fault"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// The bases of a report.
const (
	BasisLive      = "live"      // the present content of the assessment
	BasisSubmitted = "submitted" // a submitted version
)

// CodeNotCalculable is the code of a live report that cannot be made. The details of the
// fault hold violations and warnings, each a list of {code, path, message}.
const CodeNotCalculable = "not_calculable"

// ReportRequest selects a report: the live one, or that of a version; 0 is the version that was
// submitted last.
type ReportRequest struct {
	Live    bool
	Version int
}

// Report returns a report of an assessment. The live one is computed from the present content, with a
// warning for everything that is missing; that of a version is the stored one, whatever has changed since.
// Faults: NotFound (also the version), Invalid ([CodeNotCalculable]), Unavailable (the engine).
func (a *Assessments) Report(ctx context.Context, who access.Principal, shared bool, id int64, wanted ReportRequest) (ports.ImpactDocument, error) {
	if err := a.MayView(ctx, who); err != nil {
		return ports.ImpactDocument{}, err
	}
	return a.report(ctx, who.Scope(shared), id, wanted)
}

// CompareReports compares one report of an assessment with another. Faults: those of Report.
func (a *Assessments) CompareReports(ctx context.Context, who access.Principal, shared bool, id int64, from, to ReportRequest) (report.Comparison, error) {
	was, err := a.Report(ctx, who, shared, id, from)
	if err != nil {
		return report.Comparison{}, err
	}
	is, err := a.report(ctx, who.Scope(shared), id, to)
	if err != nil {
		return report.Comparison{}, err
	}
	return report.Compare(was.Report, is.Report), nil
}

func (a *Assessments) report(ctx context.Context, scope access.Scope, id int64, wanted ReportRequest) (ports.ImpactDocument, error) {
	if !wanted.Live {
		return app.In(ctx, a.Store.Read, func(ctx context.Context, tx ports.Repos) (ports.ImpactDocument, error) {
			return storedReport(ctx, tx, scope, id, wanted.Version)
		})
	}
	prepared, err := a.prepared(ctx, scope, id)
	if err != nil {
		return ports.ImpactDocument{}, err
	}
	return a.live(ctx, prepared)
}

// storedReport returns the report of a version; 0 is the last submitted one.
func storedReport(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, number int) (ports.ImpactDocument, error) {
	record, err := tx.Assessments.Get(ctx, scope, id)
	if err != nil {
		return ports.ImpactDocument{}, err
	}
	if number == 0 {
		number = record.SubmittedVersion
	}
	version, err := tx.AssessmentVersions.Get(ctx, scope, id, number)
	if err != nil {
		return ports.ImpactDocument{}, err
	}
	out := ports.ImpactDocument{Subject: subjectOf(version), SubmittedBy: version.SubmittedBy, Signatures: version.Signatures}
	list, err := evidence.ReadList(version.Evidence)
	if err != nil {
		return out, fmt.Errorf("the evidence of version %d of assessment %d: %w", number, id, err)
	}
	if len(list) > 0 {
		held, err := tx.Evidence.Held(ctx, scope, id, number)
		if err != nil {
			return out, err
		}
		out.Evidence = listedFiles(list, held)
	}
	out.Report, err = reportOf(version)
	out.Report.Stale = record.HasUnsubmittedChanges || number != record.SubmittedVersion
	return out, err
}

// reportOf reads the report of a version.
func reportOf(v ports.AssessmentVersion) (out report.Report, err error) {
	if err = json.Unmarshal(v.Report, &out); err != nil {
		err = fmt.Errorf("the report of version %d of assessment %d: %w", v.Number, v.AssessmentID, err)
	}
	return out, err
}

// live computes the report of the present content of an assessment.
func (a *Assessments) live(ctx context.Context, p preparedCalculation) (ports.ImpactDocument, error) {
	if len(p.obstacles) > 0 {
		return ports.ImpactDocument{}, refused(CodeNotCalculable, "The assessment cannot be calculated yet", p.obstacles, p.warnings)
	}
	result, _, err := a.run(ctx, p)
	if fault.Is(err, fault.Invalid) {
		return ports.ImpactDocument{}, refused(CodeNotCalculable, "The assessment cannot be calculated", findingsOf(err), p.warnings)
	}
	if err != nil {
		return ports.ImpactDocument{}, err
	}
	list, _ := evidence.Listed(p.attached, p.whole.Sheet)
	return ports.ImpactDocument{
		Subject: p.subject, Evidence: listedFiles(list, p.attached),
		Report: report.New(result, report.About{
			AssessmentID: p.whole.ID, Basis: BasisLive, ComputedAt: a.Clock.Now(), Warnings: assessment.Warnings(p.warnings),
		}),
	}, nil
}

// WriteReport writes a report as a file: csv, xlsx or pdf.
func (a *Assessments) WriteReport(ctx context.Context, w io.Writer, format string, doc ports.ImpactDocument) error {
	if format == ports.PDF {
		return a.Documents.PrintImpact(ctx, w, doc)
	}
	return a.Sheets.ImpactSheet(w, format, doc)
}

// Submissions returns the submitted versions of an assessment, newest first, without their reports. Faults:
// NotFound.
func (a *Assessments) Submissions(ctx context.Context, who access.Principal, shared bool, id int64, q ports.Query) (app.List[ports.AssessmentVersion], error) {
	return app.ReadList(ctx, a.Deps, app.Ask{Who: who, Need: access.Assessments.View, Shared: shared}, q,
		func(ctx context.Context, tx ports.Repos, scope access.Scope) (int64, error) {
			if _, err := tx.Assessments.Get(ctx, scope, id); err != nil {
				return 0, err
			}
			return tx.AssessmentVersions.Count(ctx, scope, id)
		},
		func(ctx context.Context, tx ports.Repos, scope access.Scope, q ports.Query) iter.Seq2[ports.AssessmentVersion, error] {
			return tx.AssessmentVersions.Each(ctx, scope, id, q)
		})
}

// StoredVersion is a submitted version with its subject, snapshot and report.
type StoredVersion struct {
	ports.AssessmentVersion
	Subject assessment.Subject
}

// SubmissionOf returns a submitted version. Faults: NotFound.
func (a *Assessments) SubmissionOf(ctx context.Context, who access.Principal, shared bool, id int64, number int) (StoredVersion, error) {
	scope := who.Scope(shared)
	version, err := app.Read(ctx, a.Deps, who, access.Assessments.View, func(ctx context.Context, tx ports.Repos) (out ports.AssessmentVersion, err error) {
		if _, err := tx.Assessments.Get(ctx, scope, id); err != nil {
			return out, err
		}
		return tx.AssessmentVersions.Get(ctx, scope, id, number)
	})
	return StoredVersion{version, subjectOf(version)}, err
}

// refused returns the fault for an assessment that the rules or the engine refuse.
func refused(code, message string, violations, warnings []assessment.Finding) error {
	n := len(violations)
	things := "things are"
	if n == 1 {
		things = "thing is"
	}
	return fault.Newf(fault.Invalid, code, "%s: %d %s missing or wrong.", message, n, things).
		With("violations", plain(violations)).With("warnings", plain(warnings))
}

func plain(findings []assessment.Finding) []map[string]string {
	out := make([]map[string]string, len(findings))
	for i, f := range findings {
		out[i] = map[string]string{"code": f.Code, "path": f.Path, "message": f.Message}
	}
	return out
}

// findingsOf returns what an engine refused, each with its path.
func findingsOf(err error) []assessment.Finding {
	const code = "not_computable"
	f, ok := fault.As(err)
	if !ok || len(f.Fields) == 0 {
		message := err.Error()
		if ok {
			message = f.Message
		}
		return []assessment.Finding{{Code: code, Message: message}}
	}
	var out []assessment.Finding
	var walk func(path string, fields fault.Fields)
	walk = func(path string, fields fault.Fields) {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			at := below(path, key)
			switch value := fields[key].(type) {
			case fault.Fields:
				walk(at, value)
			case []string:
				for _, message := range value {
					out = append(out, assessment.Finding{Code: code, Path: at, Message: message})
				}
			}
		}
	}
	walk("", f.Fields)
	return out
}

// below returns the path of a member: an index in brackets, anything else after a dot. The general
// part has no name of its own.
func below(path, key string) string {
	if i, err := strconv.Atoi(key); err == nil {
		return fmt.Sprintf("%s[%d]", path, i)
	}
	if path == "" || path == "general" {
		return key
	}
	return path + "." + key
}
