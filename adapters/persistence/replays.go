package persistence

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

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
	ClaimedAt     stamp
	LeaseUntil    stamp
	ExecutedAt    *stamp
	AnsweredAt    *stamp
	Status        int
	Header        document[map[string]string]
	Body          []byte
}

// replays implements ports.Replays.
type replays struct{ s *session }

// Get implements ports.Replays.
func (r replays) Get(ctx context.Context, scope access.Scope, key string) (ports.Replay, bool, error) {
	var row replayRow
	q := where(r.s.NewSelect().Model(&row), own("t", scope)).Where("t.key = ?", key)
	err := r.s.forUpdate(q).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return ports.Replay{}, false, nil
	}
	if err != nil {
		return ports.Replay{}, false, err
	}
	out := ports.Replay{
		Key: row.Key, Digest: row.Digest, Token: row.Token, ClaimedAt: row.ClaimedAt.Time, LeaseUntil: row.LeaseUntil.Time,
		Executed: row.ExecutedAt != nil,
	}
	if row.AnsweredAt != nil {
		out.Answer = &ports.Answer{Status: row.Status, Header: row.Header.V, Body: row.Body}
	}
	return out, true, nil
}

// Claim implements ports.Replays.
func (r replays) Claim(ctx context.Context, scope access.Scope, claim ports.Replay, instead string) error {
	if !writable(scope) {
		return fault.Missing("company")
	}
	if instead != "" {
		res, err := r.s.NewDelete().Model((*replayRow)(nil)).Where("t.company_id = ?", scope.Company()).
			Where("t.key = ?", claim.Key).Where("t.token = ?", instead).Exec(ctx)
		if err := stillClaimed(res, err); err != nil {
			return err
		}
	}
	row := replayRow{
		CompanyID: scope.Company(), Key: claim.Key, Digest: claim.Digest, Token: claim.Token,
		ClaimedAt: stampAt(claim.ClaimedAt), LeaseUntil: stampAt(claim.LeaseUntil),
	}
	return stillClaimed(r.s.NewInsert().Model(&row).On("CONFLICT (company_id, key) DO NOTHING").Exec(ctx))
}

// Executed implements ports.Replays.
func (r replays) Executed(ctx context.Context, scope access.Scope, key, token string, at time.Time) error {
	return stillClaimed(r.claimed(scope, key, token).Set("executed_at = ?", stampAt(at)).Exec(ctx))
}

// Answered implements ports.Replays.
func (r replays) Answered(ctx context.Context, scope access.Scope, key, token string, answer ports.Answer, at time.Time) error {
	return stillClaimed(r.claimed(scope, key, token).Set("answered_at = ?", stampAt(at)).Set("status = ?", answer.Status).
		Set("header = ?", documentWith(answer.Header)).Set("body = ?", answer.Body).Exec(ctx))
}

func (r replays) claimed(scope access.Scope, key, token string) *bun.UpdateQuery {
	in := own("t", scope)
	return r.s.NewUpdate().Model((*replayRow)(nil)).Where(in.sql, in.args...).Where("t.key = ?", key).Where("t.token = ?", token)
}

// Release implements ports.Replays.
func (r replays) Release(ctx context.Context, scope access.Scope, key, token string) error {
	in := own("t", scope)
	_, err := r.s.NewDelete().Model((*replayRow)(nil)).Where(in.sql, in.args...).
		Where("t.key = ?", key).Where("t.token = ?", token).Where("t.executed_at IS NULL").Exec(ctx)
	return err
}

// Purge implements ports.Replays.
func (r replays) Purge(ctx context.Context, before time.Time) (int64, error) {
	res, err := r.s.NewDelete().Model((*replayRow)(nil)).Where("t.claimed_at < ?", stampAt(before)).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// stillClaimed gives Conflict where a statement on a claim changed nothing.
func stillClaimed(res sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	if err == nil && n == 0 {
		return fault.New(fault.Conflict, "claim_lost", "Another request has taken this Idempotency-Key over.")
	}
	return err
}
