package ghg

import (
	"context"
	"fmt"
	"strings"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/assessment/signing"
	"tilth/core/audit"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/ports"
)

// SignAction is the action of signing a version, in the audit trail.
const SignAction audit.Action = "sign"

// Sign adds the caller's signature to a version that another person submitted, in one transaction with its event and
// its entry in the audit trail, and returns the version. statement is called once the version is found. Signatures are
// never withdrawn. Faults: NotFound (also the version), Invalid, Conflict (own_submission, already_signed), and those
// of statement.
func (a *Assessments) Sign(ctx context.Context, who access.Principal, id int64, number int, statement func() (string, error)) (ports.AssessmentVersion, error) {
	scope, now := who.Scope(false), a.Clock.Now()
	return app.Write(ctx, a.Deps, who, access.SignAssessments, func(ctx context.Context, tx ports.Repos) (version ports.AssessmentVersion, err error) {
		record, err := tx.Assessments.GetForUpdate(ctx, scope, id)
		if err != nil {
			return version, err
		}
		if version, err = tx.AssessmentVersions.Get(ctx, scope, id, number); err != nil {
			return version, err
		}
		text, err := statement()
		if err != nil {
			return version, err
		}
		if text = strings.TrimSpace(text); text == "" {
			return version, fault.Field("statement", "State what you attest, such as: I compared the entries with the invoices.")
		}
		if err := signing.Allowed(who.UserID, submitterOf(version), signersOf(version)); err != nil {
			return version, err
		}
		signature := ports.Signature{By: access.Named{ID: who.UserID, Name: who.Name}, At: now, Statement: text, Digest: version.SignedDigest(), Parts: len(signing.Parts)}
		if err := tx.AssessmentVersions.Sign(ctx, scope, id, number, signature); err != nil {
			return version, err
		}
		published := event.Event{
			ID: a.IDs.UUID(), Type: event.TypeAssessmentSigned, CompanyID: record.CompanyID, Subject: fmt.Sprintf("assessment/%d", id), At: now,
			Data: event.AssessmentSigned{Assessment: id, Version: number, Digest: signature.Digest},
		}
		if err := tx.Outbox.Add(ctx, published); err != nil {
			return version, err
		}
		changes := []audit.Change{
			{Member: "version", After: int64(number)}, {Member: "digest", After: signature.Digest}, {Member: "statement", After: text},
		}
		if err := tx.Audit.Add(ctx, audit.By(who, now).Of(SignAction, access.Assessments.Name, id, changes)); err != nil {
			return version, err
		}
		return tx.AssessmentVersions.Get(ctx, scope, id, number)
	})
}

// submitterOf returns the id of the user who submitted a version; 0 if that user is gone.
func submitterOf(v ports.AssessmentVersion) int64 {
	if v.SubmittedBy == nil {
		return 0
	}
	return v.SubmittedBy.ID
}

func signersOf(v ports.AssessmentVersion) []int64 {
	out := make([]int64, len(v.Signatures))
	for i, s := range v.Signatures {
		out[i] = s.By.ID
	}
	return out
}
