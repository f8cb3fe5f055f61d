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

// ofCompany restricts a table of people to the company that acts.
func ofCompany(scope access.Scope) sqlstore.Condition {
	if !sqlstore.Writable(scope) {
		return sqlstore.Nothing
	}
	return sqlstore.Own("t", scope)
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

// Lock implements ports.Members: the row of the company is the lock.
func (m members) Lock(ctx context.Context, scope access.Scope) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	var id int64
	q := m.s.NewSelect().Model((*companyRow)(nil)).Column("t.id").Where("t.id = ?", scope.Company())
	return sqlstore.Missing(m.s.ForUpdate(q).Scan(ctx, &id), "company")
}

// Changed implements ports.Members.
func (m members) Changed(ctx context.Context, scope access.Scope) error {
	_, err := m.s.NewUpdate().Model((*companyRow)(nil)).Set("policy_version = policy_version + 1").Where("id = ?", scope.Company()).Exec(ctx)
	return err
}

func (m members) query(scope access.Scope) *bun.SelectQuery {
	return sqlstore.Where(m.s.NewSelect().Model((*memberRow)(nil)).ColumnExpr("?TableColumns").
		ColumnExpr(namesOf(m.s, rolesOfUser)+" AS roles"), ofCompany(scope))
}

// filtered adds the filters of a list of users; that of a role holds where the user has it.
func (m members) filtered(q *bun.SelectQuery, filters []ports.Filter) (*bun.SelectQuery, error) {
	var plain []ports.Filter
	for _, f := range filters {
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
	return sqlstore.Filtered(q, memberFilters, plain)
}

// Count implements ports.Members.
func (m members) Count(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	q, err := m.filtered(sqlstore.Where(m.s.NewSelect().Model((*memberRow)(nil)), ofCompany(scope)), query.Filters)
	if err != nil {
		return 0, err
	}
	return q.Count(ctx)
}

// Each implements ports.Members.
func (m members) Each(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[ports.Member, error] {
	q, err := m.filtered(m.query(scope), query.Filters)
	if err == nil && query.Limit == 0 {
		err = m.s.Unhurried(ctx)
	}
	if err != nil {
		return sqlstore.Failed[ports.Member](err)
	}
	return sqlstore.Stream(ctx, m.s, sqlstore.Paged(q.OrderExpr("t.id"), query), memberOfRow)
}

// Get implements ports.Members.
func (m members) Get(ctx context.Context, scope access.Scope, id int64) (ports.Member, error) {
	var row memberRow
	if err := m.query(scope).Where("t.id = ?", id).Scan(ctx, &row); err != nil {
		return ports.Member{}, sqlstore.Missing(err, "user")
	}
	return memberOfRow(&row)
}

// Update implements ports.Members.
func (m members) Update(ctx context.Context, scope access.Scope, member ports.Member) error {
	in := ofCompany(scope)
	res, err := m.s.NewUpdate().Model((*userRow)(nil)).Set("name = ?", member.Name).Set("disabled = ?", member.Disabled).
		Where("t.id = ?", member.ID).Where(in.SQL, in.Args...).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return sqlstore.MissingUnless(err, "user")
	}
	ids, err := roles(m).idsOf(ctx, scope, member.Roles)
	if err != nil {
		return err
	}
	if _, err := m.s.NewDelete().Model((*userRoleRow)(nil)).Where("user_id = ?", member.ID).Exec(ctx); err != nil || len(ids) == 0 {
		return err
	}
	rows := make([]userRoleRow, len(ids))
	for i, id := range ids {
		rows[i] = userRoleRow{UserID: member.ID, RoleID: id}
	}
	_, err = m.s.NewInsert().Model(&rows).Exec(ctx)
	return err
}

// Owners implements ports.Members.
func (m members) Owners(ctx context.Context, scope access.Scope) (int64, error) {
	return sqlstore.Where(m.s.NewSelect().Model((*memberRow)(nil)), ofCompany(scope)).Where("NOT t.disabled").
		Where("EXISTS ("+rolesOfUser+" AND r.name = ?)", access.RoleOwner).Count(ctx)
}

func memberOfRow(row *memberRow) (ports.Member, error) {
	return ports.Member{
		ID: row.ID, Name: row.Name, Email: row.Email, Roles: ordered(row.Roles), Disabled: row.Disabled, CreatedAt: row.CreatedAt.Time,
	}, nil
}
