package ghg

import (
	"context"
	"fmt"

	"tilth/app/idempotency"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
)

// The maximum numbers of assessments named in one request: for prefills, and for reports.
const (
	MaxPrefilled = 100
	MaxReports   = 500
)

// PrefillManyOptions are the options of a prefill of many.
type PrefillManyOptions struct {
	IDs []int64
	PrefillOptions
}

// PrefilledOne is the outcome for one id; outcomes are in the order in which the ids were sent.
type PrefilledOne struct {
	AssessmentID int64
	Prefilled
	Problems []assessment.Finding // why it was refused; then nothing was written for it
}

// PrefillMany does for each of several assessments what [Assessments.Prefill] does for one. A refused one does not hold
// up the others. Faults: Invalid (ids, sections).
func (a *Assessments) PrefillMany(ctx context.Context, who access.Principal, decode func() (PrefillManyOptions, error)) ([]PrefilledOne, error) {
	if err := a.Gate.Require(ctx, who, prefillNeeds...); err != nil {
		return nil, err
	}
	options, err := decode()
	if err != nil {
		return nil, err
	}
	if err := checkIDs(options.IDs, MaxPrefilled); err != nil {
		return nil, err
	}
	if err := checkPrefillSections(options.Sections); err != nil {
		return nil, err
	}
	apart := idempotency.Apart(ctx) // a repeat of the request finds what was applied
	out := make([]PrefilledOne, len(options.IDs))
	for i, id := range options.IDs {
		out[i].AssessmentID = id
		done, err := a.Prefill(apart, who, id, func() (PrefillOptions, error) { return options.PrefillOptions, nil })
		switch known, isFault := fault.As(err); {
		case err == nil:
			out[i].Prefilled = done
		case isFault && known.Kind == fault.NotFound:
			out[i].Problems = noSuch()
		case isFault && known.Kind == fault.Invalid && len(known.Fields) > 0:
			out[i].Problems = assessment.Problems(known.Fields)
		default:
			return nil, err
		}
	}
	return out, nil
}

// checkIDs refuses an empty list, too many ids, and ids that no record can have.
func checkIDs(ids []int64, upper int) error {
	switch {
	case len(ids) == 0:
		return fault.Field("ids", "Give at least one id.")
	case len(ids) > upper:
		return fault.Field("ids", fmt.Sprintf("At most %d ids in one request; this has %d.", upper, len(ids)))
	}
	for _, id := range ids {
		if id < 1 {
			return fault.Field("ids", "Ids are whole numbers above 0.")
		}
	}
	return nil
}
