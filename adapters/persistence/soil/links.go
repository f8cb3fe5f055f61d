package soil

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/record"
	"tilth/core/stratification/link"
)

type linkRow struct {
	bun.BaseModel `bun:"table:plan_links,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	PlanID        int64
	Kind          link.Kind
	Round         int64
	Secret        string
	CreatedAt     sqlstore.Stamp
	CreatedBy     *int64
	ExpiresAt     sqlstore.Stamp
	RevokedAt     *sqlstore.Stamp

	PlanUUID      string  `bun:"plan_uuid,scanonly"`
	CreatedByName *string `bun:"created_by_name,scanonly"`
}

// planLinks implements ports.PlanLinks and ports.PlanLinkKeeper. Secrets are sealed for the id of their link.
type planLinks struct {
	sqlstore.Reader[link.Link, linkRow]
}

func linkRecords(s *sqlstore.Session) planLinks {
	view := *linkView
	view.Record = func(row *linkRow) (link.Link, error) { return linkOfRow(s, row) }
	return planLinks{sqlstore.Reader[link.Link, linkRow]{Session: s, View: &view}}
}

var linkView = &sqlstore.View[link.Link, linkRow]{
	Word: "link", Order: sqlstore.OldestFirst,
	Filters: map[string]sqlstore.Filter{"id": {Exact: "t.id"}, "farm": ofFarm("o.aoi_id"), "plan": {Exact: "t.plan_id"}, "plan_uuid": {Exact: "plan.plan_uuid"}, "kind": {Exact: "t.kind"}},
	From: func(s *sqlstore.Session, scope access.Scope) *bun.SelectQuery {
		return sqlstore.Where(linksOfPlans(s), sqlstore.OwnOnly(scope))
	},
	Whole: func(_ *sqlstore.Session, q *bun.SelectQuery) *bun.SelectQuery {
		return q.ColumnExpr("?TableColumns").ColumnExpr("plan.plan_uuid AS plan_uuid").ColumnExpr("author.name AS created_by_name").
			Join("LEFT JOIN users AS author ON author.id = t.created_by")
	},
}

// linksOfPlans selects the links of plans whose area of interest is live.
func linksOfPlans(s *sqlstore.Session) *bun.SelectQuery {
	return s.NewSelect().Model((*linkRow)(nil)).Join("JOIN stratification_plans AS plan ON plan.id = t.plan_id").
		Join("JOIN stratification_orders AS o ON o.id = plan.order_id").Join("JOIN aois AS aoi ON aoi.id = o.aoi_id").Where("aoi.deleted_at IS NULL")
}

func placeOfLink(id int64) string { return sqlstore.PlaceOf("plan_links", id, "secret") }

// Insert stores the secret once the id is known.
func (l planLinks) Insert(ctx context.Context, scope access.Scope, in *link.Link) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(linkView.Word)
	}
	in.CompanyID, in.CreatedAt, in.ExpiresAt = scope.Company(), sqlstore.Micro(in.CreatedAt), sqlstore.Micro(in.ExpiresAt)
	row := linkRow{
		CompanyID: in.CompanyID, PlanID: in.PlanID, Kind: in.Kind, Round: in.Round,
		CreatedAt: sqlstore.StampAt(in.CreatedAt), ExpiresAt: sqlstore.StampAt(in.ExpiresAt),
	}
	if in.CreatedBy != nil {
		row.CreatedBy = &in.CreatedBy.ID
	}
	if err := sqlstore.Insert(ctx, l.Session, &row, &in.ID); err != nil {
		return err
	}
	return sqlstore.Change(ctx, l.Session.NewUpdate().Model((*linkRow)(nil)).Set("secret = ?", l.Session.SealText(placeOfLink(in.ID), in.Secret)).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.id = ?", in.ID), fault.Missing(linkView.Word))
}

func (l planLinks) Latest(ctx context.Context, scope access.Scope, like link.Link) (link.Link, error) {
	return l.View.One(ctx, l.Query(scope).Where("t.plan_id = ?", like.PlanID).Where("t.kind = ?", like.Kind).Where("t.round = ?", like.Round).
		Where("t.revoked_at IS NULL").OrderExpr("t.id DESC").Limit(1))
}

func (l planLinks) Revoke(ctx context.Context, scope access.Scope, id int64, at time.Time) error {
	return sqlstore.Change(ctx, l.Session.NewUpdate().Model((*linkRow)(nil)).Set("revoked_at = ?", sqlstore.StampAt(at)).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.id = ?", id).Where("t.revoked_at IS NULL"), fault.Missing(linkView.Word))
}

func (l planLinks) ByID(ctx context.Context, id int64) (link.Link, error) {
	return l.View.One(ctx, l.View.Whole(l.Session, linksOfPlans(l.Session)).Where("t.id = ?", id))
}

func linkOfRow(s *sqlstore.Session, row *linkRow) (out link.Link, err error) {
	out = link.Link{
		ID: row.ID, CompanyID: row.CompanyID, PlanID: row.PlanID, PlanUUID: row.PlanUUID, Kind: row.Kind, Round: row.Round,
		CreatedAt: row.CreatedAt.Time, ExpiresAt: row.ExpiresAt.Time, RevokedAt: row.RevokedAt.Nullable(),
	}
	if row.CreatedBy != nil && row.CreatedByName != nil {
		out.CreatedBy = &record.Ref{ID: *row.CreatedBy, Name: *row.CreatedByName}
	}
	out.Secret, err = s.OpenText(placeOfLink(row.ID), row.Secret)
	return out, err
}
