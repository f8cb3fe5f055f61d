package persistence

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

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
	At            stamp
	Data          document[json.RawMessage]
	Attempts      int
	HeldUntil     *stamp
	PublishedAt   *stamp
	Position      *int64 // in the feed of its company, see feeds.go
	LoggedAt      *stamp
}

func (row *outboxRow) logged() event.Logged {
	return event.Logged{
		ID: row.ID, Type: row.Type, CompanyID: valueOf(row.CompanyID), Subject: row.Subject, At: row.At.Time,
		Data: row.Data.V, Position: valueOf(row.Position),
	}
}

// outbox implements ports.Outbox.
type outbox struct{ s *session }

// Add implements ports.Outbox.
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
			ID: e.ID, Type: e.Type, CompanyID: reference(e.CompanyID), Subject: e.Subject, At: stampAt(e.At), Data: documentWith(json.RawMessage(data)),
		}
	}
	_, err := o.s.NewInsert().Model(&rows).Returning("NULL").Exec(ctx)
	return err
}

// relay implements ports.Relay, each call in a transaction of its own.
type relay struct{ d *DB }

// relayOf returns the reading side of the outbox of a database.
func relayOf(d *DB) ports.Relay { return relay{d} }

// Pending implements ports.Relay.
func (r relay) Pending(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]ports.OutboxRow, error) {
	var out []ports.OutboxRow
	err := r.d.update(ctx, func(ctx context.Context, s *session) error {
		var rows []outboxRow
		due := s.skipLocked(s.NewSelect().Table("outbox").Column("seq").Where("published_at IS NULL").
			Where("held_until IS NULL OR held_until <= ?", stampAt(now)).OrderExpr("seq").Limit(int64(limit)))
		err := s.NewUpdate().With("due", due).Model(&rows).
			Set("held_until = ?", stampAt(now.Add(lease))).Set("attempts = attempts + 1").
			Where("seq IN (SELECT seq FROM due)").Returning("*").Scan(ctx)
		if err != nil {
			return err
		}
		slices.SortFunc(rows, func(a, b outboxRow) int { return cmp.Compare(a.Seq, b.Seq) })
		out = make([]ports.OutboxRow, len(rows))
		for i, row := range rows {
			out[i] = ports.OutboxRow{Logged: row.logged(), Seq: row.Seq, Attempts: row.Attempts}
		}
		return nil
	})
	return out, err
}

// Published implements ports.Relay.
func (r relay) Published(ctx context.Context, seqs []int64, at time.Time) error {
	return r.d.update(ctx, func(ctx context.Context, s *session) error {
		_, err := s.NewUpdate().Model((*outboxRow)(nil)).Set("published_at = ?", stampAt(at)).
			Where("seq IN (?)", bun.List(seqs)).Where("published_at IS NULL").Exec(ctx)
		return err
	})
}
