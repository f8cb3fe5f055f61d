package ghg

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/ports"
)

type footprintRow struct {
	bun.BaseModel `bun:"table:footprints,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	UUID          string `bun:"uuid"`
	AssessmentID  int64
	Number        int
	Document      string
	ValidFrom     sqlstore.Stamp
	ValidUntil    sqlstore.Stamp
	PublishedAt   sqlstore.Stamp
	PublishedBy   *int64
	DeprecatedAt  *sqlstore.Stamp

	PublishedByName *string `bun:"published_by_name,scanonly"`
}

type footprintKeyRow struct {
	bun.BaseModel `bun:"table:footprint_keys,alias:k"`
	FootprintID   int64
	Kind          string
	Value         string
	CompanyID     int64
}

// The kinds of keys.
const (
	keyProduct        = "product"
	keyCompany        = "company"
	keyGeography      = "geography"
	keyClassification = "classification"
)

// footprints implements ports.Footprints.
type footprints struct{ s *sqlstore.Session }

var footprintView = &sqlstore.View[footprint.Publication, footprintRow]{
	Word: "footprint", Record: publicationOfRow, Orders: map[string]sqlstore.OrderKey{}, Order: sqlstore.OldestFirst,
}

// own selects the publications of the company that acts.
func (f footprints) own(scope access.Scope) *bun.SelectQuery {
	return sqlstore.OwnRows[footprintRow](f.s, scope)
}

// whole adds the columns and the names of the users who published.
func (f footprints) whole(q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("?TableColumns").ColumnExpr("author.name AS published_by_name").Join("LEFT JOIN users AS author ON author.id = t.published_by")
}

// Selected selects what a query asks for, without its page.
func (f footprints) Selected(scope access.Scope, q ports.PublicationQuery) *bun.SelectQuery {
	out := f.own(scope)
	if q.FarmID != 0 {
		out = out.Where("t.assessment_id IN (SELECT a.id FROM assessments AS a WHERE a.farm_id = ?0 OR a.field_id IN (SELECT f.id FROM fields AS f WHERE f.farm_id = ?0))", q.FarmID)
	}
	if q.AssessmentID != 0 {
		out = out.Where("t.assessment_id = ?", q.AssessmentID)
	}
	if q.After != 0 {
		out = out.Where("t.id > ?", q.After)
	}
	for _, by := range []struct {
		kind   string
		values []string
	}{
		{keyProduct, q.Filter.ProductIDs}, {keyCompany, q.Filter.CompanyIDs}, {keyGeography, q.Filter.Geographies}, {keyClassification, q.Filter.Classifications},
	} {
		if len(by.values) > 0 {
			out = out.Where("t.id IN (?)", f.s.NewSelect().Model((*footprintKeyRow)(nil)).Column("k.footprint_id").
				Where("k.company_id = ?", scope.Company()).Where("k.kind = ?", by.kind).Where("k.value IN (?)", prepared.List(by.values)))
		}
	}
	if on := q.Filter.ValidOn; on != nil {
		out = out.Where("t.valid_from <= ?", sqlstore.StampAt(*on)).Where("t.valid_until >= ?", sqlstore.StampAt(*on))
	}
	if after := q.Filter.ValidAfter; after != nil {
		out = out.Where("t.valid_from > ?", sqlstore.StampAt(*after))
	}
	if before := q.Filter.ValidBefore; before != nil {
		out = out.Where("t.valid_until < ?", sqlstore.StampAt(*before))
	}
	return withStatus(out, q.Filter.Statuses)
}

// withStatus adds the filter of the status; a word that is no status matches no footprint.
func withStatus(q *bun.SelectQuery, statuses []string) *bun.SelectQuery {
	if len(statuses) == 0 {
		return q
	}
	var active, deprecated bool
	for _, status := range statuses {
		active = active || strings.EqualFold(status, footprint.Active)
		deprecated = deprecated || strings.EqualFold(status, footprint.Deprecated)
	}
	switch {
	case active && deprecated:
		return q
	case active:
		return q.Where("t.deprecated_at IS NULL")
	case deprecated:
		return q.Where("t.deprecated_at IS NOT NULL")
	}
	return sqlstore.Where(q, sqlstore.Nothing)
}

func (f footprints) Count(ctx context.Context, scope access.Scope, q ports.PublicationQuery) (int64, error) {
	return f.Selected(scope, q).Count(ctx)
}

func (f footprints) Each(ctx context.Context, scope access.Scope, q ports.PublicationQuery) iter.Seq2[footprint.Publication, error] {
	return footprintView.Each(ctx, f.s, f.whole(f.Selected(scope, q)), ports.Query{Limit: q.Limit, Offset: q.Offset, At: q.At})
}

func (f footprints) ByUUID(ctx context.Context, scope access.Scope, uuid string) (footprint.Publication, error) {
	return footprintView.One(ctx, f.whole(f.own(scope)).Where("t.uuid = ?", uuid))
}

func (f footprints) Newest(ctx context.Context, scope access.Scope, assessmentID int64, version int) (footprint.Publication, error) {
	return footprintView.One(ctx, sqlstore.Narrow(f.whole(f.own(scope)).Where("t.assessment_id = ?", assessmentID), "t.number", version).
		OrderExpr("t.id DESC").Limit(1))
}

func (f footprints) Published(ctx context.Context, scope access.Scope, assessmentID int64, version int) (int, error) {
	n, err := f.own(scope).Where("t.assessment_id = ?", assessmentID).Where("t.number = ?", version).Count(ctx)
	return int(n), err
}

func (f footprints) Insert(ctx context.Context, scope access.Scope, p *footprint.Publication) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("version")
	}
	known := sqlstore.Where(f.s.NewSelect().Model((*versionRow)(nil)), sqlstore.Own("t", scope)).
		Where("t.assessment_id = ?", p.AssessmentID).Where("t.number = ?", p.Version)
	if err := sqlstore.Known(ctx, known, "version"); err != nil {
		return err
	}
	document, err := json.Marshal(p.Document)
	if err != nil {
		return err
	}
	from, until := p.Document.Validity()
	row := footprintRow{
		CompanyID: scope.Company(), UUID: p.Document.ID, AssessmentID: p.AssessmentID, Number: p.Version, Document: string(document),
		ValidFrom: sqlstore.StampAt(from), ValidUntil: sqlstore.StampAt(until), PublishedAt: sqlstore.StampAt(p.PublishedAt),
	}
	if p.PublishedBy != nil {
		row.PublishedBy = sqlstore.NullableID(p.PublishedBy.ID)
	}
	if err := sqlstore.Insert(ctx, f.s, &row, &p.ID); err != nil {
		return err
	}
	keys := keysOf(p.Document)
	return sqlstore.InsertAll(ctx, f.s, keys, func(_ int, k footprintKeyRow) footprintKeyRow {
		k.FootprintID, k.CompanyID = p.ID, scope.Company()
		return k
	}, sqlstore.Skipping("footprint_id, kind, value"))
}

// keysOf returns what a footprint is filtered by.
func keysOf(d footprint.Document) (out []footprintKeyRow) {
	add := func(kind string, values ...string) {
		for _, v := range values {
			if v != "" {
				out = append(out, footprintKeyRow{Kind: kind, Value: strings.ToLower(v)})
			}
		}
	}
	add(keyProduct, d.ProductIDs...)
	add(keyCompany, d.CompanyIDs...)
	add(keyClassification, d.ProductClassifications...)
	add(keyGeography, d.PCF.Geography())
	return out
}

func (f footprints) Deprecate(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	return sqlstore.Change(ctx, f.s.NewUpdate().Model((*footprintRow)(nil)).Set("deprecated_at = ?", sqlstore.StampAt(at)).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.id = ?", id).Where("t.deprecated_at IS NULL"), fault.Missing("footprint"))
}

func publicationOfRow(row *footprintRow) (footprint.Publication, error) {
	out := footprint.Publication{
		ID: row.ID, AssessmentID: row.AssessmentID, Version: row.Number, PublishedAt: row.PublishedAt.Time, DeprecatedAt: row.DeprecatedAt.Nullable(),
	}
	if row.PublishedBy != nil {
		out.PublishedBy = &access.Named{ID: *row.PublishedBy, Name: sqlstore.ValueOf(row.PublishedByName)}
	}
	if err := json.Unmarshal([]byte(row.Document), &out.Document); err != nil {
		return out, fmt.Errorf("the footprint %d: %w", row.ID, err)
	}
	return out, nil
}
