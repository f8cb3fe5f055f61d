package ports

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/footprint"
	"tilth/core/webhook"
)

// Store is the unit of work. Write runs its callback in one transaction and commits when it returns
// nil; the callback may be run again after a lost race, so it does no I/O except through the
// bundle. Read provides the same repositories on a consistent read-only view.
//
// Faults: what the callback returns, Unavailable when the database cannot be reached.
type Store interface {
	Write(ctx context.Context, do func(ctx context.Context, tx Repos) error) error
	Read(ctx context.Context, do func(ctx context.Context, tx Repos) error) error
	// Operate is Write over the bundle of no company: for operators, sign-in and background work, never for requests of companies.
	Operate(ctx context.Context, do func(ctx context.Context, tx OperatorRepos) error) error
	// Consult is Operate on a read-only view, for what every request needs to know (who calls, under which policy). No writer delays it.
	Consult(ctx context.Context, do func(ctx context.Context, tx OperatorRepos) error) error
	// Ping asks the database for an answer.
	Ping(ctx context.Context) error
}

// Repos is a bundle of repositories bound to one transaction. There is no read without a scope.
type Repos struct {
	Farms        Records[farm.Farm]
	Fields       Fields
	Seasons      Seasons
	Crops        Crops
	Cultivations Cultivations

	Fertilizations Fertilizations
	Boundaries     Boundaries
	Overlaps       FieldOverlaps
	Replays        Replays

	Wallet   Wallet
	Orders   ProfileOrders
	Maps     FieldMaps
	Monitors Monitors
	Outbox   Outbox
	Jobs     JobWriter
	Imports  Imports
	Grants   Grants
	Keys     APIKeys
	Audit    AuditTrail
	Curves   CurveSets

	OwnCurves OwnCurves

	Members     Members
	Roles       Roles
	Invitations Invitations
	Letters     LetterBox
	Alerts      AlertBox

	Events     EventFeed
	Webhooks   Records[webhook.Webhook]
	Deliveries Deliveries

	AOIs                 AOIs
	StratificationOrders StratificationOrders
	LayerRasters         LayerRasters
	StratificationRuns   StratificationRuns
	StratificationMaps   StratificationMaps
	SamplePlans          SamplePlans
	SoilSamples          SoilSamples
	SamplePhotos         SamplePhotos
	PlanLinks            PlanLinks

	Assessments        Assessments
	AssessmentVersions AssessmentVersions
	EngineReferences   EngineReferenceWriter
	Evidence           Evidence
	Batches            Batches
	EngineChoices      EngineChoices

	Verifications Verifications
	Rollups       Rollups

	Footprints        Footprints
	FootprintClients  Records[footprint.Client]
	FootprintMessages FootprintMessages

	Holdings Holdings

	CompanyExports CompanyExports

	// Nested runs a part of the transaction: an error rolls back what the part wrote, and what was written before can still
	// be committed. Faults besides those of do: Conflict (already_exists, reference_missing) for rows that others rule out.
	Nested func(ctx context.Context, do func(ctx context.Context) error) error
}

// OperatorRepos is the bundle that is not bound to a company.
type OperatorRepos struct {
	Accounts  Accounts
	Companies Companies
	Users     Whole[Account]
	Prices    Prices
	Catalog   CropWriter
	Wallet    Wallet // under the scope of the company named
	Outbox    Outbox
	Keys      KeyRing
	Audit     AuditWriter
	Trail     OperatorTrail
	Curves    CurveSets
	Replays   Replays

	// What a one-time link or a background job does for a company, under its scope.
	Members     Members
	Roles       Roles
	Invitations Invitations
	Tickets     Tickets
	Credentials Credentials
	Attempts    Attempts
	Letters     Letters
	Alerts      AlertNotices
	Jobs        JobKeeper
	Monitors    MonitorKeeper

	// What the consumers of events do for all companies.
	Events   EventKeeper
	Webhooks WebhookKeeper

	// What keeps the database itself in order.
	Secrets    SecretKeeper
	Chains     ChainKeeper
	Remains    Remains
	Persons    Persons
	FileMark   FileMark
	Partitions Partitions

	Subscriptions Subscriptions
	Orders        OrderKeeper
	LayerRasters  LayerRasters
	Maps          MapKeeper
	PlanLinks     PlanLinkKeeper

	Assessments   AssessmentUpkeep
	Evidence      AttachmentKeeper
	SamplePhotos  AttachmentKeeper
	EngineChoices EngineChoices

	FootprintClients FootprintClientKeeper

	Carrier        Carrier
	Arrivals       Arrivals
	CompanyExports CompanyExportKeeper
}

// Filter narrows a list to records with a value. The names are the documented query parameters.
type Filter struct {
	Name    string
	Value   any  // int64, string or bool, or a list; for bbox []geo.Box, any of which may match; for datetime a Span
	Partial bool // a string that may occur anywhere, whatever its case
}

// Span is a stretch of time; nil: without a start, or an end.
type Span struct{ From, To *time.Time }

// Order is one term of the order of a list. The fields are those of the documented ordering.
type Order struct {
	Field      string
	Descending bool
}

// Query selects a page of a list, ordered by id unless it says otherwise.
type Query struct {
	Filters []Filter
	Order   []Order // ties are broken by id
	Limit   int64   // 0: all
	Offset  int64
	At      *Place  // nil: the list is read in one go
	Cursor  *string // continues where an earlier page ended; first: from the start; nil: by the offset
	NoCount bool    // the number of records does not matter
	// Deleted asks for own records that were deleted at or after a time, instead of live ones.
	Deleted time.Time
}

// MaxPage is the size of the largest page.
const MaxPage = 1000

type patience struct{}

// Patiently marks the reads of a context as able to wait: they leave a share of the connections to
// others.
func Patiently(ctx context.Context) context.Context { return context.WithValue(ctx, patience{}, true) }

// Patient reports whether reads of a context may wait.
func Patient(ctx context.Context) bool { return ctx.Value(patience{}) != nil }

type brevity struct{}

// Briefly marks the writes of a context as brief, so that others may wait for them: they may share a commit.
func Briefly(ctx context.Context) context.Context { return context.WithValue(ctx, brevity{}, true) }

// Brief reports whether writes of a context are brief.
func Brief(ctx context.Context) bool { return ctx.Value(brevity{}) != nil }

type looseness struct{}

// Loosely marks the reads of a context as needing no common snapshot: each statement sees the database as it is when it
// runs, and no transaction surrounds them.
func Loosely(ctx context.Context) context.Context {
	return context.WithValue(ctx, looseness{}, true)
}

// Loose reports whether reads of a context need no common snapshot.
func Loose(ctx context.Context) bool { return ctx.Value(looseness{}) != nil }

// Place is a reader's position in a list: at its start, or after the record with these values of
// what the list is ordered by. A list that is read at a place begins there and advances the place
// with each record, so that another transaction can continue; an offset applies only at the start.
type Place struct {
	Keys  []any
	Given []json.RawMessage // the keys of a cursor, for a reader that knows their types; Keys are nil then
}

// From is where a list with a single order begins.
type From struct {
	Cursor *string // see [Query]
}

// Behind returns the cursor of a query, which belongs to its one order; nil: there is none.
func (f From) Behind() (*string, []Order) { return f.Cursor, nil }

// Page returns the bounds of a query; a limit of 0 is none.
func (q Query) Page() (limit, offset int64) { return q.Limit, q.Offset }

// Counted reports whether it matters how many records there are.
func (q Query) Counted() bool { return !q.NoCount || q.Cursor == nil }

// Behind returns the cursor of a query, and the order that it must belong to; nil: there is none.
func (q Query) Behind() (*string, []Order) { return q.Cursor, q.Order }

// Chunk returns the same query with other bounds, at a place.
func (q Query) Chunk(limit, offset int64, at *Place) Query {
	q.Limit, q.Offset, q.At = limit, offset, at
	return q
}

// List is a list of a company's records. A query selects a page of it.
type List[T, Q any] interface {
	// Count counts what a query selects, without its page.
	Count(ctx context.Context, scope access.Scope, q Q) (int64, error)
	// Each streams the page of a query in its order.
	Each(ctx context.Context, scope access.Scope, q Q) iter.Seq2[T, error]
}

// Whole is a list of records of all companies, for the operator.
type Whole[T any] interface {
	// Count counts what a query selects, without its page.
	Count(ctx context.Context, q Query) (int64, error)
	// Each streams the page of a query in its order.
	Each(ctx context.Context, q Query) iter.Seq2[T, error]
}

// Readable reads records of a company one by one.
type Readable[T any] interface {
	// Get returns one record. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, id int64) (T, error)
}

// Lockable reads records of a company that are to be changed.
type Lockable[T any] interface {
	Readable[T]
	// GetForUpdate returns one record and locks it until the transaction ends. Faults: NotFound.
	GetForUpdate(ctx context.Context, scope access.Scope, id int64) (T, error)
}

// Keyed finds records of a company by their external ids, each of which is unique among the live records.
type Keyed interface {
	// HoldKeys blocks others that take external ids, or match records, of the company until the transaction ends.
	HoldKeys(ctx context.Context, scope access.Scope) error
	// ByExternalID returns the ids of the live records with each external id, in order.
	ByExternalID(ctx context.Context, scope access.Scope, keys []string) (map[string][]int64, error)
}

// Records is what every resource of a company can do. Deleted records, and those outside the scope, are NotFound.
type Records[T any] interface {
	List[T, Query]
	Lockable[T]
	// GetMany returns those of the ids that are in the scope. In a Write they cannot be deleted before it ends.
	GetMany(ctx context.Context, scope access.Scope, ids []int64) (map[int64]T, error)
	// Known returns those of the ids that are in the scope, as GetMany does, without their records.
	Known(ctx context.Context, scope access.Scope, ids []int64) (map[int64]bool, error)
	// GetManyForUpdate returns and locks those of the ids that are in the scope.
	GetManyForUpdate(ctx context.Context, scope access.Scope, ids []int64) (map[int64]T, error)
	// Keyed covers records that have external ids.
	Keyed
	// Insert stores new records and fills in their ids, in order.
	Insert(ctx context.Context, scope access.Scope, records []*T) error
	// Update stores a record read by GetForUpdate. Faults: NotFound.
	Update(ctx context.Context, scope access.Scope, record *T) error
	// SoftDelete marks records as deleted and returns how many were live.
	SoftDelete(ctx context.Context, scope access.Scope, ids []int64, at time.Time) (int64, error)
	// GetDeleted returns and locks an own record deleted at or after a time, with that time. Faults: NotFound.
	GetDeleted(ctx context.Context, scope access.Scope, id int64, since time.Time) (T, time.Time, error)
	// Undelete restores a record that was deleted at exactly that time.
	Undelete(ctx context.Context, scope access.Scope, id int64, deletedAt, now time.Time) error
}

// Clock tells the time.
type Clock interface{ Now() time.Time }

// IDs makes identifiers and secrets.
type IDs interface {
	// UUID returns a new random UUID.
	UUID() string
	// Secret returns 256 random bits as URL-safe text.
	Secret() string
	// Jitter returns a number in [0, 1).
	Jitter() float64
}
