package farm

import (
	"context"
	"iter"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/ports"
)

// Crops is the use cases of the shared crop catalog: companies read it.
type Crops struct{ deps app.Deps }

// NewCrops makes the use cases of the catalog.
func NewCrops(deps app.Deps) *Crops { return &Crops{deps} }

// List returns the catalog. Faults: Unauthenticated, Forbidden.
func (c *Crops) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[farm.Crop], error) {
	if err := c.deps.Gate.Require(ctx, who, access.Crops.View); err != nil {
		return app.List[farm.Crop]{}, err
	}
	return app.ReadList(ctx, c.deps.Store,
		func(ctx context.Context, tx ports.Repos) (int64, error) { return tx.Crops.Count(ctx, q) },
		func(ctx context.Context, tx ports.Repos) iter.Seq2[farm.Crop, error] { return tx.Crops.Each(ctx, q) })
}

// Retrieve returns one crop. Faults: Unauthenticated, Forbidden, NotFound.
func (c *Crops) Retrieve(ctx context.Context, who access.Principal, id int64) (farm.Crop, error) {
	return app.Read(ctx, c.deps, who, access.Crops.View, func(ctx context.Context, tx ports.Repos) (farm.Crop, error) {
		return tx.Crops.Get(ctx, id)
	})
}
