package farm_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/farm"
	"tilth/core/access"
	core "tilth/core/farm"
	"tilth/core/geo"
	"tilth/ports"
	"tilth/tests/fields"
)

// counting counts the queries for a farm's other records.
type counting struct {
	ports.Store
	asked int
}

func (c *counting) Read(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	return c.Store.Read(ctx, func(ctx context.Context, tx ports.Repos) error {
		tx.Farms, tx.Fields, tx.Overlaps = countedFarms{tx.Farms, c}, countedFields{tx.Fields, c}, countedOverlaps{tx.Overlaps, c}
		return do(ctx, tx)
	})
}

type countedFarms struct {
	ports.Records[core.Farm]
	by *counting
}

func (c countedFarms) GetMany(ctx context.Context, scope access.Scope, ids []int64) (map[int64]core.Farm, error) {
	c.by.asked++
	return c.Records.GetMany(ctx, scope, ids)
}

type countedFields struct {
	ports.Fields
	by *counting
}

func (c countedFields) Spots(ctx context.Context, scope access.Scope, farms []int64) (map[int64][]core.Spot, error) {
	c.by.asked++
	return c.Fields.Spots(ctx, scope, farms)
}

type countedOverlaps struct {
	ports.FieldOverlaps
	by *counting
}

func (c countedOverlaps) Of(ctx context.Context, scope access.Scope, ids []int64) (map[int64]core.Overlaps, error) {
	c.by.asked++
	return c.FieldOverlaps.Of(ctx, scope, ids)
}

// TestListsWarnAsRecordsDo checks that a list shows the warnings of its records, with a number of queries that does not grow.
func TestListsWarnAsRecordsDo(t *testing.T) {
	t.Parallel()
	l := newLand(t, geo.DefaultLimits().OverlapSteps)
	var boundaries []*geo.Boundary
	for i := range 30 {
		boundaries = append(boundaries, fields.Round(t, 0.0008*float64(i), 0, 0.001, 12)) // each overlaps the next
	}
	made := l.add(append(boundaries, fields.Round(t, 80, 0, 0.001, 12))...)
	deps := l.world.Deps()
	store := &counting{Store: deps.Store}
	deps.Store = store
	listed, err := farm.NewFields(deps, geo.DefaultLimits()).List(t.Context(), l.owner, false, ports.Query{})
	require.NoError(t, err)
	n := 0
	for f, err := range listed.Each {
		require.NoError(t, err)
		alone, err := l.fields.Retrieve(t.Context(), l.owner, false, f.ID)
		require.NoError(t, err)
		require.Equal(t, alone.Overlaps, f.Overlaps)
		require.Equal(t, alone.Astray, f.Astray)
		require.Equal(t, f.ID == made[30].ID, f.Astray != nil)
		if f.ID >= made[0].ID && f.ID != made[30].ID {
			require.NotEmpty(t, f.Overlaps.Fields)
		}
		n++
	}
	require.Greater(t, n, 30)
	require.Equal(t, 3, store.asked, "once each: farms, spots, overlaps")
}
