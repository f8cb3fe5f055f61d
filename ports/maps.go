package ports

import (
	"context"
	"iter"
	"time"

	"tilth/core/access"
	"tilth/core/stratification/plan"
	"tilth/core/stratification/zoning"
)

// StratificationRuns are the calls of a company that make maps of zones. Those of a deleted
// area of interest are not seen.
type StratificationRuns interface {
	// Get returns a run. Faults: NotFound.
	Get(ctx context.Context, scope access.Scope, id int64) (zoning.Run, error)
	// GetForUpdate returns a run and locks it until the transaction ends. Faults: NotFound.
	GetForUpdate(ctx context.Context, scope access.Scope, id int64) (zoning.Run, error)
	// Find returns the run of an order with a key. Faults: NotFound.
	Find(ctx context.Context, scope access.Scope, orderID int64, key string) (zoning.Run, error)
	// Insert stores a new run and fills in its id. Faults: Conflict (run_exists) where the
	// order has one with that key: the key in the database decides.
	Insert(ctx context.Context, scope access.Scope, run *zoning.Run) error
	// Update stores status, progress, reason and maps. Faults: NotFound.
	Update(ctx context.Context, scope access.Scope, run zoning.Run) error
}

// StratificationMaps are the maps of zones of a company, candidates and saved ones. Those of
// a deleted area of interest are not seen.
type StratificationMaps interface {
	// Put stores candidates and fills in their ids; one that is stored already keeps its id,
	// and lives as long as a new one.
	Put(ctx context.Context, scope access.Scope, maps []*zoning.Map) error
	// ByUUID returns a candidate or a saved map; whole: with its labels and outlines. Faults: NotFound.
	ByUUID(ctx context.Context, scope access.Scope, uuid string, whole bool) (zoning.Map, error)
	// ByUUIDForUpdate returns a map without labels and outlines, and locks it. Faults: NotFound.
	ByUUIDForUpdate(ctx context.Context, scope access.Scope, uuid string) (zoning.Map, error)
	// Save stores how a map was saved. Faults: NotFound; Conflict (tag_taken) where another map
	// of the order has the tag.
	Save(ctx context.Context, scope access.Scope, m zoning.Map) error
	// CountSaved and EachSaved are the list of saved maps, by id; filters are order, aoi and
	// map_tag. Labels are left out, and outlines where not wanted.
	CountSaved(ctx context.Context, scope access.Scope, q Query) (int64, error)
	EachSaved(ctx context.Context, scope access.Scope, q Query, outlines bool) iter.Seq2[zoning.Map, error]
	// GetSaved returns a saved map without its labels. Faults: NotFound.
	GetSaved(ctx context.Context, scope access.Scope, id int64, outlines bool) (zoning.Map, error)
}

// SamplePlans are the sample plans of a company, candidates and saved ones. Those of a
// deleted area of interest are not seen.
type SamplePlans interface {
	// Put stores a candidate and fills in its id; one that is stored already keeps its id, and
	// lives as long as a new one. Faults: NotFound (its map).
	Put(ctx context.Context, scope access.Scope, plan *plan.SamplePlan) error
	// ByUUID returns a candidate or a saved plan; whole: with its points. Faults: NotFound.
	ByUUID(ctx context.Context, scope access.Scope, uuid string, whole bool) (plan.SamplePlan, error)
	// ByUUIDForUpdate returns a plan without its points, and locks it. Faults: NotFound.
	ByUUIDForUpdate(ctx context.Context, scope access.Scope, uuid string) (plan.SamplePlan, error)
	// Save stores how a plan was saved. Faults: NotFound; Conflict (tag_taken) where another
	// plan of the order has the tag.
	Save(ctx context.Context, scope access.Scope, plan plan.SamplePlan) error
	// CountSaved and EachSaved are the list of saved plans, by id; filters are order, aoi,
	// stratification_map, map_tag (the map's) and plan_tag. Points come where wanted.
	CountSaved(ctx context.Context, scope access.Scope, q Query) (int64, error)
	EachSaved(ctx context.Context, scope access.Scope, q Query, points bool) iter.Seq2[plan.SamplePlan, error]
	// GetSaved returns a saved plan. Faults: NotFound.
	GetSaved(ctx context.Context, scope access.Scope, id int64, points bool) (plan.SamplePlan, error)
}

// MapKeeper removes what was not saved, of all companies.
type MapKeeper interface {
	// Prune removes up to limit plans and up to limit maps that were made before a time and not
	// saved, and up to limit runs that old; it gives how many records went. What another
	// transaction holds stays for the next time.
	Prune(ctx context.Context, before time.Time, limit int) (int64, error)
}
