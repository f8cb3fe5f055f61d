package account

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

type ticketRow struct {
	bun.BaseModel `bun:"table:tickets,alias:t"`
	Hash          string `bun:"hash,pk"`
	CompanyID     *int64
	InvitationID  *int64
	UserID        *int64
	CreatedAt     sqlstore.Stamp
	ExpiresAt     sqlstore.Stamp
	UsedAt        *sqlstore.Stamp
}

// tickets implements ports.Tickets.
type tickets struct{ s *sqlstore.Session }

func (t tickets) Add(ctx context.Context, ticket ports.Ticket) error {
	_, err := t.s.NewInsert().Model(&ticketRow{
		Hash: ticket.Hash, CompanyID: sqlstore.NullableID(ticket.CompanyID), InvitationID: sqlstore.NullableID(ticket.InvitationID),
		UserID: sqlstore.NullableID(ticket.UserID), CreatedAt: sqlstore.StampAt(ticket.CreatedAt), ExpiresAt: sqlstore.StampAt(ticket.ExpiresAt), UsedAt: sqlstore.NullableStamp(ticket.UsedAt),
	}).Exec(ctx)
	return err
}

func (t tickets) Get(ctx context.Context, hash string) (ports.Ticket, error) {
	q := t.s.ForUpdate(t.s.NewSelect().Model((*ticketRow)(nil)).Where("t.hash = ?", hash))
	return sqlstore.One(ctx, q, "ticket", func(row *ticketRow) ports.Ticket {
		return ports.Ticket{
			Hash: row.Hash, CompanyID: sqlstore.ValueOf(row.CompanyID), InvitationID: sqlstore.ValueOf(row.InvitationID),
			UserID: sqlstore.ValueOf(row.UserID), CreatedAt: row.CreatedAt.Time, ExpiresAt: row.ExpiresAt.Time, UsedAt: row.UsedAt.Nullable(),
		}
	})
}

func (t tickets) UseAll(ctx context.Context, userID, invitationID int64, at time.Time) error {
	q := t.s.NewUpdate().Model((*ticketRow)(nil)).Set("used_at = ?", sqlstore.StampAt(at)).Where("used_at IS NULL")
	if userID != 0 {
		q = q.Where("user_id = ?", userID)
	} else {
		q = q.Where("invitation_id = ?", invitationID)
	}
	return sqlstore.Run(ctx, q)
}

func (t tickets) LastFor(ctx context.Context, userID int64) (time.Time, error) {
	q := t.s.NewSelect().Model((*ticketRow)(nil)).Where("t.user_id = ?", userID).OrderExpr("t.created_at DESC").Limit(1)
	at, _, err := sqlstore.Find(ctx, q, func(row *ticketRow) time.Time { return row.CreatedAt.Time })
	return at, err
}

func (t tickets) Purge(ctx context.Context, before time.Time) error {
	return sqlstore.Run(ctx, t.s.NewDelete().Model((*ticketRow)(nil)).Where("expires_at < ?", sqlstore.StampAt(before)))
}

func (a accounts) SetPassword(ctx context.Context, userID int64, hash string) error {
	return sqlstore.Change(ctx, a.s.NewUpdate().Model((*userRow)(nil)).Set("password_hash = ?", hash).Where("id = ?", userID),
		fault.Missing("user"))
}

// RevokeOf leaves a revoked token its time. It repeats, because a statement that waited for an exchange does not see the new token.
func (a accounts) RevokeOf(ctx context.Context, userID int64, at time.Time) error {
	for {
		n, err := sqlstore.Affected(ctx, a.s.NewUpdate().Model((*refreshRow)(nil)).Set("revoked_at = ?", sqlstore.StampAt(at)).
			Where("user_id = ?", userID).Where("revoked_at IS NULL"))
		if err != nil || n == 0 {
			return err
		}
	}
}

type attemptRow struct {
	bun.BaseModel `bun:"table:sign_in_attempts,alias:t"`
	Key           string `bun:"key,pk"`
	Failures      int
	LastAt        sqlstore.Stamp
	Until         sqlstore.Stamp
}

// attempts implements ports.Attempts.
type attempts struct{ s *sqlstore.Session }

func (a attempts) Get(ctx context.Context, keys ...string) ([]access.Attempts, error) {
	return a.read(ctx, keys, a.s.NewSelect().Model((*attemptRow)(nil)))
}

// Lock locks keys in one order, so that two callers with the same keys cannot deadlock.
func (a attempts) Lock(ctx context.Context, at time.Time, keys ...string) ([]access.Attempts, error) {
	sorted := slices.Clone(keys)
	slices.Sort(sorted)
	for _, key := range slices.Compact(sorted) {
		row := attemptRow{Key: key, LastAt: sqlstore.StampAt(at), Until: sqlstore.StampAt(at)}
		if _, err := a.s.NewInsert().Model(&row).On("CONFLICT (key) DO NOTHING").Returning("NULL").Exec(ctx); err != nil {
			return nil, err
		}
	}
	return a.read(ctx, keys, a.s.ForUpdate(a.s.NewSelect().Model((*attemptRow)(nil))))
}

func (a attempts) read(ctx context.Context, keys []string, q *bun.SelectQuery) ([]access.Attempts, error) {
	var rows []attemptRow
	if err := q.Where("t.key IN (?)", prepared.List(keys)).OrderExpr("t.key").Scan(ctx, &rows); err != nil {
		return nil, err
	}
	out := make([]access.Attempts, len(keys))
	for i, key := range keys {
		out[i].Key = key
		for _, row := range rows {
			if row.Key == key {
				out[i] = access.Attempts{Key: key, Failures: row.Failures, LastAt: row.LastAt.Time, Until: row.Until.Time}
			}
		}
	}
	return out, nil
}

func (a attempts) Put(ctx context.Context, one access.Attempts) error {
	row := attemptRow{Key: one.Key, Failures: one.Failures, LastAt: sqlstore.StampAt(one.LastAt), Until: sqlstore.StampAt(one.Until)}
	return sqlstore.Run(ctx, a.s.NewInsert().Model(&row).Apply(sqlstore.Replacing("key", "failures", "last_at", "until")))
}

func (a attempts) Clear(ctx context.Context, key string) error {
	return sqlstore.Run(ctx, a.s.NewDelete().Model((*attemptRow)(nil)).Where("key = ?", key))
}

// purgeAtOnce bounds the rows that one call drops: it runs inside a sign-in.
const purgeAtOnce = 100

// Rows that another transaction holds are left to the next call.
func (a attempts) Purge(ctx context.Context, before time.Time) error {
	old := a.s.SkipLocked(a.s.NewSelect().Table("sign_in_attempts").Column("key").
		Where("last_at < ?", sqlstore.StampAt(before)).OrderExpr("last_at").Limit(purgeAtOnce))
	return sqlstore.Run(ctx, a.s.NewDelete().With("old", old).Model((*attemptRow)(nil)).Where("key IN (SELECT key FROM old)"))
}

type placeRow struct {
	bun.BaseModel `bun:"table:known_places,alias:t"`
	Key           string `bun:"key,pk"`
	LastAt        sqlstore.Stamp
}

func (a attempts) Known(ctx context.Context, place string, since time.Time) (bool, error) {
	return a.s.NewSelect().Model((*placeRow)(nil)).Where("t.key = ?", place).Where("t.last_at >= ?", sqlstore.StampAt(since)).Exists(ctx)
}

func (a attempts) Know(ctx context.Context, place string, at, before time.Time) error {
	row := placeRow{Key: place, LastAt: sqlstore.StampAt(at)}
	if err := sqlstore.Run(ctx, a.s.NewInsert().Model(&row).Apply(sqlstore.Replacing("key", "last_at"))); err != nil {
		return err
	}
	old := a.s.SkipLocked(a.s.NewSelect().Table("known_places").Column("key").
		Where("last_at < ?", sqlstore.StampAt(before)).OrderExpr("last_at").Limit(purgeAtOnce))
	return sqlstore.Run(ctx, a.s.NewDelete().With("old", old).Model((*placeRow)(nil)).Where("key IN (SELECT key FROM old)"))
}

type letterRow struct {
	bun.BaseModel `bun:"table:letters,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	Key           string
	Kind          string
	Email         string
	CompanyID     *int64
	InvitationID  *int64
	Alerts        sqlstore.JSON[[]ports.AlertNotice]
	CreatedAt     sqlstore.Stamp
}

// letters implements ports.Letters.
type letters struct{ s *sqlstore.Session }

// Put keeps at most one letter per address, kind and invitation waiting, however often it is asked for; each letter about alerts is a separate one.
func (l letters) Put(ctx context.Context, letter *ports.Letter) error {
	row := letterRow{
		Key: fmt.Sprintf("%s:%d:%s", letter.Kind, letter.InvitationID, letter.Email), Kind: letter.Kind, Email: letter.Email,
		CompanyID: sqlstore.NullableID(letter.CompanyID), InvitationID: sqlstore.NullableID(letter.InvitationID), CreatedAt: sqlstore.StampAt(letter.CreatedAt),
		Alerts: sqlstore.ListOf(letter.Alerts),
	}
	if len(letter.Alerts) > 0 {
		row.Key += ":" + letter.CreatedAt.UTC().Format(time.RFC3339Nano)
	}
	// The update changes nothing; it locks the letter that waits, and returns its id.
	_, err := l.s.NewInsert().Model(&row).On("CONFLICT (key) DO UPDATE").Set("key = EXCLUDED.key").Returning("id").Exec(ctx)
	letter.ID = row.ID
	return err
}

func (l letters) Get(ctx context.Context, id int64) (ports.Letter, error) {
	return sqlstore.One(ctx, l.s.NewSelect().Model((*letterRow)(nil)).Where("t.id = ?", id), "letter", func(row *letterRow) ports.Letter {
		return ports.Letter{
			ID: row.ID, Kind: row.Kind, Email: row.Email, CompanyID: sqlstore.ValueOf(row.CompanyID),
			InvitationID: sqlstore.ValueOf(row.InvitationID), Alerts: append([]ports.AlertNotice(nil), row.Alerts.V...), CreatedAt: row.CreatedAt.Time,
		}
	})
}

func (l letters) Drop(ctx context.Context, id int64) error {
	return sqlstore.Run(ctx, l.s.NewDelete().Model((*letterRow)(nil)).Where("id = ?", id))
}
