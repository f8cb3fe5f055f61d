package farm

import (
	"cmp"
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/batch"
	"tilth/core/farm"
	"tilth/core/fault"
	corerecord "tilth/core/record"
)

type importRow struct {
	bun.BaseModel      `bun:"table:field_imports,alias:t"`
	ID                 int64 `bun:"id,pk,autoincrement"`
	CompanyID          int64
	CreatedBy          int64
	CreatedByName      string `bun:"created_by_name,scanonly"`
	CreatedAt          sqlstore.Stamp
	UpdatedAt          sqlstore.Stamp
	FarmID             int64
	NameProperty       string
	ExternalIDProperty string `bun:"external_id_property"`
	Mapping            *sqlstore.JSON[map[string]sourceRow]
	Preview            bool
	Atomic             bool
	Object             string
	Media              string
	Status             string
	Reason             string
	Checking           bool
	Total              int64
	Done               int64
	Created            int64
	Updated            int64
	Skipped            int64
	Failed             int64
	Operator           bool
	APIKeyID           *int64 `bun:"api_key_id"`
	MakesFarms         bool
	Farms              sqlstore.JSON[map[string]int64]
}

// sourceRow is a farm.Source as it is stored.
type sourceRow struct {
	Properties []string          `json:"properties,omitempty"`
	Separator  string            `json:"separator,omitempty"`
	Values     map[string]string `json:"values,omitempty"`
	Default    string            `json:"default,omitempty"`
	Param      string            `json:"param,omitempty"`
}

type importFailureRow struct {
	bun.BaseModel `bun:"table:field_import_failures,alias:t"`
	ImportID      int64
	Feature       int64
	Line          int64
	Name          string
	ExternalID    string
	Errors        sqlstore.JSON[map[string][]string]
}

// imports implements ports.Imports.
type imports struct {
	sqlstore.Reader[farm.Import, importRow]
}

func importRecords(s *sqlstore.Session) imports {
	return imports{sqlstore.Reader[farm.Import, importRow]{Session: s, View: importView}}
}

func rowOfImport(r farm.Import) importRow {
	return importRow{
		ID: r.ID, CompanyID: r.CompanyID, CreatedBy: r.CreatedBy.ID, CreatedAt: sqlstore.StampAt(r.CreatedAt), UpdatedAt: sqlstore.StampAt(r.UpdatedAt),
		FarmID: r.Options.FarmID, Mapping: rowOfMapping(r.Options.Mapping), Preview: r.Options.Preview, Atomic: r.Options.Atomic,
		Object: r.Object, Media: r.Media, Status: string(r.Status), Reason: r.Reason, Checking: r.Checking, Total: r.Total, Done: r.Done,
		Created: r.Tally[batch.Create], Updated: r.Tally[batch.Update], Skipped: r.Tally[batch.Skip], Failed: r.Tally[batch.Fail],
		Operator: r.Options.Operator, APIKeyID: sqlstore.NullableID(r.Options.KeyID),
		MakesFarms: r.Options.MakesFarms, Farms: sqlstore.JSONOf(map[string]int64{}),
	}
}

var importView = &sqlstore.View[farm.Import, importRow]{
	Word: "import", Record: importOfRow, From: sqlstore.OwnRows[importRow], Whole: sqlstore.Created,
}

func importOfRow(row *importRow) (farm.Import, error) {
	out := farm.Import{
		ID: row.ID, CompanyID: row.CompanyID, CreatedBy: corerecord.Ref{ID: row.CreatedBy, Name: row.CreatedByName},
		CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time,
		Options: farm.ImportOptions{
			FarmID: row.FarmID, Mapping: row.mapping(),
			MakesFarms: row.MakesFarms, Preview: row.Preview, Atomic: row.Atomic, Operator: row.Operator, KeyID: sqlstore.ValueOf(row.APIKeyID),
		},
		Object: row.Object, Media: row.Media, Status: batch.Status(row.Status), Reason: row.Reason, Checking: row.Checking,
		Total: row.Total, Done: row.Done,
		Tally: map[batch.Outcome]int64{},
	}
	for outcome, n := range map[batch.Outcome]int64{batch.Create: row.Created, batch.Update: row.Updated, batch.Skip: row.Skipped, batch.Fail: row.Failed} {
		if n > 0 {
			out.Tally[outcome] = n
		}
	}
	return out, nil
}

func rowOfMapping(m farm.Mapping) *sqlstore.JSON[map[string]sourceRow] {
	out := make(map[string]sourceRow, len(m))
	for member, s := range m {
		out[member] = sourceRow(s)
	}
	return new(sqlstore.JSONOf(out))
}

// mapping returns the mapping of an import. One that was stored before there were mappings names two properties.
func (row *importRow) mapping() farm.Mapping {
	out := farm.Mapping{}
	if row.Mapping == nil {
		out["name"] = farm.Source{Properties: []string{row.NameProperty}}
		if row.ExternalIDProperty != "" {
			out["external_id"] = farm.Source{Properties: []string{row.ExternalIDProperty}}
		}
		return out
	}
	for member, s := range row.Mapping.V {
		out[member] = farm.Source(s)
	}
	return out
}

func (i imports) Insert(ctx context.Context, scope access.Scope, record *farm.Import) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	record.CompanyID = scope.Company()
	row := rowOfImport(*record)
	return sqlstore.Insert(ctx, i.Session, &row, &record.ID)
}

func (i imports) Update(ctx context.Context, scope access.Scope, record farm.Import) error {
	row := rowOfImport(record)
	return sqlstore.Change(ctx, i.Session.NewUpdate().Model(&row).
		Column("updated_at", "status", "reason", "checking", "done", "created", "updated", "skipped", "failed").
		Where("t.id = ?", record.ID).Where("?", sqlstore.Own("t", scope)), fault.Missing("import"))
}

func (i imports) AddFailures(ctx context.Context, scope access.Scope, id int64, failed []farm.Judged) error {
	if _, err := i.Get(ctx, scope, id); err != nil {
		return err
	}
	return sqlstore.InsertAll(ctx, i.Session, failed, func(_ int, f farm.Judged) importFailureRow {
		return importFailureRow{ImportID: id, Feature: f.Index, Line: f.Line, Name: f.Name, ExternalID: f.ExternalID, Errors: sqlstore.JSONOf(f.Errors.Messages())}
	}, sqlstore.Skipping("import_id, feature"))
}

func (i imports) Failures(ctx context.Context, scope access.Scope, id int64, limit int64) ([]farm.Judged, error) {
	if _, err := i.Get(ctx, scope, id); err != nil {
		return nil, err
	}
	q := i.Session.NewSelect().Model((*importFailureRow)(nil)).Where("t.import_id = ?", id).OrderExpr("t.feature").Limit(limit)
	return sqlstore.All(ctx, q, func(row *importFailureRow) farm.Judged {
		out := farm.Judged{Index: row.Feature, Line: row.Line, Verdict: batch.Fail, Name: row.Name, ExternalID: row.ExternalID, Errors: fault.Fields{}}
		for field, list := range row.Errors.V {
			out.Errors[field] = list
		}
		return out
	})
}

// Matches locks the fields in a Write, since those that match are about to be changed.
func (i imports) Matches(ctx context.Context, scope access.Scope, farmIDs []int64, externalIDs []string) (map[string][]farm.Field, error) {
	out := map[string][]farm.Field{}
	asked := slices.DeleteFunc(slices.Clone(externalIDs), func(id string) bool { return id == "" || !sqlstore.Storable(id) })
	if len(asked) == 0 || len(farmIDs) == 0 || !sqlstore.Writable(scope) {
		return out, nil
	}
	fields := fieldRecords(i.Session)
	// The order makes databases use the index on external ids: the one on farms would read every field of a large farm.
	q := fields.Query(scope).Where("t.farm_id IN (?)", prepared.List(farmIDs)).Where("t.external_id <> ''").
		Where("t.external_id IN (?)", prepared.List(asked)).OrderExpr("t.external_id, t.id")
	if i.Session.Writes {
		q = i.Session.ForUpdate(q)
	}
	for record, err := range sqlstore.Stream(ctx, i.Session, q, fieldOfRow) {
		if err != nil {
			return nil, err
		}
		out[record.ExternalID] = append(out[record.ExternalID], record)
	}
	return out, nil
}

// In a Write the fields are locked, as those of Matches.
func (i imports) MatchesByUUID(ctx context.Context, scope access.Scope, uuids []string) (map[string]farm.Field, error) {
	asked := slices.DeleteFunc(slices.Clone(uuids), func(id string) bool { return !sqlstore.Storable(id) })
	if len(asked) == 0 || !sqlstore.Writable(scope) {
		return map[string]farm.Field{}, nil
	}
	q := fieldRecords(i.Session).Query(scope).Where("t.uuid IN (?)", prepared.List(asked)).OrderExpr("t.id")
	if i.Session.Writes {
		q = i.Session.ForUpdate(q)
	}
	return sqlstore.Index(sqlstore.Stream(ctx, i.Session, q, fieldOfRow), func(field *farm.Field) string { return field.UUID })
}

func (i imports) Farms(ctx context.Context, scope access.Scope) ([]farm.Called, error) {
	if !sqlstore.Writable(scope) {
		return nil, nil
	}
	q := i.Session.NewSelect().Model((*farmRow)(nil)).Column("t.id", "t.name", "t.external_id").
		Where("?", sqlstore.Own("t", scope)).Where("t.deleted_at IS NULL").OrderExpr("t.id")
	return sqlstore.All(ctx, q, func(row *farmRow) farm.Called {
		return farm.Called{ID: row.ID, Name: row.Name, ExternalID: row.ExternalID}
	})
}

func (i imports) AddMade(ctx context.Context, scope access.Scope, id int64, farms []corerecord.Ref) error {
	made, err := i.made(ctx, scope, id)
	if err != nil {
		return err
	}
	for _, one := range farms {
		made[one.Name] = max(made[one.Name], one.ID)
	}
	row := importRow{Farms: sqlstore.JSONOf(made)}
	return sqlstore.Change(ctx, i.Session.NewUpdate().Model(&row).Column("farms").
		Where("t.id = ?", id).Where("?", sqlstore.Own("t", scope)), fault.Missing("import"))
}

func (i imports) Made(ctx context.Context, scope access.Scope, id int64) ([]corerecord.Ref, error) {
	made, err := i.made(ctx, scope, id)
	var out []corerecord.Ref
	for name, farmID := range made {
		out = append(out, corerecord.Ref{ID: farmID, Name: name})
	}
	slices.SortFunc(out, func(a, b corerecord.Ref) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name)) })
	return out, err
}

// made returns the ids of the farms that an import makes, by name.
func (i imports) made(ctx context.Context, scope access.Scope, id int64) (map[string]int64, error) {
	if !sqlstore.Writable(scope) {
		return nil, fault.Missing("import")
	}
	q := i.Session.NewSelect().Model((*importRow)(nil)).Column("t.farms").Where("t.id = ?", id).Where("?", sqlstore.Own("t", scope))
	found, err := sqlstore.All(ctx, q, func(row *importRow) map[string]int64 { return row.Farms.V })
	if err == nil && len(found) == 0 {
		err = fault.Missing("import")
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}
