package farm

import (
	"context"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

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

// relateFertilizations holds cultivations, and treated areas against those of their fields.
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
