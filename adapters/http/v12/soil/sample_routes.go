package soil

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/soil"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/stratification/sample"
	"tilth/ports"
)

const samplesPath = stratificationPath + "samples/"

// SampleDepth is a depth interval.
type SampleDepth struct {
	From float64 `json:"from" minimum:"0" maximum:"300" doc:"cm below the surface, to a millimetre."`
	To   float64 `json:"to" minimum:"0" maximum:"300"`
}

// SamplesWrite asks for the samples of a plan.
type SamplesWrite struct {
	Plan   string        `json:"plan" format:"uuid" doc:"map_uuid of a saved plan."`
	Depths []SampleDepth `json:"depths" minItems:"1" maxItems:"10"`
	Round  *int64        `json:"round" required:"false" minimum:"1" maximum:"100" doc:"1 where left out; a later round takes the same points again."`
}

// SamplesMade is what became of it.
type SamplesMade struct {
	Plan     string `json:"plan" format:"uuid"`
	Round    int64  `json:"round"`
	Created  int64  `json:"created"`
	Existing int64  `json:"existing" doc:"Were there before, and stay as they are."`
}

// ImportedSample is a row of a file with what the import makes of it.
type ImportedSample struct {
	Index    int64          `json:"index" doc:"Place in the file, from 0, without the header."`
	Label    string         `json:"label"`
	Verdict  string         `json:"verdict" enum:"update,skip,fail"`
	SampleID *int64         `json:"sample_id"`
	Status   *string        `json:"status" doc:"State of the sample after it."`
	Errors   rest.RawObject `json:"errors" doc:"By field; why the row is refused."`
}

// SampleImport is an import of samples with its report.
type SampleImport struct {
	Preview bool             `json:"preview" doc:"Nothing is stored."`
	Atomic  bool             `json:"atomic"`
	Updated int64            `json:"updated"`
	Skipped int64            `json:"skipped" doc:"They say nothing new."`
	Failed  int64            `json:"failed"`
	Rows    []ImportedSample `json:"rows"`
}

var sampleRoute = rest.Routes{Operation: "sample", Tag: stratificationTag, Noun: "sample"}.Route

func registerSamples(a *rest.API, s *soil.Samples) {
	a.DescribeCodes(map[string]string{
		"plan_not_saved":      "samples are of saved plans; save the plan first (409)",
		"plan_without_places": "the points of the plan have no longitude and latitude (409)",
		"no_analyses":         "no sample of the plan is analysed in that round yet (409)",
		"other_zones":         "the two plans are of different maps of zones, which cannot be compared (409)",
	})
	list := sampleRoute(http.MethodGet, samplesPath, access.Samples.View.For("list"), "List samples")
	filters := append(sampleFilters(), rest.Param{Name: "updated_since", Type: rest.Timestamp, Description: "Records written at or after this time."})
	list.Query = append(rest.PageParams(), filters...)
	rest.Handle(a, list, func(ctx context.Context, c *rest.Call, q rest.Values) (rest.List[Sample], error) {
		return form.List(q.PageOrAll(), showSample)(s.List(ctx, c.Principal(), form.QueryOf(q.PageOrAll(), filters, q)))
	})
	plan := sampleRoute(http.MethodPost, samplesPath, access.Samples.Create.For("plan"), "Make the samples of a plan")
	plan.Description = "Makes one planned sample for every point of a saved plan, reserves among them, and depth interval. What is there already stays, so the call may be " +
		"repeated, also with further depths. Every sample gets a label to be printed, such as `P7-Z2-07-0-30`: plan, point, depth."
	plan.Faults, plan.Message = []int{http.StatusNotFound, http.StatusConflict}, "Samples planned."
	rest.Handle(a, plan, func(ctx context.Context, c *rest.Call, in rest.JSON[SamplesWrite]) (SamplesMade, error) {
		req := soil.SampleRequest{Plan: strings.ToLower(in.Body.Plan), Round: 1}
		put(&req.Round, in.Body.Round)
		for _, d := range in.Body.Depths {
			req.Depths = append(req.Depths, sample.DepthOf(d.From, d.To))
		}
		made, err := s.Plan(ctx, c.Principal(), req)
		return SamplesMade{made.PlanUUID, made.Round, made.Created, made.Existing}, err
	})
	retrieve := sampleRoute(http.MethodGet, samplesPath+"{id}/", access.Samples.View.For("retrieve"), "Retrieve a sample")
	rest.Handle(a, retrieve, form.OnRecord(s.Retrieve, showSample))
	patch := sampleRoute(http.MethodPatch, samplesPath+"{id}/", access.Samples.Edit.For("partial_update"), "Change a sample")
	patch.Faults, patch.Message = []int{http.StatusPreconditionFailed}, "Sample updated."
	patch.Description = "For the crew in the field and the laboratory. The status is planned, then collected, then analysed, as `collected` and `lab` say; null withdraws them. " +
		"A sample that could not be taken is missed. How far it was moved from its planned place is measured on the ellipsoid."
	patch.Body = rest.Body[SampleWrite]()
	rest.Handle(a, patch, func(ctx context.Context, c *rest.Call, in form.ByID) (Sample, error) {
		changed, err := s.Update(ctx, c.Principal(), in.ID, func(current sample.Sample) (sample.Sample, error) {
			return form.Change(c, current, showSample, writeOfSample, applySample)
		})
		return showSample(changed), err
	})
	registerEstimate(a, s)
}

func registerSampleFiles(a *rest.API, s *soil.SampleFiles) {
	export := sampleRoute(http.MethodGet, samplesPath+"export/", access.Samples.View.For("export"), "Export samples as a file")
	export.Description = "The samples that the list gives for the same filters: CSV, whose columns the import takes, or GeoJSON with the place where each was taken, or else planned (WGS84)."
	export.Query = append([]rest.Param{{Name: "format", Type: rest.String, Enum: []string{"csv", "geojson"}, Description: "Default csv."}}, sampleFilters()...)
	export.Media = []string{"text/csv", "application/geo+json"}
	rest.Handle(a, export, func(ctx context.Context, c *rest.Call, in struct {
		rest.Values
		Format string `query:"format"`
	}) (rest.Raw, error) {
		format := cmp.Or(in.Format, ports.CSV)
		write, err := s.Export(ctx, c.Principal(), format, form.PageOf(rest.PageSpec{All: true, Number: 1}, form.FiltersOf(sampleFilters(), in.Values)))
		return rest.Raw{ContentType: stratificationFormats[format].media, Filename: "samples." + format, Write: write}, err
	})
	take := sampleRoute(http.MethodPost, samplesPath+"import/", access.ImportSamples.For("import"), "Import results of samples")
	take.Description = "Takes a CSV file with a header, or a JSON array of objects, of at most " + strconv.Itoa(soil.MaxSampleRows) + " rows with the columns `" +
		strings.Join(ports.SampleColumns, "`, `") + "`; `label` finds the sample, other columns are ignored, and an empty cell leaves what is there. Good rows are stored although " +
		"others fail, unless `atomic` is set: then one that fails refuses all."
	take.Query = []rest.Param{
		{Name: "preview", Type: rest.Boolean, Description: "With true: judges every row, and stores nothing."},
		{Name: "atomic", Type: rest.Boolean, Description: "With true: one bad row refuses all."},
	}
	take.Message = "Samples imported."
	take.Body = rest.FileBody(map[string]string{
		"text/csv": "Rows under a header.", "application/json": "An array of objects.", "multipart/form-data": "A form whose first file is either.",
	})
	rest.Handle(a, take, func(ctx context.Context, c *rest.Call, in form.Import) (SampleImport, error) {
		options := soil.SampleImportOptions{Preview: in.Preview, Atomic: in.Atomic}
		judged, err := s.Import(ctx, c.Principal(), options, func() (io.Reader, error) {
			_, content, err := form.UploadedFile(c)
			return content, err
		})
		if err != nil {
			return SampleImport{}, err
		}
		return showSampleImport(judged, options)
	})
}

func showSampleImport(judged []soil.JudgedSample, options soil.SampleImportOptions) (SampleImport, error) {
	out := SampleImport{Preview: options.Preview, Atomic: options.Atomic, Rows: make([]ImportedSample, len(judged))}
	for i, j := range judged {
		row := ImportedSample{SampleID: form.OrNull(j.SampleID), Index: j.Index, Label: j.Label, Verdict: j.Verdict, Status: form.OrNull(string(j.Status))}
		errs := j.Errors
		if errs == nil {
			errs = fault.Fields{}
		}
		var err error
		if row.Errors, err = json.Marshal(errs); err != nil {
			return out, err
		}
		out.Rows[i] = row
		switch j.Verdict {
		case soil.SampleUpdate:
			out.Updated++
		case soil.SampleSkip:
			out.Skipped++
		default:
			out.Failed++
		}
	}
	return out, nil
}
