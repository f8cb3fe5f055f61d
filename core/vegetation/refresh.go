package vegetation

import (
	"time"

	"tilth/core/task"
)

// When an active profile is checked again.
const (
	// RefreshAfter is the age of the last check from which a retrieve requests another (interface
	// specification, sections 4.3 and 8: more than one day).
	RefreshAfter = 24 * time.Hour
	// RefreshGrace after its season a profile is still checked: scenes arrive late.
	RefreshGrace = 30 * 24 * time.Hour
)

// RefreshRetry is how one refresh is tried whose imagery source is unavailable: the waits add
// up to a quarter of an hour. After the last try the series stays as it is until the next retrieve.
var RefreshRetry = task.Backoff{First: 30 * time.Second, Max: 6 * time.Hour, Tries: 6}

// RefreshDue reports whether the archive may hold something new for an active profile: the last
// check is over a day old and lies before the end of the grace, or left a file unread. So a profile
// that nobody retrieved during its season is still completed once, by the first retrieve after it.
func (o Order) RefreshDue(now time.Time) bool {
	if o.s.Status != Active || o.s.LastCheckedAt == nil {
		return false
	}
	settled := o.s.EndDate.AddDate(0, 0, 1).Add(RefreshGrace)
	return now.Sub(*o.s.LastCheckedAt) > RefreshAfter && (o.s.LastCheckedAt.Before(settled) || o.s.Unread > 0)
}

// Refreshed records a check of the archive. series is that of the order's own index; changed
// reports whether any of its series has changed.
func (o *Order) Refreshed(now time.Time, series Series, changed bool) error {
	if o.s.Status != Active {
		return o.refuse("be refreshed")
	}
	o.s.LastCheckedAt = &now
	if changed {
		o.s.UpdatedAt = now
		o.describe(series)
	}
	return nil
}
