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
	Token         string
	ClaimedAt     sqlstore.Stamp
	LeaseUntil    sqlstore.Stamp
	ExecutedAt    *sqlstore.Stamp
	AnsweredAt    *sqlstore.Stamp
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
			Key: row.Key, Digest: row.Digest, Token: row.Token, ClaimedAt: row.ClaimedAt.Time, LeaseUntil: row.LeaseUntil.Time,
			Executed: row.ExecutedAt != nil,
		}
		if row.AnsweredAt != nil {
			out.Answer = &ports.Answer{Status: row.Status, Header: row.Header.V}
			out.Answer.Body, err = r.s.Secrets.Open(placeOfAnswer(row.CompanyID, row.Key), row.Body)
		}
		return out, err
	}}
	return view.Find(ctx, r.s.ForUpdate(q))
}

func (r replays) Claim(ctx context.Context, scope access.Scope, claim ports.Replay, instead string) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("company")
	}
	if instead != "" {
		if err := stillClaimed(ctx, r.s.NewDelete().Model((*replayRow)(nil)).Where("t.company_id = ?", scope.Company()).
			Where("t.key = ?", claim.Key).Where("t.token = ?", instead)); err != nil {
			return err
		}
	}
	row := replayRow{
		CompanyID: scope.Company(), Key: claim.Key, Digest: claim.Digest, Token: claim.Token,
		ClaimedAt: sqlstore.StampAt(claim.ClaimedAt), LeaseUntil: sqlstore.StampAt(claim.LeaseUntil),
	}
	return stillClaimed(ctx, r.s.NewInsert().Model(&row).On("CONFLICT (company_id, key) DO NOTHING"))
}

func (r replays) Executed(ctx context.Context, scope access.Scope, key, token string, at time.Time) error {
	return stillClaimed(ctx, r.claimed(scope, key, token).Set("executed_at = ?", sqlstore.StampAt(at)))
}

func (r replays) Answered(ctx context.Context, scope access.Scope, key, token string, answer ports.Answer, at time.Time) error {
	return stillClaimed(ctx, r.claimed(scope, key, token).Set("answered_at = ?", sqlstore.StampAt(at)).Set("status = ?", answer.Status).
		Set("header = ?", sqlstore.JSONOf(answer.Header)).Set("body = ?", r.s.Secrets.Seal(placeOfAnswer(scope.Company(), key), answer.Body)))
}

// An answer may hold the text of a new API key, a webhook's secret or the link of an invitation.
func placeOfAnswer(companyID int64, key string) string {
	return sqlstore.PlaceOf("replays", fmt.Sprintf("%d/%s", companyID, key), "body")
}

func (r replays) claimed(scope access.Scope, key, token string) *bun.UpdateQuery {
	return r.s.NewUpdate().Model((*replayRow)(nil)).Where("?", sqlstore.Own("t", scope)).Where("t.key = ?", key).
		Where("t.token = ?", token)
}

func (r replays) Release(ctx context.Context, scope access.Scope, key, token string) error {
	return sqlstore.Run(ctx, r.s.NewDelete().Model((*replayRow)(nil)).Where("?", sqlstore.Own("t", scope)).
		Where("t.key = ?", key).Where("t.token = ?", token).Where("t.executed_at IS NULL"))
}

func (r replays) Purge(ctx context.Context, before time.Time) (int64, error) {
	return sqlstore.Affected(ctx, r.s.NewDelete().Model((*replayRow)(nil)).Where("t.claimed_at < ?", sqlstore.StampAt(before)))
}

// stillClaimed runs a statement on a claim and returns Conflict where it changes nothing.
func stillClaimed(ctx context.Context, q sqlstore.Statement) error {
	return sqlstore.Change(ctx, q, fault.New(fault.Conflict, "claim_lost", "Another request has taken this Idempotency-Key over."))
}
