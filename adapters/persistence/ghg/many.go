package ghg

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/assessment"
	"tilth/core/fault"
	"tilth/ports"
)

// manyLock is the subject of the lock on a company's many assessments ("many" in ASCII).
const manyLock = 0x6d616e79

func (r assessments) Alone(ctx context.Context, scope access.Scope) error {
	return r.Session.Alone(ctx, scope, manyLock)
}

func (r assessments) IDsAfter(ctx context.Context, scope access.Scope, query ports.Query, after int64, limit int) ([]int64, error) {
	q, err := r.Narrowed(scope, query)
	if err != nil {
		return nil, err
	}
	return sqlstore.Values[int64](ctx, q.ColumnExpr("t.id").Where("t.id > ?", after).OrderExpr("t.id").Limit(int64(limit)))
}

func (r assessments) Whole(ctx context.Context, scope access.Scope, ids []int64) ([]ports.EnteredAssessment, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := sqlstore.Where(r.Selected(), r.InAmong(scope, ids)...).OrderExpr("t.id")
	if r.Session.Writes && sqlstore.Writable(scope) {
		q = r.Session.ForUpdate(q)
	}
	var out []ports.EnteredAssessment
	at := map[int64]int{}
	for record, err := range sqlstore.Stream(ctx, r.Session, q, assessmentOfRow) {
		if err != nil {
			return nil, err
		}
		at[record.ID] = len(out)
		out = append(out, ports.EnteredAssessment{Assessment: record, Sheet: assessment.Sheet{}})
	}
	if len(out) == 0 {
		return nil, nil
	}
	rows := r.Session.NewSelect().Model((*enteredRow)(nil)).Where("t.assessment_id IN (?)", prepared.List(slices.Collect(maps.Keys(at)))).
		OrderExpr("t.assessment_id, t.section, t.position, t.id")
	return out, r.fill(ctx, rows, func(id int64) assessment.Sheet { return out[at[id]].Sheet })
}

func (r assessments) OfYear(ctx context.Context, scope access.Scope, of assessment.ResourceType, year int, resourceIDs []int64) (map[int64][]int64, error) {
	out := map[int64][]int64{}
	if len(resourceIDs) == 0 || !sqlstore.Writable(scope) {
		return out, nil
	}
	var rows []struct{ ID, ResourceID int64 }
	err := sqlstore.Where(r.Session.NewSelect().Model((*assessmentRow)(nil)).Column("t.id", "t.resource_id"), r.In(scope)...).
		Where("t.resource_type = ?", of).Where("t.resource_id IN (?)", prepared.List(resourceIDs)).Where("t.assessment_year = ?", year).
		OrderExpr("t.resource_id, t.id").Scan(ctx, &rows)
	for _, row := range rows {
		out[row.ResourceID] = append(out[row.ResourceID], row.ID)
	}
	return out, err
}

func (r assessments) Enter(ctx context.Context, scope access.Scope, entered []ports.EnteredAssessment) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(assessmentTable.Word)
	}
	var rows []enteredRow
	var of []*assessment.Row
	for _, e := range entered {
		for _, section := range slices.Sorted(maps.Keys(e.Sheet)) {
			for at := range e.Sheet[section] {
				row := &e.Sheet[section][at]
				row.ID = 0
				rows, of = append(rows, r.entered(scope, e.ID, section, at, *row)), append(of, row)
			}
		}
	}
	for chunk := range sqlstore.Chunks(rows) {
		ids, err := sqlstore.InsertIDs(ctx, r.Session, chunk)
		if err != nil {
			return err
		}
		for i, id := range ids {
			of[i].ID = id
		}
		of = of[len(chunk):]
	}
	return nil
}

func (r assessments) Resources(ctx context.Context, scope access.Scope, of assessment.ResourceType, by ports.ResourceKey, keys []string) (map[string][]ports.Resource, error) {
	asked := map[string][]string{} // the stored form of each key: the forms that were asked for
	for _, key := range keys {
		stored := key
		if by == ports.ByName {
			stored = sqlstore.Fold(key)
		}
		if key != "" && sqlstore.Storable(key) && !slices.Contains(asked[stored], key) {
			asked[stored] = append(asked[stored], key)
		}
	}
	out := map[string][]ports.Resource{}
	if len(asked) == 0 {
		return out, nil
	}
	table, shared := "fields", sqlstore.SharedField
	if of == assessment.OfFarm {
		table, shared = "farms", sqlstore.SharedFarm
	}
	q := sqlstore.Where(r.Session.NewSelect().TableExpr("? AS t", bun.Ident(table)), r.Session.InScope(scope, shared)...).Where("t.deleted_at IS NULL")
	stored := slices.Sorted(maps.Keys(asked))
	switch by {
	case ports.ByID:
		var ids []int64
		for _, text := range stored {
			if id, err := strconv.ParseInt(text, 10, 64); err == nil {
				ids = append(ids, id)
			}
		}
		q = q.Where("t.id IN (?)", prepared.List(ids))
	case ports.ByExternalID:
		q = q.Where("t.external_id <> ''").Where("t.external_id IN (?)", prepared.List(stored))
	default:
		q = q.Where("t.name_folded IN (?)", prepared.List(stored))
	}
	q = r.Session.ForShare(q.Column("t.id", "t.name", "t.external_id").OrderExpr("t.id"))
	var rows []struct {
		ID         int64
		Name       string
		ExternalID string `bun:"external_id"`
	}
	if err := q.Scan(ctx, &rows); err != nil {
		return nil, err
	}
	for _, row := range rows {
		key := row.ExternalID
		switch by {
		case ports.ByID:
			key = strconv.FormatInt(row.ID, 10)
		case ports.ByName:
			key = sqlstore.Fold(row.Name)
		}
		for _, name := range asked[key] {
			out[name] = append(out[name], ports.Resource{ID: row.ID, Name: row.Name, ExternalID: row.ExternalID})
		}
	}
	return out, nil
}

func (r assessments) NewestVersions(ctx context.Context, scope access.Scope, ids []int64) (map[int64]ports.AssessmentVersion, error) {
	out := map[int64]ports.AssessmentVersion{}
	if len(ids) == 0 {
		return out, nil
	}
	visible := sqlstore.Where(r.Session.NewSelect().Model((*assessmentRow)(nil)).Column("t.id"), r.InAmong(scope, ids)...)
	if scope.Shared() {
		visible = sqlstore.Where(r.Tables().Column("t.id"), r.InAmong(scope, ids)...)
	}
	q := r.Session.NewSelect().Model((*versionRow)(nil)).ExcludeColumn("snapshot").ColumnExpr("'-' AS snapshot").
		Join("JOIN assessments AS a ON a.id = t.assessment_id AND a.submitted_version = t.number").
		Where("t.assessment_id IN (?)", visible).OrderExpr("t.assessment_id")
	for version, err := range sqlstore.Stream(ctx, r.Session, q, versionOfRow) {
		if err != nil {
			return nil, err
		}
		version.Snapshot = nil
		out[version.AssessmentID] = version
	}
	return out, nil
}
