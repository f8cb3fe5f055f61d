package account

import (
	"context"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// members implements ports.Members. Users are never shared with other companies.
type members struct {
	sqlstore.Reader[ports.Member, memberRow]
	sqlstore.Keys[memberRow]
}

func memberRecords(s *sqlstore.Session) members {
	return members{sqlstore.Reader[ports.Member, memberRow]{Session: s, View: memberView}, sqlstore.KeysOf[memberRow](s, "TRUE")}
}

type memberRow struct {
	bun.BaseModel `bun:"table:users,alias:t"`
	ID            int64 `bun:"id,pk"`
	Email         string
	Name          string
	Disabled      bool
	CreatedAt     sqlstore.Stamp
	AlertMailOff  bool
	sqlstore.KeyColumns
	Roles sqlstore.JSON[[]string] `bun:"roles,scanonly"`
}

var memberView = &sqlstore.View[ports.Member, memberRow]{
	Word: "user", Order: sqlstore.OldestFirst, Record: memberOfRow, From: sqlstore.OwnRows[memberRow],
	Filters: map[string]sqlstore.Filter{
		"id": {Exact: "t.id"}, "email": {Exact: "t.email"}, "disabled": {Exact: "t.disabled"}, "role": {Has: hasRole}, "external_id": sqlstore.ByKey,
	},
	Whole: func(s *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return q.ColumnExpr("?TableColumns").ColumnExpr(namesOf(s, rolesOfUser) + " AS roles")
	},
}

// namesOf is a subquery for a JSON array, in no order, of the column "name" of a query.
func namesOf(s *sqlstore.Session, query string) string {
	gather := "json_group_array(n.name)"
	if s.Postgres {
		gather = "COALESCE(json_agg(n.name), '[]')"
	}
	return "(SELECT " + gather + " FROM (" + query + ") AS n)"
}

// ordered sorts names here, because databases sort text by their locale.
func ordered(names sqlstore.JSON[[]string]) []string {
	slices.Sort(names.V)
	return names.V
}

const rolesOfUser = "SELECT r.name AS name FROM user_roles AS ur JOIN roles AS r ON r.id = ur.role_id WHERE ur.user_id = t.id"

const hasRole = "EXISTS (" + rolesOfUser + " AND r.name = ?)"

// Lock locks the row of the company.
func (m members) Lock(ctx context.Context, scope access.Scope) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	var id int64
	q := m.Session.NewSelect().Model((*companyRow)(nil)).Column("t.id").Where("t.id = ?", scope.Company())
	return sqlstore.Missing(m.Session.ForUpdate(q).Scan(ctx, &id), "company")
}

func (m members) Changed(ctx context.Context, scope access.Scope) error {
	return sqlstore.Run(ctx, m.Session.NewUpdate().Model((*companyRow)(nil)).Set("policy_version = policy_version + 1").
		Where("id = ?", scope.Company()))
}

func (m members) Update(ctx context.Context, scope access.Scope, member ports.Member) error {
	if err := sqlstore.Change(ctx, m.Session.NewUpdate().Model((*userRow)(nil)).Set("name = ?", member.Name).
		Set("disabled = ?", member.Disabled).Set("external_id = ?, source = ?", member.ExternalID, member.Source).
		Where("t.id = ?", member.ID).Where("?", sqlstore.OwnOnly(scope)), fault.Missing("user")); err != nil {
		return err
	}
	ids, err := roleRecords(m.Session).idsOf(ctx, scope, member.Roles)
	if err != nil {
		return err
	}
	if err := sqlstore.Run(ctx, m.Session.NewDelete().Model((*userRoleRow)(nil)).Where("user_id = ?", member.ID)); err != nil {
		return err
	}
	return sqlstore.InsertAll(ctx, m.Session, ids, func(_ int, id int64) userRoleRow { return userRoleRow{UserID: member.ID, RoleID: id} })
}

func (m members) WantAlertMail(ctx context.Context, scope access.Scope, id int64, wanted bool) error {
	return sqlstore.Change(ctx, m.Session.NewUpdate().Model((*userRow)(nil)).Set("alert_mail_off = ?", !wanted).
		Where("t.id = ?", id).Where("?", sqlstore.OwnOnly(scope)), fault.Missing("user"))
}

func (m members) Owners(ctx context.Context, scope access.Scope) (int64, error) {
	return sqlstore.OwnRows[memberRow](m.Session, scope).Where("NOT t.disabled").Where(hasRole, access.RoleOwner).Count(ctx)
}

func memberOfRow(row *memberRow) (ports.Member, error) {
	return ports.Member{
		ID: row.ID, Name: row.Name, Email: row.Email, Roles: ordered(row.Roles), Disabled: row.Disabled, CreatedAt: row.CreatedAt.Time,
		AlertMail: !row.AlertMailOff, External: row.External(),
	}, nil
}
