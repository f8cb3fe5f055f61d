package webhook

import (
	"fmt"
	"time"
)

// State is the state of a delivery.
type State string

// The states: pending → delivered | failed, and back to pending when a user requests another round.
const (
	Pending   State = "pending"
	Delivered State = "delivered"
	Failed    State = "failed"
)

// States are all states.
var States = []State{Pending, Delivered, Failed}

// Delivery is one event on its way to one webhook, with its latest try.
type Delivery struct {
	ID        int64
	CompanyID int64
	WebhookID int64
	EventID   string // UUID
	EventType string
	Body      string // what is posted, the same at every try
	Test      bool
	CreatedAt time.Time

	State   State
	Attempt int        // tries so far
	Tries   int        // of them in this round
	Began   *time.Time // first try of this round
	NextTry *time.Time // while it is pending

	At         *time.Time // the latest try
	StatusCode int        // 0: there was no answer
	Error      string     // why it failed; for people
	Answer     string     // the beginning of the answer's body
	Duration   time.Duration
}

// Outcome is the result of one try.
type Outcome struct {
	StatusCode int           // 0: there was no answer
	Error      string        // where there was no answer: why
	RetryAfter time.Duration // as the answer requests; 0: it does not
	Answer     string        // the beginning of its body, as text that can be stored
	Duration   time.Duration
}

// Delivered reports whether the answer was a success (2xx).
func (o Outcome) Delivered() bool { return o.StatusCode >= 200 && o.StatusCode < 300 }

// Gone reports whether the address refuses deliveries for good.
func (o Outcome) Gone() bool { return o.StatusCode == statusGone }

// Statuses with a special meaning (RFC 9110, section 15).
const (
	statusGone        = 410 // Gone
	statusTooMany     = 429 // Too Many Requests (RFC 6585)
	statusUnavailable = 503 // Service Unavailable
)

// Problem describes why a try failed, for people; empty for a success.
func (o Outcome) Problem() string {
	switch {
	case o.Delivered():
		return ""
	case o.StatusCode == 0:
		return o.Error
	case o.StatusCode >= 300 && o.StatusCode < 400:
		return fmt.Sprintf("The address answered %d; redirects are not followed.", o.StatusCode)
	}
	return fmt.Sprintf("The address answered %d.", o.StatusCode)
}

// maxRetryAfter bounds the Retry-After that is honoured.
const maxRetryAfter = time.Hour

// retryAfter returns the pause that an answer may request: only those of 429 and 503.
func (o Outcome) retryAfter() time.Duration {
	if o.StatusCode != statusTooMany && o.StatusCode != statusUnavailable {
		return 0
	}
	return min(max(0, o.RetryAfter), maxRetryAfter)
}

// Tried records a try. jitter is in [0, 1).
func (d *Delivery) Tried(o Outcome, now time.Time, jitter float64) {
	d.Attempt++
	d.Tries++
	if d.Began == nil {
		began := now
		d.Began = &began
	}
	d.At, d.StatusCode, d.Error, d.Answer, d.Duration, d.NextTry = &now, o.StatusCode, o.Problem(), o.Answer, o.Duration, nil
	switch at, again := NextTry(d.Tries, *d.Began, now, o.retryAfter(), jitter); {
	case o.Delivered():
		d.State = Delivered
	case o.Gone() || !again || d.Test:
		d.State = Failed
	default:
		d.State, d.NextTry = Pending, &at
	}
}

// Again starts another round of tries, at once.
func (d *Delivery) Again(now time.Time) {
	d.State, d.Tries, d.Began, d.NextTry = Pending, 0, nil, &now
}

// pauses are those after the first, the second, … try of a round: 23 h 43 min in all.
var pauses = []time.Duration{
	5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

const (
	// MaxTries is the maximum number of tries of a delivery in a round.
	MaxTries = 11
	// RoundLasts is the time within which a delivery is tried.
	RoundLasts = 24 * time.Hour
	// jitterShare is the random part of a pause, so that deliveries that failed together are tried again apart.
	jitterShare = 0.1
)

// NextTry returns when a delivery is tried again after tries failures in a round that began at a time: after the pause
// of the schedule, shortened by up to a tenth by jitter in [0, 1), or after the wait that the address requested,
// whichever is longer. again is false when the round has ended.
func NextTry(tries int, began, now time.Time, requested time.Duration, jitter float64) (at time.Time, again bool) {
	if tries > len(pauses) {
		return time.Time{}, false
	}
	pause := pauses[max(tries, 1)-1]
	pause -= time.Duration(jitterShare * jitter * float64(pause))
	at = now.Add(max(pause, requested))
	return at, !at.After(began.Add(RoundLasts))
}
