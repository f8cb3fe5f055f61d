package ghg

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/core/footprint"
	"tilth/core/webhook"
	"tilth/ports"
)

type pactClientRow struct {
	bun.BaseModel `bun:"table:pact_clients,alias:t"`
	sqlstore.MetaRow
	sqlstore.KeyColumns
	Name            string
	ClientID        string
	SecretHash      string
	Generation      int
	EventsURL       string `bun:"events_url"`
	TokenURL        string `bun:"token_url"`
	RecipientID     string
	RecipientSecret string
}

var pactClientTable = &sqlstore.Table[footprint.Client, pactClientRow]{
	Word:    "PACT client",
	Sealed:  true,
	Filters: sqlstore.KeyedFilters(nil),
	Shared:  func(*sqlstore.Session, access.Scope) sqlstore.Condition { return sqlstore.Nothing }, // who receives footprints is shared with nobody
	Kept:    []string{"client_id"},
}

// pactClients implements ports.Records and ports.FootprintClientKeeper. The secret that we show to a recipient is sealed for the client's id.
type pactClients struct {
	sqlstore.Records[footprint.Client, pactClientRow, *footprint.Client, *pactClientRow]
}

func pactClientRecords(s *sqlstore.Session) pactClients {
	table := *pactClientTable
	table.Row = func(c *footprint.Client) pactClientRow { return rowOfClient(s, c) }
	table.Record = func(row *pactClientRow) (footprint.Client, error) { return clientOfRow(s, row) }
	return pactClients{sqlstore.NewRecords(s, &table)}
}

func placeOfClient(id int64) string { return sqlstore.PlaceOf("pact_clients", id, "recipient_secret") }

func rowOfClient(s *sqlstore.Session, c *footprint.Client) pactClientRow {
	row := pactClientRow{
		MetaRow: sqlstore.MetaRowOf(c.Meta), KeyColumns: sqlstore.KeyColumns(c.External), Name: c.Name, ClientID: c.ClientID, SecretHash: c.SecretHash, Generation: c.Generation,
		EventsURL: c.EventsURL, TokenURL: c.TokenURL, RecipientID: c.RecipientID,
	}
	if c.ID != 0 {
		row.RecipientSecret = s.SealText(placeOfClient(c.ID), c.RecipientSecret)
	}
	return row
}

func clientOfRow(s *sqlstore.Session, row *pactClientRow) (c footprint.Client, err error) {
	c = footprint.Client{
		Meta: row.Meta(), External: row.External(), Name: row.Name, ClientID: row.ClientID, SecretHash: row.SecretHash, Generation: row.Generation,
		EventsURL: row.EventsURL, TokenURL: row.TokenURL, RecipientID: row.RecipientID,
	}
	c.RecipientSecret, err = s.OpenText(placeOfClient(row.ID), row.RecipientSecret)
	return c, err
}

// one returns a live client of any company.
func (p pactClients) one(ctx context.Context, condition string, value any) (footprint.Client, error) {
	var rows []pactClientRow
	err := p.Session.NewSelect().Model(&rows).Where(condition, value).Where("t.deleted_at IS NULL").Limit(1).Scan(ctx)
	if err != nil {
		return footprint.Client{}, err
	}
	if len(rows) == 0 {
		return footprint.Client{}, fault.Missing(pactClientTable.Word)
	}
	rows[0].RecipientSecret = "" // a check of a credential has no use for it
	return p.Table.Record(&rows[0])
}

func (p pactClients) ByClientID(ctx context.Context, clientID string) (footprint.Client, error) {
	if !sqlstore.Storable(clientID) {
		return footprint.Client{}, fault.Missing(pactClientTable.Word)
	}
	return p.one(ctx, "t.client_id = ?", clientID)
}

func (p pactClients) ByID(ctx context.Context, id int64) (footprint.Client, error) {
	return p.one(ctx, "t.id = ?", id)
}

type pactMessageRow struct {
	bun.BaseModel `bun:"table:pact_messages,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	ClientID      int64
	Incoming      bool
	Source        string
	EventID       string
	EventType     string
	Body          string
	CreatedAt     sqlstore.Stamp
	State         webhook.State
	Attempt       int
	BeganAt       *sqlstore.Stamp
	NextTryAt     *sqlstore.Stamp
	TriedAt       *sqlstore.Stamp
	StatusCode    int
	Error         string
}

// pactMessages implements ports.FootprintMessages.
type pactMessages struct{ s *sqlstore.Session }

func (p pactMessages) view() *sqlstore.View[footprint.Message, pactMessageRow] {
	return &sqlstore.View[footprint.Message, pactMessageRow]{Word: "message", Order: sqlstore.NewestFirst, Record: p.record}
}

// OfClient selects the messages of a client of the company that acts.
func (p pactMessages) OfClient(scope access.Scope, clientID int64) *bun.SelectQuery {
	return sqlstore.OwnRows[pactMessageRow](p.s, scope).Where("t.client_id = ?", clientID)
}

func (p pactMessages) Count(ctx context.Context, scope access.Scope, q ports.MessageQuery) (int64, error) {
	return p.OfClient(scope, q.ClientID).Count(ctx)
}

func (p pactMessages) Each(ctx context.Context, scope access.Scope, q ports.MessageQuery) iter.Seq2[footprint.Message, error] {
	return p.view().Each(ctx, p.s, p.OfClient(scope, q.ClientID), ports.Query{Limit: q.Limit, Offset: q.Offset, At: q.At})
}

func (p pactMessages) Known(ctx context.Context, scope access.Scope, clientID int64, source, eventID string) (bool, error) {
	n, err := p.OfClient(scope, clientID).Where("t.incoming = ?", true).Where("t.source = ?", source).Where("t.event_id = ?", eventID).Limit(1).Count(ctx)
	return n > 0, err
}

func (p pactMessages) Insert(ctx context.Context, scope access.Scope, m *footprint.Message) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing(pactClientTable.Word)
	}
	row := pactMessageRow{
		CompanyID: scope.Company(), ClientID: m.ClientID, Incoming: m.Incoming, Source: m.Source, EventID: m.EventID, EventType: m.EventType,
		Body: m.Body, CreatedAt: sqlstore.StampAt(m.CreatedAt), State: m.Delivery.State, NextTryAt: p.s.NullableShared(m.Delivery.NextTry),
	}
	return sqlstore.Insert(ctx, p.s, &row, &m.ID)
}

// Unsent selects those to be sent, the longest due first.
func (p pactMessages) Unsent(scope access.Scope, clientID int64) *bun.SelectQuery {
	return p.OfClient(scope, clientID).Where("t.state = 'pending'").OrderExpr("t.next_try_at, t.id")
}

func (p pactMessages) Pending(ctx context.Context, scope access.Scope, clientID, bound int64) (n int64, err error) {
	some := p.OfClient(scope, clientID).ColumnExpr("1").Where("t.state = 'pending'").Limit(bound)
	err = p.s.NewSelect().TableExpr("(?) AS waiting", some).ColumnExpr("count(*)").Scan(ctx, &n)
	return n, err
}

func (p pactMessages) Due(ctx context.Context, scope access.Scope, clientID int64, now time.Time) (footprint.Message, error) {
	return p.view().One(ctx, p.Unsent(scope, clientID).Where("t.next_try_at <= ?", p.s.Shared(now)).Limit(1))
}

func (p pactMessages) NextTry(ctx context.Context, scope access.Scope, clientID int64) (*time.Time, error) {
	var rows []pactMessageRow
	if err := p.Unsent(scope, clientID).Column("next_try_at").Limit(1).Scan(ctx, &rows); err != nil || len(rows) == 0 {
		return nil, err
	}
	return p.s.NullableUnshared(rows[0].NextTryAt), nil
}

func (p pactMessages) Tried(ctx context.Context, scope access.Scope, id int64, d webhook.Delivery) error {
	q := p.s.NewUpdate().Model((*pactMessageRow)(nil)).
		Set("state = ?", d.State).Set("attempt = ?", d.Attempt).Set("began_at = ?", sqlstore.NullableStamp(d.Began)).
		Set("next_try_at = ?", p.s.NullableShared(d.NextTry)).Set("tried_at = ?", sqlstore.NullableStamp(d.At)).
		Set("status_code = ?", d.StatusCode).Set("error = ?", d.Error).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.id = ?", id)
	if d.State != webhook.Delivered {
		q = q.Where("t.state = 'pending'")
	}
	return sqlstore.Run(ctx, q)
}

func (p pactMessages) End(ctx context.Context, scope access.Scope, clientID int64, reason string) error {
	return sqlstore.Run(ctx, p.s.NewUpdate().Model((*pactMessageRow)(nil)).Set("state = 'failed'").Set("next_try_at = NULL").Set("error = ?", reason).
		Where("?", sqlstore.OwnOnly(scope)).Where("t.client_id = ?", clientID).Where("t.state = 'pending'"))
}

func (p pactMessages) record(row *pactMessageRow) (footprint.Message, error) {
	return footprint.Message{
		ID: row.ID, ClientID: row.ClientID, Incoming: row.Incoming, Source: row.Source, EventID: row.EventID, EventType: row.EventType,
		Body: row.Body, CreatedAt: row.CreatedAt.Time,
		Delivery: webhook.Delivery{
			State: row.State, Attempt: row.Attempt, Tries: row.Attempt, Began: row.BeganAt.Nullable(), NextTry: p.s.NullableUnshared(row.NextTryAt),
			At: row.TriedAt.Nullable(), StatusCode: row.StatusCode, Error: row.Error,
		},
	}, nil
}
