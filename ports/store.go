package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/event"
	"tilth/core/farm"
	"tilth/core/vegetation"
	"tilth/core/webhook"
)

// Store is the unit of work. Write runs its callback in one transaction and commits
// when it returns nil; the callback may be run again after a lost race, so it does
// no I/O but through the bundle. Read gives the same repositories on a consistent
// read-only view.
//
// Faults: what the callback returns, Unavailable when the database cannot be reached.
type Store interface {
	Write(ctx context.Context, do func(ctx context.Context, tx Repos) error) error
	Read(ctx context.Context, do func(ctx context.Context, tx Repos) error) error
	// Operate is a transaction over the bundle that is not bound to a company: for the
	// operator's commands, for sign-in and for background work, never for a request's records.
	Operate(ctx context.Context, do func(ctx context.Context, tx OperatorRepos) error) error
	// Consult is Operate on a consistent read-only view, for what every request asks (who
	// calls, with which policy): it waits for no writer.
	Consult(ctx context.Context, do func(ctx context.Context, tx OperatorRepos) error) error
	// Ping asks the database for an answer.
	Ping(ctx context.Context) error
}

// Repos is a bundle of repositories bound to one transaction. Every method takes a
// scope; there is no unscoped read.
type Repos struct {
	Farms        Records[farm.Farm]
	Fields       Fields
	Seasons      Seasons
	Crops        Crops
	Cultivations Cultivations

	Fertilizations Fertilizations
	Boundaries     Boundaries
	Replays        Replays

	Wallet  Wallet
	Orders  ProfileOrders
	Outbox  Outbox
	Jobs    JobWriter
	Imports Imports
	Grants  Grants
	Keys    APIKeys
	Audit   AuditTrail
	Curves  CurveSets

	Members     Members
	Roles       Roles
	Invitations Invitations
	Letters     LetterBox

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

	Assessments        Assessments
	AssessmentVersions AssessmentVersions
	EngineReferences   EngineReferenceWriter
	Batches            Batches
	EngineChoices      EngineChoices

	Verifications Verifications
	Rollups       Rollups
}

// Filter narrows a list to records whose named attribute has a value. The names are
// those of the resource's documented query parameters.
type Filter struct {
	Name    string
	Value   any  // int64, string or bool
	Partial bool // a string that may stand anywhere, whatever its case
}

// Query selects a page of a list, ordered by id unless it says otherwise.
type Query struct {
	Filters []Filter
	Order   []Order // ties are broken by id
	Limit   int64   // 0: all
	Offset  int64
}

// Records is what every resource of a company can do. Deleted records are never
// seen. NotFound is returned for what is outside the scope, as for what does not exist.
type Records[T any] interface {
	// Count counts what a query selects, without its page.
	Count(ctx context.Context, scope access.Scope, q Query) (int64, error)
	// Each streams the page of a query in its order.
	Each(ctx context.Context, scope access.Scope, q Query) iter.Seq2[T, error]
	// Get returns one record. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, id int64) (T, error)
	// GetForUpdate returns one record and locks it until the transaction ends. Faults: NotFound.
	GetForUpdate(ctx context.Context, scope access.Scope, id int64) (T, error)
	// GetMany returns those of the ids that are in the scope, by id. In a Write they cannot be
	// deleted before it ends.
	GetMany(ctx context.Context, scope access.Scope, ids []int64) (map[int64]T, error)
	// Insert stores new records and fills in their ids, in order.
	Insert(ctx context.Context, scope access.Scope, records []*T) error
	// Update stores a record read by GetForUpdate. Faults: NotFound.
	Update(ctx context.Context, scope access.Scope, record *T) error
	// SoftDelete marks records deleted and gives how many were live.
	SoftDelete(ctx context.Context, scope access.Scope, ids []int64, at time.Time) (int64, error)
	Restorable[T]
}

// Fields are the fields of a company.
type Fields interface {
	Records[farm.Field]
	// GetByUUID returns a field by its uuid. Faults: NotFound.
	GetByUUID(ctx context.Context, scope access.Scope, uuid string) (farm.Field, error)
	// IDsOfFarm returns the live fields of a farm.
	IDsOfFarm(ctx context.Context, scope access.Scope, farmID int64) ([]int64, error)
	// UndeleteOfFarm makes the fields of a farm live again that were deleted at a time, and gives their ids.
	UndeleteOfFarm(ctx context.Context, scope access.Scope, farmID int64, deletedAt, now time.Time) ([]int64, error)
	// GetManyByUUID returns those of the uuids that are in the scope, by uuid. In a Write they
	// cannot be deleted before it ends.
	GetManyByUUID(ctx context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error)
	// Overlapping returns, by the id of each given field, the live fields of the company
	// whose boundary box meets that field's box, itself left out.
	Overlapping(ctx context.Context, scope access.Scope, ids []int64) (map[int64][]farm.Field, error)
}

// Seasons are the seasons of a company.
type Seasons interface {
	Records[farm.Season]
	// InUse reports whether a live cultivation uses the season.
	InUse(ctx context.Context, scope access.Scope, id int64) (bool, error)
}

// Crops is the shared catalog; companies read it.
type Crops interface {
	Count(ctx context.Context, q Query) (int64, error)
	Each(ctx context.Context, q Query) iter.Seq2[farm.Crop, error]
	// Get returns one crop, active or not. Faults: NotFound.
	Get(ctx context.Context, id int64) (farm.Crop, error)
	GetMany(ctx context.Context, ids []int64) (map[int64]farm.Crop, error)
}

// Cultivations are the cultivations of a company.
type Cultivations interface {
	Records[farm.Cultivation]
	// CountOfField counts the live cultivations of a field.
	CountOfField(ctx context.Context, scope access.Scope, fieldID int64) (int64, error)
	// SoftDeleteOfFields marks every live cultivation of the fields deleted.
	SoftDeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, at time.Time) (int64, error)
	// UndeleteOfFields makes the cultivations of the fields live again that were deleted at a time.
	UndeleteOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64, deletedAt, now time.Time) error
	// SeasonsOfFields returns the ids of the seasons that live cultivations of the fields use.
	SeasonsOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error)
}

// Wallet is a company's wallet with its ledger. The ledger is append-only.
type Wallet interface {
	// Lock returns the wallet, made on first use, and locks it until the transaction ends.
	Lock(ctx context.Context, scope access.Scope) (credit.Wallet, error)
	// Get returns the wallet without a lock; an empty one where none was made yet.
	Get(ctx context.Context, scope access.Scope) (credit.Wallet, error)
	// Post stores the wallet's new state and the transaction with its entries.
	Post(ctx context.Context, scope access.Scope, wallet credit.Wallet, tx *credit.Transaction) error
	// Transactions streams the ledger, newest first.
	Transactions(ctx context.Context, scope access.Scope, q Query) iter.Seq2[credit.Transaction, error]
	// CountTransactions counts the ledger's transactions that a query selects, without its page.
	CountTransactions(ctx context.Context, scope access.Scope, q Query) (int64, error)
	// Transaction returns one transaction of the ledger. Faults: NotFound.
	Transaction(ctx context.Context, scope access.Scope, id int64) (credit.Transaction, error)
	// Refunded reports whether a capture was refunded.
	Refunded(ctx context.Context, scope access.Scope, id int64) (bool, error)
	Statements
	// Sum adds up all entries of the wallet's accounts: what balance and held must be.
	Sum(ctx context.Context, scope access.Scope) (balance, held credit.Amount, err error)
	// Price returns the price per hectare of a service; ok is false where none is set.
	Price(ctx context.Context, service string) (price credit.Amount, ok bool, err error)
	// FieldCharge returns the charge of a field, held or captured. Faults: NotFound.
	FieldCharge(ctx context.Context, scope access.Scope, fieldID int64) (credit.FieldCharge, error)
	// PutFieldCharge stores the charge of a field; one that is held may pass to another
	// order. Faults: Conflict (field_charged) when it was captured for another order.
	PutFieldCharge(ctx context.Context, scope access.Scope, charge credit.FieldCharge) error
	// DropFieldCharge removes a charge that was held and is released.
	DropFieldCharge(ctx context.Context, scope access.Scope, fieldID int64) error
}

// ProfileOrders are the vegetation-index profile orders of a company and their series.
type ProfileOrders interface {
	Count(ctx context.Context, scope access.Scope, q Query) (int64, error)
	Each(ctx context.Context, scope access.Scope, q Query) iter.Seq2[vegetation.OrderState, error]
	// Get returns an order. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, id int64) (vegetation.OrderState, error)
	// GetForUpdate returns an order and locks it. Faults: NotFound.
	GetForUpdate(ctx context.Context, scope access.Scope, id int64) (vegetation.OrderState, error)
	// FindForUpdate returns the order of a field and season and locks it. Faults: NotFound.
	FindForUpdate(ctx context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error)
	// Find returns the order of a field and season. Faults: NotFound.
	Find(ctx context.Context, scope access.Scope, fieldID, seasonID int64) (vegetation.OrderState, error)
	// OpenOfFields returns the ids of the processing and pending orders of the fields, in order of id.
	OpenOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]int64, error)
	// OpenOfSeason returns the ids of the processing and pending orders of a season, in order of id.
	OpenOfSeason(ctx context.Context, scope access.Scope, seasonID int64) ([]int64, error)
	// ActiveOfSeason reports whether a profile of the season is active.
	ActiveOfSeason(ctx context.Context, scope access.Scope, seasonID int64) (bool, error)
	// Insert stores a new order and fills in its id. Faults: Conflict (code
	// "order_exists") when the field and season have one: the key in the database decides.
	Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error
	// Update stores an order read under a lock.
	Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error
	// PutSeries replaces the series of an order for an index.
	PutSeries(ctx context.Context, scope access.Scope, orderID int64, series vegetation.Series) error
	// Series returns the stored series of an order for an index; an empty one where none is stored.
	Series(ctx context.Context, scope access.Scope, orderID int64, index string) (vegetation.Series, error)
	Derivations
	// Indexes returns the codes of the indexes of which a series of an order is stored, in their order.
	Indexes(ctx context.Context, scope access.Scope, orderID int64) ([]string, error)
}

// Outbox takes the events of a transaction.
type Outbox interface {
	Add(ctx context.Context, events ...event.Event) error
}

// OutboxRow is an event that waits to be published.
type OutboxRow struct {
	event.Logged
	Seq      int64
	Attempts int
}

// Relay is the reading side of the outbox.
type Relay interface {
	// Pending returns up to limit unpublished events that no other relay holds, oldest first, held until the lease ends.
	Pending(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]OutboxRow, error)
	// Published marks events as acknowledged by every consumer.
	Published(ctx context.Context, seqs []int64, at time.Time) error
}
