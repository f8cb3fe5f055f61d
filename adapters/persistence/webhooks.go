package persistence

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/webhook"
	"tilth/ports"
)

type webhookRow struct {
	bun.BaseModel `bun:"table:webhooks,alias:t"`
	MetaRow
	URL            string `bun:"url"`
	Description    string
	EventTypes     document[[]string]
	IsActive       bool
	DisabledReason string
	Secret         string
	PreviousSecret string
	PreviousUntil  *stamp
	Failures       int
	FailingSince   *stamp
	PausedUntil    *stamp
	LastAt         *stamp
	LastDelivered  bool
	LastStatus     int
}

var webhookTable = &table[webhook.Webhook, webhookRow]{
	word:    "webhook",
	filters: commonFilters(map[string]filter{"is_active": {exact: "t.is_active"}}),
	shared:  func(*session, access.Scope) condition { return nothing }, // where events go is shared with nobody
	row:     rowOfWebhook,
	record:  webhookOfRow,
}

type webhookRepo = records[webhook.Webhook, webhookRow, *webhook.Webhook, *webhookRow]

func webhookRecords(s *session) webhookRepo { return recordsOf(s, webhookTable) }

func rowOfWebhook(w *webhook.Webhook) webhookRow {
	row := webhookRow{
		MetaRow: metaRowOf(w.Meta), URL: w.URL, Description: w.Description, EventTypes: documentWith(append([]string{}, w.EventTypes...)),
		IsActive: w.IsActive, DisabledReason: w.DisabledReason, Secret: w.Secret, PreviousSecret: w.PreviousSecret,
		PreviousUntil: stampOf(w.PreviousUntil), Failures: w.Failures, FailingSince: stampOf(w.FailingSince), PausedUntil: stampOf(w.PausedUntil),
	}
	if w.Last != nil {
		row.LastAt, row.LastDelivered, row.LastStatus = new(stampAt(w.Last.At)), w.Last.Delivered, w.Last.StatusCode
	}
	return row
}

func webhookOfRow(row *webhookRow) (webhook.Webhook, error) {
	w := webhook.Webhook{
		Meta: row.meta(), URL: row.URL, Description: row.Description, EventTypes: row.EventTypes.V,
		IsActive: row.IsActive, DisabledReason: row.DisabledReason, Secret: row.Secret, PreviousSecret: row.PreviousSecret,
		PreviousUntil: row.PreviousUntil.timeOf(), Failures: row.Failures, FailingSince: row.FailingSince.timeOf(), PausedUntil: row.PausedUntil.timeOf(),
	}
	if row.LastAt != nil {
		w.Last = &webhook.Last{At: row.LastAt.Time, Delivered: row.LastDelivered, StatusCode: row.LastStatus}
	}
	return w, nil
}

type deliveryRow struct {
	bun.BaseModel `bun:"table:webhook_deliveries,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	WebhookID     int64
	EventID       string
	EventType     string
	Body          string
	Test          bool
	CreatedAt     stamp
	State         webhook.State
	Attempt       int
	Tries         int
	BeganAt       *stamp
	NextTryAt     *stamp
	TriedAt       *stamp
	StatusCode    int
	Error         string
	Answer        string
	DurationUs    int64
}

func rowOfDelivery(d webhook.Delivery) deliveryRow {
	return deliveryRow{
		ID: d.ID, CompanyID: d.CompanyID, WebhookID: d.WebhookID, EventID: d.EventID, EventType: d.EventType, Body: d.Body, Test: d.Test,
		CreatedAt: stampAt(d.CreatedAt), State: d.State, Attempt: d.Attempt, Tries: d.Tries, BeganAt: stampOf(d.Began), NextTryAt: stampOf(d.NextTry),
		TriedAt: stampOf(d.At), StatusCode: d.StatusCode, Error: d.Error, Answer: d.Answer, DurationUs: d.Duration.Microseconds(),
	}
}

func deliveryOfRow(row *deliveryRow) (webhook.Delivery, error) {
	return webhook.Delivery{
		ID: row.ID, CompanyID: row.CompanyID, WebhookID: row.WebhookID, EventID: row.EventID, EventType: row.EventType, Body: row.Body, Test: row.Test,
		CreatedAt: row.CreatedAt.Time, State: row.State, Attempt: row.Attempt, Tries: row.Tries, Began: row.BeganAt.timeOf(), NextTry: row.NextTryAt.timeOf(),
		At: row.TriedAt.timeOf(), StatusCode: row.StatusCode, Error: row.Error, Answer: row.Answer, Duration: time.Duration(row.DurationUs) * time.Microsecond,
	}, nil
}

// deliveries implements ports.Deliveries.
type deliveries struct{ s *session }

// of selects the deliveries of a webhook of the company that acts.
func (d deliveries) of(scope access.Scope, webhookID int64) *bun.SelectQuery {
	q := d.s.NewSelect().Model((*deliveryRow)(nil)).Where("t.webhook_id = ?", webhookID)
	if !writable(scope) {
		return where(q, nothing) // what was sent is shared with nobody
	}
	return where(q, own("t", scope))
}

func (d deliveries) query(scope access.Scope, q ports.DeliveryQuery) *bun.SelectQuery {
	out := d.of(scope, q.WebhookID)
	if q.State != "" {
		out = out.Where("t.state = ?", q.State)
	}
	return out
}

// Count implements ports.Deliveries.
func (d deliveries) Count(ctx context.Context, scope access.Scope, q ports.DeliveryQuery) (int64, error) {
	return d.query(scope, q).Count(ctx)
}

// Each implements ports.Deliveries.
func (d deliveries) Each(ctx context.Context, scope access.Scope, q ports.DeliveryQuery) iter.Seq2[webhook.Delivery, error] {
	if q.Limit == 0 {
		if err := d.s.unhurried(ctx); err != nil {
			return failed[webhook.Delivery](err)
		}
	}
	rows := d.query(scope, q).OrderExpr("t.id DESC")
	return stream(ctx, d.s, paged(rows, ports.Query{Limit: q.Limit, Offset: q.Offset}), deliveryOfRow)
}

// GetForUpdate implements ports.Deliveries.
func (d deliveries) GetForUpdate(ctx context.Context, scope access.Scope, webhookID, id int64) (webhook.Delivery, error) {
	var row deliveryRow
	if err := d.s.forUpdate(d.of(scope, webhookID).Where("t.id = ?", id)).Scan(ctx, &row); err != nil {
		return webhook.Delivery{}, missing(err, "delivery")
	}
	return deliveryOfRow(&row)
}

// pending selects those to be sent, the longest due first.
func (d deliveries) pending(scope access.Scope, webhookID int64) *bun.SelectQuery {
	return d.of(scope, webhookID).Where("t.state = 'pending'").OrderExpr("t.next_try_at, t.id").Limit(1)
}

// Due implements ports.Deliveries.
func (d deliveries) Due(ctx context.Context, scope access.Scope, webhookID int64, now time.Time) (webhook.Delivery, bool, error) {
	var rows []deliveryRow
	err := d.pending(scope, webhookID).Where("t.next_try_at <= ?", stampAt(now)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return webhook.Delivery{}, false, err
	}
	out, err := deliveryOfRow(&rows[0])
	return out, true, err
}

// NextTry implements ports.Deliveries.
func (d deliveries) NextTry(ctx context.Context, scope access.Scope, webhookID int64) (*time.Time, error) {
	var rows []deliveryRow
	if err := d.pending(scope, webhookID).Column("next_try_at").Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0].NextTryAt.timeOf(), nil
}

// Insert implements ports.Deliveries.
func (d deliveries) Insert(ctx context.Context, scope access.Scope, delivery *webhook.Delivery) error {
	if !writable(scope) {
		return fault.Missing("webhook")
	}
	delivery.CompanyID = scope.Company()
	row := rowOfDelivery(*delivery)
	var ids []int64
	if _, err := d.s.NewInsert().Model(&row).Returning("id").Exec(ctx, &ids); err != nil {
		return err
	}
	if len(ids) != 1 {
		return internal("a delivery inserted gave %d ids", len(ids))
	}
	delivery.ID = ids[0]
	return nil
}

// Update implements ports.Deliveries.
func (d deliveries) Update(ctx context.Context, scope access.Scope, delivery webhook.Delivery) error {
	row, in := rowOfDelivery(delivery), own("t", scope)
	res, err := d.s.NewUpdate().Model(&row).ExcludeColumn("id", "company_id", "webhook_id", "event_id", "event_type", "body", "test", "created_at").
		Where("t.id = ?", delivery.ID).Where(in.sql, in.args...).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return missingUnless(err, "delivery")
	}
	return nil
}

// End implements ports.Deliveries.
func (d deliveries) End(ctx context.Context, scope access.Scope, webhookID int64, reason string) error {
	in := own("t", scope)
	_, err := d.s.NewUpdate().Model((*deliveryRow)(nil)).Set("state = 'failed'").Set("next_try_at = NULL").Set("error = ?", reason).
		Where(in.sql, in.args...).Where("t.webhook_id = ?", webhookID).Where("t.state = 'pending'").Exec(ctx)
	return err
}

// webhookKeeper implements ports.WebhookKeeper.
type webhookKeeper struct{ s *session }

// Take implements ports.WebhookKeeper. The lock on the feeds keeps their ends where they are.
func (k webhookKeeper) Take(ctx context.Context, companies []int64) ([]event.Logged, error) {
	var ends []feedRow
	err := k.s.forUpdate(k.s.NewSelect().Model(&ends).Where("t.company_id IN (?)", bun.List(companies)).
		Where("t.delivered < t.last").OrderExpr("t.company_id")).Scan(ctx)
	if err != nil || len(ends) == 0 {
		return nil, err
	}
	ids := make([]int64, len(ends))
	for i, end := range ends {
		ids[i] = end.CompanyID
	}
	var rows []outboxRow
	err = k.s.NewSelect().Model(&rows).Join("JOIN event_feeds AS f ON f.company_id = t.company_id").
		Where("f.company_id IN (?)", bun.List(ids)).Where("t.position > f.delivered").OrderExpr("t.company_id, t.position").Scan(ctx)
	if err != nil {
		return nil, err
	}
	_, err = k.s.NewUpdate().Model((*feedRow)(nil)).Set("delivered = last").Where("t.company_id IN (?)", bun.List(ids)).Exec(ctx)
	return loggedOfRows(rows), err
}

// Listening implements ports.WebhookKeeper.
func (k webhookKeeper) Listening(ctx context.Context, companies []int64) ([]webhook.Webhook, error) {
	if len(companies) == 0 {
		return nil, nil
	}
	q := webhookRecords(k.s).selected().Where("t.company_id IN (?)", bun.List(companies)).Where("t.is_active").Where("t.deleted_at IS NULL").OrderExpr("t.id")
	var out []webhook.Webhook
	for hook, err := range stream(ctx, k.s, k.s.forUpdate(q), webhookOfRow) {
		if err != nil {
			return nil, err
		}
		out = append(out, hook)
	}
	return out, nil
}

// Add implements ports.WebhookKeeper.
func (k webhookKeeper) Add(ctx context.Context, list []webhook.Delivery) error {
	for len(list) > 0 {
		chunk := list[:min(len(list), insertChunk)]
		list = list[len(chunk):]
		rows := make([]deliveryRow, len(chunk))
		for i, d := range chunk {
			rows[i] = rowOfDelivery(d)
		}
		if _, err := k.s.NewInsert().Model(&rows).On("CONFLICT (webhook_id, event_id) DO NOTHING").Returning("NULL").Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Prune implements ports.WebhookKeeper.
func (k webhookKeeper) Prune(ctx context.Context, before time.Time, limit int) (int64, error) {
	old := k.s.NewSelect().Table("webhook_deliveries").Column("id").Where("created_at < ?", stampAt(before)).Where("state <> 'pending'").Limit(int64(limit))
	res, err := k.s.NewDelete().Model((*deliveryRow)(nil)).Where("t.id IN (?)", old).Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}
