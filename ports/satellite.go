package ports

import (
	"context"
	"io"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/cropcheck"
	"tilth/core/fieldmap"
	"tilth/core/indexmap"
	"tilth/core/monitoring"
	"tilth/core/vegetation"
)

// OrderSeries is an order with its series.
type OrderSeries struct {
	Order  vegetation.OrderState
	Series vegetation.Series
}

// ProfileOrders are the vegetation-index profile orders of a company and their series.
type ProfileOrders interface {
	List[vegetation.OrderState, Query]
	Lockable[vegetation.OrderState]
	Keyed
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
	// Insert stores a new order and fills in its id. Faults: Conflict (order_exists): the key in the database decides.
	Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error
	// Update stores an order read under a lock.
	Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error
	// PutSeries replaces the series of an order in its reading on the order's outline; those on other outlines stay.
	PutSeries(ctx context.Context, scope access.Scope, orderID int64, series vegetation.Series) error
	// SeriesOn returns the stored series of an order in a reading on an outline, the order's or an earlier one.
	// Faults: NotFound.
	SeriesOn(ctx context.Context, scope access.Scope, orderID, boundaryID int64, reading vegetation.Reading) (vegetation.Series, error)
	// SeriesOf returns the orders that have a stored series in their reading on their outline, with the series, in the given order.
	SeriesOf(ctx context.Context, scope access.Scope, orders []vegetation.OrderState) ([]OrderSeries, error)
	// Series returns the stored series of an order in a reading on its outline; an empty one where none is stored.
	Series(ctx context.Context, scope access.Scope, orderID int64, reading vegetation.Reading) (vegetation.Series, error)
	// Derivation returns the derivation of an order for a reading; ok is false where none was requested.
	Derivation(ctx context.Context, scope access.Scope, orderID int64, reading vegetation.Reading) (d vegetation.Derivation, ok bool, err error)
	// PutDerivation stores a derivation. Faults: NotFound for an order that may not be written.
	PutDerivation(ctx context.Context, scope access.Scope, d vegetation.Derivation) error
	// CountDerivations returns how many derivations an order has, in any state.
	CountDerivations(ctx context.Context, scope access.Scope, orderID int64) (int64, error)
	// Readings returns the readings in which a series of an order on its outline is stored, in the order of their texts.
	Readings(ctx context.Context, scope access.Scope, orderID int64) ([]vegetation.Reading, error)
}

// MapOrders are the orders of one product of maps of a company, with the dates of the maps, or the layers of those that have no dates.
type MapOrders interface {
	List[vegetation.OrderState, Query]
	Lockable[vegetation.OrderState]
	Keyed
	// Find returns the order with a key (OrderState.Key). Faults: NotFound.
	Find(ctx context.Context, scope access.Scope, key string) (vegetation.OrderState, error)
	// FindForUpdate is Find, and locks the order.
	FindForUpdate(ctx context.Context, scope access.Scope, key string) (vegetation.OrderState, error)
	// Insert stores a new order and fills in its id. Faults: Conflict (order_exists): the key in the database decides.
	Insert(ctx context.Context, scope access.Scope, order *vegetation.OrderState) error
	// Update stores an order read under a lock.
	Update(ctx context.Context, scope access.Scope, order vegetation.OrderState) error
	// PutDates replaces the dates of an order, accepted and rejected, with the files of the accepted ones.
	PutDates(ctx context.Context, scope access.Scope, orderID int64, series vegetation.Series, files []indexmap.File) error
	// Dates returns the dates of an order, and the files in the order of their days.
	Dates(ctx context.Context, scope access.Scope, orderID int64) (vegetation.Series, []indexmap.File, error)
	// File returns an order with the file of one of its dates (nil: the last), and nothing else about them: tiles are
	// requested by the hundred. Faults: NotFound, also where there is no such date.
	File(ctx context.Context, scope access.Scope, orderID int64, day *time.Time) (vegetation.OrderState, indexmap.File, error)
	// PutLayers replaces the layers of an order.
	PutLayers(ctx context.Context, scope access.Scope, orderID int64, layers []fieldmap.Layer) error
	// Layers returns the layers of an order in their order; none where the map has dates.
	Layers(ctx context.Context, scope access.Scope, orderID int64) ([]fieldmap.Layer, error)
}

// FieldMaps are the orders of all products of maps of a company.
type FieldMaps interface {
	// Of returns the orders of one product.
	Of(product credit.Product) MapOrders
	// OpenOfFields returns the processing and pending orders of the fields, in order of id.
	OpenOfFields(ctx context.Context, scope access.Scope, fieldIDs []int64) ([]vegetation.OrderRef, error)
	// OpenOfOutline returns those of an outline that is not a field, by its digest.
	OpenOfOutline(ctx context.Context, scope access.Scope, outline string) ([]vegetation.OrderRef, error)
	// OpenOfSeason returns those of a season.
	OpenOfSeason(ctx context.Context, scope access.Scope, seasonID int64) ([]vegetation.OrderRef, error)
	// ActiveOfSeason reports whether a map of the season is active.
	ActiveOfSeason(ctx context.Context, scope access.Scope, seasonID int64) (bool, error)
}

// MapFiles writes and reads the dates of maps as files.
type MapFiles interface {
	// WriteLayer writes a date; for the same date it writes the same bytes.
	WriteLayer(w io.Writer, layer indexmap.Layer) error
	// ReadLayer returns the date of a file. Faults: Invalid for a file that is not such a date.
	ReadLayer(ctx context.Context, file io.ReaderAt, size int64) (indexmap.Layer, error)
}

// MapLayers reads the dates of maps from the store of files.
type MapLayers interface {
	// Layer returns the date that an object holds. It is shared and must not be changed. Faults: NotFound; as in MapFiles.ReadLayer.
	Layer(ctx context.Context, object string) (*indexmap.Layer, error)
}

// Monitors are the standing orders to watch profiles. An order has at most one.
type Monitors interface {
	// The company's own, in order of their orders. Filters: id (of the order), field, season, farm, alerted.
	List[monitoring.Monitor, Query]
	// Of returns those of own orders that have one, by the id of the order.
	Of(ctx context.Context, scope access.Scope, orderIDs []int64) (map[int64]monitoring.Monitor, error)
	// Get returns the monitor of an own order. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, orderID int64) (monitoring.Monitor, error)
	// Put stores monitors of own orders, in the place of existing ones. Faults: NotFound (an order).
	Put(ctx context.Context, scope access.Scope, all ...monitoring.Monitor) error
	// Remove removes the monitor of an own order. Faults: NotFound.
	Remove(ctx context.Context, scope access.Scope, orderID int64) error
}

// Watched is an order that is watched.
type Watched struct{ OrderID, CompanyID int64 }

// MonitorKeeper finds what is due, in all companies.
type MonitorKeeper interface {
	// Due returns up to limit watched orders that are active, whose last check lies before a time, and whose season did
	// not end before another; in the order of their ids, after an id.
	Due(ctx context.Context, checkedBefore, endedBefore time.Time, after int64, limit int) ([]Watched, error)
}

// LedgerSpan is a stretch of the ledger in the order of time and, within a moment, of the ids.
type LedgerSpan struct {
	From, To time.Time           // From is part of it
	Last     int64               // those with a larger id are not part of it
	After    *credit.Transaction // those up to this one are not, either; nil: from the beginning
	Limit    int64               // how many are read at most
}

// Wallet is a company's wallet with its ledger. The ledger is append-only.
type Wallet interface {
	// Lock returns the wallet, created on first use, and locks it until the transaction ends.
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
	// At returns the wallet as the transactions before a time left it; the zero time is the beginning.
	At(ctx context.Context, scope access.Scope, before time.Time) (credit.Wallet, error)
	// LastID returns the id of the newest transaction; 0 where there is none. Ids follow the order of the commits.
	LastID(ctx context.Context, scope access.Scope) (int64, error)
	// Between returns transactions of a span, oldest first.
	Between(ctx context.Context, scope access.Scope, span LedgerSpan) ([]credit.Transaction, error)
	// Sum adds up all entries of the wallet's accounts: what balance and held must be.
	Sum(ctx context.Context, scope access.Scope) (balance, held credit.Amount, err error)
	// Price returns the price per hectare of a service; ok is false where none is set.
	Price(ctx context.Context, service string) (price credit.Amount, ok bool, err error)
	// FieldCharge returns the charge of a field or an outline, held or captured. Faults: NotFound.
	FieldCharge(ctx context.Context, scope access.Scope, of credit.Site) (credit.FieldCharge, error)
	// ClaimFieldCharge stores the charge of a field or an outline that has none, and reports whether it had none. It waits for a
	// transaction that claims the same.
	ClaimFieldCharge(ctx context.Context, scope access.Scope, charge credit.FieldCharge) (bool, error)
	// PutFieldCharge stores the charge of a field or an outline; one that is held may pass to another
	// order, also of another product. Faults: Conflict (field_charged) when it was captured for another order.
	PutFieldCharge(ctx context.Context, scope access.Scope, charge credit.FieldCharge) error
	// DropFieldCharge removes a charge that was held and is released.
	DropFieldCharge(ctx context.Context, scope access.Scope, of credit.Site) error
	// PaidLand returns how many square metres of a field that is not charged were paid for as other fields. The figure
	// stays as it was when the field was made from them.
	PaidLand(ctx context.Context, scope access.Scope, fieldID int64) (int64, error)
	// LandOf returns how much of fields of the scope, given with their areas, was paid for, by every company that paid for any.
	LandOf(ctx context.Context, scope access.Scope, areas map[int64]int64) ([]credit.Land, error)
	// PutLand stores how much of new fields of the scope companies have paid for.
	PutLand(ctx context.Context, scope access.Scope, land []credit.Land) error
}

// Price is what a hectare of a service costs.
type Price struct {
	Service string
	PerHa   credit.Amount
	SetAt   time.Time
}

// Prices are the prices per hectare of the services.
type Prices interface {
	// All returns the prices that are set, by service.
	All(ctx context.Context) ([]Price, error)
	SetPrice(ctx context.Context, service string, price credit.Amount, at time.Time) error
}

// CurveSets are the imported versions of the reference curves. They are append-only.
type CurveSets interface {
	// Add stores a version. Faults: Conflict (curves_exist) when the region has it already.
	Add(ctx context.Context, edition cropcheck.Edition) error
	// Newest returns the newest version of each region that has any, in the order of regions.
	Newest(ctx context.Context) ([]cropcheck.Edition, error)
}

// OwnCurves are the curves that companies made from their own labelled fields.
type OwnCurves interface {
	// Insert stores curves and fills in their id.
	Insert(ctx context.Context, scope access.Scope, curves *cropcheck.Own) error
	// Newest returns up to limit curves that were not removed, the newest first.
	Newest(ctx context.Context, scope access.Scope, limit int) ([]cropcheck.Own, error)
	// Remove takes curves out of force. Faults: NotFound.
	Remove(ctx context.Context, scope access.Scope, id int64, at time.Time) error
}

// BuiltInCurves are the reference curves that the program comes with.
type BuiltInCurves interface {
	BuiltIn() (cropcheck.Set, error)
}
