package ghg

import (
	"context"
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	ghgapp "tilth/app/ghg"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/signing"
	"tilth/ports"
)

// AssessmentVersion is a submitted version, without its report.
type AssessmentVersion struct {
	Version        int                `json:"version" doc:"1 for the first."`
	SubmittedAt    time.Time          `json:"submitted_at" doc:"When it was submitted."`
	SubmittedBy    *form.Ref          `json:"submitted_by" doc:"null where that user is gone."`
	InputDigest    string             `json:"input_digest" doc:"SHA-256 of the snapshot that was the input of the engine, hexadecimal."`
	EnteredDigest  string             `json:"entered_digest" doc:"SHA-256 of what was entered, hexadecimal; empty in versions stored before that was kept."`
	EvidenceDigest string             `json:"evidence_digest" doc:"SHA-256 of the list of the files that were attached, hexadecimal; empty where none was."`
	Engine         EngineIdentity     `json:"engine" doc:"The program that calculated it."`
	FactorSet      FactorsIdentity    `json:"factor_set" doc:"The emission factors that it was calculated with."`
	GWPSet         string             `json:"gwp_set" doc:"The set of global warming potentials, as AR6."`
	Signatures     []VersionSignature `json:"signatures" doc:"Signatures of second persons; the earliest first."`
}

// VersionSignature is the signature of a second person on a submitted version.
type VersionSignature struct {
	SignedBy  form.Ref  `json:"signed_by" doc:"Who signed; a different user from the one who submitted."`
	SignedAt  time.Time `json:"signed_at" doc:"When it was signed."`
	Statement string    `json:"statement" doc:"What the signer attests."`
	Digest    string    `json:"digest" doc:"SHA-256, hexadecimal, of the parts of the version that are listed in covers, in its order, one per line."`
	Covers    []string  `json:"covers" doc:"Parts of the version that the signature covers; older signatures do not include report_digest, and those from before files could be attached do not include evidence_digest."`
}

// VersionSigning is what a signer attests.
type VersionSigning struct {
	Statement string `json:"statement" minLength:"1" maxLength:"1000" doc:"What the signer attests."`
}

// EngineIdentity names the engine of a result.
type EngineIdentity struct {
	ID      string `json:"id" doc:"Name of the engine."`
	Version string `json:"version" doc:"Its version."`
}

// FactorsIdentity names the factor set of a result.
type FactorsIdentity struct {
	ID      string `json:"id" doc:"Name of the factor set."`
	Version string `json:"version" doc:"Its version."`
	Digest  string `json:"digest" doc:"SHA-256 of its tables, hexadecimal."`
}

// Finding is what a check reports about a place in an assessment.
type Finding struct {
	Code    string `json:"code" doc:"A stable word for programs."`
	Path    string `json:"path" doc:"The place in the assessment, such as fertilizers[3].rate."`
	Message string `json:"message" doc:"What is unusual, for people."`
}

// AssessmentSubmission is the result of a submission.
type AssessmentSubmission struct {
	AssessmentVersion
	Unchanged  bool             `json:"unchanged" doc:"This content was submitted before, as this version; nothing was stored."`
	Warnings   []Finding        `json:"warnings" doc:"What is unusual, but does not prevent submission."`
	Assessment AssessmentRecord `json:"assessment" doc:"The assessment after the submission, without its sections."`
}

func (r assessmentRoutes) registerSubmission() {
	r.api.DescribeCodes(map[string]string{
		ghgapp.CodeNotSubmittable: "the assessment is not ready for submission; details hold violations and warnings, each with code, path and message (400)",
		"assessment_busy":         "the assessment kept changing while it was submitted; submit it again (409)",
		"engine_unavailable":      "the external calculation engine does not answer; try again (503)",
		"engine_answer":           "the answer of the external calculation engine cannot be used (503)",
		"engine_refused":          "the external calculation engine refuses the request (503)",
		"engine_unconfigured":     "the calculation engine of the company is not configured here (503)",
	})
	submit := assessmentRoute(http.MethodPost, "{id}/submit/", access.Assessments.Edit.For("submit"), "Submit an assessment")
	submit.Description = "Checks the assessment again, calculates it and stores the result as its next version, which never changes. " +
		"Content that the newest version already has returns that version again, with `unchanged`. " +
		"Refused (400, `not_submittable`) with `violations` and `warnings` in `details`, each with code, path and message. " +
		"When the engine fails the answer is 503, and the assessment keeps its previous state."
	submit.Message, submit.Faults = "Assessment submitted.", []int{http.StatusBadRequest, http.StatusConflict, http.StatusServiceUnavailable}
	rest.Handle(r.api, submit, form.OnRecord(r.use.Submit, showSubmission))
}

func (r assessmentRoutes) registerSignatures() {
	r.api.DescribeCodes(map[string]string{
		"own_submission": "the person who submitted a version cannot sign it; a second person does (409)",
		"already_signed": "the caller has signed this version (409)",
	})
	sign := assessmentRoute(http.MethodPost, "{id}/submissions/{version}/sign/", access.SignAssessments.For("sign_submission"), "Sign a submitted version")
	sign.Description = "By a second person: whoever submitted the version is refused (409, `own_submission`). A signature covers the version's digests; " +
		"it is never changed or withdrawn, and each person signs once."
	sign.Body = rest.Body[VersionSigning]()
	sign.Message, sign.Faults = "Version signed.", []int{http.StatusConflict}
	rest.Handle(r.api, sign, func(ctx context.Context, c *rest.Call, in struct {
		form.ByID
		Version int64 `path:"version"`
	}) (AssessmentVersion, error) {
		signed, err := r.use.Sign(ctx, c.Principal(), in.ID, int(in.Version), func() (string, error) {
			body, err := rest.Decode[VersionSigning](c)
			return body.Statement, err
		})
		return showVersion(signed), err
	})
}

func showSubmission(s ghgapp.Submission) AssessmentSubmission {
	return AssessmentSubmission{
		AssessmentVersion: showVersion(s.Version), Unchanged: s.Unchanged, Assessment: showAssessmentRecord(s.Record),
		Warnings: form.Each(s.Warnings, func(f assessment.Finding) Finding { return Finding(f) }),
	}
}

func showVersion(v ports.AssessmentVersion) AssessmentVersion {
	return AssessmentVersion{
		Version: v.Number, SubmittedAt: v.SubmittedAt, SubmittedBy: form.Pointed(v.SubmittedBy, form.Named), InputDigest: v.Digest, EnteredDigest: v.EnteredDigest,
		EvidenceDigest: v.EvidenceDigest, Engine: EngineIdentity{v.Engine, v.EngineVersion},
		FactorSet: FactorsIdentity{v.FactorSet, v.FactorSetVersion, v.FactorSetDigest}, GWPSet: v.GWPSet,
		Signatures: form.Each(v.Signatures, func(s ports.Signature) VersionSignature {
			return VersionSignature{form.Named(s.By), s.At, s.Statement, s.Digest, signing.Parts[:min(s.Parts, len(signing.Parts))]}
		}),
	}
}
