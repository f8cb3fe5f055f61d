package farm

import (
	"context"
	"time"

	"tilth/app"
	"tilth/app/external"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/farm"
	"tilth/core/fault"
	corerecord "tilth/core/record"
	"tilth/ports"
)

// Deleted returns the caller's own records that [Records.Restore] can bring back; it takes the permission to delete.
func (r *Records[T]) Deleted(ctx context.Context, who access.Principal, q ports.Query) (app.List[T], error) {
	q.Deleted = r.deps.Clock.Now().Add(-corerecord.RestorePeriod)
	return app.ListEnriched(ctx, r.deps, app.Ask{Who: who, Need: r.rules.Access.Delete}, q, r.rules.Repo, r.rules.Enrich)
}

// Restore brings back an own record that was deleted within [corerecord.RestorePeriod], with what was deleted
// along with it. Orders that the deletion failed stay failed: a new order resumes them. Faults: NotFound, Invalid
// (not_deleted; parent_deleted, with the member that names the parent), Conflict (duplicate_external_id).
func (r *Records[T]) Restore(ctx context.Context, who access.Principal, id int64) (T, error) {
	scope, now := who.Scope(false), r.deps.Clock.Now()
	return app.Write(ctx, r.deps, who, r.rules.Access.Delete, func(ctx context.Context, tx ports.Repos) (out T, err error) {
		record, deletedAt, err := r.rules.Repo(tx).GetDeleted(ctx, scope, id, now.Add(-corerecord.RestorePeriod))
		if fault.Is(err, fault.NotFound) {
			if _, live := r.rules.Repo(tx).Get(ctx, scope, id); live == nil {
				err = fault.Newf(fault.Invalid, "not_deleted", "This %s is not deleted.", r.rules.Access.Name)
			}
		}
		if err != nil {
			return out, err
		}
		if err := r.claim(ctx, tx, scope, []*T{nil}, []*T{&record}); err != nil {
			return out, err
		}
		if r.rules.Return != nil {
			if err := r.rules.Return(ctx, tx, scope, &record); err != nil {
				return out, err
			}
		}
		version := corerecord.NextVersion(r.rules.Meta(&record).UpdatedAt, now)
		if err := r.rules.Repo(tx).Undelete(ctx, scope, id, deletedAt, version); err != nil {
			return out, err
		}
		if r.rules.Revive != nil {
			if err := r.rules.Revive(ctx, tx, scope, &record, deletedAt, version); err != nil {
				return out, err
			}
		}
		if err := tx.Audit.AddCascade(ctx, r.entry(audit.By(who, now), audit.Restore, nil, &record)); err != nil {
			return out, err
		}
		return r.reread1(ctx, tx, scope, &record)
	})
}

func reviveFarm(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Farm, deletedAt, now time.Time) error {
	fields, err := tx.Fields.UndeleteOfFarm(ctx, scope, r.ID, deletedAt, now)
	if err != nil {
		return err
	}
	back, err := tx.Fields.GetBare(ctx, scope, fields)
	if err != nil {
		return err
	}
	if err := external.Reclaim(ctx, tx.Fields, scope, access.Fields.Name, back); err != nil {
		return err
	}
	if err := reviveFields(ctx, tx, scope, fields, deletedAt, now); err != nil {
		return err
	}
	return recheckOverlaps(ctx, tx, scope, fields, now)
}

func reviveField(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Field, deletedAt, now time.Time) error {
	if err := mustLive(ctx, tx.Farms, scope, "farm", r.Farm.ID); err != nil {
		return err
	}
	if err := mustStandAlone(ctx, tx, scope, r.ID); err != nil {
		return err
	}
	if err := reopenBoundary(ctx, tx, scope, r); err != nil {
		return err
	}
	if err := reviveFields(ctx, tx, scope, []int64{r.ID}, deletedAt, now); err != nil || r.Boundary == nil {
		return err
	}
	return recheckOverlaps(ctx, tx, scope, []int64{r.ID}, now)
}

// reopenBoundary begins a version of the boundary of a field that had been replaced by others, which ended its last version.
func reopenBoundary(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Field) error {
	if r.Boundary == nil {
		return nil
	}
	_, err := tx.Boundaries.InForce(ctx, scope, r.ID)
	if fault.Is(err, fault.NotFound) {
		return tx.Boundaries.Open(ctx, scope, []int64{r.ID}, 0)
	}
	return err
}

// reviveFields restores the cultivations of fields with their fertilizations. A season that they
// use may have been deleted meanwhile: nothing prevented that.
func reviveFields(ctx context.Context, tx ports.Repos, scope access.Scope, fields []int64, deletedAt, now time.Time) error {
	if err := tx.Cultivations.UndeleteOfFields(ctx, scope, fields, deletedAt, now); err != nil {
		return err
	}
	fertilizations, err := tx.Fertilizations.UndeleteOfFields(ctx, scope, fields, deletedAt, now)
	if err == nil {
		err = reclaimFertilizations(ctx, tx, scope, fertilizations)
	}
	if err != nil {
		return err
	}
	used, err := tx.Cultivations.SeasonsOfFields(ctx, scope, fields)
	if err != nil {
		return err
	}
	return mustLive(ctx, tx.Seasons, scope, "season", used...)
}

func reviveCultivation(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Cultivation, deletedAt, now time.Time) error {
	if err := mustLive(ctx, tx.Fields, scope, "field", r.Field.ID); err != nil {
		return err
	}
	if err := mustLive(ctx, tx.Seasons, scope, "season", r.Season.ID); err != nil {
		return err
	}
	back, err := tx.Fertilizations.UndeleteOfCultivation(ctx, scope, r.ID, deletedAt, now)
	if err != nil {
		return err
	}
	return reclaimFertilizations(ctx, tx, scope, back)
}

func reclaimFertilizations(ctx context.Context, tx ports.Repos, scope access.Scope, ids []int64) error {
	back, err := tx.Fertilizations.GetMany(ctx, scope, ids)
	if err != nil {
		return err
	}
	return external.Reclaim(ctx, tx.Fertilizations, scope, access.Fertilizations.Name, back)
}

func reviveFertilization(ctx context.Context, tx ports.Repos, scope access.Scope, r *farm.Fertilization, _, _ time.Time) error {
	return mustLive(ctx, tx.Cultivations, scope, "cultivation", r.Cultivation.ID)
}

// mustLive refuses a restore unless all parents are live.
func mustLive[T any](ctx context.Context, of ports.Records[T], scope access.Scope, what string, parents ...int64) error {
	live, err := of.GetMany(ctx, scope, parents)
	if err != nil {
		return err
	}
	for _, id := range parents {
		if _, ok := live[id]; !ok {
			f := fault.Fields{}
			f.Addf(what+"_id", "The %s %d is deleted; restore it first.", what, id)
			return &fault.Error{
				Kind: fault.Invalid, Code: "parent_deleted", Fields: f,
				Message: "What this record belongs to is deleted: see " + what + "_id.",
			}
		}
	}
	return nil
}
