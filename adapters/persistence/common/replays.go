package common

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type replayRow struct {
	bun.BaseModel `bun:"table:replays,alias:t"`
	CompanyID     int64  `bun:"company_id,pk"`
	Key           string `bun:"key,pk"`
	Digest        string
	AnsweredAt    sqlstore.Stamp
	Status        int
	Header        sqlstore.JSON[map[string]string]
	Body          []byte
}

// replays implements ports.Replays.
type replays struct{ s *sqlstore.Session }

func (r replays) Get(ctx context.Context, scope access.Scope, key string) (ports.Replay, bool, error) {
	q := sqlstore.Where(r.s.NewSelect().Model((*replayRow)(nil)), sqlstore.Own("t", scope)).Where("t.key = ?", key)
	view := sqlstore.View[ports.Replay, replayRow]{Record: func(row *replayRow) (out ports.Replay, err error) {
		out = ports.Replay{
			Key: row.Key, Digest: row.Digest, AnsweredAt: row.AnsweredAt.Time,
			Answer: ports.Answer{Status: row.Status, Header: row.Header.V},
		}
		out.Answer.Body, err = r.s.Secrets.Open(placeOfAnswer(row.CompanyID, row.Key), row.Body)
		return out, err
	}}
	return view.Find(ctx, q)
}

func (r replays) Put(ctx context.Context, scope access.Scope, one ports.Replay, expired time.Time) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	row := replayRow{
		CompanyID: scope.Company(), Key: one.Key, Digest: one.Digest, AnsweredAt: sqlstore.StampAt(one.AnsweredAt),
		Status: one.Answer.Status, Header: sqlstore.JSONOf(one.Answer.Header),
		Body: r.s.Secrets.Seal(placeOfAnswer(scope.Company(), one.Key), one.Answer.Body),
	}
	q := r.s.NewInsert().Model(&row).On("CONFLICT (company_id, key) DO UPDATE").
		Set("digest = EXCLUDED.digest, answered_at = EXCLUDED.answered_at").
		Set("status = EXCLUDED.status, header = EXCLUDED.header, body = EXCLUDED.body").
		Where("t.answered_at <= ?", sqlstore.StampAt(expired))
	return sqlstore.Change(ctx, q, fault.New(fault.Unavailable, ports.CodeAnswered, "Another request of this Idempotency-Key was answered; repeat yours."))
}

// An answer may hold the text of a new API key, a webhook's secret or the link of an invitation.
func placeOfAnswer(companyID int64, key string) string {
	return sqlstore.PlaceOf("replays", fmt.Sprintf("%d/%s", companyID, key), "body")
}

func (r replays) Purge(ctx context.Context, before time.Time, limit int) (int64, error) {
	old := r.s.NewSelect().TableExpr("replays AS o").ColumnExpr("o.company_id, o.key").Where("o.answered_at < ?", sqlstore.StampAt(before)).
		OrderExpr("o.answered_at").Limit(int64(limit))
	return sqlstore.Affected(ctx, r.s.NewDelete().Model((*replayRow)(nil)).Where("(t.company_id, t.key) IN (?)", old))
}
