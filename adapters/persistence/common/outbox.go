package common

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/ports"
)

type outboxRow struct {
	bun.BaseModel `bun:"table:outbox,alias:t"`
	Seq           int64  `bun:"seq,pk,autoincrement"`
	ID            string `bun:"id"`
	Type          string
	CompanyID     *int64
	Subject       string
	At            sqlstore.Stamp
	Data          sqlstore.JSON[json.RawMessage]
	Attempts      int
	HeldUntil     *sqlstore.Stamp
	PublishedAt   *sqlstore.Stamp
	Position      *int64 // in the feed of its company, see feeds.go
	LoggedAt      *sqlstore.Stamp
}

func (row *outboxRow) logged() event.Logged {
	return event.Logged{
		ID: row.ID, Type: row.Type, CompanyID: sqlstore.ValueOf(row.CompanyID), Subject: row.Subject, At: row.At.Time,
		Data: row.Data.V, Position: sqlstore.ValueOf(row.Position),
	}
}

// outbox implements ports.Outbox.
type outbox struct{ s *sqlstore.Session }

func (o outbox) Add(ctx context.Context, events ...event.Event) error {
	if len(events) == 0 {
		return nil
	}
	rows := make([]outboxRow, len(events))
	for i, e := range events {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return fault.New(fault.Internal, "event", "The data of an event cannot be written.").Because(err)
		}
		rows[i] = outboxRow{
			ID: e.ID, Type: e.Type, CompanyID: sqlstore.NullableID(e.CompanyID), Subject: e.Subject, At: sqlstore.StampAt(e.At), Data: sqlstore.JSONOf(json.RawMessage(data)),
		}
	}
	o.s.Leaves(sqlstore.EventsWait)
	return sqlstore.Run(ctx, o.s.NewInsert().Model(&rows).Returning("NULL"))
}

// relayLock is the key of the advisory lock of the transaction that takes events to publish ("relay" in ASCII).
const relayLock = 0x72656c6179

// relay implements ports.Relay, each call in a transaction of its own.
type relay struct{ d *sqlstore.DB }

// NewRelay returns the reading side of the outbox of a database.
func NewRelay(d *sqlstore.DB) ports.Relay { return relay{d} }

func (r relay) Pending(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]ports.OutboxRow, error) {
	var out []ports.OutboxRow
	waits := false // a look that finds nothing writes nothing
	err := r.d.View(ctx, func(ctx context.Context, s *sqlstore.Session) (err error) {
		waits, err = s.NewSelect().Model((*outboxRow)(nil)).Where("t.published_at IS NULL").Exists(ctx)
		return err
	})
	if err != nil || !waits {
		return nil, err
	}
	err = r.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		// One relay at a time: the events of a company are published in the order of their positions.
		if s.Postgres {
			if err := sqlstore.Run(ctx, s.NewRaw("SELECT pg_advisory_xact_lock(?)", prepared.Arg(relayLock))); err != nil {
				return err
			}
		}
		var rows []outboxRow
		held := s.NewSelect().Table("outbox").ColumnExpr("1").Where("published_at IS NULL").Where("held_until > ?", s.Shared(now))
		due := s.SkipLocked(s.NewSelect().Table("outbox").Column("seq").Where("published_at IS NULL").
			Where("NOT EXISTS (?)", held).OrderExpr("seq").Limit(int64(limit)))
		err := s.NewUpdate().With("due", due).Model(&rows).
			Set("held_until = ?", s.Shared(now.Add(lease))).Set("attempts = attempts + 1").
			Where("seq IN (SELECT seq FROM due)").Returning("*").Scan(ctx)
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b outboxRow) int { return cmp.Compare(a.Seq, b.Seq) })
		out = sqlstore.Each(rows, func(row *outboxRow) ports.OutboxRow {
			return ports.OutboxRow{Logged: row.logged(), Seq: row.Seq, Attempts: row.Attempts}
		})
		return nil
	})
	return out, err
}

func (r relay) Published(ctx context.Context, seqs []int64, at time.Time) error {
	return r.d.Update(ctx, func(ctx context.Context, s *sqlstore.Session) error {
		return sqlstore.Run(ctx, s.NewUpdate().Model((*outboxRow)(nil)).Set("published_at = ?", sqlstore.StampAt(at)).
			Where("seq IN (?)", prepared.List(seqs)).Where("published_at IS NULL"))
	})
}
