package vegetation

import (
	"time"

	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/task"
)

// When an active profile is checked again.
const (
	// RefreshAfter is the age of the last check from which a retrieve requests another (interface
	// specification, sections 4.3 and 8: more than one day).
	RefreshAfter = 24 * time.Hour
	// RefreshGrace is how long after its season a profile is still checked: scenes arrive late.
	RefreshGrace = 30 * 24 * time.Hour
)

// RefreshRetry is the schedule of a refresh whose imagery source is unavailable: the waits add up
// to a quarter of an hour. After the last try the series stays as it is until the next retrieve.
var RefreshRetry = task.Backoff{First: 30 * time.Second, Max: 6 * time.Hour, Tries: 6}

// MaxGrowth is the maximum area of an outline on which a series is recomputed, as a multiple of the area that was charged.
const MaxGrowth = 1.1

// CheckOutline refuses to recompute the series of an order that is not active, or on an outline of more than MaxGrowth times
// the area that was charged. Both areas are in square metres. Faults: Conflict (order_state, boundary_too_different).
func (o Order) CheckOutline(areaM2, chargedM2 int64) error {
	if o.s.Status != Active {
		return o.refuse("be recomputed")
	}
	if float64(areaM2) > MaxGrowth*float64(chargedM2) {
		return fault.New(fault.Conflict, "boundary_too_different",
			"The field is now more than a tenth larger than the area that was charged. Create a separate field with the new outline, and order that.").
			With("charged_area_ha", geo.RoundHa(float64(chargedM2)/10_000)).With("area_ha", geo.RoundHa(float64(areaM2)/10_000))
	}
	return nil
}

// Redraw records that the series was recomputed on an outline of the field.
func (o *Order) Redraw(now time.Time, series Series, boundaryID int64, on geo.MultiPolygon) error {
	if err := o.Refreshed(now, series, true); err != nil {
		return err
	}
	o.s.BoundaryID, o.s.Boundary = boundaryID, on
	return nil
}

// RefreshedLayers records a check of the sources of a map that is not a series of dates and, where they have changed, that the map was recomputed.
func (o *Order) RefreshedLayers(now time.Time, found Found, changed bool) error {
	if o.s.Status != Active {
		return o.refuse("be refreshed")
	}
	o.s.LastCheckedAt = &now
	if changed {
		o.s.UpdatedAt = now
		o.describeLayers(found)
	}
	return nil
}

// RedrawLayers is Redraw for a map that is not a series of dates.
func (o *Order) RedrawLayers(now time.Time, found Found, boundaryID int64, on geo.MultiPolygon) error {
	if err := o.RefreshedLayers(now, found, true); err != nil {
		return err
	}
	o.s.BoundaryID, o.s.Boundary = boundaryID, on
	return nil
}

// RefreshDue reports whether the archive may hold something new for an active profile: the last check is over a day old, and it lies before
// the end of the grace, or left a file unread or the order without a point. So a profile that nobody retrieved during its season is still
// completed once, by the first retrieve after it. A map of zones is checked twice after its season, and a timeless map never.
func (o Order) RefreshDue(now time.Time) bool {
	if o.s.Status != Active || o.s.LastCheckedAt == nil || o.s.Timeless() {
		return false
	}
	over := o.s.EndDate.AddDate(0, 0, 1)
	settled := over.Add(RefreshGrace)
	if o.s.Product == credit.ZoningMap { // made of ended seasons: checked when this one has ended, and when its last scenes have arrived
		since := func(t time.Time) bool { return !now.Before(t) && o.s.LastCheckedAt.Before(t) }
		return since(over) || since(settled)
	}
	return now.Sub(*o.s.LastCheckedAt) > RefreshAfter && (o.s.LastCheckedAt.Before(settled) || o.s.Unread > 0 || o.s.Points == 0)
}

// Refreshed records a check of the archive. series is that of the order's own index; changed reports whether any of its
// series has changed. An earlier release made orders active that had no point, for example where the address of the
// source was wrong. Such an order fails if the archive still has nothing for it, so that it can be placed again, at no
// charge because its field was charged already.
func (o *Order) Refreshed(now time.Time, series Series, changed bool) error {
	if o.s.Status != Active {
		return o.refuse("be refreshed")
	}
	o.s.LastCheckedAt = &now
	if changed {
		o.s.UpdatedAt = now
		o.describe(series)
	}
	if reason := series.Empty(); reason != "" && o.s.Points == 0 {
		o.s.Status, o.s.Reason, o.s.UpdatedAt = Failed, reason+" The field has already been charged: another order costs nothing.", now
	}
	return nil
}
