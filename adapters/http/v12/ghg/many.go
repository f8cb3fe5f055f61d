package ghg

import (
	"context"
	"net/http"
	"strconv"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/fault"
)

// PrefillManyRequest requests what the farm records know about several assessments.
type PrefillManyRequest struct {
	IDs []int64 `json:"ids" doc:"Ids of the assessments, at most 100."`
	PrefillRequest
}

// PrefillItem is the result for one id.
type PrefillItem struct {
	Index        int   `json:"index" doc:"Place in the ids as they were sent, from 0."`
	AssessmentID int64 `json:"assessment_id" doc:"Id of the assessment."`
	Prefill
	Problems []BatchProblem `json:"problems" doc:"Why it was refused, in which case nothing of it was written."`
}

// PrefillItems is the result of a prefill of many.
type PrefillItems struct {
	Items []PrefillItem `json:"items" doc:"One for each assessment, in the order of the request."`
}

// ReportsRequest requests the reports of several assessments.
type ReportsRequest struct {
	IDs   []int64 `json:"ids" doc:"Ids of the assessments, at most 500."`
	Basis *string `json:"basis" required:"false" enum:"live,submitted" doc:"live: their current content (default); submitted: the versions submitted last."`
}

func registerMany(a *rest.API, use *ghgapp.Assessments) {
	prefill := assessmentRoute(http.MethodPost, "prefill/", access.Assessments.Edit.For("prefill_many"), "Fill in many assessments from the farm records")
	prefill.Description = "Does for each of `ids` what `assessments/{id}/prefill/` does for one. One that is refused does not hold up the others: its `problems` say why. " +
		"It also needs field.view, cultivation.view and fertilization.view."
	prefill.Message, prefill.Body = "Prefilled.", rest.Body[PrefillManyRequest]()
	rest.Handle(a, prefill, func(ctx context.Context, c *rest.Call, _ struct{}) (PrefillItems, error) {
		found, err := use.PrefillMany(ctx, c.Principal(), func() (ghgapp.PrefillManyOptions, error) {
			body, err := rest.Decode[PrefillManyRequest](c)
			return ghgapp.PrefillManyOptions{IDs: body.IDs, PrefillOptions: body.options()}, err
		})
		out := PrefillItems{Items: make([]PrefillItem, len(found))}
		for i, one := range found {
			out.Items[i] = PrefillItem{i, one.AssessmentID, showPrefill(one.Prefilled), form.Each(one.Problems, showProblem)}
		}
		return out, err
	})

	reports := assessmentRoute(http.MethodPost, "reports/", access.Assessments.View.For("reports"), "The reports of many assessments as PDF")
	reports.Description = "A zip archive, streamed: a PDF of each of `ids`, in the order sent, and " + ghgapp.ReportsManifest + ", which names the file of each id and says " +
		"what kept a report from being made. At most " + strconv.Itoa(ghgapp.MaxReports) + " ids; one that is not the company's is 404."
	reports.Media, reports.Body, reports.Reading = form.Media(form.Zip), rest.Body[ReportsRequest](), true
	reports.Query = []rest.Param{form.ShareParam}
	reports.Faults = []int{http.StatusNotFound}
	rest.Handle(a, reports, func(ctx context.Context, c *rest.Call, in struct{ form.Shared }) (rest.Raw, error) {
		body, err := rest.Decode[ReportsRequest](c)
		if err != nil {
			return rest.Raw{}, err
		}
		basis := form.OrZero(body.Basis)
		if basis != "" && basis != ghgapp.BasisLive && basis != ghgapp.BasisSubmitted {
			return rest.Raw{}, fault.Field("basis", "Give live or submitted.")
		}
		write, err := use.Reports(ctx, c.Principal(), in.Share, body.IDs, basis != ghgapp.BasisSubmitted)
		return form.Download("impact-reports", form.Zip, write), err
	})
}
