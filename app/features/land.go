package features

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/stratification"
	"tilth/ports"
)

// Numbers of records of a kind that are read at a time: outlines are long, and an area of interest has up to 500.
const (
	chunkOfRecords = ports.MaxPage
	chunkOfLand    = 50
	chunkOfAOIs    = 5
	chunkOfDrafts  = 4
)

// Features holds the collections of what companies have on the map.
type Features struct{ app.Deps }

// listed returns the list of a repository, for callers who hold a permission.
func listed[L app.Lister[T, ports.Query], T any](d app.Deps, need access.Permission, in func(tx ports.Repos) L,
) func(ctx context.Context, who access.Principal, q ports.Query) (app.List[T], error) {
	return func(ctx context.Context, who access.Principal, q ports.Query) (app.List[T], error) {
		return app.ListIn(ctx, d, app.Ask{Who: who, Need: need}, q, in)
	}
}

// one turns each record into its one feature.
func one[R, T any](records []R, feature func(R) Feature[T]) [][]Feature[T] {
	out := make([][]Feature[T], len(records))
	for i, r := range records {
		out[i] = []Feature[T]{feature(r)}
	}
	return out
}

func outlineOf(b *geo.Boundary) geo.MultiPolygon {
	if b == nil {
		return nil
	}
	return b.Geometry()
}

// Farms returns farms, at their locations.
func (f *Features) Farms() *Collection[farm.Farm, farm.Farm] {
	need := access.Farms.View
	return &Collection[farm.Farm, farm.Farm]{
		deps: f.Deps, needs: []access.Permission{need}, word: "farm", chunk: chunkOfRecords,
		list: listed(f.Deps, need, func(tx ports.Repos) ports.Records[farm.Farm] { return tx.Farms }),
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (farm.Farm, error) {
			return tx.Farms.Get(ctx, scope, id)
		},
		features: func(_ context.Context, _ ports.Repos, _ access.Scope, records []farm.Farm) ([][]Feature[farm.Farm], error) {
			return one(records, func(r farm.Farm) Feature[farm.Farm] {
				return Feature[farm.Farm]{ID: ID{Record: r.ID}, Place: r.Location, Of: r}
			}), nil
		},
	}
}

// Fields returns fields, in their outlines.
func (f *Features) Fields() *Collection[farm.Field, farm.Field] {
	need := access.Fields.View
	return &Collection[farm.Field, farm.Field]{
		deps: f.Deps, needs: []access.Permission{need}, word: "field", chunk: chunkOfRecords, dated: true,
		list: listed(f.Deps, need, func(tx ports.Repos) ports.Fields { return tx.Fields }),
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (farm.Field, error) {
			return tx.Fields.Get(ctx, scope, id)
		},
		features: func(_ context.Context, _ ports.Repos, _ access.Scope, records []farm.Field) ([][]Feature[farm.Field], error) {
			return one(records, func(r farm.Field) Feature[farm.Field] {
				return Feature[farm.Field]{ID: ID{Record: r.ID}, Outline: outlineOf(r.Boundary), Of: r}
			}), nil
		},
	}
}

// Cultivation is a crop on a field, with its season, which states its dates.
type Cultivation struct {
	farm.Cultivation
	Of farm.Season
}

// Cultivations returns cultivations, in the outlines of their fields.
func (f *Features) Cultivations() *Collection[farm.Cultivation, Cultivation] {
	need := access.Cultivations.View
	return &Collection[farm.Cultivation, Cultivation]{
		deps: f.Deps, needs: []access.Permission{need, access.Fields.View.PartOf(need)}, word: "cultivation", chunk: chunkOfLand, dated: true,
		list: listed(f.Deps, need, func(tx ports.Repos) ports.Cultivations { return tx.Cultivations }),
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (farm.Cultivation, error) {
			return tx.Cultivations.Get(ctx, scope, id)
		},
		features: func(ctx context.Context, tx ports.Repos, scope access.Scope, records []farm.Cultivation) ([][]Feature[Cultivation], error) {
			var fieldIDs, seasonIDs []int64
			for _, r := range records {
				fieldIDs, seasonIDs = append(fieldIDs, r.Field.ID), append(seasonIDs, r.Season.ID)
			}
			fields, err := tx.Fields.GetMany(ctx, scope, fieldIDs)
			if err != nil {
				return nil, err
			}
			seasons, err := tx.Seasons.GetMany(ctx, scope, seasonIDs)
			return one(records, func(r farm.Cultivation) Feature[Cultivation] {
				return Feature[Cultivation]{ID: ID{Record: r.ID}, Outline: outlineOf(fields[r.Field.ID].Boundary), Of: Cultivation{r, seasons[r.Season.ID]}}
			}), err
		},
	}
}

// AOIs returns areas of interest, as the combined outlines of their fields.
func (f *Features) AOIs() *Collection[stratification.AOI, stratification.AOI] {
	need := access.AOIs.View
	return &Collection[stratification.AOI, stratification.AOI]{
		deps: f.Deps, needs: []access.Permission{need, access.Fields.View.PartOf(need)}, word: "aoi", chunk: chunkOfAOIs,
		list: listed(f.Deps, need, func(tx ports.Repos) ports.AOIs { return tx.AOIs }),
		get: func(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) (stratification.AOI, error) {
			return tx.AOIs.Get(ctx, scope, id)
		},
		features: func(ctx context.Context, tx ports.Repos, scope access.Scope, records []stratification.AOI) ([][]Feature[stratification.AOI], error) {
			var ids []int64
			for _, r := range records {
				for _, field := range r.Fields {
					ids = append(ids, field.ID)
				}
			}
			fields, err := tx.Fields.GetMany(ctx, scope, ids)
			return one(records, func(r stratification.AOI) Feature[stratification.AOI] {
				out := Feature[stratification.AOI]{ID: ID{Record: r.ID}, Of: r}
				for _, field := range r.Fields {
					out.Outline = append(out.Outline, outlineOf(fields[field.ID].Boundary)...)
				}
				return out
			}), err
		},
	}
}
