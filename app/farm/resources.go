package farm

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"tilth/app"
	"tilth/app/satellite"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
)

// NewFields makes the use cases of fields; requests look for overlaps within the limits.
func NewFields(deps app.Deps, limits geo.Limits) *Records[farm.Field] {
	return NewRecords(deps, Rules[farm.Field]{
		Access: access.Fields,
		Repo:   func(tx ports.Repos) ports.Records[farm.Field] { return tx.Fields },
		Meta:   func(r *farm.Field) *record.Meta { return &r.Meta },
		Check:  (*farm.Field).Check,
		Init:   func(r *farm.Field, ids ports.IDs) { r.UUID = ids.UUID() },
		Relate: relateFields,
		Told:   true,
		Change: func(_ context.Context, _ ports.Repos, _ access.Scope, before, after *farm.Field) error {
			after.UUID = before.UUID
			return nil
		},
		Remove: func(ctx context.Context, tx ports.Repos, scope access.Scope, fields []*farm.Field, at time.Time) error {
			gone := ids(fields, func(r *farm.Field) int64 { return r.ID })
			if err := emptyFields(ctx, tx, scope, gone, at); err != nil {
				return err
			}
			return forgetOverlaps(ctx, tx, scope, gone, at)
		},
		Revive:  reviveField,
		Stored:  keepBoundaries,
		Foresee: foreseeOverlaps(deps, limits.OverlapSteps),
		Reread:  rereadFields,
		Enrich:  enrichFields,
	})
}

// rereadFields reads fields back without their boundaries, which are long, and stored exactly as written.
func rereadFields(ctx context.Context, tx ports.Repos, scope access.Scope, written []*farm.Field) (map[int64]farm.Field, error) {
	found, err := tx.Fields.GetBare(ctx, scope, ids(written, func(r *farm.Field) int64 { return r.ID }))
	for _, r := range written {
		if field, ok := found[r.ID]; ok {
			field.Boundary = r.Boundary
			found[r.ID] = field
		}
	}
	return found, err
}

func relateFields(ctx context.Context, tx ports.Repos, scope access.Scope, records []*farm.Field) ([]fault.Fields, error) {
	farms, err := tx.Fields.Homes(ctx, scope, ids(records, func(r *farm.Field) int64 { return r.Farm.ID }))
	out := make([]fault.Fields, len(records))
	for i, r := range records {
		out[i] = fault.Fields{}
		mustExist(out[i], farms, r.Farm.ID, "farm_id", "farm")
		r.Farm.Name, r.Company = farms[r.Farm.ID].Name, farms[r.Farm.ID].Company
	}
	return out, err
}

// emptyFields deletes the cultivations of fields that are about to be deleted, with their fertilizations,
// and fails their open orders, which releases the holds.
func emptyFields(ctx context.Context, tx ports.Repos, scope access.Scope, fields []int64, at time.Time) error {
	if _, err := tx.Fertilizations.SoftDeleteOfFields(ctx, scope, fields, at); err != nil {
		return err
	}
	if _, err := tx.Cultivations.SoftDeleteOfFields(ctx, scope, fields, at); err != nil {
		return err
	}
	return satellite.FailOfFields(ctx, tx, scope, fields, satellite.Ended{At: at, Reason: "The field was deleted."})
}

// NewSeasons makes the use cases of seasons.
func NewSeasons(deps app.Deps) *Records[farm.Season] {
	return NewRecords(deps, Rules[farm.Season]{
		Access:    access.Seasons,
		Repo:      func(tx ports.Repos) ports.Records[farm.Season] { return tx.Seasons },
		Meta:      func(r *farm.Season) *record.Meta { return &r.Meta },
		Check:     (*farm.Season).Check,
		Normalise: (*farm.Season).Normalise,
		Change:    keepDatesOfActiveProfiles,
		Remove:    removeSeasons,
	})
}

func keepDatesOfActiveProfiles(ctx context.Context, tx ports.Repos, scope access.Scope, before, after *farm.Season) error {
	if before.SameDates(after) {
		return nil
	}
	active, err := satellite.ActiveOfSeason(ctx, tx, scope, before.ID)
	if err != nil || !active {
		return err
	}
	f := fault.Fields{}
	const why = "A vegetation-index profile or a map of this season is active: its dates can no longer change. Make another season."
	if !before.StartDate.Equal(after.StartDate) {
		f.Add("start_date", why)
	}
	if !before.EndDate.Equal(after.EndDate) {
		f.Add("end_date", why)
	}
	return f.Err()
}

func removeSeasons(ctx context.Context, tx ports.Repos, scope access.Scope, seasons []*farm.Season, at time.Time) error {
	for _, r := range seasons {
		if err := removeSeason(ctx, tx, scope, r, at); err != nil {
			return err
		}
	}
	return nil
}

func removeSeason(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Season, at time.Time) error {
	used, err := tx.Seasons.InUse(ctx, scope, r.ID)
	if err != nil {
		return err
	}
	if used {
		return fault.New(fault.Invalid, "season_in_use", "Cultivations use this season; delete them or move them to another season first.")
	}
	return satellite.FailOfSeason(ctx, tx, scope, r.ID, satellite.Ended{At: at, Reason: "The season was deleted."})
}

// NewCultivations makes the use cases of cultivations.
func NewCultivations(deps app.Deps) *Records[farm.Cultivation] {
	return NewRecords(deps, Rules[farm.Cultivation]{
		Access: access.Cultivations,
		Repo:   func(tx ports.Repos) ports.Records[farm.Cultivation] { return tx.Cultivations },
		Meta:   func(r *farm.Cultivation) *record.Meta { return &r.Meta },
		Check:  (*farm.Cultivation).Check,
		Same:   &Same[farm.Cultivation]{Member: "field_id", Key: SownKey, Find: FindSown},
		Relate: relateCultivations,
		Remove: removeCultivations,
		Revive: reviveCultivation,
	})
}

// SownKey returns the key that cultivations of the same crop on the same field in the same season share.
func SownKey(r *farm.Cultivation) string {
	return fmt.Sprintf("%d/%d/%d", r.Field.ID, r.Season.ID, r.Crop.ID)
}

// FindSown returns the ids of the live cultivations that may have the keys of the wanted ones, by key.
func FindSown(ctx context.Context, tx ports.Repos, scope access.Scope, wanted []*farm.Cultivation) (map[string][]int64, error) {
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(r *farm.Cultivation) bool { return r == nil })
	found, err := tx.Cultivations.OfFields(ctx, scope, ids(wanted, func(r *farm.Cultivation) int64 { return r.Field.ID }))
	out := map[string][]int64{}
	for i := range found {
		key := SownKey(&found[i])
		out[key] = append(out[key], found[i].ID)
	}
	return out, err
}

func relateCultivations(ctx context.Context, tx ports.Repos, scope access.Scope, records []*farm.Cultivation) ([]fault.Fields, error) {
	fields, err := tx.Fields.Known(ctx, scope, ids(records, func(r *farm.Cultivation) int64 { return r.Field.ID }))
	if err != nil {
		return nil, err
	}
	seasons, err := tx.Seasons.Known(ctx, scope, ids(records, func(r *farm.Cultivation) int64 { return r.Season.ID }))
	if err != nil {
		return nil, err
	}
	crops, err := tx.Crops.GetMany(ctx, ids(records, func(r *farm.Cultivation) int64 { return r.Crop.ID }))
	if err != nil {
		return nil, err
	}
	out := make([]fault.Fields, len(records))
	for i, r := range records {
		out[i] = fault.Fields{}
		mustExist(out[i], fields, r.Field.ID, "field_id", "field")
		mustExist(out[i], seasons, r.Season.ID, "season_id", "season")
		if _, ok := crops[r.Crop.ID]; !ok {
			out[i].Addf("crop_id", "No crop of the catalog has the id %d.", r.Crop.ID)
		}
		if crop, ok := crops[r.Crop.ID]; ok && !crop.IsActive {
			out[i].Addf("crop_id", "The crop %q is no longer active; choose another.", crop.Name)
		}
	}
	return out, nil
}

func removeCultivations(ctx context.Context, tx ports.Repos, scope access.Scope, cultivations []*farm.Cultivation, at time.Time) error {
	if err := guardLastCultivations(ctx, tx, scope, cultivations); err != nil {
		return err
	}
	for _, r := range cultivations {
		if _, err := tx.Fertilizations.SoftDeleteOfCultivation(ctx, scope, r.ID, at); err != nil {
			return err
		}
	}
	return nil
}

// guardLastCultivations counts under locks on the fields, so that after any number of concurrent
// deletes one cultivation of each is left.
func guardLastCultivations(ctx context.Context, tx ports.Repos, scope access.Scope, cultivations []*farm.Cultivation) error {
	leaving := map[int64]int64{} // by field
	for _, r := range cultivations {
		leaving[r.Field.ID]++
	}
	fields := slices.Sorted(maps.Keys(leaving))
	if _, err := tx.Fields.GetManyForUpdate(ctx, scope, fields); err != nil {
		return err
	}
	for _, field := range fields {
		live, err := tx.Cultivations.CountOfField(ctx, scope, field)
		if err == nil {
			err = farm.MayDeleteCultivation(live - leaving[field] + 1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ids returns the distinct positive ids that records point at, in order of appearance.
func ids[T any](records []*T, of func(*T) int64) []int64 {
	seen := map[int64]bool{}
	var out []int64
	for _, r := range records {
		if id := of(r); id > 0 && !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

func mustExist[T any](f fault.Fields, found map[int64]T, id int64, field, what string) {
	if _, ok := found[id]; !ok {
		f.Addf(field, "No %s of your company has the id %d.", what, id)
	}
}

// NewFertilizations makes the use cases of fertilizations.
func NewFertilizations(deps app.Deps) *Records[farm.Fertilization] {
	return NewRecords(deps, Rules[farm.Fertilization]{
		Access:    access.Fertilizations,
		Repo:      func(tx ports.Repos) ports.Records[farm.Fertilization] { return tx.Fertilizations },
		Meta:      func(r *farm.Fertilization) *record.Meta { return &r.Meta },
		Check:     (*farm.Fertilization).Check,
		Normalise: (*farm.Fertilization).Normalise,
		Relate:    relateFertilizations,
		Revive:    reviveFertilization,
	})
}

// relateFertilizations checks that cultivations exist, and checks treated areas against the areas of their fields.
func relateFertilizations(ctx context.Context, tx ports.Repos, scope access.Scope, records []*farm.Fertilization) ([]fault.Fields, error) {
	cultivations, err := tx.Cultivations.GetMany(ctx, scope, ids(records, func(r *farm.Fertilization) int64 { return r.Cultivation.ID }))
	if err != nil {
		return nil, err
	}
	fields, err := tx.Fields.GetMany(ctx, scope, ids(records, func(r *farm.Fertilization) int64 {
		return cultivations[r.Cultivation.ID].Field.ID
	}))
	if err != nil {
		return nil, err
	}
	out := make([]fault.Fields, len(records))
	for i, r := range records {
		out[i] = fault.Fields{}
		mustExist(out[i], cultivations, r.Cultivation.ID, "cultivation_id", "cultivation")
		field := fields[cultivations[r.Cultivation.ID].Field.ID]
		out[i].Merge(r.CheckTreatedArea(field.KnownAreaHa()))
	}
	return out, nil
}

// Crops holds the use cases of the shared crop catalog: companies read it.
type Crops struct{ app.Deps }

// List returns the catalog.
func (c *Crops) List(ctx context.Context, who access.Principal, q ports.Query) (app.List[farm.Crop], error) {
	return app.ReadList(ctx, c.Deps, app.Ask{Who: who, Need: access.Crops.View}, q,
		func(ctx context.Context, tx ports.Repos, _ access.Scope) (int64, error) {
			return tx.Crops.Count(ctx, q)
		},
		func(ctx context.Context, tx ports.Repos, _ access.Scope, q ports.Query) iter.Seq2[farm.Crop, error] {
			return tx.Crops.Each(ctx, q)
		})
}

// Retrieve returns one crop. Faults: NotFound.
func (c *Crops) Retrieve(ctx context.Context, who access.Principal, id int64) (farm.Crop, error) {
	return app.Read(ctx, c.Deps, who, access.Crops.View, func(ctx context.Context, tx ports.Repos) (farm.Crop, error) {
		return tx.Crops.Get(ctx, id)
	})
}
