package ghg

import (
	"context"
	"fmt"

	"tilth/app/idempotency"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
)

// The most assessments that are named in one request: for prefills, and for reports.
const (
	MaxPrefilled = 100
	MaxReports   = 500
)

// PrefillManyOptions is what a caller asks of a prefill of many.
type PrefillManyOptions struct {
	IDs []int64
	PrefillOptions
}

// PrefilledOne is what came of one id, in the order in which they were sent.
type PrefilledOne struct {
	AssessmentID int64
	Prefilled
	Problems []assessment.Finding // why it was refused; then nothing was written of it
}

// PrefillMany does for each of several assessments what [Assessments.Prefill] does for one. One that is refused keeps no
// other back. Faults: Invalid (ids, sections).
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

// checkIDs refuses no ids, too many, and such as no record has.
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
