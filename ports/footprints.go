package ports

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/footprint"
	"tilth/core/webhook"
)

// PublicationQuery selects publications, in the order in which they were made.
type PublicationQuery struct {
	Filter       footprint.Filter
	AssessmentID int64 // 0: of any
	FarmID       int64 // of assessments of a farm or of its fields; 0: of any
	After        int64 // after that id
	Limit        int64 // 0: all
	Offset       int64
	At           *Place // see [Query]
	From
}

// Page returns the bounds of a query; a limit of 0 is none.
func (q PublicationQuery) Page() (limit, offset int64) { return q.Limit, q.Offset }

// Chunk returns the same query with other bounds, at a place.
func (q PublicationQuery) Chunk(limit, offset int64, at *Place) PublicationQuery {
	q.Limit, q.Offset, q.At = limit, offset, at
	return q
}

// Footprints are what a company published.
type Footprints interface {
	List[footprint.Publication, PublicationQuery]
	// ByUUID returns the publication of a footprint. Faults: NotFound.
	ByUUID(ctx context.Context, scope access.Scope, uuid string) (footprint.Publication, error)
	// Newest returns the last publication of an assessment, of one of its versions unless version is 0. Faults: NotFound.
	Newest(ctx context.Context, scope access.Scope, assessmentID int64, version int) (footprint.Publication, error)
	// Published returns how often a version was published.
	Published(ctx context.Context, scope access.Scope, assessmentID int64, version int) (int, error)
	// Insert stores a publication and fills in its id.
	Insert(ctx context.Context, scope access.Scope, p *footprint.Publication) error
	// Deprecate ends a publication. Faults: NotFound (also where it has ended).
	Deprecate(ctx context.Context, scope access.Scope, id int64, at time.Time) error
}

// FootprintClientKeeper finds clients by what they present.
type FootprintClientKeeper interface {
	// ByClientID returns the client of a credential unless it is revoked. Faults: NotFound.
	ByClientID(ctx context.Context, clientID string) (footprint.Client, error)
	// ByID returns a client unless it is revoked. Faults: NotFound.
	ByID(ctx context.Context, id int64) (footprint.Client, error)
}

// MessageQuery selects messages of a client, newest first.
type MessageQuery struct {
	ClientID int64
	Limit    int64 // 0: all
	Offset   int64
	At       *Place // see [Query]
	From
}

// Page returns the bounds of a query; a limit of 0 is none.
func (q MessageQuery) Page() (limit, offset int64) { return q.Limit, q.Offset }

// Chunk returns the same query with other bounds, at a place.
func (q MessageQuery) Chunk(limit, offset int64, at *Place) MessageQuery {
	q.Limit, q.Offset, q.At = limit, offset, at
	return q
}

// FootprintMessages are the events from and to the clients of a company.
type FootprintMessages interface {
	List[footprint.Message, MessageQuery]
	// Known reports whether a client has sent an event before; source and id identify it.
	Known(ctx context.Context, scope access.Scope, clientID int64, source, eventID string) (bool, error)
	// Insert stores a message and fills in its id.
	Insert(ctx context.Context, scope access.Scope, m *footprint.Message) error
	// Pending returns how many messages wait to be sent to a client, up to a bound.
	Pending(ctx context.Context, scope access.Scope, clientID, bound int64) (int64, error)
	// Due returns the pending message of a client that has been due for longest. Faults: NotFound.
	Due(ctx context.Context, scope access.Scope, clientID int64, now time.Time) (footprint.Message, error)
	// NextTry returns when the next pending message of a client is due; nil if none is pending.
	NextTry(ctx context.Context, scope access.Scope, clientID int64) (*time.Time, error)
	// Tried stores the outcome of a try: that of a failed try only where the message still waits.
	Tried(ctx context.Context, scope access.Scope, id int64, d webhook.Delivery) error
	// End marks every pending message to a client as failed, for a reason.
	End(ctx context.Context, scope access.Scope, clientID int64, reason string) error
}
