package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"tilth/core/access"
	"tilth/core/farm"
	"tilth/core/record"
)

func (w *World) addImports(fields *fields) {
	i := &imports{
		table:    newTable(w, "import", func(r *farm.Import) (id, company *int64) { return &r.ID, &r.CompanyID }),
		fields:   fields,
		failures: map[int64][]farm.Judged{}, made: map[int64]map[string]int64{},
	}
	w.repos.Imports = i
	w.saves = append(w.saves, func() func() {
		failures, made := maps.Clone(i.failures), maps.Clone(i.made)
		return func() { i.failures, i.made = failures, made }
	})
}

type imports struct {
	*table[farm.Import]
	fields   *fields
	failures map[int64][]farm.Judged
	made     map[int64]map[string]int64 // ids of farms by name
}

func (i *imports) Insert(ctx context.Context, scope access.Scope, record *farm.Import) error {
	return i.table.Insert(ctx, scope, []*farm.Import{record})
}

func (i *imports) Update(ctx context.Context, scope access.Scope, record farm.Import) error {
	return i.table.Update(ctx, scope, &record)
}

func (i *imports) AddFailures(_ context.Context, _ access.Scope, id int64, failed []farm.Judged) error {
	i.failures[id] = append(slices.Clone(i.failures[id]), failed...)
	return nil
}

func (i *imports) Failures(ctx context.Context, scope access.Scope, id int64, _ int64) ([]farm.Judged, error) {
	_, err := i.Get(ctx, scope, id)
	return i.failures[id], err
}

func (i *imports) Matches(_ context.Context, scope access.Scope, farmIDs []int64, externalIDs []string) (map[string][]farm.Field, error) {
	out := map[string][]farm.Field{}
	carries := func(r farm.Field) bool {
		return slices.Contains(farmIDs, r.Farm.ID) && r.External.ExternalID != "" && slices.Contains(externalIDs, r.External.ExternalID)
	}
	for _, field := range i.fields.all(scope, carries) {
		out[field.External.ExternalID] = append(out[field.External.ExternalID], field)
	}
	return out, nil
}

func (i *imports) MatchesByUUID(ctx context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error) {
	return i.fields.GetManyByUUID(ctx, scope, uuids)
}

func (i *imports) Farms(_ context.Context, scope access.Scope) (out []farm.Called, err error) {
	for id, r := range i.fields.farms.all(scope, nil) {
		out = append(out, farm.Called{ID: id, Name: r.Name, ExternalID: r.ExternalID})
	}
	return out, nil
}

func (i *imports) AddMade(_ context.Context, _ access.Scope, id int64, farms []record.Ref) error {
	made := maps.Clone(i.made[id])
	if made == nil {
		made = map[string]int64{}
	}
	for _, one := range farms {
		made[one.Name] = max(made[one.Name], one.ID)
	}
	i.made[id] = made
	return nil
}

func (i *imports) Made(ctx context.Context, scope access.Scope, id int64) (out []record.Ref, err error) {
	_, err = i.Get(ctx, scope, id)
	for name, farmID := range i.made[id] {
		out = append(out, record.Ref{ID: farmID, Name: name})
	}
	slices.SortFunc(out, func(a, b record.Ref) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name)) })
	return out, err
}
