package ghg

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/assessment/evidence"
	"tilth/core/ghg/report"
	"tilth/ports"
)

// newestVersion returns the last submitted version, without its snapshot and report; nil if there
// is none.
func newestVersion(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (*ports.AssessmentVersion, error) {
	for version, err := range tx.AssessmentVersions.Each(ctx, scope, id, ports.Query{Limit: 1}) {
		return &version, err
	}
	return nil, nil
}

// isOf reports whether a version has this content, engine and factors.
func (c calculation) isOf(v ports.AssessmentVersion) bool {
	r := c.result
	return v.Digest == c.digest && enteredSame(v, c.enteredSum) && v.EvidenceDigest == c.listedSum && subjectOf(v).Same(c.subject) && v.Engine == r.Engine.ID && v.EngineVersion == r.Engine.Version &&
		v.FactorSet == r.FactorSet.ID && v.FactorSetVersion == r.FactorSet.Version && v.FactorSetDigest == r.FactorSet.Digest && v.GWPSet == r.GWP
}

// enteredSame reports whether a version has this digest of what was entered. A version stored before that digest was
// kept counts as the same.
func enteredSame(v ports.AssessmentVersion, digest string) bool {
	return v.EnteredDigest == "" || v.EnteredDigest == digest
}

// subjectOf reads the subject of a version.
func subjectOf(v ports.AssessmentVersion) (out assessment.Subject) {
	if len(v.Subject) > 0 {
		_ = json.Unmarshal(v.Subject, &out) // written by json.Marshal, and never changed since
	}
	return out
}

// version returns the version with a number, and its report.
func (c calculation) version(who access.Principal, number int, at time.Time) (ports.AssessmentVersion, report.Report, error) {
	report := report.New(c.result, report.About{
		AssessmentID: c.whole.ID, Basis: BasisSubmitted, ResultVersion: &number, ComputedAt: at, Warnings: assessment.Warnings(c.warnings),
	})
	out := ports.AssessmentVersion{
		AssessmentID: c.whole.ID, Number: number, Digest: c.digest, Entered: c.entered, EnteredDigest: c.enteredSum, Evidence: c.listed, EvidenceDigest: c.listedSum,
		Completeness: c.state,
		Engine:       c.result.Engine.ID, EngineVersion: c.result.Engine.Version,
		FactorSet: c.result.FactorSet.ID, FactorSetVersion: c.result.FactorSet.Version, FactorSetDigest: c.result.FactorSet.Digest,
		GWPSet: c.result.GWP, SubmittedAt: at, SubmittedBy: &access.Named{ID: who.UserID, Name: who.Name},
	}
	for _, part := range []struct {
		into  *[]byte
		value any
	}{{&out.Snapshot, c.input}, {&out.Subject, c.subject}, {&out.Report, report}} {
		text, err := json.Marshal(part.value)
		if err != nil {
			return out, report, fmt.Errorf("a part of the version has no JSON form: %w", err)
		}
		*part.into = text
	}
	return out, report, nil
}

// unsubmitted reports whether the content of a submitted assessment differs from its newest version.
func (a *Assessments) unsubmitted(ctx context.Context, tx ports.Repos, scope access.Scope, whole Whole) (bool, error) {
	newest, err := newestVersion(ctx, tx, scope, whole.ID)
	if err != nil || newest == nil {
		return true, err
	}
	facts, _, err := a.facts(ctx, tx, scope, &whole)
	if err != nil {
		return true, err
	}
	in, _, _ := a.Table.Normalise(&whole.Assessment, whole.Sheet, facts)
	digest, err := in.Digest()
	if err != nil {
		return true, err
	}
	_, entered, err := a.Table.AsEntered(&whole.Assessment, whole.Sheet).Text()
	if err != nil {
		return true, err
	}
	files, err := tx.Evidence.Of(ctx, scope, whole.ID)
	if err != nil {
		return true, err
	}
	list, _ := evidence.Listed(files, whole.Sheet)
	_, listed, err := list.Text()
	return listed != newest.EvidenceDigest || digest != newest.Digest || !enteredSame(*newest, entered) || !whole.Subject("", in).Same(subjectOf(*newest)), err
}
