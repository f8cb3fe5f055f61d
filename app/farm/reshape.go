package farm

import (
	"context"
	"slices"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/audit"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/geo"
	"tilth/ports"
)

// The actions that replace fields by others.
const (
	Split audit.Action = "split"
	Merge audit.Action = "merge"
)

// Reshape holds the use cases that make fields from others: one is split into pieces, or several are merged. The old fields
// are deleted, and stay readable where profiles, assessments and areas of interest refer to them.
type Reshape struct {
	deps           app.Deps
	limits         geo.Limits
	fields         *Records[farm.Field]
	cultivations   *Records[farm.Cultivation]
	fertilizations *Records[farm.Fertilization]
}

// NewReshape makes the use cases, given those of the records that they write.
func NewReshape(deps app.Deps, limits geo.Limits, fields *Records[farm.Field], cultivations *Records[farm.Cultivation], fertilizations *Records[farm.Fertilization]) *Reshape {
	return &Reshape{deps, limits, fields, cultivations, fertilizations}
}

// permit refuses a caller who lacks any of the permissions required: to change, to create and to delete fields.
func (r *Reshape) permit(ctx context.Context, who access.Principal, whole access.Permission) error {
	return r.deps.Gate.Require(ctx, who, whole, access.Fields.Create.PartOf(whole), access.Fields.Delete.PartOf(whole))
}

// overlayDecimals is the number of decimals in outlines that are made from others, a tenth of a millimetre: digits beyond them
// are the overlay's own rounding.
const overlayDecimals = 9

// tooTangled turns the failure to combine outlines into a fault of the field; faults, and failures of an ended context, are returned as they are.
func tooTangled(ctx context.Context, field string, err error) error {
	if _, ok := fault.As(err); ok || ctx.Err() != nil {
		return err
	}
	return fault.Field(field, "The outlines cross one another in too many places to be compared. Fix: simplify them.")
}

// findLineage fills in which fields were made from others, and which were replaced by others.
func findLineage(ctx context.Context, tx ports.Repos, scope access.Scope, records []*farm.Field) error {
	reshaped := slices.DeleteFunc(slices.Clone(records), func(r *farm.Field) bool { return !r.Reshaped })
	if len(reshaped) == 0 {
		return nil
	}
	known, err := tx.Fields.Lineage(ctx, scope, ids(reshaped, func(r *farm.Field) int64 { return r.ID }))
	for _, r := range reshaped {
		r.Lineage = known[r.ID]
	}
	return err
}

// mustStandAlone refuses to restore a field while a field made from it, or one that it was made from, is live: the land would exist twice.
func mustStandAlone(ctx context.Context, tx ports.Repos, scope access.Scope, id int64) error {
	found, err := tx.Fields.Lineage(ctx, scope, []int64{id})
	if err != nil {
		return err
	}
	kin := slices.Concat(found[id].ReplacedBy, found[id].MergedFrom)
	if from := found[id].SplitFrom; from != 0 {
		kin = append(kin, from)
	}
	live, err := tx.Fields.Known(ctx, scope, kin)
	there := slices.DeleteFunc(kin, func(id int64) bool { return !live[id] })
	if err == nil && len(there) > 0 {
		slices.Sort(there)
		err = fault.New(fault.Conflict, "field_replaced", "Other fields now cover the land of this one. Fix: delete them first.").With("fields", there)
	}
	return err
}
