package account

import (
	"context"
	"iter"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

// whole implements ports.Whole: the rows of a view, of all companies.
type whole[T, R any] struct {
	s    *sqlstore.Session
	view *sqlstore.View[T, R]
}

func (w whole[T, R]) Count(ctx context.Context, q ports.Query) (int64, error) {
	return w.view.Count(ctx, w.view.From(w.s, access.Scope{}), q)
}

func (w whole[T, R]) Each(ctx context.Context, q ports.Query) iter.Seq2[T, error] {
	return w.view.Each(ctx, w.s, w.view.Whole(w.s, w.view.From(w.s, access.Scope{})), q)
}

// allRows selects the rows of every company.
func allRows[R any](s *sqlstore.Session, _ access.Scope) *bun.SelectQuery {
	return s.NewSelect().Model((*R)(nil))
}

// companies implements ports.Companies.
type companies struct {
	whole[ports.CompanySeen, companySeenRow]
}

func companyRecords(s *sqlstore.Session) companies {
	return companies{whole[ports.CompanySeen, companySeenRow]{s, companyView}}
}

type companySeenRow struct {
	bun.BaseModel `bun:"table:companies,alias:t"`
	ID            int64  `bun:"id,pk"`
	UUID          string `bun:"uuid"`
	Name          string
	PolicyVersion int64
	CreatedAt     sqlstore.Stamp
	Balance       credit.Amount `bun:"balance,scanonly"`
	Held          credit.Amount `bun:"held,scanonly"`
	Users         int64         `bun:"users,scanonly"`
}

var companyView = &sqlstore.View[ports.CompanySeen, companySeenRow]{
	Word: "company", Order: sqlstore.OldestFirst, Record: companySeenOfRow, From: allRows[companySeenRow],
	Filters: map[string]sqlstore.Filter{
		"id": {Exact: "t.id"}, "name": {Exact: "t.name"}, "uuid": {Exact: "t.uuid"},
		"service": {Has: "EXISTS (SELECT 1 FROM subscriptions AS s WHERE s.company_id = t.id AND s.service = ?)"},
	},
	Whole: func(_ *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return q.ColumnExpr("?TableColumns").
			ColumnExpr("COALESCE(w.balance, 0) AS balance").ColumnExpr("COALESCE(w.held, 0) AS held").
			ColumnExpr("(SELECT COUNT(*) FROM users AS u WHERE u.company_id = t.id) AS users").
			Join("LEFT JOIN wallets AS w ON w.company_id = t.id")
	},
}

func companySeenOfRow(row *companySeenRow) (ports.CompanySeen, error) {
	return ports.CompanySeen{
		Company: ports.Company{ID: row.ID, UUID: row.UUID, Name: row.Name, PolicyVersion: row.PolicyVersion, CreatedAt: row.CreatedAt.Time},
		Users:   row.Users, Wallet: credit.Wallet{CompanyID: row.ID, Balance: row.Balance, Held: row.Held},
	}, nil
}

// setupLock is the key of the advisory lock of the transaction that makes the first company ("setup" in ASCII).
const setupLock = 0x7365747570

// In SQLite a write transaction holds the whole database anyway.
func (c companies) NoneYet(ctx context.Context) (bool, error) {
	if c.s.Postgres {
		if err := sqlstore.Run(ctx, c.s.NewRaw("SELECT pg_advisory_xact_lock(?)", prepared.Arg(int64(setupLock)))); err != nil {
			return false, err
		}
	}
	some, err := c.s.NewSelect().Model((*companyRow)(nil)).Exists(ctx)
	return !some, err
}

func (c companies) Rename(ctx context.Context, id int64, name string) error {
	taken, err := c.s.NewSelect().Model((*companyRow)(nil)).Where("t.name = ?", name).Where("t.id <> ?", prepared.Arg(id)).Exists(ctx)
	if err == nil && taken {
		err = errCompanyExists(name)
	}
	if err != nil {
		return err
	}
	return sqlstore.Change(ctx, c.s.NewUpdate().Model((*companyRow)(nil)).Set("name = ?", name).Where("id = ?", id), fault.Missing("company"))
}

func errCompanyExists(name string) error {
	return fault.Newf(fault.Conflict, "company_exists", "A company is already called %q.", name)
}

type accountRow struct {
	bun.BaseModel `bun:"table:users,alias:t"`
	ID            int64  `bun:"id,pk"`
	CompanyID     *int64 // null: an operator
	Email         string
	Name          string
	Disabled      bool
	CreatedAt     sqlstore.Stamp
	Company       *string                 `bun:"company,scanonly"`
	Password      bool                    `bun:"password,scanonly"`
	Roles         sqlstore.JSON[[]string] `bun:"roles,scanonly"`
}

var accountView = &sqlstore.View[ports.Account, accountRow]{
	Word: "user", Order: sqlstore.OldestFirst, Record: accountOfRow, From: allRows[accountRow],
	Filters: map[string]sqlstore.Filter{
		"id": {Exact: "t.id"}, "company": {Exact: "t.company_id"}, "email": {Exact: "t.email"}, "disabled": {Exact: "t.disabled"},
		"role": {Has: hasRole}, "operator": {Exact: "(t.company_id IS NULL)"},
	},
	Whole: func(s *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return q.ColumnExpr("?TableColumns").ColumnExpr(namesOf(s, rolesOfUser) + " AS roles").
			ColumnExpr("(t.password_hash <> '') AS password").ColumnExpr("company.name AS company").
			Join("LEFT JOIN companies AS company ON company.id = t.company_id")
	},
}

func accountOfRow(row *accountRow) (ports.Account, error) {
	return ports.Account{
		Member: ports.Member{
			ID: row.ID, Name: row.Name, Email: row.Email, Roles: ordered(row.Roles), Disabled: row.Disabled, CreatedAt: row.CreatedAt.Time,
		},
		CompanyID: sqlstore.ValueOf(row.CompanyID), Company: sqlstore.ValueOf(row.Company), Password: row.Password,
	}, nil
}
