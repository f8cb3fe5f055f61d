package ports

import (
	"context"
	"sync/atomic"
)

// Observer follows what the program does, for those who operate it: it counts and times activities, and makes spans of
// them where spans are collected. It is safe for concurrent use.
type Observer interface {
	// Begin records that an activity begins. Activities that begin in the returned context are a part of it. The caller
	// calls the returned function, once, when the activity ends.
	Begin(ctx context.Context, a Activity) (context.Context, func(Ending))
	// Trace returns the id of the trace that a context is a part of, as lower-case hexadecimal digits; empty where
	// there is none.
	Trace(ctx context.Context) string
}

// Activity is something that the program does. Its names are the program's own, and few: patterns of routes, ids of
// operations, kinds of jobs. They never hold what a caller wrote or what a record contains.
type Activity struct {
	Kind ActivityKind
	Name string
	ID   int64 // of a job; 0: none
	// Statement returns what a statement does in two words, and its text without its values; nil for all other kinds.
	Statement func() (name, text string)
	// Caller returns a header of the request, which may name the trace that the caller follows; nil for all other kinds.
	Caller func(header string) string
}

// ActivityKind is a kind of activity.
type ActivityKind int

// The kinds of activities, from the outside to the inside.
const (
	ActRequest   ActivityKind = iota // an HTTP request; its name is known when it ends
	ActUseCase                       // an operation of the interface
	ActJob                           // a job of the background, from its claim to its end
	ActStatement                     // a statement of the database
	ActImagery                       // a call to the imagery source
	ActHook                          // a try to post to an external address
)

// Ending is how an activity ended.
type Ending struct {
	Err       error
	Name      string   // where it was not known before
	Status    int      // of HTTP; 0: none
	Lost      bool     // of a job: another worker has it, or it went back to the queue
	CompanyID int64    // of a request; 0: none
	Traffic   *Traffic // of a call to the imagery source
}

// Traffic is what reading from a source took, in requests to its hosts and reads of its files. It is safe for concurrent use.
type Traffic struct {
	Requests, Failed, Bytes atomic.Int64
}

type trafficKey struct{}

// WithTraffic returns a context in which reads from a source are counted.
func WithTraffic(ctx context.Context, t *Traffic) context.Context {
	return context.WithValue(ctx, trafficKey{}, t)
}

// CountTraffic counts one request in a context, with the bytes received.
func CountTraffic(ctx context.Context, bytes int64, failed bool) {
	t, ok := ctx.Value(trafficKey{}).(*Traffic)
	if !ok {
		return
	}
	t.Requests.Add(1)
	t.Bytes.Add(bytes)
	if failed {
		t.Failed.Add(1)
	}
}

// JobScheduled is the state of a waiting job that is due later; a backlog counts it separately.
const JobScheduled JobState = "scheduled"

// BacklogCap is the number up to which the jobs of a state, events and deliveries are counted.
const BacklogCap = 10_000

// Backlog is what waits in the database, counted up to [BacklogCap] each. Ages are in seconds.
type Backlog struct {
	Jobs       []BacklogJobs
	Events     int64   // in the outbox, not published
	EventAge   float64 // of the oldest of them
	Deliveries int64   // of webhooks, not delivered and not given up
}

// BacklogJobs is the jobs of one kind in one state.
type BacklogJobs struct {
	Kind  string
	State JobState
	Count int64
	Age   float64 // of those that are due: since the first of them was; else 0
}

// BrokerTraffic is what went over the connection of this process to the broker since the process began.
type BrokerTraffic struct {
	Connected bool // now
	// Published are events that the broker has stored, Refused those it has not, Received those that it handed to
	// consumers of this process, and Ignored messages that are not events.
	Published, Refused, Received, Ignored int64
}
