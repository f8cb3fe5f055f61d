package common

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/event"
	"tilth/core/fault"
	"tilth/core/webhook"
	"tilth/ports"
)

type webhookRow struct {
	bun.BaseModel `bun:"table:webhooks,alias:t"`
	sqlstore.MetaRow
	sqlstore.KeyColumns
	URL            string `bun:"url"`
	Description    string
	EventTypes     sqlstore.JSON[[]string]
	IsActive       bool
	DisabledReason string
	Secret         string
	PreviousSecret string
	PreviousUntil  *sqlstore.Stamp
	Failures       int
	FailingSince   *sqlstore.Stamp
	PausedUntil    *sqlstore.Stamp
	LastAt         *sqlstore.Stamp
	LastDelivered  bool
	LastStatus     int
}

var webhookTable = &sqlstore.Table[webhook.Webhook, webhookRow]{
	Word:    "webhook",
	Sealed:  true,
	Filters: sqlstore.KeyedFilters(map[string]sqlstore.Filter{"is_active": {Exact: "t.is_active"}}),
	Shared:  func(*sqlstore.Session, access.Scope) sqlstore.Condition { return sqlstore.Nothing }, // where events go is shared with nobody
}

func webhookRecords(s *sqlstore.Session) sqlstore.Records[webhook.Webhook, webhookRow, *webhook.Webhook, *webhookRow] {
	table := *webhookTable
	table.Row = func(w *webhook.Webhook) webhookRow { return rowOfWebhook(s, w) }
	table.Record = func(row *webhookRow) (webhook.Webhook, error) { return webhookOfRow(s, row) }
	return sqlstore.NewRecords(s, &table)
}

func rowOfWebhook(s *sqlstore.Session, w *webhook.Webhook) webhookRow {
	row := webhookRow{
		MetaRow: sqlstore.MetaRowOf(w.Meta), KeyColumns: sqlstore.KeyColumns(w.External), URL: w.URL, Description: w.Description, EventTypes: sqlstore.ListOf(w.EventTypes),
		IsActive: w.IsActive, DisabledReason: w.DisabledReason,
		PreviousUntil: sqlstore.NullableStamp(w.PreviousUntil), Failures: w.Failures, FailingSince: sqlstore.NullableStamp(w.FailingSince), PausedUntil: s.NullableShared(w.PausedUntil),
	}
	if w.ID != 0 {
		row.Secret = s.SealText(sqlstore.PlaceOf("webhooks", w.ID, "secret"), w.Secret)
		row.PreviousSecret = s.SealText(sqlstore.PlaceOf("webhooks", w.ID, "previous_secret"), w.PreviousSecret)
	}
	if w.Last != nil {
		row.LastAt, row.LastDelivered, row.LastStatus = new(sqlstore.StampAt(w.Last.At)), w.Last.Delivered, w.Last.StatusCode
	}
	return row
}

func webhookOfRow(s *sqlstore.Session, row *webhookRow) (w webhook.Webhook, err error) {
	w = webhook.Webhook{
		Meta: row.Meta(), External: row.External(), URL: row.URL, Description: row.Description, EventTypes: row.EventTypes.V,
		IsActive: row.IsActive, DisabledReason: row.DisabledReason,
		PreviousUntil: row.PreviousUntil.Nullable(), Failures: row.Failures, FailingSince: row.FailingSince.Nullable(), PausedUntil: s.NullableUnshared(row.PausedUntil),
	}
	if row.LastAt != nil {
		w.Last = &webhook.Last{At: row.LastAt.Time, Delivered: row.LastDelivered, StatusCode: row.LastStatus}
	}
	if w.Secret, err = s.OpenText(sqlstore.PlaceOf("webhooks", row.ID, "secret"), row.Secret); err != nil {
		return w, err
	}
	w.PreviousSecret, err = s.OpenText(sqlstore.PlaceOf("webhooks", row.ID, "previous_secret"), row.PreviousSecret)
	return w, err
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
	CreatedAt     sqlstore.Stamp
	State         webhook.State
	Attempt       int
	Tries         int
	BeganAt       *sqlstore.Stamp
	NextTryAt     *sqlstore.Stamp
	TriedAt       *sqlstore.Stamp
	StatusCode    int
	Error         string
	Answer        string
	DurationUs    int64
}

func rowOfDelivery(s *sqlstore.Session, d webhook.Delivery) deliveryRow {
	return deliveryRow{
		ID: d.ID, CompanyID: d.CompanyID, WebhookID: d.WebhookID, EventID: d.EventID, EventType: d.EventType, Body: d.Body, Test: d.Test,
		CreatedAt: sqlstore.StampAt(d.CreatedAt), State: d.State, Attempt: d.Attempt, Tries: d.Tries, BeganAt: sqlstore.NullableStamp(d.Began), NextTryAt: s.NullableShared(d.NextTry),
		TriedAt: sqlstore.NullableStamp(d.At), StatusCode: d.StatusCode, Error: d.Error, Answer: d.Answer, DurationUs: d.Duration.Microseconds(),
	}
}

func (d deliveries) view() *sqlstore.View[webhook.Delivery, deliveryRow] {
	return &sqlstore.View[webhook.Delivery, deliveryRow]{Word: "delivery", Order: sqlstore.NewestFirst, Record: d.record}
}

func (d deliveries) record(row *deliveryRow) (webhook.Delivery, error) {
	return webhook.Delivery{
		ID: row.ID, CompanyID: row.CompanyID, WebhookID: row.WebhookID, EventID: row.EventID, EventType: row.EventType, Body: row.Body, Test: row.Test,
		CreatedAt: row.CreatedAt.Time, State: row.State, Attempt: row.Attempt, Tries: row.Tries, Began: row.BeganAt.Nullable(), NextTry: d.s.NullableUnshared(row.NextTryAt),
		At: row.TriedAt.Nullable(), StatusCode: row.StatusCode, Error: row.Error, Answer: row.Answer, Duration: time.Duration(row.DurationUs) * time.Microsecond,
	}, nil
}

// deliveries implements ports.Deliveries.
type deliveries struct{ s *sqlstore.Session }

// of selects the deliveries of a webhook of the company that acts.
func (d deliveries) of(scope access.Scope, webhookID int64) *bun.SelectQuery {
	return sqlstore.Where(d.s.NewSelect().Model((*deliveryRow)(nil)), sqlstore.OwnOnly(scope)).Where("t.webhook_id = ?", webhookID)
}

// Query selects what a query asks for, without its page.
func (d deliveries) Query(scope access.Scope, q ports.DeliveryQuery) *bun.SelectQuery {
	return sqlstore.Narrow(d.of(scope, q.WebhookID), "t.state", q.State)
}

func (d deliveries) Count(ctx context.Context, scope access.Scope, q ports.DeliveryQuery) (int64, error) {
	return d.Query(scope, q).Count(ctx)
}

func (d deliveries) Each(ctx context.Context, scope access.Scope, q ports.DeliveryQuery) iter.Seq2[webhook.Delivery, error] {
	return d.view().Each(ctx, d.s, d.Query(scope, q), ports.Query{Limit: q.Limit, Offset: q.Offset, At: q.At})
}

func (d deliveries) GetForUpdate(ctx context.Context, scope access.Scope, webhookID, id int64) (webhook.Delivery, error) {
	return d.view().One(ctx, d.s.ForUpdate(d.of(scope, webhookID).Where("t.id = ?", id)))
}

// Pending selects the one to be sent that has been due for longest.
func (d deliveries) Pending(scope access.Scope, webhookID int64) *bun.SelectQuery {
	return d.of(scope, webhookID).Where("t.state = 'pending'").OrderExpr("t.next_try_at, t.id").Limit(1)
}

func (d deliveries) Due(ctx context.Context, scope access.Scope, webhookID int64, now time.Time) (webhook.Delivery, bool, error) {
	return d.view().Find(ctx, d.Pending(scope, webhookID).Where("t.next_try_at <= ?", d.s.Shared(now)))
}

func (d deliveries) NextTry(ctx context.Context, scope access.Scope, webhookID int64) (*time.Time, error) {
	var rows []deliveryRow
	if err := d.Pending(scope, webhookID).Column("next_try_at").Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, err
	}
	return d.s.NullableUnshared(rows[0].NextTryAt), nil
}

func (d deliveries) Insert(ctx context.Context, scope access.Scope, delivery *webhook.Delivery) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("webhook")
	}
	delivery.CompanyID = scope.Company()
	row := rowOfDelivery(d.s, *delivery)
	return sqlstore.Insert(ctx, d.s, &row, &delivery.ID)
}

func (d deliveries) Update(ctx context.Context, scope access.Scope, delivery webhook.Delivery) error {
	row := rowOfDelivery(d.s, delivery)
	return sqlstore.Change(ctx, d.s.NewUpdate().Model(&row).
		ExcludeColumn("id", "company_id", "webhook_id", "event_id", "event_type", "body", "test", "created_at").
		Where("t.id = ?", delivery.ID).Where("?", sqlstore.Own("t", scope)), fault.Missing("delivery"))
}

func (d deliveries) End(ctx context.Context, scope access.Scope, webhookID int64, reason string) error {
	return sqlstore.Run(ctx, d.s.NewUpdate().Model((*deliveryRow)(nil)).Set("state = 'failed'").Set("next_try_at = NULL").
		Set("error = ?", reason).
		Where("?", sqlstore.Own("t", scope)).Where("t.webhook_id = ?", webhookID).Where("t.state = 'pending'"))
}

// webhookKeeper implements ports.WebhookKeeper.
type webhookKeeper struct{ s *sqlstore.Session }

// Take locks the feeds, so that none of them grows until the transaction ends.
func (k webhookKeeper) Take(ctx context.Context, companies []int64) ([]event.Logged, error) {
	var feeds []feedRow
	in := prepared.List(companies)
	err := k.s.ForUpdate(k.s.NewSelect().Model(&feeds).Where("t.company_id IN (?)", in).OrderExpr("t.company_id")).Scan(ctx)
	if err != nil {
		return nil, err
	}
	var rows []outboxRow
	err = k.s.NewSelect().Model(&rows).Join("JOIN event_feeds AS f ON f.company_id = t.company_id").
		Where("f.company_id IN (?)", in).Where("t.position > f.delivered").OrderExpr("t.company_id, t.position").Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	_, err = k.s.NewUpdate().Model((*feedRow)(nil)).Set("delivered = last").Where("t.company_id IN (?)", in).Exec(ctx)
	return sqlstore.Each(rows, (*outboxRow).logged), err
}

func (k webhookKeeper) Listening(ctx context.Context, companies []int64) ([]webhook.Webhook, error) {
	if len(companies) == 0 {
		return nil, nil
	}
	records := webhookRecords(k.s)
	q := records.Selected().Where("t.company_id IN (?)", prepared.List(companies)).Where("t.is_active").Where("t.deleted_at IS NULL").OrderExpr("t.id")
	return sqlstore.Collect(sqlstore.Stream(ctx, k.s, k.s.ForUpdate(q), records.Table.Record))
}

func (k webhookKeeper) Add(ctx context.Context, list []webhook.Delivery) error {
	row := func(_ int, d webhook.Delivery) deliveryRow { return rowOfDelivery(k.s, d) }
	return sqlstore.InsertAll(ctx, k.s, list, row, sqlstore.Skipping("webhook_id, event_id"))
}

func (k webhookKeeper) Prune(ctx context.Context, before time.Time, limit int) (int64, error) {
	old := k.s.NewSelect().Table("webhook_deliveries").Column("id").Where("created_at < ?", sqlstore.StampAt(before)).Where("state <> 'pending'").Limit(int64(limit))
	return sqlstore.Affected(ctx, k.s.NewDelete().Model((*deliveryRow)(nil)).Where("t.id IN (?)", old))
}
