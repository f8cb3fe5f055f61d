package ghg

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/batch"
	"tilth/core/country"
	"tilth/core/fault"
	"tilth/ports"
)

// AssessmentFilter selects assessments; members that are left out do not restrict the selection.
type AssessmentFilter struct {
	AssessmentYear       *int    `json:"assessment_year" required:"false" doc:"Year of the harvest. For copies it is ignored: they are of from_year."`
	ResourceType         *string `json:"resource_type" required:"false" enum:"farm,field" doc:"Assessments of farms, or of single fields."`
	ResourceID           *int64  `json:"resource_id" required:"false" minimum:"1" doc:"Id of the farm or field."`
	ClimateRegion        *string `json:"climate_region" required:"false" doc:"Climate zone of the IPCC, as cool_temperate_moist."`
	FarmCountry          *string `json:"farm_country" required:"false" doc:"Country key, or another name of it."`
	Status               *string `json:"status" required:"false" enum:"draft,submitted" doc:"Those that were never submitted, or those that were."`
	IsReadyForSubmission *bool   `json:"is_ready_for_submission" required:"false" doc:"As it was last worked out."`
	IDs                  []int64 `json:"ids" required:"false" doc:"Only these assessments, at most 10000; the other members narrow them further."`
}

// CopyForward requests copies of assessments for another year.
type CopyForward struct {
	FromYear  int               `json:"from_year" doc:"The year of the assessments that are copied."`
	ToYear    int               `json:"to_year" doc:"The year of the drafts that are made."`
	Filter    *AssessmentFilter `json:"filter" required:"false" doc:"Which assessments of the year are copied; left out: all."`
	Overwrite bool              `json:"overwrite" required:"false" doc:"With true: an existing draft takes on the content of the copy. A submitted assessment is never overwritten."`
}

// SubmitMany requests submissions: of the ids, or of what the filter selects.
type SubmitMany struct {
	IDs    []int64           `json:"ids" required:"false" doc:"These assessments, at most 10000, in this order. Either ids or filter is required, not both."`
	Filter *AssessmentFilter `json:"filter" required:"false" doc:"All assessments that it selects. Either ids or filter is required, not both."`
}

// BatchProblem is the reason why a row or an assessment was refused or skipped.
type BatchProblem struct {
	Code    string `json:"code" doc:"A stable word for programs."`
	Path    string `json:"path" doc:"The member or column it is about, such as fertilizers[0].rate.unit; empty for the whole."`
	Message string `json:"message" doc:"What is wrong, for people."`
}

// BatchItem is one row of a file, or one assessment, with its outcome.
type BatchItem struct {
	Index          int64          `json:"index" doc:"Place in the file, below the heading, in the ids as they were sent, or in the selection; from 0."`
	Row            *int64         `json:"row" doc:"Number of the row as a spreadsheet shows it, or of the line of CSV, the heading being the first; null where there is no table."`
	Verdict        string         `json:"verdict" enum:"create,update,skip,fail,submitted,unchanged,refused" doc:"create, update, submitted: done. skip, unchanged: there was nothing to do, or problems says why nothing was done. fail, refused: nothing was done, for the reason in problems."`
	SourceID       *int64         `json:"source_id" doc:"For a copy: the assessment that was copied, or a requested id that does not exist."`
	AssessmentID   *int64         `json:"assessment_id" doc:"The assessment that was made, changed, found or submitted; for a submission also an id that does not exist."`
	ResourceType   *string        `json:"resource_type" doc:"What is assessed: a farm, or a single field; null where it is not known."`
	ResourceID     *int64         `json:"resource_id" doc:"Id of the farm or field; null where it is not known."`
	AssessmentYear *int           `json:"assessment_year" doc:"Year of the harvest; null where it is not known."`
	Version        *int           `json:"version" doc:"For a submission: number of the version."`
	Problems       []BatchProblem `json:"problems" doc:"Why the row or the assessment was refused or skipped; empty where it was not."`
}

// AssessmentBatch is a batch of assessments processed together, with a report.
type AssessmentBatch struct {
	JobID     *int64           `json:"job_id" doc:"For a batch in the background; null where all was done within the request."`
	Status    string           `json:"status" enum:"queued,running,completed,failed" doc:"queued or running in the background; completed: every item was judged; failed: reason says why."`
	Reason    *string          `json:"reason" doc:"Why the batch failed as a whole."`
	Preview   bool             `json:"preview" doc:"Nothing is stored; the counts say what would be."`
	Atomic    bool             `json:"atomic" doc:"One refused item refuses all."`
	Total     int64            `json:"total" doc:"Rows or assessments, as they were counted at the start."`
	Done      int64            `json:"done" doc:"Judged so far. An atomic import in the background judges all rows, and then once more as it stores them."`
	Counts    map[string]int64 `json:"counts" doc:"Number of items by verdict."`
	Items     []BatchItem      `json:"items" doc:"All of them for a batch within the request; those with problems, at most the first 1000, for one in the background."`
	UpdatedAt time.Time        `json:"updated_at" doc:"When the report was last written."`
}

type bulkRoutes struct {
	api *rest.API
	use *ghgapp.Batches
}

func registerManyAssessments(a *rest.API, use *ghgapp.Batches) {
	r := bulkRoutes{a, use}
	r.registerCopy()
	r.registerSubmit()
	r.registerImport()
	r.registerExport()
	for _, kind := range []struct {
		of                    batch.Kind
		path, action, summary string
	}{
		{assessment.BatchCopy, "copy-forward/", "copy_forward_status", "Retrieve the progress of a copy"},
		{assessment.BatchSubmit, "submit/", "submit_many_status", "Retrieve the progress of a submission of many"},
		{assessment.BatchImport, "import/", "import_status", "Retrieve the progress of an import of assessments"},
	} {
		status := assessmentRoute(http.MethodGet, kind.path+"{job_id}/", access.Assessments.View.For(kind.action), kind.summary)
		status.Noun = "job"
		rest.Handle(a, status, func(ctx context.Context, c *rest.Call, in struct {
			JobID int64 `path:"job_id"`
		}) (AssessmentBatch, error) {
			report, err := use.Retrieve(ctx, c.Principal(), kind.of, in.JobID)
			return showBatch(report), err
		})
	}
}

// answer returns the report of a batch, with 202 if it continues in the background.
func answer(c *rest.Call, report ghgapp.BatchReport, err error) (AssessmentBatch, error) {
	if err == nil && report.Background() {
		c.SetStatus(http.StatusAccepted)
	}
	return showBatch(report), err
}

var alsoInBackground = map[int]string{http.StatusAccepted: "It continues in the background; its address with `job_id` reports the progress."}

func (r bulkRoutes) registerCopy() {
	copies := assessmentRoute(http.MethodPost, "copy-forward/", access.Assessments.Create.For("copy_forward"), "Copy assessments of one year as drafts of another")
	copies.Description = "Makes a draft for `to_year` of each assessment of `from_year` that the filter selects: the general part, the sections and the declarations. " +
		"Dates of planting, harvest and application are left out, since they are of the old year; amounts stay, as a first estimate. The history of the land keeps its years. " +
		"If the farm or field already has an assessment of that year, it is skipped (`exists`), so that a second call makes nothing twice. " +
		"Up to " + strconv.Itoa(ghgapp.MaxAtOnce) + " within the request, more in the background."
	copies.Query = []rest.Param{{Name: "preview", Type: rest.Boolean, Description: "With true: judges everything, and stores nothing."}}
	copies.Message, copies.Also = "Assessments copied.", alsoInBackground
	copies.Body = rest.Body[CopyForward]()
	rest.Handle(r.api, copies, func(ctx context.Context, c *rest.Call, _ struct{}) (AssessmentBatch, error) {
		report, err := r.use.Copy(ctx, c.Principal(), func() (assessment.BatchOptions, error) {
			in, err := rest.Read[struct {
				Preview bool `query:"preview"`
				rest.JSON[CopyForward]
			}](c)
			if err != nil {
				return assessment.BatchOptions{}, err
			}
			form.Previewed(c, in.Preview)
			selection, wrong := selectionOf(in.Body.Filter)
			return assessment.BatchOptions{
				FromYear: in.Body.FromYear, ToYear: in.Body.ToYear, Overwrite: in.Body.Overwrite, Preview: in.Preview, Selection: selection,
			}, nestedIn("filter", wrong)
		})
		return answer(c, report, err)
	})
}

func (r bulkRoutes) registerSubmit() {
	submit := assessmentRoute(http.MethodPost, "submit/", access.Assessments.Edit.For("submit_many"), "Submit many assessments")
	submit.Description = "Each separately, as `assessments/{id}/submit/` does: `submitted` with its version, `unchanged` where the same was submitted before, or `refused` " +
		"with the codes and paths. One that is refused does not hold up the others. `index` is the place in `ids` as they were sent; one that occurs twice is answered twice. Up to " + strconv.Itoa(ghgapp.MaxSubmittedAtOnce) + " within the request, more in the background."
	submit.Message, submit.Also = "Submissions done.", alsoInBackground
	submit.Body = rest.Body[SubmitMany]()
	rest.Handle(r.api, submit, func(ctx context.Context, c *rest.Call, _ struct{}) (AssessmentBatch, error) {
		report, err := r.use.Submit(ctx, c.Principal(), func() (assessment.BatchOptions, error) {
			body, err := rest.Decode[SubmitMany](c)
			if err != nil {
				return assessment.BatchOptions{}, err
			}
			if (body.IDs == nil) == (body.Filter == nil) {
				return assessment.BatchOptions{}, fault.Field("ids", "Give either ids or a filter.")
			}
			selection, wrong := selectionOf(body.Filter)
			if body.Filter == nil {
				selection.IDs = body.IDs
			} else if body.Filter.IDs != nil {
				wrong.Add("ids", "Give ids instead of the filter, not in it.")
			}
			if len(body.IDs) == 0 && body.Filter == nil {
				return assessment.BatchOptions{}, fault.Field("ids", "Give at least one id.")
			}
			return assessment.BatchOptions{Selection: selection}, nestedIn("filter", wrong)
		})
		return answer(c, report, err)
	})
}

func nestedIn(member string, wrong fault.Fields) error {
	f := fault.Fields{}
	f.Nest(member, wrong)
	return f.Err()
}

func selectionOf(in *AssessmentFilter) (assessment.Selection, fault.Fields) {
	out, wrong := assessment.Selection{}, fault.Fields{}
	if in == nil {
		return out, wrong
	}
	out = assessment.Selection{
		Year: in.AssessmentYear, ResourceType: assessment.ResourceType(form.OrZero(in.ResourceType)), Status: assessment.Status(form.OrZero(in.Status)),
		ResourceID: form.OrZero(in.ResourceID), Ready: in.IsReadyForSubmission, IDs: in.IDs,
	}
	if word := form.OrZero(in.ClimateRegion); word != "" {
		key, ok := assessment.ParseClimate(word)
		if out.ClimateRegion = key; !ok {
			wrong.Addf("climate_region", "%q is not one of %s.", word, form.CodeList(assessment.ClimateRegions))
		}
	}
	if word := form.OrZero(in.FarmCountry); word != "" {
		key, ok := country.Parse(word)
		if out.FarmCountry = key; !ok {
			wrong.Addf("farm_country", "%q is not a known country; give its key, such as france or united_states.", word)
		}
	}
	return out, wrong
}

func (r bulkRoutes) registerImport() {
	route := assessmentRoute(http.MethodPost, "import/", access.Assessments.Create.For("import"), "Import assessments from a table")
	route.Description = "Takes a CSV file (comma, semicolon or tab; UTF-8 with or without a byte order mark) or a workbook (`.xlsx`) of at most 512 MiB, as the body or as the first file of a multipart " +
		"form: one row per assessment, with the columns of `import/template.csv`, items of lists numbered from 0 (`fertilizers[1].rate.value`). A row belongs to the assessment with its " +
		"`id`, or else to that of its farm or field (`resource_type` with `resource_id`, `resource_external_id` or `resource_name`) and `assessment_year`; if there is none, it makes a draft. " +
		"A member that has a column takes the value of the row, even if that is empty; one that has none stays as it is; a list with at least one column is replaced. " +
		"A file with unknown columns is refused.\n\nGood rows are stored even if others fail, unless `atomic` is set. Up to " + strconv.Itoa(ghgapp.MaxAtOnce) +
		" rows within the request; a larger file is answered with 202. It also needs `assessment.edit`."
	route.Query = []rest.Param{
		{Name: "preview", Type: rest.Boolean, Description: "With true: judges every row, and stores nothing."},
		{Name: "atomic", Type: rest.Boolean, Description: "With true: one bad row refuses all."},
		form.SheetParam,
	}
	route.Message, route.MaxBody, route.Also = "Assessments imported.", form.MaxUpload, alsoInBackground
	route.Body = rest.FileBody(map[string]string{
		"text/csv": "A table.", form.XLSXType: "A workbook, one sheet of which is a table.", "application/octet-stream": "Either, told apart by the content.", "multipart/form-data": "A form whose first file is a table.",
	})
	rest.Handle(r.api, route, func(ctx context.Context, c *rest.Call, in form.TableImport) (AssessmentBatch, error) {
		form.Previewed(c, in.Preview)
		options := assessment.BatchOptions{Preview: in.Preview, Atomic: in.Atomic, Sheet: in.Sheet}
		report, err := r.use.Import(ctx, c.Principal(), options, form.Upload(c))
		return answer(c, report, err)
	})

	for _, format := range form.Tables {
		template := assessmentRoute(http.MethodGet, "import/template."+format+"/", access.Assessments.View.For("import_template"), "An empty table for the import, "+strings.ToUpper(format))
		template.OperationID += map[string]string{ports.XLSX: "_xlsx"}[format]
		template.Description = "Every column once, lists with their first item."
		template.Query = []rest.Param{{Name: "example", Type: rest.Boolean, Description: "With true: with one row of example values."}}
		template.Media = form.Media(format)
		rest.Handle(r.api, template, func(ctx context.Context, c *rest.Call, in struct {
			Example bool `query:"example"`
		}) (rest.Raw, error) {
			write, err := r.use.Template(ctx, c.Principal(), format, in.Example)
			return form.Download("assessments-template", format, write), err
		})
	}
}

func (r bulkRoutes) registerExport() {
	export := assessmentRoute(http.MethodGet, "export/", access.Assessments.View.For("export"), "Export assessments as a table")
	export.Description = "`kind=assessments`: one row per assessment, which the import accepts again. `kind=lines`: one row per source of emissions or removals of the newest submitted version of each, " +
		"kg of each gas and t CO2e. In CSV, texts that a spreadsheet would take for a formula are preceded by an apostrophe, which the import removes again."
	filters := append(assessmentFilters(),
		rest.Param{Name: "climate_region", Type: rest.String, Enum: assessment.ClimateRegions, Description: "Climate zone."},
		rest.Param{Name: "farm_country", Type: rest.String, Description: "Country key."},
		rest.Param{Name: "updated_since", Type: rest.Timestamp, Description: "Records written at or after this time."},
		rest.Param{Name: "search", Type: rest.String, Description: "A part of the name of the farm or field, whatever its case."})
	export.Query = append([]rest.Param{
		{Name: "kind", Type: rest.String, Enum: []string{"assessments", "lines"}, Description: "Default: assessments."},
		form.FormatParam(form.Tables...), form.ShareParam,
	}, filters...)
	export.Media = form.Media(form.Tables...)
	rest.Handle(r.api, export, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		form.Shared
		form.Formatted
		Kind string `query:"kind"`
	}) (rest.Raw, error) {
		format := in.Among(c, form.Tables...)
		query := form.QueryOf(form.Whole, filters, in.Values)
		if in.Kind == "lines" {
			write, err := r.use.ExportLines(ctx, c.Principal(), in.Share, query, format)
			return form.Download("assessment-lines", format, write), err
		}
		write, err := r.use.Export(ctx, c.Principal(), in.Share, query, format)
		return form.Download("assessments", format, write), err
	})
}

func showBatch(r ghgapp.BatchReport) AssessmentBatch {
	return AssessmentBatch{
		JobID: form.If(r.Background(), r.ID), Status: string(r.Status), Reason: form.OrNull(r.Reason), Preview: r.Options.Preview, Atomic: r.Options.Atomic,
		Total: r.Total, Done: r.Done, Counts: counted(r.Tally), Items: form.Each(r.Judged, showBatchItem), UpdatedAt: r.UpdatedAt,
	}
}

func showBatchItem(j assessment.Judged) BatchItem {
	return BatchItem{
		j.Index, form.OrNull(j.Line), string(j.Outcome), form.OrNull(j.SourceID), form.OrNull(j.AssessmentID), form.OrNull(string(j.ResourceType)),
		form.OrNull(j.ResourceID), j.Year, form.If(j.Version > 0, j.Version), form.Each(j.Problems, showProblem),
	}
}

func showProblem(p assessment.Finding) BatchProblem { return BatchProblem(p) }
