package farm

import (
	"context"
	"time"

	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// Restore brings back an own record that was deleted within [farm.RestorePeriod], with
// what was deleted along with it. Orders that the deletion failed stay failed: a new
// order takes them up again.
// Faults: Unauthenticated, Forbidden, NotFound, Invalid (not_deleted; parent_deleted,
// with the member that names the parent).
func (r *Records[T]) Restore(ctx context.Context, who access.Principal, id int64) (T, error) {
	var out T
	if err := r.deps.Gate.Require(ctx, who, r.rules.Access.Delete); err != nil {
		return out, err
	}
	scope, now := who.Scope(false), r.deps.Clock.Now()
	err := r.deps.Store.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		record, deletedAt, err := r.rules.Repo(tx).GetDeleted(ctx, scope, id, now.Add(-record.RestorePeriod))
		if fault.Is(err, fault.NotFound) {
			return r.neverDeleted(ctx, tx, scope, id, err)
		}
		if err != nil {
			return err
		}
		version := nextVersion(r.rules.Meta(&record).UpdatedAt, now)
		if err := r.rules.Repo(tx).Undelete(ctx, scope, id, deletedAt, version); err != nil {
			return err
		}
		if r.rules.Revive != nil {
			if err := r.rules.Revive(ctx, tx, scope, &record, deletedAt, version); err != nil {
				return err
			}
		}
		if err := r.notedCascade(ctx, tx, who, audit.Restore, &record); err != nil {
			return err
		}
		restored, err := r.reread(ctx, tx, scope, []*T{&record})
		if err == nil {
			out = restored[0]
		}
		return err
	})
	return out, err
}

// neverDeleted tells a live record from one that is not there.
func (r *Records[T]) neverDeleted(ctx context.Context, tx ports.Repos, scope access.Scope, id int64, missing error) error {
	if _, err := r.rules.Repo(tx).Get(ctx, scope, id); err != nil {
		return missing
	}
	return fault.Newf(fault.Invalid, "not_deleted", "This %s is not deleted.", r.rules.Access.Name)
}

func reviveFarm(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Farm, deletedAt, now time.Time) error {
	fields, err := tx.Fields.UndeleteOfFarm(ctx, scope, r.ID, deletedAt, now)
	if err != nil {
		return err
	}
	return reviveFields(ctx, tx, scope, fields, deletedAt, now)
}

func reviveField(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Field, deletedAt, now time.Time) error {
	farms, err := tx.Farms.GetMany(ctx, scope, []int64{r.Farm.ID})
	if err != nil {
		return err
	}
	if err := mustLive(farms, "farm_id", "farm", r.Farm); err != nil {
		return err
	}
	return reviveFields(ctx, tx, scope, []int64{r.ID}, deletedAt, now)
}

// reviveFields brings back the cultivations of fields with their fertilizations. A
// season that they use may have been deleted since: nothing kept it.
func reviveFields(ctx context.Context, tx ports.Repos, scope access.Scope, fields []int64, deletedAt, now time.Time) error {
	if err := tx.Cultivations.UndeleteOfFields(ctx, scope, fields, deletedAt, now); err != nil {
		return err
	}
	if err := tx.Fertilizations.UndeleteOfFields(ctx, scope, fields, deletedAt, now); err != nil {
		return err
	}
	used, err := tx.Cultivations.SeasonsOfFields(ctx, scope, fields)
	if err != nil {
		return err
	}
	live, err := tx.Seasons.GetMany(ctx, scope, used)
	if err != nil {
		return err
	}
	for _, id := range used {
		if err := mustLive(live, "season_id", "season", record.Ref{ID: id}); err != nil {
			return err
		}
	}
	return nil
}

func reviveCultivation(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Cultivation, deletedAt, now time.Time) error {
	fields, err := tx.Fields.GetMany(ctx, scope, []int64{r.Field.ID})
	if err != nil {
		return err
	}
	if err := mustLive(fields, "field_id", "field", r.Field); err != nil {
		return err
	}
	seasons, err := tx.Seasons.GetMany(ctx, scope, []int64{r.Season.ID})
	if err != nil {
		return err
	}
	if err := mustLive(seasons, "season_id", "season", r.Season); err != nil {
		return err
	}
	return tx.Fertilizations.UndeleteOfCultivation(ctx, scope, r.ID, deletedAt, now)
}

func reviveFertilization(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Fertilization, _, _ time.Time) error {
	cultivations, err := tx.Cultivations.GetMany(ctx, scope, []int64{r.Cultivation.ID})
	if err != nil {
		return err
	}
	return mustLive(cultivations, "cultivation_id", "cultivation", r.Cultivation)
}

// mustLive refuses a restore whose parent is not among the live ones.
func mustLive[T any](live map[int64]T, field, what string, parent record.Ref) error {
	if _, ok := live[parent.ID]; ok {
		return nil
	}
	f := fault.Fields{}
	f.Addf(field, "The %s %d is deleted; restore it first.", what, parent.ID)
	return &fault.Error{
		Kind: fault.Invalid, Code: "parent_deleted", Fields: f,
		Message: "What this record belongs to is deleted: see " + field + ".",
	}
}
