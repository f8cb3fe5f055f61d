package farm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/farm"
	core "tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
)

// named returns an item that names a farm, and leaves the other members of an existing one unchanged.
func named(externalID, name string) farm.Wanted[core.Farm] {
	origin := record.External{ExternalID: externalID}
	return farm.Wanted[core.Farm]{
		New: farm.Draft[core.Farm]{Record: core.Farm{Name: name, External: origin}},
		Over: func(current core.Farm) (farm.Draft[core.Farm], error) {
			current.Name, current.External = name, origin
			return farm.Draft[core.Farm]{Record: current}, nil
		},
	}
}

func TestUpsertCreatesUpdatesOrLeaves(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	ctx := t.Context()
	here := create(h, h.farms, core.Farm{Name: "A", Phone: "1", External: record.External{ExternalID: "a"}})
	entries := len(h.world.Trail)

	got, err := h.farms.Upsert(ctx, h.owner, []farm.Wanted[core.Farm]{named("b", "B"), named("a", "A"), named("c", "C")}, true)
	require.NoError(t, err)
	require.Equal(t, []farm.Outcome{farm.Created, farm.Unchanged, farm.Created}, got.Outcomes)
	require.Equal(t, here.UpdatedAt, got.Records[1].UpdatedAt)
	require.Len(t, h.world.Trail, entries+2, "what is unchanged leaves no trace")

	got, err = h.farms.Upsert(ctx, h.owner, []farm.Wanted[core.Farm]{named("a", "A2")}, false)
	require.NoError(t, err)
	require.Equal(t, []farm.Outcome{farm.Updated}, got.Outcomes)
	require.Equal(t, "1", got.Records[0].Phone)
	require.Equal(t, here.ID, got.Records[0].ID)

	for _, wrong := range [][]farm.Wanted[core.Farm]{
		{named("", "no key")}, {named("d", "D"), named("d", "D")}, {named("d", "D"), named("a", "")},
	} {
		_, err := h.farms.Upsert(ctx, h.owner, wrong, true)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	}
	_, err = h.farms.UpdateMany(ctx, h.owner, []int64{here.ID, 99}, []farm.Wanted[core.Farm]{named("a", "A3"), named("x", "X")})
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	_, err = h.farms.UpdateMany(ctx, h.owner, []int64{here.ID}, []farm.Wanted[core.Farm]{named("b", "A")})
	requireCode(t, "duplicate_external_id", err)
	kept, err := h.farms.Retrieve(ctx, h.owner, false, here.ID)
	require.NoError(t, err)
	require.Equal(t, "A2", kept.Name)
}

// An external id that was given to another record meanwhile cannot be restored with deleted records, not even below a farm.
func TestRestoreTakesNoExternalIDAway(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	ctx, origin := t.Context(), record.External{ExternalID: "k"}
	below := create(h, h.fields, core.Field{Name: "South", Farm: record.Ref{ID: h.farm.ID}, External: origin})
	other := create(h, h.farms, core.Farm{Name: "Other"})
	require.NoError(t, h.farms.Delete(ctx, h.owner, h.farm.ID))
	taken := create(h, h.fields, core.Field{Name: "New", Farm: record.Ref{ID: other.ID}, External: origin})
	_, err := h.farms.Restore(ctx, h.owner, h.farm.ID)
	requireCode(t, "duplicate_external_id", err)
	require.NoError(t, h.fields.Delete(ctx, h.owner, taken.ID))
	_, err = h.farms.Restore(ctx, h.owner, h.farm.ID)
	require.NoError(t, err)
	_, err = h.fields.Retrieve(ctx, h.owner, false, below.ID)
	require.NoError(t, err)
}
