package ghg

import (
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/ports"
)

// AssessmentVersion is a submitted version, without its report.
type AssessmentVersion struct {
	Version       int             `json:"version" doc:"1 for the first."`
	SubmittedAt   time.Time       `json:"submitted_at"`
	SubmittedBy   *form.Ref       `json:"submitted_by" doc:"null where that user is gone."`
	InputDigest   string          `json:"input_digest" doc:"SHA-256 of the snapshot that the engine was given, hexadecimal."`
	EnteredDigest string          `json:"entered_digest" doc:"SHA-256 of what was entered, hexadecimal; empty in versions stored before that was kept."`
	Engine        EngineIdentity  `json:"engine"`
	FactorSet     FactorsIdentity `json:"factor_set"`
	GWPSet        string          `json:"gwp_set"`
}

// EngineIdentity names the engine of a result.
type EngineIdentity struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// FactorsIdentity names the factor set of a result.
type FactorsIdentity struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Digest  string `json:"digest"`
}

// Finding is what a check has to say of a place in an assessment.
type Finding struct {
	Code    string `json:"code"`
	Path    string `json:"path" doc:"fertilizers[3].rate"`
	Message string `json:"message"`
}

// AssessmentSubmission is what came of a submission.
type AssessmentSubmission struct {
	AssessmentVersion
	Unchanged  bool             `json:"unchanged" doc:"This content was submitted before, as this version; nothing was stored."`
	Warnings   []Finding        `json:"warnings" doc:"What is odd, and no obstacle."`
	Assessment AssessmentRecord `json:"assessment"`
}

func (r assessmentRoutes) registerSubmission() {
	r.api.DescribeCodes(map[string]string{
		ghgapp.CodeNotSubmittable: "the assessment is not ready for submission; details hold violations and warnings, each with code, path and message (400)",
		"assessment_busy":         "the assessment was written again and again while it was submitted; submit it again (409)",
		"engine_unavailable":      "the external calculation engine does not answer; try again (503)",
		"engine_answer":           "the answer of the external calculation engine cannot be used (503)",
		"engine_refused":          "the external calculation engine refuses the request (503)",
		"engine_unconfigured":     "the calculation engine of the company is not configured here (503)",
	})
	submit := assessmentRoute(http.MethodPost, "{id}/submit/", access.Assessments.Edit.For("submit"), "Submit an assessment")
	submit.Description = "Checks the assessment afresh, calculates it and stores the result as its next version, which never changes. " +
		"Content that the newest version holds already gives that version again, with `unchanged`. " +
		"Refused (400, `not_submittable`) with `violations` and `warnings` in `details`, each with code, path and message. " +
		"When the engine fails the answer is 503, and the assessment keeps the state it had."
	submit.Message, submit.Faults = "Assessment submitted.", []int{http.StatusBadRequest, http.StatusConflict, http.StatusServiceUnavailable}
	rest.Handle(r.api, submit, form.OnRecord(r.use.Submit, showSubmission))
}

func showSubmission(s ghgapp.Submission) AssessmentSubmission {
	return AssessmentSubmission{
		AssessmentVersion: showVersion(s.Version), Unchanged: s.Unchanged, Assessment: showAssessmentRecord(s.Record),
		Warnings: form.Each(s.Warnings, func(f assessment.Finding) Finding { return Finding(f) }),
	}
}

func showVersion(v ports.AssessmentVersion) AssessmentVersion {
	return AssessmentVersion{
		Version: v.Number, SubmittedAt: v.SubmittedAt, SubmittedBy: form.Pointed(v.SubmittedBy, form.Named), InputDigest: v.Digest, EnteredDigest: v.EnteredDigest, Engine: EngineIdentity{v.Engine, v.EngineVersion},
		FactorSet: FactorsIdentity{v.FactorSet, v.FactorSetVersion, v.FactorSetDigest}, GWPSet: v.GWPSet,
	}
}
