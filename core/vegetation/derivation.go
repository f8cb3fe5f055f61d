package vegetation

import (
	"fmt"
	"slices"
	"time"
)

// DeriveAgain is how long a derivation stays failed: missing imagery may become available later.
const DeriveAgain = 24 * time.Hour

// Derivation is the series of an active order in a reading other than the order's own. A retrieve
// requests it, at no charge. It is Processing until it is Active or Failed.
type Derivation struct {
	OrderID int64
	Reading
	Status    Status
	Reason    string // of Failed, and of Processing while it waits for the imagery source
	Attempts  int    // tries that could not reach the imagery source
	CheckedAt *time.Time
	UpdatedAt time.Time
}

// NewDerivation requests the series of an order in a reading.
func NewDerivation(order OrderState, reading Reading, now time.Time) Derivation {
	return Derivation{OrderID: order.ID, Reading: reading, Status: Processing, UpdatedAt: now}
}

// Due reports whether the series is to be computed: it is in progress, it failed long enough ago,
// or the archive has since been searched for the order's own series and now has other dates.
func (d Derivation) Due(order OrderState, own, derived Series, now time.Time) bool {
	switch d.Status {
	case Active:
		if d.Dataset != order.Dataset { // its days differ from the order's in any case
			return d.Searched(order)
		}
		return d.Searched(order) && !slices.Equal(days(own), days(derived))
	case Failed:
		return !now.Before(d.UpdatedAt.Add(DeriveAgain))
	default:
		return true
	}
}

// Searched reports whether the archive was searched since the last check of the derivation: only then can there be other dates.
func (d Derivation) Searched(order OrderState) bool {
	return order.LastCheckedAt != nil && (d.CheckedAt == nil || order.LastCheckedAt.After(*d.CheckedAt))
}

// days returns all days of a series, in order. Which days have a pass does not depend on the index.
func days(s Series) []time.Time {
	out := make([]time.Time, 0, len(s.Observations)+len(s.Rejected))
	for _, o := range s.Observations {
		out = append(out, o.Date)
	}
	for _, r := range s.Rejected {
		out = append(out, r.Date)
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

// Begin starts the computation. An existing series stays in use until the new one replaces it.
func (d *Derivation) Begin(now time.Time) {
	d.Reason, d.Attempts, d.UpdatedAt = "", 0, now
	if d.Status != Active {
		d.Status = Processing
	}
}

// Complete records that the series was computed, as of the order's last search.
func (d *Derivation) Complete(order OrderState, now time.Time) {
	d.Status, d.Reason, d.Attempts, d.CheckedAt, d.UpdatedAt = Active, "", 0, order.LastCheckedAt, now
}

// SourceUnavailable records that the imagery source could not be reached, and returns the time of
// the next try by [Retry]; again is false after the last try.
func (d *Derivation) SourceUnavailable(order OrderState, now time.Time, jitter float64) (next time.Time, again bool) {
	d.Attempts++
	wait, again := Retry.Wait(d.Attempts, jitter)
	if !again {
		d.Fail(order, now, fmt.Sprintf("The imagery source could not be reached in %d tries.", d.Attempts))
		return now, false
	}
	d.Reason, d.UpdatedAt = sourceUnavailable, now
	return now.Add(wait), true
}

// Fail ends the derivation as failed. An existing series stays in use and counts as checked.
func (d *Derivation) Fail(order OrderState, now time.Time, reason string) {
	if d.Status == Active {
		d.Complete(order, now)
		return
	}
	d.Status, d.Reason, d.UpdatedAt = Failed, reason, now
}

// As returns the order as a retrieve of this reading shows it.
func (d Derivation) As(order OrderState) OrderState {
	order = order.As(d.Reading)
	order.Status, order.Reason = d.Status, d.Reason
	return order
}
