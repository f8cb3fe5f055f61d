package farm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/effort"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/core/list"
	"tilth/core/record"
	"tilth/ports"
)

// MergeRequest asks for several fields to be merged into one.
type MergeRequest struct {
	Fields    []int64
	Name      string
	External  record.External
	KeepMixed bool // seasons in which the fields grew different crops keep all of these crops
}

// Merge replaces fields of one farm by the one that they form together, and returns it. Faults: NotFound, with the ids in
// details; Invalid (field_ids, name); Conflict (orders_open, boundary_missing, farms_differ, cultivations_differ, field_changed,
// duplicate_external_id).
func (r *Reshape) Merge(ctx context.Context, who access.Principal, req MergeRequest) (farm.Field, error) {
	p, err := r.merging(ctx, who, req)
	if err != nil {
		return farm.Field{}, err
	}
	return only(r.replace(ctx, who, p))
}

// PreviewMerge returns the field that [Reshape.Merge] would make, or its refusal, and stores nothing.
func (r *Reshape) PreviewMerge(ctx context.Context, who access.Principal, req MergeRequest) (farm.Field, error) {
	p, err := r.merging(ctx, who, req)
	if err != nil {
		return farm.Field{}, err
	}
	return only(r.foretell(ctx, who, p))
}

// only returns the single field that was made.
func only(made []farm.Field, err error) (farm.Field, error) {
	if err != nil {
		return farm.Field{}, err
	}
	return made[0], nil
}

// merging returns the replacement for fields that are merged.
func (r *Reshape) merging(ctx context.Context, who access.Principal, req MergeRequest) (replacement, error) {
	scope, none := who.Scope(false), replacement{}
	if err := r.permit(ctx, who, access.Fields.Edit.For("merge")); err != nil {
		return none, err
	}
	ids := slices.Compact(slices.Sorted(slices.Values(req.Fields)))
	if len(ids) < 2 || len(ids) > farm.MaxMerged || len(ids) != len(req.Fields) {
		return none, fault.Field("field_ids", fmt.Sprintf("Give 2 to %d fields, none twice.", farm.MaxMerged))
	}
	parts, err := app.In(ctx, r.deps.Store.Read, func(ctx context.Context, tx ports.Repos) ([]farm.Field, error) {
		found, err := tx.Fields.GetMany(ctx, scope, ids)
		if err == nil {
			err = r.fields.allFound(ids, found)
		}
		return list.Map(ids, func(id int64) farm.Field { return found[id] }), err
	})
	if err != nil {
		return none, err
	}
	merged, err := r.merged(ctx, parts, req)
	return replacement{
		action: Merge, was: parts, made: []farm.Field{merged},
		judge: func(old farmed) error {
			if mixed := farm.Mixed(old.cultivations); len(mixed) > 0 && !req.KeepMixed {
				return fault.New(fault.Conflict, "cultivations_differ",
					"In some seasons the fields grew different crops; after a merge, each of them would apply to all of the land. Fix: change the cultivations, or send keep_mixed: true to keep all of them.").
					With("seasons", mixed)
			}
			return nil
		},
		cultivate: func(old farmed) []sownOn { return onMerged(old, parts) },
		land: func(of []credit.Land, made []credit.Land) []credit.Land {
			return []credit.Land{credit.Merge(made[0], of)}
		},
	}, err
}

// merged returns the new field that others form together.
func (r *Reshape) merged(ctx context.Context, parts []farm.Field, req MergeRequest) (farm.Field, error) {
	var without, drawn []int64
	var outlines []geo.MultiPolygon
	for i := range parts {
		if parts[i].Farm.ID != parts[0].Farm.ID {
			return farm.Field{}, fault.New(fault.Conflict, "farms_differ", "The fields belong to several farms. Fix: move them to one farm first.").
				With("farms", slices.Compact(slices.Sorted(slices.Values(list.Map(parts, func(p farm.Field) int64 { return p.Farm.ID })))))
		}
		if parts[i].Boundary == nil {
			without = append(without, parts[i].ID)
			continue
		}
		drawn, outlines = append(drawn, parts[i].ID), append(outlines, parts[i].Boundary.Geometry())
	}
	if len(without) > 0 && len(drawn) > 0 {
		return farm.Field{}, fault.New(fault.Conflict, "boundary_missing", "Some of the fields have no boundary. Fix: give them one, or merge only those without one.").With("fields", without)
	}
	var boundary *geo.Boundary
	if len(drawn) > 0 {
		budget := effort.Of(ctx, r.limits.OverlapSteps)
		union, err := geo.Union(budget, outlines...)
		if err != nil {
			return farm.Field{}, tooTangled(ctx, "field_ids", err)
		}
		whole, err := geo.NewBoundary(budget, union.Rounded(overlayDecimals), r.limits)
		if f, ok := fault.As(err); ok {
			return farm.Field{}, fault.Field("field_ids", "Together: "+strings.Join(fault.Messages(f.Fields[geo.BoundaryField]), " "))
		}
		if err != nil {
			return farm.Field{}, tooTangled(ctx, "field_ids", err)
		}
		boundary = &whole
	}
	out := farm.Merged(strings.TrimSpace(req.Name), parts, boundary)
	out.External = req.External
	return out, out.Check().Err()
}

// onMerged returns what was grown on fields as grown on the field that they became: cultivations of the same crop and season become one.
func onMerged(old farmed, parts []farm.Field) (out []sownOn) {
	of := make(map[int64]*farm.Field, len(parts))
	for i := range parts {
		of[parts[i].ID] = &parts[i]
	}
	for _, group := range farm.Together(old.cultivations) {
		one := sownOn{cultivation: farm.Cultivation{Season: group[0].Season, Crop: group[0].Crop}}
		for _, c := range group {
			for _, f := range old.fertilizations[c.ID] {
				one.fertilizations = append(one.fertilizations, f.OnMerged(of[c.Field.ID]))
			}
		}
		out = append(out, one)
	}
	return out
}
