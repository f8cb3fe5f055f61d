package ghg

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"tilth/adapters/http/member"
	"tilth/adapters/http/query"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/core/ghg/baseyear"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// ImpactReport is a report in answers: masses are t CO2e, those of single gases kg; figures per
// hectare and per tonne are null if the denominator is not known.
type ImpactReport report.Report

// AssessmentReport is the report of an assessment with the files that were attached to it.
type AssessmentReport struct {
	ImpactReport
	Evidence []ReportedFile `json:"evidence" doc:"Files that are attached or, for a version, that were."`
}

// ReportedFile is a file of evidence as a report lists it.
type ReportedFile struct {
	ID         int64    `json:"id" doc:"Texts of the assessment cite it as file:ID."`
	For        string   `json:"for" doc:"Path of what it is evidence of, such as fertilizers[2].rate; empty: the whole assessment."`
	Name       string   `json:"name" doc:"Name of the file, without folders; its extension is added if it was sent without one."`
	MediaType  string   `json:"media_type" doc:"Content type of the bytes."`
	Size       int64    `json:"size" doc:"Bytes."`
	SHA256     string   `json:"sha256" doc:"SHA-256 of the bytes, hexadecimal."`
	Note       string   `json:"note" doc:"A note by whoever attached it; empty: none."`
	UploadedAt string   `json:"uploaded_at" format:"date-time" doc:"When it was attached."`
	UploadedBy form.Ref `json:"uploaded_by" doc:"Who attached it."`
}

func showReported(f ports.ListedFile) ReportedFile {
	return ReportedFile{f.ID, f.For, f.Name, f.Media, f.Size, f.SHA256, f.Note, f.UploadedAt, form.Named(f.By)}
}

// ImpactComparison is the change from one report to another: t CO2e.
type ImpactComparison report.Comparison

// BaseYearReport is a report beside that of the base year of its farm: t CO2e.
type BaseYearReport baseyear.Report

// AssessmentVersionDetails is a submitted version with its frozen content.
type AssessmentVersionDetails struct {
	AssessmentVersion
	Subject      AssessmentSubject                  `json:"subject" doc:"What the version is about, under the names of that time."`
	Snapshot     member.RawObject                   `json:"snapshot" doc:"The input of the engine: SI units, nothing filled in. The SHA-256 of its exact bytes here is input_digest."`
	Entered      member.RawObject                   `json:"entered" doc:"What people entered, as they wrote it: general, sections and section_declarations. The SHA-256 of its exact bytes here is entered_digest. null in versions stored before it was kept."`
	Evidence     member.Verbatim[[]evidence.Frozen] `json:"evidence" doc:"The files that were attached; for is the path of what one is evidence of (empty: the whole assessment), uploaded_by the id of a user. The SHA-256 of the exact bytes of the list here is evidence_digest, which is empty where none was attached."`
	Completeness *VersionCompleteness               `json:"completeness" doc:"How complete it was; null in versions stored before it was kept."`
	ReportDigest string                             `json:"report_digest" doc:"SHA-256 of the exact bytes of the report here, hexadecimal."`
	Report       member.Verbatim[ImpactReport]      `json:"report" doc:"The report as it was stored."`
}

// VersionCompleteness states how complete a submitted version was.
type VersionCompleteness struct {
	CompletenessPercentage float64                        `json:"completeness_percentage" doc:"0 to 100, rounded down to one decimal."`
	Sections               map[string]SectionCompleteness `json:"sections" doc:"By key, with the general part as general."`
}

// AssessmentSubject is the subject of a submitted version.
type AssessmentSubject struct {
	Company              string            `json:"company" doc:"Name of the company."`
	ResourceType         string            `json:"resource_type" doc:"What is assessed: a farm, or a single field."`
	ResourceID           int64             `json:"resource_id" doc:"Id of the farm or field."`
	Resource             string            `json:"resource" doc:"Name of the farm or field."`
	AssessmentYear       int               `json:"assessment_year" doc:"Year of the harvest."`
	CropType             string            `json:"crop_type" doc:"Key of the crop."`
	FarmCountry          string            `json:"farm_country" doc:"Country key, such as france or united_states."`
	ClimateRegion        string            `json:"climate_region" doc:"Climate zone of the IPCC, as cool_temperate_moist."`
	SubmittedDataQuality string            `json:"submitted_data_quality" doc:"How the data were rated: all_actual_data, all_estimated_data or mix_of_actual_and_estimated_data."`
	SectionDeclarations  map[string]string `json:"section_declarations" doc:"Sections that were declared to have nothing to enter: none, by key."`
}

var versionParam = rest.Param{Name: "version", Type: rest.Integer, Description: "Number of a version, with basis=submitted; default: the one submitted last."}

const liveWord = "live"

// The forms of a report, in addition to that of PACT.
const reportJSON = "json"

var reportFiles = []string{ports.CSV, ports.XLSX, ports.PDF}

func (r assessmentRoutes) registerReports() {
	r.api.DescribeCodes(map[string]string{
		ghgapp.CodeNotCalculable: "no report can be made from the data; details hold violations and warnings, each with code, path and message (400)",
	})
	report := assessmentRoute(http.MethodGet, "{id}/impact-report/", access.Assessments.View.For("impact_report"), "The impact report of an assessment")
	report.Description = "`basis=live` is computed from the current content of the assessment, with a warning for everything that is missing; `basis=submitted` is the report of a version, " +
		"as it was stored. Emissions and removals are separate and at least 0; `balance` is their difference. Masses are t CO2e, in `kg` those of the gases; " +
		"`uncertainty` is the 95 % range of the emissions, `removals_uncertainty` that of the removals. `trace` holds every step with its inputs, factors and their sources. " +
		"`format=csv` and `format=xlsx` give totals, lines and trace as a table, `format=pdf` a document to pass on, `format=pact` the product footprint of a version, without the envelope, " +
		"as it was last published, otherwise as it would be with what the query states. " +
		"Where the general data do not allow a calculation the answer is 400 (`not_calculable`)."
	report.Media = form.Media(reportFiles...)
	report.Query = []rest.Param{
		{Name: "basis", Type: rest.String, Enum: []string{ghgapp.BasisLive, ghgapp.BasisSubmitted}, Description: "Default: live."},
		versionParam,
		form.FormatParam(slices.Concat([]string{reportJSON}, reportFiles, []string{pactFormat})...),
		form.ShareParam,
	}
	report.Query, report.OrBare = append(report.Query, footprintParams...), footprint.Document{}
	rest.Handle(r.api, report, r.report)

	compare := assessmentRoute(http.MethodGet, "{id}/impact-report/compare/", access.Assessments.View.For("compare_reports"), "Compare two reports of an assessment")
	compare.Description = "Totals, sources and sections of both, with the absolute difference and the difference in per cent of the first; the largest saving first. " +
		"Reports of two engines or factor sets are compared with a warning."
	compare.Query = []rest.Param{
		{Name: "from", Type: rest.String, Description: "Number of a version, or live. Default: the version submitted last."},
		{Name: "to", Type: rest.String, Description: "Number of a version, or live. Default: live."},
		form.ShareParam,
	}
	rest.Handle(r.api, compare, func(ctx context.Context, c *rest.Call, in struct {
		form.SharedByID
		From string `query:"from"`
		To   string `query:"to"`
	}) (ImpactComparison, error) {
		f := fault.Fields{}
		from, to := reportChoice("from", in.From, ghgapp.ReportRequest{}, f), reportChoice("to", in.To, ghgapp.ReportRequest{Live: true}, f)
		if err := f.Err(); err != nil {
			return ImpactComparison{}, err
		}
		found, err := r.use.CompareReports(ctx, c.Principal(), in.Share, in.ID, from, to)
		return ImpactComparison(found), err
	})
	base := assessmentRoute(http.MethodGet, "{id}/impact-report/base-year/", access.Assessments.View.For("compare_base_year"), "Compare a report with that of the farm's base year")
	base.Description = "Compares the version that was submitted last (the live report where none was) with the newest version of the base year of its farm, of the same " +
		"farm or field and the same crop. `recalculation` calculates the content of the base year with today's engine and factors; it is due where the " +
		"emissions differ by the farm's threshold. `state` is `not_stated` where the farm has no base year, `no_version` where nothing of that year was submitted."
	base.Query = []rest.Param{form.ShareParam}
	rest.Handle(r.api, base, func(ctx context.Context, c *rest.Call, in form.SharedByID) (BaseYearReport, error) {
		found, err := r.use.BaseYear(ctx, c.Principal(), in.Share, in.ID)
		return BaseYearReport(found), err
	})
	r.registerVersions()
	r.registerSignatures()
}

// reportChoice reads a report that a query names: live, or the number of a version.
func reportChoice(name, text string, otherwise ghgapp.ReportRequest, f fault.Fields) ghgapp.ReportRequest {
	switch number, err := strconv.Atoi(text); {
	case text == "":
		return otherwise
	case text == liveWord:
		return ghgapp.ReportRequest{Live: true}
	case err == nil && number > 0:
		return ghgapp.ReportRequest{Version: number}
	}
	f.Add(name, "Give the number of a version, or live.")
	return otherwise
}

type reportInput struct {
	form.SharedByID
	Basis   string `query:"basis"`
	Version *int64 `query:"version"`
	form.Formatted
	footprintQuery
}

func (r assessmentRoutes) report(ctx context.Context, c *rest.Call, in reportInput) (rest.OrFile[AssessmentReport], error) {
	var out rest.OrFile[AssessmentReport]
	if in.Format == pactFormat {
		return r.footprint(ctx, c, in)
	}
	request := ghgapp.ReportRequest{Live: in.Basis != ghgapp.BasisSubmitted}
	if in.Version != nil {
		if request.Live || *in.Version < 1 {
			return out, fault.Field(versionParam.Name, "Give the number of a version, from 1, together with basis=submitted.")
		}
		request.Version = int(*in.Version)
	}
	doc, err := r.use.Report(ctx, c.Principal(), in.Share, in.ID, request)
	if err != nil {
		return out, err
	}
	out.Data = AssessmentReport{ImpactReport(doc.Report), form.Each(doc.Evidence, showReported)}
	if format := in.Among(c, append([]string{reportJSON}, reportFiles...)...); format != reportJSON {
		out.File = r.file(ctx, in.ID, format, doc)
	}
	return out, nil
}

// file returns a report as a download.
func (r assessmentRoutes) file(ctx context.Context, id int64, format string, doc ports.ImpactDocument) *rest.Raw {
	name := fmt.Sprintf("impact-report-%d-live", id)
	if doc.Report.ResultVersion != nil {
		name = fmt.Sprintf("impact-report-%d-v%d", id, *doc.Report.ResultVersion)
	}
	return new(form.Download(name, format, func(w io.Writer) error { return r.use.WriteReport(ctx, w, format, doc) }))
}

func (r assessmentRoutes) registerVersions() {
	list := assessmentRoute(http.MethodGet, "{id}/submissions/", access.Assessments.View.For("list_submissions"), "List the submitted versions of an assessment")
	list.Description = "Newest first. Versions never change."
	list.Query = append(query.CursorParams(), form.ShareParam)
	rest.Handle(r.api, list, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		form.SharedByID
	}) (rest.List[AssessmentVersion], error) {
		page := in.PageOrAll()
		return form.List(page, showVersion)(r.use.Submissions(ctx, c.Principal(), in.Share, in.ID, form.QueryOf(page, nil, in.Values)))
	})
	one := assessmentRoute(http.MethodGet, "{id}/submissions/{version}/", access.Assessments.View.For("retrieve_submission"), "Retrieve a submitted version")
	one.Description, one.Query = "With what was entered, the snapshot that was the input of the engine, and its report.", []rest.Param{form.ShareParam}
	rest.Handle(r.api, one, func(ctx context.Context, c *rest.Call, in form.SharedByID) (AssessmentVersionDetails, error) {
		number, err := strconv.Atoi(c.Param("version"))
		if err != nil || number < 1 {
			return AssessmentVersionDetails{}, fault.Missing("version")
		}
		found, err := r.use.SubmissionOf(ctx, c.Principal(), in.Share, in.ID, number)
		if err != nil {
			return AssessmentVersionDetails{}, err
		}
		return showVersionDetails(found), nil
	})
}

func showVersionDetails(v ghgapp.StoredVersion) AssessmentVersionDetails {
	out := AssessmentVersionDetails{AssessmentVersion: showVersion(v.AssessmentVersion), Subject: showSubject(v.Subject), Snapshot: member.RawObject(v.Snapshot), Entered: member.RawObject(v.Entered), Evidence: member.Verbatim[[]evidence.Frozen]("[]")}
	if len(v.Evidence) > 0 {
		out.Evidence = member.Verbatim[[]evidence.Frozen](v.Evidence)
	}
	if v.EnteredDigest != "" {
		out.Completeness = &VersionCompleteness{v.Completeness.Percentage, showSections(v.Completeness)}
	}
	out.Report, out.ReportDigest = member.Verbatim[ImpactReport](v.AssessmentVersion.Report), v.ReportDigest()
	return out
}

func showSubject(s assessment.Subject) AssessmentSubject {
	return AssessmentSubject{
		s.Company, string(s.ResourceType), s.ResourceID, s.Resource, s.Year, s.Crop, s.Country, s.ClimateRegion, s.DataQuality,
		maps.Collect(maps.All(s.Declarations)),
	}
}
