package farm_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/app/farm"
	"tilth/core/access"
	"tilth/core/audit"
	core "tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/core/vegetation"
	"tilth/ports"
	"tilth/tests/memory"
)

// holding is a farm with a field, a season and a cultivation with a fertilization, of one company.
type holding struct {
	t     *testing.T
	world *memory.World
	owner access.Principal

	farms          *farm.Records[core.Farm]
	fields         *farm.Records[core.Field]
	seasons        *farm.Records[core.Season]
	cultivations   *farm.Records[core.Cultivation]
	fertilizations *farm.Records[core.Fertilization]

	crop          int64
	farm          core.Farm
	field         core.Field
	season        core.Season
	cultivation   core.Cultivation
	fertilization core.Fertilization
}

func newHolding(t *testing.T) *holding {
	t.Helper()
	w := memory.New()
	deps := w.Deps()
	h := &holding{
		t: t, world: w, owner: w.Company(1),
		farms: farm.NewFarms(deps), fields: farm.NewFields(deps, geo.DefaultLimits()), seasons: farm.NewSeasons(deps),
		cultivations: farm.NewCultivations(deps), fertilizations: farm.NewFertilizations(deps),
		crop: w.AddCrop("Wheat", true),
	}
	h.farm = create(h, h.farms, core.Farm{Name: "Home"})
	h.field = create(h, h.fields, core.Field{Name: "North", Farm: record.Ref{ID: h.farm.ID}})
	h.season = create(h, h.seasons, core.Season{Name: "2025", StartDate: day(2025, 1), EndDate: day(2025, 12)})
	h.cultivation = create(h, h.cultivations, h.sown())
	h.fertilization = create(h, h.fertilizations, core.Fertilization{Cultivation: record.Ref{ID: h.cultivation.ID}, ProductName: "Urea"})
	return h
}

func day(year int, month time.Month) time.Time {
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// sown returns another cultivation of the holding's field.
func (h *holding) sown() core.Cultivation {
	return core.Cultivation{Field: record.Ref{ID: h.field.ID}, Season: record.Ref{ID: h.season.ID}, Crop: record.Ref{ID: h.crop}}
}

// create makes a record that must be accepted.
func create[T any](h *holding, records *farm.Records[T], one T) T {
	h.t.Helper()
	made, err := records.Create(h.t.Context(), h.owner, []farm.Draft[T]{{Record: one}}, false)
	require.NoError(h.t, err)
	return made[0]
}

// refused tries to make a record that must be refused, and returns the refusal.
func refused[T any](h *holding, records *farm.Records[T], one T) *fault.Error {
	h.t.Helper()
	_, err := records.Create(h.t.Context(), h.owner, []farm.Draft[T]{{Record: one}}, false)
	known, ok := fault.As(err)
	require.True(h.t, ok, "%v", err)
	return known
}

func set[T any](change func(*T)) func(T) (farm.Draft[T], error) {
	return func(current T) (farm.Draft[T], error) {
		change(&current)
		return farm.Draft[T]{Record: current}, nil
	}
}

func requireCode(t *testing.T, code string, err error) {
	t.Helper()
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Equal(t, code, known.Code)
}

func missing[T any](h *holding, records *farm.Records[T], id int64) {
	h.t.Helper()
	_, err := records.Retrieve(h.t.Context(), h.owner, false, id)
	require.True(h.t, fault.Is(err, fault.NotFound), "%v", err)
}

func TestRecordsPointAtLiveOwnRecords(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	gone := h.world.AddCrop("Flax", false)
	for member, err := range map[string]*fault.Error{
		"farm_id":        refused(h, h.fields, core.Field{Name: "South", Farm: record.Ref{ID: 99}}),
		"field_id":       refused(h, h.cultivations, core.Cultivation{Field: record.Ref{ID: 99}, Season: record.Ref{ID: h.season.ID}, Crop: record.Ref{ID: h.crop}}),
		"season_id":      refused(h, h.cultivations, core.Cultivation{Field: record.Ref{ID: h.field.ID}, Season: record.Ref{ID: 99}, Crop: record.Ref{ID: h.crop}}),
		"crop_id":        refused(h, h.cultivations, core.Cultivation{Field: record.Ref{ID: h.field.ID}, Season: record.Ref{ID: h.season.ID}, Crop: record.Ref{ID: gone}}),
		"cultivation_id": refused(h, h.fertilizations, core.Fertilization{Cultivation: record.Ref{ID: 99}, ProductName: "Urea"}),
		"country":        refused(h, h.farms, core.Farm{Name: "Away", Country: "atlantis"}),
		"timezone":       refused(h, h.farms, core.Farm{Name: "Away", Timezone: "Local"}),
		"company_id":     refused(h, h.farms, core.Farm{Name: "Away", Meta: record.Meta{CompanyID: 2}}),
	} {
		require.Equal(t, fault.Invalid, err.Kind, member)
		require.Contains(t, err.Fields, member)
	}
	stranger := h.world.Company(2)
	_, err := h.fields.Create(t.Context(), stranger, []farm.Draft[core.Field]{{Record: core.Field{Name: "South", Farm: record.Ref{ID: h.farm.ID}}}}, false)
	require.True(t, fault.Is(err, fault.Invalid), "another company's farm: %v", err)
}

func TestABulkIsStoredWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	trail := len(h.world.Trail)
	_, err := h.farms.Create(t.Context(), h.owner, []farm.Draft[core.Farm]{{Record: core.Farm{Name: "One"}}, {Record: core.Farm{}}}, true)
	known, ok := fault.As(err)
	require.True(t, ok)
	require.Equal(t, "bulk_validation_failed", known.Code)
	require.Len(t, h.world.Trail, trail)
	list, err := h.farms.List(t.Context(), h.owner, false, ports.Query{})
	require.NoError(t, err)
	require.EqualValues(t, 1, list.Count)
}

func TestPermissionsOfRecords(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	viewer, stranger := h.world.User(1, access.RoleViewer), h.world.Company(2)
	_, err := h.farms.Retrieve(t.Context(), viewer, false, h.farm.ID)
	require.NoError(t, err)
	for name, err := range map[string]error{
		"create": func() error {
			_, err := h.farms.Create(t.Context(), viewer, []farm.Draft[core.Farm]{{Record: core.Farm{Name: "Mine"}}}, false)
			return err
		}(),
		"update": func() error {
			_, err := h.farms.Update(t.Context(), viewer, h.farm.ID, set(func(f *core.Farm) { f.Name = "Mine" }))
			return err
		}(),
		"delete": h.farms.Delete(t.Context(), viewer, h.farm.ID),
		"restore": func() error {
			_, err := h.farms.Restore(t.Context(), viewer, h.farm.ID)
			return err
		}(),
	} {
		require.True(t, fault.Is(err, fault.Forbidden), "%s: %v", name, err)
	}
	_, err = h.farms.Update(t.Context(), stranger, h.farm.ID, func(core.Farm) (farm.Draft[core.Farm], error) {
		t.Error("a stranger sees the record")
		return farm.Draft[core.Farm]{}, nil
	})
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
	require.True(t, fault.Is(h.farms.Delete(t.Context(), stranger, h.farm.ID), fault.NotFound))
}

func TestAnUpdateIsANewVersionAndKeepsWhatIsNotTheClients(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	trail := len(h.world.Trail)
	after, err := h.fields.Update(t.Context(), h.owner, h.field.ID, set(func(f *core.Field) { f.Name, f.UUID, f.CreatedAt = "Upper", "mine", time.Time{} }))
	require.NoError(t, err)
	require.Equal(t, "Upper", after.Name)
	require.Equal(t, h.field.UUID, after.UUID)
	require.Equal(t, h.field.CreatedAt, after.CreatedAt)
	require.True(t, after.UpdatedAt.After(h.field.UpdatedAt), "also when the clock stands still")
	require.Len(t, h.world.Trail[trail:], 1)
	require.Equal(t, []audit.Change{{Member: "name", Before: "North", After: "Upper"}}, h.world.Trail[trail].Changes)
	_, err = h.fields.Update(t.Context(), h.owner, h.field.ID, set(func(*core.Field) {}))
	require.NoError(t, err)
	require.Len(t, h.world.Trail[trail:], 1, "what changes nothing leaves no entry")
}

func TestABoundaryThatChangesIsRemembered(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	give := func(side float64) {
		ring := geo.Ring{{X: 0, Y: 45}, {X: side, Y: 45}, {X: side, Y: 45 + side}, {X: 0, Y: 45 + side}, {X: 0, Y: 45}}
		boundary, err := geo.NewBoundary(nil, geo.MultiPolygon{{ring}}, geo.DefaultLimits())
		require.NoError(t, err)
		_, err = h.fields.Update(t.Context(), h.owner, h.field.ID, set(func(f *core.Field) { f.Boundary = &boundary }))
		require.NoError(t, err)
	}
	give(0.01)
	give(0.01)
	give(0.02)
	require.Len(t, h.world.Boundaries, 2, "the same one again is no change")
	require.Equal(t, &h.world.Boundaries[1].ValidFrom, h.world.Boundaries[0].ValidTo)
	require.Nil(t, h.world.Boundaries[1].ValidTo)
	neighbour := create(h, h.fields, core.Field{Name: "South", Farm: record.Ref{ID: h.farm.ID}})
	require.Zero(t, neighbour.Overlaps)
	_, err := h.fields.Update(t.Context(), h.owner, h.field.ID, set(func(f *core.Field) { f.Boundary = nil }))
	require.NoError(t, err)
	require.NotNil(t, h.world.Boundaries[1].ValidTo)
}

func TestGuardsOfDeletions(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	requireCode(t, "last_cultivation", h.cultivations.Delete(t.Context(), h.owner, h.cultivation.ID))
	requireCode(t, "season_in_use", h.seasons.Delete(t.Context(), h.owner, h.season.ID))
	second := create(h, h.cultivations, h.sown())
	require.NoError(t, h.cultivations.Delete(t.Context(), h.owner, h.cultivation.ID), "one is left")
	missing(h, h.fertilizations, h.fertilization.ID)
	requireCode(t, "last_cultivation", h.cultivations.Delete(t.Context(), h.owner, second.ID))
	asked := fault.New(fault.Conflict, "version", "Read it again.")
	require.ErrorIs(t, h.farms.Delete(t.Context(), h.owner, h.farm.ID, func(core.Farm) error { return asked }), asked)
	_, err := h.farms.Retrieve(t.Context(), h.owner, false, h.farm.ID)
	require.NoError(t, err, "who does not agree keeps the record")
}

func TestAFarmGoesAndComesWithWhatHangsBelow(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	require.NoError(t, h.farms.Delete(t.Context(), h.owner, h.farm.ID))
	missing(h, h.farms, h.farm.ID)
	missing(h, h.fields, h.field.ID)
	missing(h, h.cultivations, h.cultivation.ID)
	missing(h, h.fertilizations, h.fertilization.ID)
	for member, restore := range map[string]func(context.Context) error{
		"farm_id": func(ctx context.Context) error { _, err := h.fields.Restore(ctx, h.owner, h.field.ID); return err },
		"field_id": func(ctx context.Context) error {
			_, err := h.cultivations.Restore(ctx, h.owner, h.cultivation.ID)
			return err
		},
		"cultivation_id": func(ctx context.Context) error {
			_, err := h.fertilizations.Restore(ctx, h.owner, h.fertilization.ID)
			return err
		},
	} {
		err := restore(t.Context())
		requireCode(t, "parent_deleted", err)
		known, _ := fault.As(err)
		require.Contains(t, known.Fields, member)
	}
	missing(h, h.fields, h.field.ID)

	_, err := h.farms.Restore(t.Context(), h.owner, h.farm.ID)
	require.NoError(t, err)
	require.Equal(t, audit.Restore, h.world.Trail[len(h.world.Trail)-1].Action)
	_, err = h.fertilizations.Retrieve(t.Context(), h.owner, false, h.fertilization.ID)
	require.NoError(t, err)
	_, err = h.farms.Restore(t.Context(), h.owner, h.farm.ID)
	requireCode(t, "not_deleted", err)
}

func TestWhatIsRestoredAndWhatIsNot(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	second := create(h, h.cultivations, h.sown())
	require.NoError(t, h.cultivations.Delete(t.Context(), h.owner, second.ID))
	h.world.Clock.Move(time.Hour)
	require.NoError(t, h.farms.Delete(t.Context(), h.owner, h.farm.ID))
	require.NoError(t, h.seasons.Delete(t.Context(), h.owner, h.season.ID), "nothing uses it any more")
	_, err := h.farms.Restore(t.Context(), h.owner, h.farm.ID)
	requireCode(t, "parent_deleted", err)
	missing(h, h.farms, h.farm.ID)
	_, err = h.seasons.Restore(t.Context(), h.owner, h.season.ID)
	require.NoError(t, err)
	_, err = h.farms.Restore(t.Context(), h.owner, h.farm.ID)
	require.NoError(t, err)
	missing(h, h.cultivations, second.ID) // deleted earlier, by itself

	require.NoError(t, h.farms.Delete(t.Context(), h.owner, h.farm.ID))
	h.world.Clock.Move(record.RestorePeriod + time.Minute)
	_, err = h.farms.Restore(t.Context(), h.owner, h.farm.ID)
	require.True(t, fault.Is(err, fault.NotFound), "too late: %v", err)
}

func TestOrdersHoldTheirSeasonAndGoWithTheirField(t *testing.T) {
	t.Parallel()
	h := newHolding(t)
	order := vegetation.OrderState{FieldID: h.field.ID, SeasonID: h.season.ID, Status: vegetation.Active}
	h.world.Put(func(tx ports.Repos) error { return tx.Orders.Insert(t.Context(), h.owner.Scope(false), &order) })
	_, err := h.seasons.Update(t.Context(), h.owner, h.season.ID, set(func(s *core.Season) { s.EndDate = s.EndDate.AddDate(0, 0, 1) }))
	known, ok := fault.As(err)
	require.True(t, ok, "%v", err)
	require.Contains(t, known.Fields, "end_date")
	require.NotContains(t, known.Fields, "start_date")
	_, err = h.seasons.Update(t.Context(), h.owner, h.season.ID, set(func(s *core.Season) { s.Name = "Harvest" }))
	require.NoError(t, err)

	field := create(h, h.fields, core.Field{Name: "South", Farm: record.Ref{ID: h.farm.ID}})
	open := vegetation.OrderState{FieldID: field.ID, SeasonID: h.season.ID, Status: vegetation.Processing}
	h.world.Put(func(tx ports.Repos) error { return tx.Orders.Insert(t.Context(), h.owner.Scope(false), &open) })
	require.NoError(t, h.fields.Delete(t.Context(), h.owner, field.ID))
	h.world.Put(func(tx ports.Repos) error {
		now, err := tx.Orders.Get(t.Context(), h.owner.Scope(false), open.ID)
		require.Equal(t, vegetation.Failed, now.Status)
		require.Contains(t, now.Reason, "deleted")
		return err
	})
}
