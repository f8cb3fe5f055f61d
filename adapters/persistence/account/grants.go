package account

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type grantRow struct {
	bun.BaseModel    `bun:"table:share_grants,alias:t"`
	ID               int64 `bun:"id,pk,autoincrement"`
	CompanyID        int64
	GranteeCompanyID int64
	Target           access.GrantTarget
	FarmID           *int64
	FieldID          *int64
	Slugs            string
	Status           access.GrantStatus
	EndsOn           *sqlstore.Day
	CreatedAt        sqlstore.Stamp
	UpdatedAt        sqlstore.Stamp
	CreatedBy        *int64
	sqlstore.KeyColumns

	GrantorUUID string  `bun:"grantor_uuid,scanonly"`
	GrantorName string  `bun:"grantor_name,scanonly"`
	GranteeUUID string  `bun:"grantee_uuid,scanonly"`
	GranteeName string  `bun:"grantee_name,scanonly"`
	FarmName    *string `bun:"farm_name,scanonly"`
	FieldName   *string `bun:"field_name,scanonly"`
	CreatorName *string `bun:"creator_name,scanonly"`
}

// grants implements ports.Grants.
type grants struct {
	sqlstore.Reader[access.Grant, grantRow]
	sqlstore.Keys[grantRow]
}

func grantRecords(s *sqlstore.Session) grants {
	live := "t.status IN ('pending', 'accepted') AND (t.ends_on IS NULL OR t.ends_on >= '" + s.Today.Format(time.DateOnly) + "')"
	return grants{sqlstore.Reader[access.Grant, grantRow]{Session: s, View: grantView}, sqlstore.KeysOf[grantRow](s, live)}
}

var grantView = &sqlstore.View[access.Grant, grantRow]{Word: "share grant", Order: sqlstore.OldestFirst, Record: grantOfRow, From: between, Whole: named}

// party is the condition of the grants that the company that acts gives or is offered.
func party(scope access.Scope) sqlstore.Condition {
	if !sqlstore.Writable(scope) {
		return sqlstore.Nothing
	}
	return sqlstore.When("(t.company_id = ? OR t.grantee_company_id = ?)", scope.Company(), scope.Company())
}

// between selects the grants that a company gives or is offered.
func between(s *sqlstore.Session, scope access.Scope) *bun.SelectQuery {
	return sqlstore.Where(s.NewSelect().Model((*grantRow)(nil)), party(scope))
}

func (g grants) filtered(scope access.Scope, f ports.GrantQuery) *bun.SelectQuery {
	q := sqlstore.Narrow(sqlstore.Narrow(between(g.Session, scope), "t.farm_id", f.Farm), "t.field_id", f.Field)
	if f.Given {
		q = q.Where("t.company_id = ?", scope.Company())
	}
	if f.Received {
		q = q.Where("t.grantee_company_id = ?", scope.Company())
	}
	if f.Status != "" {
		q = q.Where("(CASE WHEN t.status IN ('pending', 'accepted') AND t.ends_on < ? THEN 'expired' ELSE t.status END) = ?",
			sqlstore.DayAt(g.Session.Today), f.Status)
	}
	if f.IDs != nil {
		q = sqlstore.Where(q, sqlstore.Among("t.id", f.IDs))
	}
	if f.Keys != nil {
		q = sqlstore.Where(q, sqlstore.WithKeys(f.Keys))
	}
	return q
}

// named adds the columns, and the names of what a grant refers to.
func named(_ *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
	return q.ColumnExpr("?TableColumns").
		ColumnExpr("grantor.uuid AS grantor_uuid, grantor.name AS grantor_name").
		ColumnExpr("grantee.uuid AS grantee_uuid, grantee.name AS grantee_name").
		ColumnExpr("farm.name AS farm_name, field.name AS field_name, creator.name AS creator_name").
		Join("JOIN companies AS grantor ON grantor.id = t.company_id").
		Join("JOIN companies AS grantee ON grantee.id = t.grantee_company_id").
		Join("LEFT JOIN farms AS farm ON farm.id = t.farm_id").
		Join("LEFT JOIN fields AS field ON field.id = t.field_id").
		Join("LEFT JOIN users AS creator ON creator.id = t.created_by")
}

func (g grants) Count(ctx context.Context, scope access.Scope, q ports.GrantQuery) (int64, error) {
	return g.filtered(scope, q).Count(ctx)
}

func (g grants) Each(ctx context.Context, scope access.Scope, q ports.GrantQuery) iter.Seq2[access.Grant, error] {
	return grantView.Each(ctx, g.Session, named(g.Session, g.filtered(scope, q)), ports.Query{Limit: q.Limit, Offset: q.Offset, At: q.At})
}

func (g grants) Insert(ctx context.Context, scope access.Scope, grant *access.Grant) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	grant.Grantor.ID, grant.CreatedAt, grant.UpdatedAt = scope.Company(), sqlstore.Micro(grant.CreatedAt), sqlstore.Micro(grant.UpdatedAt)
	slugs, err := json.Marshal(grant.Slugs) // without spaces, as the scope of sharing expects
	if err != nil {
		return err
	}
	row := grantRow{
		CompanyID: grant.Grantor.ID, GranteeCompanyID: grant.Grantee.ID, Target: grant.Target,
		FarmID: idOf(grant.Farm), FieldID: idOf(grant.Field), Slugs: string(slugs), Status: grant.Status, EndsOn: sqlstore.NullableDay(grant.EndsOn),
		CreatedAt: sqlstore.StampAt(grant.CreatedAt), UpdatedAt: sqlstore.StampAt(grant.UpdatedAt), CreatedBy: idOf(grant.CreatedBy),
		KeyColumns: sqlstore.KeyColumns(grant.External),
	}
	return sqlstore.Insert(ctx, g.Session, &row, &grant.ID)
}

func idOf(record *access.Named) *int64 {
	if record == nil {
		return nil
	}
	return &record.ID
}

func (g grants) SetStatus(ctx context.Context, scope access.Scope, id int64, status access.GrantStatus, at time.Time) error {
	return sqlstore.Change(ctx, g.Session.NewUpdate().Model((*grantRow)(nil)).Set("status = ?", status).
		Set("updated_at = ?", sqlstore.StampAt(at)).
		Where("t.id = ?", id).Where("?", party(scope)), fault.Missing("share grant"))
}

func (g grants) Party(ctx context.Context, uuid string) (access.Party, error) {
	if !sqlstore.Storable(uuid) {
		return access.Party{}, fault.Missing("company")
	}
	q := g.Session.NewSelect().Model((*companyRow)(nil)).Where("t.uuid = ?", uuid)
	return sqlstore.One(ctx, q, "company", func(row *companyRow) access.Party {
		return access.Party{ID: row.ID, UUID: row.UUID, Name: row.Name}
	})
}

func grantOfRow(row *grantRow) (access.Grant, error) {
	out := access.Grant{
		ID:      row.ID,
		Grantor: access.Party{ID: row.CompanyID, UUID: row.GrantorUUID, Name: row.GrantorName},
		Grantee: access.Party{ID: row.GranteeCompanyID, UUID: row.GranteeUUID, Name: row.GranteeName},
		Target:  row.Target, Farm: refOf(row.FarmID, row.FarmName), Field: refOf(row.FieldID, row.FieldName),
		Status: row.Status, EndsOn: row.EndsOn.Nullable(),
		CreatedAt: row.CreatedAt.Time, UpdatedAt: row.UpdatedAt.Time, CreatedBy: refOf(row.CreatedBy, row.CreatorName),
		External: row.External(),
	}
	if err := json.Unmarshal([]byte(row.Slugs), &out.Slugs); err != nil {
		return out, fmt.Errorf("share grant %d: %w", row.ID, err)
	}
	return out, nil
}

func refOf(id *int64, name *string) *access.Named {
	if id == nil {
		return nil
	}
	return &access.Named{ID: *id, Name: sqlstore.ValueOf(name)}
}
