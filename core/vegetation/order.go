package vegetation

import (
	"fmt"
	"reflect"
	"time"

	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/task"
)

// Status is the state of an order of a satellite product.
type Status string

// The four states of the interface specification.
const (
	Pending    Status = "pending"    // accepted, waiting for the season, an accepted date or the imagery source
	Processing Status = "processing" // a job computes it
	Active     Status = "active"     // the series, or the map, is available
	Failed     Status = "failed"     // given up; the reason says why
)

// Statuses lists the states.
var Statuses = []Status{Pending, Processing, Active, Failed}

// Retry is the schedule of an order whose imagery source is unavailable; after the last try it fails.
var Retry = task.Backoff{First: 30 * time.Second, Max: 6 * time.Hour, Tries: 12}

// SearchAgain is the wait between searches while a running season has no accepted date yet.
const SearchAgain = 24 * time.Hour

// sourceUnavailable is the reason of an order or a derivation that waits for the imagery source.
const sourceUnavailable = "The imagery source cannot be reached; the next try is scheduled."

// OrderState is an order as the database keeps it.
type OrderState struct {
	ID        int64
	UUID      string
	CompanyID int64
	record.External
	// Product is the map that is ordered; the zero value is the profile.
	Product credit.Product
	Map     MapTerms
	// FieldCompanyID is the company that owns the field: another company where the field is shared for orders.
	FieldCompanyID int64
	FieldID        int64 // 0 for a map of an outline that is not a field
	FieldUUID      string
	SeasonID       int64 // 0 for a map of one date
	Index          string
	Mask           Mask
	Dataset        DatasetCode
	Status         Status
	Reason         string // of failed and pending
	Attempts       int    // tries of the present computation
	NextTryAt      *time.Time
	StartDate      time.Time // civil date, of the season when ordered
	EndDate        time.Time // civil date, inclusive
	Boundary       geo.MultiPolygon
	AreaM2         int64
	CreatedBy      int64
	CreatedAt      time.Time
	UpdatedAt      time.Time
	LastCheckedAt  *time.Time
	Synthetic      bool  // the series came from a synthetic archive
	NoSCL          bool  // the archive has no scene classification: every pixel with data counted as clear
	SmallField     bool  // fewer than ten pixels: exact area weights
	Unread         int   // dates rejected because a file could not be read
	BoundaryID     int64 // the version of the field's outline that the series was computed on; 0 where it is not known
	// TodaysBoundaryID is the version of the outline that the field has now; 0 without one. It is read, never stored.
	TodaysBoundaryID int64
	// Of the order's own series; the dates are nil without a point.
	Points              int
	FirstDate, LastDate *time.Time
}

// Lent reports whether the field is another company's.
func (s OrderState) Lent() bool { return s.FieldCompanyID != 0 && s.FieldCompanyID != s.CompanyID }

// BoundaryOutdated reports whether the field now has another outline than the one that the series was computed on.
func (s OrderState) BoundaryOutdated() bool {
	return s.TodaysBoundaryID != 0 && s.TodaysBoundaryID != s.BoundaryID
}

// SameRequest reports whether two states of an order request the same series.
func (s OrderState) SameRequest(other OrderState) bool {
	return s.Reading() == other.Reading() && s.Map.same(other.Map) && s.StartDate.Equal(other.StartDate) && s.EndDate.Equal(other.EndDate) &&
		reflect.DeepEqual(s.Boundary, other.Boundary)
}

// Order is an order of a satellite product: a state machine over one field and one season. Its state changes only
// by its methods, each of which refuses a transition that the table does not have.
type Order struct{ s OrderState }

// NewOrder accepts an order and sets it to processing.
func NewOrder(s OrderState) (Order, error) {
	if !s.placed() || s.CompanyID <= 0 || s.UUID == "" {
		return Order{}, fault.New(fault.Internal, "order", "an order needs a company, a field, a season and a uuid")
	}
	if s.EndDate.Before(s.StartDate) {
		return Order{}, fault.New(fault.Internal, "order", "an order's season ends before it starts")
	}
	s.Status, s.Reason, s.Attempts, s.NextTryAt = Processing, "", 0, nil
	return Order{s}, nil
}

// RehydrateOrder restores an order from storage.
func RehydrateOrder(s OrderState) Order { return Order{s} }

// State returns a copy of the order's state.
func (o Order) State() OrderState { return o.s }

// Open reports whether the order's first series is still to be computed.
func (o Order) Open() bool { return o.s.Status == Processing || o.s.Status == Pending }

// Begin moves a pending order whose try is due to processing.
func (o *Order) Begin(now time.Time) error {
	switch o.s.Status {
	case Pending:
		o.s.Status, o.s.Reason, o.s.NextTryAt = Processing, "", nil
	case Processing:
	default:
		return o.refuse("begin")
	}
	o.s.UpdatedAt = now
	return nil
}

// SeasonBegun reports whether the season has begun, by the civil date of now in UTC.
func (o Order) SeasonBegun(now time.Time) bool { return !now.UTC().Before(o.s.StartDate) }

// SeasonOver reports whether the last day of the season is past.
func (o Order) SeasonOver(now time.Time) bool { return !now.UTC().Before(o.s.EndDate.AddDate(0, 0, 1)) }

// MoveWindow takes over changed dates of the season while the order is open.
func (o *Order) MoveWindow(start, end, now time.Time) {
	if o.Open() && !(o.s.StartDate.Equal(start) && o.s.EndDate.Equal(end)) {
		o.s.StartDate, o.s.EndDate, o.s.UpdatedAt = start, end, now
	}
}

// Wait moves a processing order to pending until a time, with the reason to show.
func (o *Order) Wait(now, until time.Time, reason string) error {
	if o.s.Status != Processing {
		return o.refuse("wait")
	}
	o.s.Status, o.s.Reason, o.s.NextTryAt, o.s.UpdatedAt = Pending, reason, &until, now
	return nil
}

// SourceUnavailable records that the imagery source could not be reached: the order waits
// for the next try of [Retry], or fails after the last.
func (o *Order) SourceUnavailable(now time.Time, jitter float64) error {
	if o.s.Status != Processing {
		return o.refuse("retry")
	}
	o.s.Attempts++
	wait, again := Retry.Wait(o.s.Attempts, jitter)
	if !again {
		return o.Fail(now, fmt.Sprintf("The imagery source could not be reached in %d tries.", o.s.Attempts))
	}
	return o.Wait(now, now.Add(wait), sourceUnavailable)
}

// Complete records a computed series. The order becomes active only with an accepted date. Without one it waits, with
// the reason, while the season can still bring one, and fails after that. near holds the nearest usable dates outside
// the window of a map of one date.
func (o *Order) Complete(now time.Time, series Series, near ...time.Time) error {
	if o.s.Status != Processing {
		return o.refuse("complete")
	}
	o.describe(series)
	return o.complete(now, o.s.Map.reason(series, near))
}

// CompleteLayers is Complete for a map that is not a series of dates. A timeless map never waits.
func (o *Order) CompleteLayers(now time.Time, found Found) error {
	if o.s.Status != Processing {
		return o.refuse("complete")
	}
	o.describeLayers(found)
	return o.complete(now, found.Reason)
}

// complete ends a computation: reason says why it has no result, and is empty where it has one.
func (o *Order) complete(now time.Time, reason string) error {
	o.s.LastCheckedAt, o.s.Attempts = &now, 0
	switch {
	case reason == "":
		o.s.Status, o.s.Reason, o.s.NextTryAt, o.s.UpdatedAt = Active, "", nil, now
		return nil
	case o.s.Timeless() || o.SeasonOver(now):
		return o.Fail(now, reason)
	default:
		return o.Wait(now, now.Add(SearchAgain), reason+o.s.Map.searchedAgain())
	}
}

func (o *Order) describeLayers(found Found) {
	o.s.Synthetic, o.s.Points = found.Synthetic, found.Layers
}

// describe copies what the order shows about its own series.
func (o *Order) describe(series Series) {
	o.s.Synthetic, o.s.NoSCL, o.s.SmallField, o.s.Unread = series.Synthetic, series.NoSCL, series.SmallField, series.Unread()
	o.s.Points, o.s.FirstDate, o.s.LastDate = len(series.Observations), nil, nil
	if n := len(series.Observations); n > 0 {
		o.s.FirstDate, o.s.LastDate = new(series.Observations[0].Date), new(series.Observations[n-1].Date)
	}
}

// Fail ends the order for good.
func (o *Order) Fail(now time.Time, reason string) error {
	if !o.Open() {
		return o.refuse("fail")
	}
	o.s.Status, o.s.Reason, o.s.NextTryAt, o.s.UpdatedAt = Failed, reason, nil, now
	return nil
}

// Revive returns a failed order to processing, for a new POST of the same field and season: the
// same record with the current boundary, season and reading.
func (o *Order) Revive(now time.Time, fresh OrderState) error {
	if o.s.Status != Failed {
		return o.refuse("revive")
	}
	o.s.Status, o.s.Reason, o.s.Attempts, o.s.NextTryAt, o.s.UpdatedAt = Processing, "", 0, nil, now
	o.s = o.s.As(fresh.Reading())
	o.s.Map = fresh.Map
	o.s.Boundary, o.s.BoundaryID, o.s.AreaM2 = fresh.Boundary, fresh.BoundaryID, fresh.AreaM2
	o.s.StartDate, o.s.EndDate, o.s.CreatedBy = fresh.StartDate, fresh.EndDate, fresh.CreatedBy
	return nil
}

// TakeOrigin takes over what another system calls the order, where a request says so.
func (o *Order) TakeOrigin(said record.External, now time.Time) {
	if said != (record.External{}) && said != o.s.External {
		o.s.External, o.s.UpdatedAt = said, now
	}
}

// Duplicate refuses a second order of an active profile or map, naming it, at no charge.
func (o Order) Duplicate() error {
	if o.s.Product != "" {
		return fault.New(fault.Conflict, "duplicate_map",
			"This map already exists; nothing was charged.").
			With("map_uuid", o.s.UUID).With("order_id", o.s.ID)
	}
	return fault.New(fault.Conflict, "duplicate_profile",
		"This field already has a profile for this season; nothing was charged.").
		With("profile_uuid", o.s.UUID).With("order_id", o.s.ID)
}

func (o Order) refuse(trigger string) error {
	return fault.Newf(fault.Conflict, "order_state", "An order that is %s cannot %s.", o.s.Status, trigger)
}
