package memory

import (
	"context"
	"maps"
	"slices"

	"tilth/core/access"
	"tilth/core/farm"
)

func (w *World) addImports(fields *fields) {
	i := &imports{
		table:    newTable(w, "import", func(r *farm.Import) (id, company *int64) { return &r.ID, &r.CompanyID }),
		fields:   fields,
		failures: map[int64][]farm.Judged{},
	}
	w.repos.Imports = i
	w.saves = append(w.saves, func() func() {
		failures := maps.Clone(i.failures)
		return func() { i.failures = failures }
	})
}

type imports struct {
	*table[farm.Import]
	fields   *fields
	failures map[int64][]farm.Judged
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

func (i *imports) Matches(_ context.Context, scope access.Scope, farmID int64, externalIDs []string) (map[string][]farm.Field, error) {
	out := map[string][]farm.Field{}
	carries := func(r farm.Field) bool {
		return r.Farm.ID == farmID && r.External.ExternalID != "" && slices.Contains(externalIDs, r.External.ExternalID)
	}
	for _, field := range i.fields.all(scope, carries) {
		out[field.External.ExternalID] = append(out[field.External.ExternalID], field)
	}
	return out, nil
}

func (i *imports) MatchesByUUID(ctx context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error) {
	return i.fields.GetManyByUUID(ctx, scope, uuids)
}
