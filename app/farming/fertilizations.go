package farming

import (
	"context"

	"tilth/app/gate"
	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/ports"
)

// Fertilizations makes the use cases of fertilizations.
func Fertilizations(deps gate.Deps) *Records[farm.Fertilization] {
	return newRecords(deps, rules[farm.Fertilization]{
		access:    access.Fertilizations,
		repo:      func(tx ports.Repos) ports.Records[farm.Fertilization] { return tx.Fertilizations },
		base:      func(r *farm.Fertilization) *record.Meta { return &r.Meta },
		check:     (*farm.Fertilization).Check,
		normalise: (*farm.Fertilization).Normalise,
		relate:    relateFertilizations,
		revive:    reviveFertilization,
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
