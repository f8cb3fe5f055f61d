package farm

import (
	"context"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/ports"
)

// enrichFields fills in the warnings about fields, in a number of queries that does not grow with the fields. Shared fields
// get no warnings that rest on other records.
func enrichFields(ctx context.Context, tx ports.Repos, scope access.Scope, records []*farm.Field) error {
	if scope.Shared() {
		return nil
	}
	if err := findOverlaps(ctx, tx, scope, records); err != nil {
		return err
	}
	if err := findLineage(ctx, tx, scope, records); err != nil {
		return err
	}
	return findAstray(ctx, tx, scope, records)
}

// findAstray fills in which fields lie far from their farms.
func findAstray(ctx context.Context, tx ports.Repos, scope access.Scope, records []*farm.Field) error {
	var of []int64
	seen := map[int64]bool{}
	for _, r := range records {
		if r.Boundary != nil && !seen[r.Farm.ID] {
			seen[r.Farm.ID], of = true, append(of, r.Farm.ID)
		}
	}
	if len(of) == 0 {
		return nil
	}
	farms, err := tx.Farms.GetMany(ctx, scope, of)
	if err != nil {
		return err
	}
	var unplaced []int64
	for _, id := range of {
		if farms[id].Location == nil {
			unplaced = append(unplaced, id)
		}
	}
	spots, err := tx.Fields.Spots(ctx, scope, unplaced)
	if err != nil {
		return err
	}
	for _, r := range records {
		at := farms[r.Farm.ID]
		if doubt, ok := (farm.Surroundings{Location: at.Location, Country: at.Country, Others: spots[r.Farm.ID]}).Doubt(r.Boundary); ok {
			r.Astray = &doubt
		}
	}
	return nil
}
