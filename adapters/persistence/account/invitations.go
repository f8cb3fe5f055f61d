package account

import (
	"context"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// invitations implements ports.Invitations.
type invitations struct {
	sqlstore.Reader[ports.Invitation, invitationRow]
}

func invitationRecords(s *sqlstore.Session) invitations {
	return invitations{sqlstore.Reader[ports.Invitation, invitationRow]{Session: s, View: invitationView}}
}

type invitationRow struct {
	bun.BaseModel `bun:"table:invitations,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	Email         string
	Name          string
	CreatedAt     sqlstore.Stamp
	CreatedBy     *int64
	ExpiresAt     sqlstore.Stamp
	AcceptedAt    *sqlstore.Stamp
	RevokedAt     *sqlstore.Stamp

	Roles   sqlstore.JSON[[]string] `bun:"roles,scanonly"`
	Company string                  `bun:"company,scanonly"`
	Inviter *string                 `bun:"inviter,scanonly"`
}

type invitationRoleRow struct {
	bun.BaseModel `bun:"table:invitation_roles,alias:t"`
	InvitationID  int64
	RoleID        int64
}

const stillOpen = "t.accepted_at IS NULL AND t.revoked_at IS NULL"

var invitationView = &sqlstore.View[ports.Invitation, invitationRow]{
	Word: "invitation", Filters: map[string]sqlstore.Filter{"id": {Exact: "t.id"}, "email": {Exact: "t.email"}}, Order: sqlstore.OldestFirst, Record: invitationOfRow,
	From: sqlstore.OwnRows[invitationRow],
	Whole: func(s *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		names := namesOf(s, "SELECT r.name AS name FROM invitation_roles AS ir JOIN roles AS r ON r.id = ir.role_id WHERE ir.invitation_id = t.id")
		return q.ColumnExpr("?TableColumns").ColumnExpr(names + " AS roles").
			ColumnExpr("company.name AS company").ColumnExpr("inviter.name AS inviter").
			Join("JOIN companies AS company ON company.id = t.company_id").
			Join("LEFT JOIN users AS inviter ON inviter.id = t.created_by")
	},
}

func (i invitations) Insert(ctx context.Context, scope access.Scope, in *ports.Invitation, hash string) error {
	ids, err := roleRecords(i.Session).idsOf(ctx, scope, in.Roles)
	if err != nil {
		return err
	}
	in.CompanyID, in.CreatedAt, in.ExpiresAt = scope.Company(), sqlstore.Micro(in.CreatedAt), sqlstore.Micro(in.ExpiresAt)
	in.Email = strings.ToLower(in.Email)
	row := invitationRow{
		CompanyID: in.CompanyID, Email: in.Email, Name: in.Name,
		CreatedAt: sqlstore.StampAt(in.CreatedAt), CreatedBy: sqlstore.NullableID(in.CreatedBy), ExpiresAt: sqlstore.StampAt(in.ExpiresAt),
	}
	if err := sqlstore.Insert(ctx, i.Session, &row, &in.ID); err != nil {
		return err
	}
	if err := sqlstore.InsertAll(ctx, i.Session, ids, func(_ int, id int64) invitationRoleRow {
		return invitationRoleRow{InvitationID: in.ID, RoleID: id}
	}); err != nil {
		return err
	}
	return tickets{i.Session}.Add(ctx, ports.Ticket{
		Hash: hash, CompanyID: in.CompanyID, InvitationID: in.ID, CreatedAt: in.CreatedAt, ExpiresAt: in.ExpiresAt,
	})
}

func (i invitations) Accept(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	return sqlstore.Change(ctx, i.Session.NewUpdate().Model((*invitationRow)(nil)).Set("accepted_at = ?", sqlstore.StampAt(at)).
		Where("t.id = ?", id).Where("?", sqlstore.OwnOnly(scope)).Where(stillOpen), fault.Missing("invitation"))
}

func (i invitations) Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	n, err := i.revoke(ctx, scope, at, sqlstore.When("t.id = ?", id))
	if err == nil && n == 0 {
		err = fault.Missing("invitation")
	}
	return err
}

func (i invitations) RevokeOf(ctx context.Context, scope access.Scope, email string, at time.Time) error {
	_, err := i.revoke(ctx, scope, at, sqlstore.When("t.email = ?", strings.ToLower(email)))
	return err
}

func (i invitations) revoke(ctx context.Context, scope access.Scope, at time.Time, which sqlstore.Condition) (int64, error) {
	var ids []int64
	_, err := i.Session.NewUpdate().Model((*invitationRow)(nil)).Set("revoked_at = ?", sqlstore.StampAt(at)).
		Where("?", which).Where("?", sqlstore.OwnOnly(scope)).Where(stillOpen).Returning("id").Exec(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return int64(len(ids)), sqlstore.Run(ctx, i.Session.NewUpdate().Model((*ticketRow)(nil)).Set("used_at = ?", sqlstore.StampAt(at)).
		Where("invitation_id IN (?)", prepared.List(ids)).Where("used_at IS NULL"))
}

func invitationOfRow(row *invitationRow) (ports.Invitation, error) {
	return ports.Invitation{
		ID: row.ID, CompanyID: row.CompanyID, Company: row.Company, Email: row.Email, Name: row.Name, Roles: ordered(row.Roles),
		CreatedAt: row.CreatedAt.Time, CreatedBy: sqlstore.ValueOf(row.CreatedBy), Inviter: sqlstore.ValueOf(row.Inviter),
		ExpiresAt: row.ExpiresAt.Time, AcceptedAt: row.AcceptedAt.Nullable(), RevokedAt: row.RevokedAt.Nullable(),
	}, nil
}
