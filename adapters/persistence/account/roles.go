package account

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
)

// roles implements ports.Roles.
type roles struct {
	sqlstore.Keys[roleRow]
	s *sqlstore.Session
}

func roleRecords(s *sqlstore.Session) roles { return roles{sqlstore.KeysOf[roleRow](s, "TRUE"), s} }

type roleView struct {
	bun.BaseModel `bun:"table:roles,alias:t"`
	ID            int64 `bun:"id,pk"`
	Name          string
	sqlstore.KeyColumns
	Slugs sqlstore.JSON[[]string] `bun:"slugs,scanonly"`
	Users int64                   `bun:"users,scanonly"`
}

func (r roles) query(scope access.Scope) *bun.SelectQuery {
	slugs := namesOf(r.s, "SELECT rs.slug AS name FROM role_slugs AS rs WHERE rs.role_id = t.id")
	return sqlstore.Where(r.s.NewSelect().Model((*roleView)(nil)).ColumnExpr("?TableColumns").ColumnExpr(slugs+" AS slugs").
		ColumnExpr("(SELECT count(*) FROM user_roles AS ur WHERE ur.role_id = t.id) AS users"), sqlstore.OwnOnly(scope))
}

func (r roles) All(ctx context.Context, scope access.Scope) ([]access.Role, error) {
	return sqlstore.All(ctx, r.query(scope).OrderExpr("t.id"), roleOfRow)
}

func (r roles) Get(ctx context.Context, scope access.Scope, id int64) (access.Role, error) {
	return sqlstore.One(ctx, r.query(scope).Where("t.id = ?", id), "role", roleOfRow)
}

func roleOfRow(row *roleView) access.Role {
	return access.Role{ID: row.ID, Name: row.Name, Slugs: ordered(row.Slugs), Users: row.Users, External: row.External()}
}

var errRoleExists = fault.New(fault.Conflict, "role_exists", "A role with this name already exists.")

func (r roles) Insert(ctx context.Context, scope access.Scope, role *access.Role) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	row := roleRow{CompanyID: scope.Company(), Name: role.Name, KeyColumns: sqlstore.KeyColumns(role.External)}
	if err := sqlstore.InsertNew(ctx, r.s, &row, &role.ID, "company_id, name", errRoleExists); err != nil {
		return err
	}
	return addSlugs(ctx, r.s, role.ID, role.Slugs)
}

func (r roles) Update(ctx context.Context, scope access.Scope, role access.Role) error {
	taken, err := sqlstore.Where(r.s.NewSelect().Model((*roleRow)(nil)), sqlstore.OwnOnly(scope)).
		Where("t.name = ?", role.Name).Where("t.id <> ?", role.ID).Exists(ctx)
	if err != nil {
		return err
	}
	if taken {
		return errRoleExists
	}
	if err := sqlstore.Change(ctx, r.s.NewUpdate().Model((*roleRow)(nil)).Set("name = ?", role.Name).
		Set("external_id = ?, source = ?", role.ExternalID, role.Source).
		Where("t.id = ?", role.ID).Where("?", sqlstore.OwnOnly(scope)), fault.Missing("role")); err != nil {
		return err
	}
	if _, err := r.s.NewDelete().Model((*roleSlugRow)(nil)).Where("role_id = ?", role.ID).Exec(ctx); err != nil {
		return err
	}
	return addSlugs(ctx, r.s, role.ID, role.Slugs)
}

func addSlugs(ctx context.Context, s *sqlstore.Session, roleID int64, slugs []string) error {
	return sqlstore.InsertAll(ctx, s, slugs, func(_ int, slug string) roleSlugRow { return roleSlugRow{RoleID: roleID, Slug: slug} })
}

// Delete deletes the slugs of the role as well.
func (r roles) Delete(ctx context.Context, scope access.Scope, id int64) error {
	return sqlstore.Change(ctx, r.s.NewDelete().Model((*roleRow)(nil)).Where("t.id = ?", id).Where("?", sqlstore.OwnOnly(scope)),
		fault.Missing("role"))
}

func (r roles) Invited(ctx context.Context, scope access.Scope, id int64, now time.Time) (int64, error) {
	return sqlstore.Where(r.s.NewSelect().Model((*invitationRow)(nil)), sqlstore.OwnOnly(scope)).
		Where("t.accepted_at IS NULL AND t.revoked_at IS NULL AND t.expires_at > ?", sqlstore.StampAt(now)).
		Where("EXISTS (SELECT 1 FROM invitation_roles AS ir WHERE ir.invitation_id = t.id AND ir.role_id = ?)", id).Count(ctx)
}

// idsOf returns the ids of roles by their names. Faults: NotFound when one does not exist.
func (r roles) idsOf(ctx context.Context, scope access.Scope, names []string) ([]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	var ids []int64
	err := sqlstore.Where(r.s.NewSelect().Model((*roleRow)(nil)).Column("t.id"), sqlstore.OwnOnly(scope)).
		Where("t.name IN (?)", prepared.List(names)).OrderExpr("t.id").Scan(ctx, &ids)
	if err == nil && len(ids) != len(names) {
		err = fault.Missing("role")
	}
	return ids, err
}
