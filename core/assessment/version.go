package assessment

import (
	"time"

	"tilth/core/record"
)

// Stale reports whether the assessment was written since its completeness was computed.
func (a *Assessment) Stale() bool {
	return a.CompletenessComputedAt == nil || a.CompletenessComputedAt.Before(a.UpdatedAt)
}

// NextVersion returns the time of a change, which is also the version of the assessment. It
// is later than the completeness of the version before as well, so that a state is never
// taken for that of a later version.
func (a *Assessment) NextVersion(now time.Time) time.Time {
	last := a.UpdatedAt
	if at := a.CompletenessComputedAt; at != nil && at.After(last) {
		last = *at
	}
	return record.NextVersion(last, now)
}
