package account

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type companyRow struct {
	bun.BaseModel `bun:"table:companies,alias:t"`
	ID            int64  `bun:"id,pk,autoincrement"`
	UUID          string `bun:"uuid"`
	Name          string
	PolicyVersion int64
	CreatedAt     sqlstore.Stamp
}

type userRow struct {
	bun.BaseModel `bun:"table:users,alias:t"`
	ID            int64  `bun:"id,pk,autoincrement"`
	CompanyID     *int64 // null: an operator
	Email         string
	Name          string
	PasswordHash  string
	Disabled      bool
	CreatedAt     sqlstore.Stamp

	PolicyVersion *int64 `bun:"policy_version,scanonly"`
}

type roleRow struct {
	bun.BaseModel `bun:"table:roles,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	Name          string
	sqlstore.KeyColumns
}

type roleSlugRow struct {
	bun.BaseModel `bun:"table:role_slugs,alias:t"`
	RoleID        int64
	Slug          string
}

type userRoleRow struct {
	bun.BaseModel `bun:"table:user_roles,alias:t"`
	UserID        int64
	RoleID        int64
}

// accounts implements ports.Accounts and ports.Credentials.
type accounts struct{ s *sqlstore.Session }

func (a accounts) CreateCompany(ctx context.Context, company *ports.Company, roles []access.RoleTemplate) error {
	company.PolicyVersion, company.CreatedAt = 1, sqlstore.Micro(company.CreatedAt)
	row := companyRow{UUID: company.UUID, Name: company.Name, PolicyVersion: company.PolicyVersion, CreatedAt: sqlstore.StampAt(company.CreatedAt)}
	if err := sqlstore.InsertNew(ctx, a.s, &row, &company.ID, "name",
		errCompanyExists(company.Name)); err != nil {
		return err
	}
	for _, role := range roles {
		if err := a.createRole(ctx, company.ID, role); err != nil {
			return err
		}
	}
	return nil
}

func (a accounts) createRole(ctx context.Context, companyID int64, role access.RoleTemplate) error {
	var id int64
	if err := sqlstore.InsertNew(ctx, a.s, &roleRow{CompanyID: companyID, Name: role.Name}, &id, "company_id, name",
		sqlstore.Internal("role %q is given twice", role.Name)); err != nil {
		return err
	}
	return addSlugs(ctx, a.s, id, role.Slugs)
}

func (a accounts) Company(ctx context.Context, id int64) (ports.Company, error) {
	return sqlstore.One(ctx, a.s.NewSelect().Model((*companyRow)(nil)).
		Where("t.id = ?", id), "company", func(row *companyRow) ports.Company {
		return ports.Company{
			ID: row.ID, UUID: row.UUID, Name: row.Name, PolicyVersion: row.PolicyVersion, CreatedAt: row.CreatedAt.Time,
		}
	})
}

func (a accounts) CreateUser(ctx context.Context, user *ports.User) error {
	user.Email, user.CreatedAt = strings.ToLower(user.Email), sqlstore.Micro(user.CreatedAt)
	row := userRow{
		CompanyID: sqlstore.NullableID(user.CompanyID), Email: user.Email, Name: user.Name,
		PasswordHash: user.PasswordHash, Disabled: user.Disabled, CreatedAt: sqlstore.StampAt(user.CreatedAt),
	}
	return sqlstore.InsertNew(ctx, a.s, &row, &user.ID, "email",
		fault.New(fault.Conflict, "email_taken", "A user with this e-mail address already exists."))
}

// Giving a role again changes nothing but the version.
func (a accounts) GiveRole(ctx context.Context, userID, companyID int64, role string) error {
	var roleID int64
	err := a.s.NewSelect().Model((*roleRow)(nil)).Column("t.id").Where("t.company_id = ?", companyID).Where("t.name = ?", role).Scan(ctx, &roleID)
	if err != nil {
		return sqlstore.Missing(err, "role")
	}
	user, _, err := a.Caller(ctx, userID)
	if err != nil {
		return err
	}
	if user.CompanyID != companyID {
		return fault.Missing("user")
	}
	if _, err := a.s.NewInsert().Model(&userRoleRow{UserID: userID, RoleID: roleID}).On("CONFLICT (user_id, role_id) DO NOTHING").Exec(ctx); err != nil {
		return err
	}
	return sqlstore.Run(ctx, a.s.NewUpdate().Model((*companyRow)(nil)).Set("policy_version = policy_version + 1").
		Where("id = ?", companyID))
}

func (a accounts) UserByEmail(ctx context.Context, email string) (ports.User, error) {
	if !sqlstore.Storable(email) {
		return ports.User{}, fault.Missing("user")
	}
	return sqlstore.One(ctx, a.s.NewSelect().Model((*userRow)(nil)).Where("t.email = ?", strings.ToLower(email)), "user", userOfRow)
}

func (a accounts) Caller(ctx context.Context, userID int64) (ports.User, int64, error) {
	return a.caller(ctx, a.callers().Where("t.id = ?", userID))
}

func (a accounts) Holder(ctx context.Context, hash string, now time.Time) (ports.User, int64, error) {
	return a.caller(ctx, a.callers().Join("JOIN refresh_tokens AS token ON token.user_id = t.id").Where("token.hash = ?", hash).
		Where("token.used_at IS NULL AND token.revoked_at IS NULL AND token.expires_at > ?", sqlstore.StampAt(now)))
}

// callers selects users with the policy versions of their companies. Every request runs it, so its columns are written out.
func (a accounts) callers() *bun.SelectQuery {
	return a.s.NewSelect().Model((*userRow)(nil)).ColumnExpr("t.id, t.company_id, t.email, t.name, t.password_hash, t.disabled, t.created_at, company.policy_version").
		Join("LEFT JOIN companies AS company ON company.id = t.company_id")
}

func (a accounts) caller(ctx context.Context, q *bun.SelectQuery) (ports.User, int64, error) {
	var row userRow
	if err := q.Scan(ctx, &row); err != nil {
		return ports.User{}, 0, sqlstore.Missing(err, "user")
	}
	return userOfRow(&row), sqlstore.ValueOf(row.PolicyVersion), nil
}

func (a accounts) SetDisabled(ctx context.Context, userID int64, disabled bool) error {
	return sqlstore.Change(ctx, a.s.NewUpdate().Model((*userRow)(nil)).Set("disabled = ?", disabled).Where("id = ?", userID),
		fault.Missing("user"))
}

// RolesOf reads the version first: should the roles change between the statements, they are newer than
// the version says, and the next request that compares versions reads them again.
func (a accounts) RolesOf(ctx context.Context, companyID, userID int64) (map[string][]string, int64, error) {
	company, err := a.Company(ctx, companyID)
	if err != nil {
		return nil, 0, err
	}
	var rows []struct {
		Name string
		Slug *string
	}
	err = a.s.NewSelect().Model((*roleRow)(nil)).ColumnExpr("t.name, rs.slug").
		Join("JOIN user_roles AS ur ON ur.role_id = t.id").Join("LEFT JOIN role_slugs AS rs ON rs.role_id = t.id").
		Where("t.company_id = ?", companyID).Where("ur.user_id = ?", userID).OrderExpr("t.name, rs.slug").Scan(ctx, &rows)
	if err != nil {
		return nil, 0, err
	}
	out := map[string][]string{}
	for _, row := range rows {
		list := out[row.Name]
		if row.Slug != nil {
			list = append(list, *row.Slug)
		}
		out[row.Name] = list
	}
	return out, company.PolicyVersion, nil
}

func userOfRow(row *userRow) ports.User {
	return ports.User{
		ID: row.ID, CompanyID: sqlstore.ValueOf(row.CompanyID), Email: row.Email, Name: row.Name,
		PasswordHash: row.PasswordHash, Disabled: row.Disabled, CreatedAt: row.CreatedAt.Time,
	}
}
