package wire

import (
	"context"

	"tilth/app/assessing"
	"tilth/app/bulk"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
)

// submitter submits single assessments for those who submit many.
type submitter struct{ Assessing *assessing.Assessing }

// SubmitOne implements bulk.Submitter.
func (s *submitter) SubmitOne(ctx context.Context, who access.Principal, id int64) (bulk.Submission, []assessment.Finding, error) {
	if _, err := s.Assessing.Retrieve(ctx, who, false, id, "submit"); err != nil {
		return bulk.Submission{}, nil, err
	}
	return bulk.Submission{}, nil, fault.New(fault.Invalid, "submission_unavailable", "Assessments cannot be submitted yet.")
}
