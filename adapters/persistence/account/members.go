package account

import (
	"context"
	"iter"
	"slices"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// members implements ports.Members. Other companies' users are never shared: a scope of
// shared records matches none.
type members struct{ s *sqlstore.Session }

type memberRow struct {
	bun.BaseModel `bun:"table:users,alias:t"`
	ID            int64 `bun:"id,pk"`
	Email         string
	Name          string
	Disabled      bool
	CreatedAt     sqlstore.Stamp
	Roles         sqlstore.JSON[[]string] `bun:"roles,scanonly"`
}

var memberFilters = map[string]sqlstore.Filter{
	"email": {Exact: "t.email"}, "disabled": {Exact: "t.disabled"},
}

// namesOf is a subquery that gives a JSON array of names, in no order: of the one column
// "name" that a query over other tables selects.
func namesOf(s *sqlstore.Session, query string) string {
	gather := "json_group_array(n.name)"
	if s.Postgres {
		gather = "COALESCE(json_agg(n.name), '[]')"
	}
	return "(SELECT " + gather + " FROM (" + query + ") AS n)"
}

// ordered sorts names here, because databases sort text as their locale has it.
func ordered(names sqlstore.JSON[[]string]) []string {
	slices.Sort(names.V)
	return names.V
}

const rolesOfUser = "SELECT r.name AS name FROM user_roles AS ur JOIN roles AS r ON r.id = ur.role_id WHERE ur.user_id = t.id"

// The row of the company is the lock.
func (m members) Lock(ctx context.Context, scope access.Scope) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	var id int64
	q := m.s.NewSelect().Model((*companyRow)(nil)).Column("t.id").Where("t.id = ?", scope.Company())
	return sqlstore.Missing(m.s.ForUpdate(q).Scan(ctx, &id), "company")
}

func (m members) Changed(ctx context.Context, scope access.Scope) error {
	return sqlstore.Run(ctx, m.s.NewUpdate().Model((*companyRow)(nil)).Set("policy_version = policy_version + 1").
		Where("id = ?", scope.Company()))
}

func (m members) query(scope access.Scope) *bun.SelectQuery {
	return sqlstore.Where(m.s.NewSelect().Model((*memberRow)(nil)).ColumnExpr("?TableColumns").
		ColumnExpr(namesOf(m.s, rolesOfUser)+" AS roles"), sqlstore.OwnOnly(scope))
}

// narrowed applies the filter of a role, which holds where the user has it, and returns the
// query without it.
func narrowed(q *bun.SelectQuery, query ports.Query) (*bun.SelectQuery, ports.Query) {
	var plain []ports.Filter
	for _, f := range query.Filters {
		name, ok := f.Value.(string)
		switch {
		case f.Name != "role" || !ok:
			plain = append(plain, f)
		case !sqlstore.Storable(name):
			q = sqlstore.Where(q, sqlstore.Nothing)
		default:
			q = q.Where("EXISTS ("+rolesOfUser+" AND r.name = ?)", name)
		}
	}
	query.Filters = plain
	return q, query
}

func (m members) Count(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	q, query := narrowed(sqlstore.Where(m.s.NewSelect().Model((*memberRow)(nil)), sqlstore.OwnOnly(scope)), query)
	return memberView.Count(ctx, q, query)
}

func (m members) Each(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[ports.Member, error] {
	q, query := narrowed(m.query(scope), query)
	return memberView.Each(ctx, m.s, q, query)
}

func (m members) Get(ctx context.Context, scope access.Scope, id int64) (ports.Member, error) {
	return memberView.One(ctx, m.query(scope).Where("t.id = ?", id))
}

func (m members) Update(ctx context.Context, scope access.Scope, member ports.Member) error {
	if err := sqlstore.Change(ctx, m.s.NewUpdate().Model((*userRow)(nil)).Set("name = ?", member.Name).
		Set("disabled = ?", member.Disabled).
		Where("t.id = ?", member.ID).Where("?", sqlstore.OwnOnly(scope)), fault.Missing("user")); err != nil {
		return err
	}
	ids, err := roles(m).idsOf(ctx, scope, member.Roles)
	if err != nil {
		return err
	}
	if err := sqlstore.Run(ctx, m.s.NewDelete().Model((*userRoleRow)(nil)).Where("user_id = ?", member.ID)); err != nil {
		return err
	}
	rows := make([]userRoleRow, len(ids))
	for i, id := range ids {
		rows[i] = userRoleRow{UserID: member.ID, RoleID: id}
	}
	return sqlstore.InsertRows(ctx, m.s, rows)
}

func (m members) Owners(ctx context.Context, scope access.Scope) (int64, error) {
	return sqlstore.Where(m.s.NewSelect().Model((*memberRow)(nil)), sqlstore.OwnOnly(scope)).Where("NOT t.disabled").
		Where("EXISTS ("+rolesOfUser+" AND r.name = ?)", access.RoleOwner).Count(ctx)
}

var memberView = &sqlstore.View[ports.Member, memberRow]{Word: "user", Filters: memberFilters, Order: "t.id", Record: memberOfRow}

func memberOfRow(row *memberRow) (ports.Member, error) {
	return ports.Member{
		ID: row.ID, Name: row.Name, Email: row.Email, Roles: ordered(row.Roles), Disabled: row.Disabled, CreatedAt: row.CreatedAt.Time,
	}, nil
}
