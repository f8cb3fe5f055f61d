package stratification

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"reflect"
	"time"

	"tilth/core/credit"
	"tilth/core/effort"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification/carbon"
	"tilth/core/stratification/frame"
	"tilth/core/stratification/internal/digest"
	"tilth/core/stratification/layer"
	"tilth/core/task"
)

// OrderStatus is the state of a stratification order.
type OrderStatus string

// The states of an order. active is from the specification; the others are those of profile orders.
const (
	OrderPending    OrderStatus = "pending"    // accepted, its charge held
	OrderProcessing OrderStatus = "processing" // its layers are being prepared
	OrderActive     OrderStatus = "active"     // the layers are available, the charge captured
	OrderFailed     OrderStatus = "failed"     // given up, the charge released
)

// OrderStatuses lists the states.
var OrderStatuses = []OrderStatus{OrderPending, OrderProcessing, OrderActive, OrderFailed}

// The rules of an order.
const (
	// OrderYears is the time in calendar years between orders of an area of interest.
	OrderYears = 1
	// ProcessingLimit is the time that an order has to prepare its layers before it fails.
	ProcessingLimit = 30 * time.Minute
	// MaxRetries is the number of times that the operator may retry a failed order.
	MaxRetries = 3
)

// Retry is the schedule of an order whose imagery source is unavailable.
var Retry = task.Backoff{First: 30 * time.Second, Max: time.Hour, Tries: 8}

// OrderState is an order as the database keeps it.
type OrderState struct {
	ID        int64
	DataUUID  string
	CompanyID int64
	record.External
	AOI      AOIRef
	Status   OrderStatus
	Reason   string // of pending and failed
	Attempts int    // tries of the present preparation that could not reach the imagery source
	Retries  int    // by the operator

	RequestDate  time.Time // civil date, UTC
	RequestBy    Requester
	CreatedAt    time.Time
	UpdatedAt    time.Time
	ProcessingAt *time.Time // when the present preparation began
	CompletedAt  *time.Time

	// What was ordered, as it stood then: the fields, the area of their union, the charge.
	Land   []Land
	AreaM2 int64
	Charge credit.Amount

	// MapType is STR (layers for zones and plans) or SOC (the map of soil carbon). Carbon is the map of a SOC order.
	MapType string
	Carbon  *carbon.Map

	// What was prepared, for an active order.
	Grid      frame.Settings
	Digest    string // SHA-256 over the cells and all values, in hexadecimal
	Notes     []string
	Synthetic bool // a layer comes from a synthetic archive

	// Read-only figures.
	SavedMaps, SavedPlans int64
}

// AOIRef is a reference to an area of interest.
type AOIRef struct {
	ID         int64
	UUID, Name string
}

// Requester is the user who placed an order; the zero Requester where that user no longer exists.
type Requester struct {
	ID    int64
	Email string
}

// EventID returns the id of the event that reports how the order has ended. It is derived from the
// order, its state and its retries, so that each end is reported once.
func (s OrderState) EventID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", s.DataUUID, s.Status, s.Retries))
	return digest.UUID(sum[:])
}

// Frame returns the frame of the order's layers. Faults: those of frame.New.
func (s OrderState) Frame(budget *effort.Budget) (frame.Frame, error) {
	return frame.New(budget, Geometries(s.Land), frame.Options{CellSize: s.Grid.CellSize, EPSG: s.Grid.EPSG, EdgeMask: s.Grid.EdgeMask})
}

// TotalTime returns the whole seconds from processing to active; false before that.
func (s OrderState) TotalTime() (seconds int64, ok bool) {
	if s.Status != OrderActive || s.ProcessingAt == nil || s.CompletedAt == nil {
		return 0, false
	}
	return int64(s.CompletedAt.Sub(*s.ProcessingAt) / time.Second), true
}

// NextAllowed returns the day from which the area may be ordered again (after 29 February: 1 March).
func (s OrderState) NextAllowed() time.Time { return s.RequestDate.AddDate(OrderYears, 0, 0) }

// Changed returns the uuids of fields whose boundary or presence differs from the given land.
func (s OrderState) Changed(now []Land) []string {
	var out []string
	was := map[string]Land{}
	for _, l := range s.Land {
		was[l.FieldUUID] = l
	}
	for _, l := range now {
		before, ok := was[l.FieldUUID]
		if !ok || !reflect.DeepEqual(before.Geometry, l.Geometry) {
			out = append(out, l.FieldUUID)
		}
		delete(was, l.FieldUUID)
	}
	for _, l := range s.Land { // in order
		if _, gone := was[l.FieldUUID]; gone {
			out = append(out, l.FieldUUID)
		}
	}
	return out
}

// Order is a stratification order: a state machine over one area of interest. Its state changes
// only by its methods, each of which refuses an invalid transition.
type Order struct{ s OrderState }

// NewOrder accepts a pending order.
func NewOrder(s OrderState) (Order, error) {
	if s.AOI.ID <= 0 || s.CompanyID <= 0 || s.DataUUID == "" || len(s.Land) == 0 {
		return Order{}, fault.New(fault.Internal, "order", "an order needs a company, an area of interest with land, and a uuid")
	}
	s.Status, s.Reason, s.MapType = OrderPending, "", cmp.Or(s.MapType, credit.ServiceSTR)
	return Order{s}, nil
}

// RehydrateOrder restores an order from storage.
func RehydrateOrder(s OrderState) Order { return Order{s} }

// State returns a copy of the order's state.
func (o Order) State() OrderState { return o.s }

// Open reports whether the order is still to be completed: its charge is held.
func (o Order) Open() bool { return o.s.Status == OrderPending || o.s.Status == OrderProcessing }

// Overdue reports whether the preparation has exceeded ProcessingLimit.
func (o Order) Overdue(now time.Time) bool {
	return o.s.Status == OrderProcessing && o.s.ProcessingAt != nil && now.Sub(*o.s.ProcessingAt) > ProcessingLimit
}

// Begin moves a pending order to processing; a processing order keeps the time at which it began.
func (o *Order) Begin(now time.Time) error {
	switch o.s.Status {
	case OrderPending:
		o.s.Status, o.s.Reason, o.s.ProcessingAt = OrderProcessing, "", &now
	case OrderProcessing:
	default:
		return o.refuse("begin")
	}
	o.s.UpdatedAt = now
	return nil
}

// SourceUnavailable records that the imagery source could not be reached: the order waits until
// next, by the schedule of [Retry], or fails after the last try.
func (o *Order) SourceUnavailable(now time.Time, jitter float64) (next time.Time, again bool, err error) {
	if o.s.Status != OrderProcessing {
		return now, false, o.refuse("wait")
	}
	o.s.Attempts++
	wait, again := Retry.Wait(o.s.Attempts, jitter)
	if !again {
		return now, false, o.Fail(now, fmt.Sprintf("The imagery source could not be reached in %d tries.", o.s.Attempts))
	}
	o.s.Status, o.s.Reason, o.s.UpdatedAt = OrderPending, "The imagery source could not be reached; it will be tried again.", now
	return now.Add(wait), true, nil
}

// Complete records what was prepared.
func (o *Order) Complete(now time.Time, p layer.Prepared) error {
	if err := o.activate(now); err != nil {
		return err
	}
	o.s.Grid, o.s.Digest, o.s.Notes = p.Grid, p.Digest, p.Notes
	o.s.Synthetic = p.Synthetic()
	return nil
}

// CompleteCarbon records the map of soil carbon that was made.
func (o *Order) CompleteCarbon(now time.Time, m carbon.Map) error {
	if err := o.activate(now); err != nil {
		return err
	}
	o.s.Carbon, o.s.Digest, o.s.Notes = &m, m.Digest(), m.Notes
	return nil
}

func (o *Order) activate(now time.Time) error {
	if o.s.Status != OrderProcessing {
		return o.refuse("complete")
	}
	o.s.Status, o.s.Reason, o.s.CompletedAt, o.s.UpdatedAt, o.s.Attempts = OrderActive, "", &now, now, 0
	return nil
}

// Fail ends the order.
func (o *Order) Fail(now time.Time, reason string) error {
	if !o.Open() {
		return o.refuse("fail")
	}
	o.s.Status, o.s.Reason, o.s.UpdatedAt = OrderFailed, reason, now
	return nil
}

// Retry returns a failed order to processing, at most MaxRetries times.
func (o *Order) Retry(now time.Time) error {
	if o.s.Status != OrderFailed {
		return fault.Newf(fault.Conflict, "order_state", "Order %d is %s; only a failed order can be retried.", o.s.ID, o.s.Status)
	}
	if o.s.Retries >= MaxRetries {
		return fault.Newf(fault.Conflict, "retries_used", "Order %d has already been retried %d times; place a new one.", o.s.ID, MaxRetries)
	}
	o.s.Status, o.s.Reason, o.s.Attempts, o.s.ProcessingAt, o.s.UpdatedAt = OrderProcessing, "", 0, &now, now
	o.s.Retries++
	return nil
}

func (o Order) refuse(trigger string) error {
	return fault.Newf(fault.Conflict, "order_state", "An order that is %s cannot %s.", o.s.Status, trigger)
}
