package ghg

import (
	"context"
	"net/http"
	"slices"

	"tilth/adapters/http/member"
	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment/prefill"
)

// PrefillRequest requests what the farm records know about an assessment.
type PrefillRequest struct {
	Apply     bool     `json:"apply" required:"false" doc:"With true: what is proposed is written where nothing is filled in yet."`
	Overwrite bool     `json:"overwrite" required:"false" doc:"With true: it is also written where something is filled in."`
	Sections  []string `json:"sections" required:"false" doc:"Of general, crop, fertilizers, organic_inputs and irrigation; default: all."`
	CropID    *int64   `json:"crop_id" required:"false" minimum:"1" doc:"Which crop of the catalog counts, where several grow here in the year."`
}

// RecordRef is a record that a proposal is based on.
type RecordRef struct {
	Resource string `json:"resource" enum:"farm,field,cultivation,crop,fertilization" doc:"What kind of record it is."`
	ID       int64  `json:"id" doc:"Id of the record."`
	Name     string `json:"name" doc:"Its name now."`
}

// PrefillProposal is one line of the difference between the assessment and the records.
type PrefillProposal struct {
	Path     string       `json:"path" doc:"The member of the assessment, such as crop.crop_type."`
	Current  member.Value `json:"current" doc:"The present value; null: nothing yet."`
	Proposed member.Value `json:"proposed" doc:"The value according to the records."`
	Sources  []RecordRef  `json:"sources" doc:"The records that it comes from."`
	Filled   bool         `json:"filled" doc:"A value is already filled in; it stays, unless overwrite is set."`
	Same     bool         `json:"same" doc:"The present value is the proposed one."`
	Applied  bool         `json:"applied" doc:"Whether it was written; false for a preview."`
}

// PrefillChoice is an answer to a question.
type PrefillChoice struct {
	CropID   int64       `json:"crop_id" doc:"Id of the crop, to answer with in crop_id."`
	Name     string      `json:"name" doc:"English name of the crop."`
	CropType *string     `json:"crop_type" doc:"Its key in an assessment; null: the catalog has none."`
	Sources  []RecordRef `json:"sources" doc:"The records that it comes from."`
}

// PrefillQuestion is what the records leave open. It is never guessed.
type PrefillQuestion struct {
	Path    string          `json:"path" doc:"The member of the assessment that is left open."`
	Message string          `json:"message" doc:"The question, for people."`
	Choices []PrefillChoice `json:"choices" doc:"The possible answers."`
}

// Prefill is what the farm records know about an assessment.
type Prefill struct {
	Proposals []PrefillProposal `json:"proposals" doc:"What the records say, member by member."`
	Questions []PrefillQuestion `json:"questions" doc:"What they leave open; it is never guessed."`
	Notes     []BatchProblem    `json:"notes" doc:"What the records contain that is not taken over, and why."`
}

func registerPrefill(a *rest.API, use *ghgapp.Assessments) {
	r := rest.Route{
		Method: http.MethodPost, Path: assessmentsPath + "{id}/prefill/", OperationID: "assessment_prefill", Tag: "Assessments", Noun: "assessment",
		Summary: "Fill in an assessment from the farm records", Permission: access.Assessments.Edit.For("prefill"), Message: "Prefilled.",
		Description: "Proposes `farm_country`, `growing_area`, `crop.crop_type`, `fertilizers`, `organic_inputs` and a declaration of no irrigation from the farm, the fields, their cultivations " +
			"in seasons whose `harvest_year` is the assessment year, and the fertilizations of these. Each proposal names its records. Where several crops grow, it asks a question, and proposes nothing " +
			"that depends on the answer. With `apply` it writes what is proposed and not filled in. It also needs field.view, cultivation.view and fertilization.view.",
	}
	r.Body = rest.Body[PrefillRequest]().Optional()
	rest.Handle(a, r, func(ctx context.Context, c *rest.Call, in form.ByID) (Prefill, error) {
		found, err := use.Prefill(ctx, c.Principal(), in.ID, func() (ghgapp.PrefillOptions, error) {
			var body PrefillRequest
			raw, err := c.Body()
			if err == nil && len(raw) > 0 { // it may be left out
				body, err = rest.Decode[PrefillRequest](c)
			}
			return body.options(), err
		})
		return showPrefill(found), err
	})
}

func (r PrefillRequest) options() ghgapp.PrefillOptions {
	return ghgapp.PrefillOptions{Apply: r.Apply, Overwrite: r.Overwrite, Sections: r.Sections, CropID: form.OrZero(r.CropID)}
}

func showPrefill(p ghgapp.Prefilled) Prefill {
	source := func(s prefill.Source) RecordRef { return RecordRef(s) }
	proposal := func(of prefill.Proposal) PrefillProposal {
		return PrefillProposal{
			of.Path, member.Value{V: of.Current}, member.Value{V: of.Proposed}, form.Each(of.Sources, source),
			of.Filled(), of.Same(), slices.Contains(p.Applied, of.Path),
		}
	}
	choice := func(c prefill.CropChoice) PrefillChoice {
		return PrefillChoice{c.CropID, c.Name, form.OrNull(c.CropType), form.Each(c.Sources, source)}
	}
	question := func(q prefill.Question) PrefillQuestion {
		return PrefillQuestion{q.Path, q.Message, form.Each(q.Choices, choice)}
	}
	return Prefill{form.Each(p.Proposals, proposal), form.Each(p.Questions, question), form.Each(p.Notes, showProblem)}
}
