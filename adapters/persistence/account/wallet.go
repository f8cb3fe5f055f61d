package account

import (
	"context"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/sqlstore"
	"tilth/core/access"
	"tilth/core/chain"
	"tilth/core/credit"
	"tilth/core/fault"
	"tilth/ports"
)

type walletRow struct {
	bun.BaseModel `bun:"table:wallets,alias:t"`
	credit.Wallet
}

type transactionRow struct {
	bun.BaseModel `bun:"table:ledger_transactions,alias:t"`
	ID            int64 `bun:"id,pk,autoincrement"`
	CompanyID     int64
	CreatedAt     sqlstore.Stamp
	Kind          credit.Kind
	Amount        credit.Amount
	Product       credit.Product
	FieldID       *int64
	OrderID       *int64
	Note          string
	RefundOf      *int64
}

type entryRow struct {
	bun.BaseModel `bun:"table:ledger_entries,alias:t"`
	TransactionID int64 `bun:"transaction_id,pk"`
	Line          int   `bun:"line,pk"`
	credit.Entry
}

type priceRow struct {
	bun.BaseModel `bun:"table:prices,alias:t"`
	Service       string `bun:"service,pk"`
	PerHa         credit.Amount
	SetAt         sqlstore.Stamp
}

type chargeRow struct {
	bun.BaseModel `bun:"table:field_charges,alias:t"`
	FieldID       int64
	chargeColumns
}

// outlineChargeRow is the charge of an outline that is not a field of the company.
type outlineChargeRow struct {
	bun.BaseModel `bun:"table:outline_charges,alias:t"`
	Outline       string
	chargeColumns
}

type chargeColumns struct {
	CompanyID int64
	OrderID   int64
	Product   credit.Product
	Amount    credit.Amount
	Captured  bool
}

func columnsOfCharge(c credit.FieldCharge) chargeColumns {
	return chargeColumns{c.CompanyID, c.OrderID, c.Product, c.Amount, c.Captured}
}

func (c chargeColumns) of(site credit.Site) credit.FieldCharge {
	return credit.FieldCharge{CompanyID: c.CompanyID, Site: site, OrderID: c.OrderID, Product: c.Product, Amount: c.Amount, Captured: c.Captured}
}

// wallet implements ports.Wallet and ports.Prices.
type wallet struct{ s *sqlstore.Session }

func (w wallet) Lock(ctx context.Context, scope access.Scope) (credit.Wallet, error) {
	if !sqlstore.Writable(scope) {
		return credit.Wallet{}, fault.Missing("wallet")
	}
	found, ok, err := sqlstore.Find(ctx, w.s.ForUpdate(w.query(scope)), walletOfRow)
	if ok || err != nil {
		return found, err
	}
	if _, err := w.s.NewInsert().Model(&walletRow{Wallet: credit.Wallet{CompanyID: scope.Company()}}).On("CONFLICT (company_id) DO NOTHING").Exec(ctx); err != nil {
		return found, err
	}
	return sqlstore.One(ctx, w.s.ForUpdate(w.query(scope)), "wallet", walletOfRow)
}

func walletOfRow(row *walletRow) credit.Wallet { return row.Wallet }

func (w wallet) query(scope access.Scope) *bun.SelectQuery {
	return sqlstore.OwnRows[walletRow](w.s, scope)
}

func (w wallet) Get(ctx context.Context, scope access.Scope) (credit.Wallet, error) {
	out, _, err := sqlstore.Find(ctx, w.query(scope), walletOfRow)
	out.CompanyID = scope.Company()
	return out, err
}

func (w wallet) Post(ctx context.Context, scope access.Scope, state credit.Wallet, tx *credit.Transaction) error {
	if !sqlstore.Writable(scope) || state.CompanyID != scope.Company() {
		return fault.Missing("wallet")
	}
	tx.CompanyID, tx.CreatedAt = scope.Company(), sqlstore.Micro(tx.CreatedAt)
	entries, err := entriesOf(tx)
	if err != nil {
		return err
	}
	row := rowOfTransaction(tx)
	change := w.s.NewUpdate().Model((*walletRow)(nil)).Set("balance = ?", state.Balance).Set("held = ?", state.Held).Where("?", sqlstore.Own("t", scope))
	post := w.s.NewInsert().Model(&row).Returning("id")
	if w.s.Postgres {
		return w.postAtOnce(ctx, change, post, entries, tx)
	}
	if err := sqlstore.Change(ctx, change, fault.Missing("wallet")); err != nil {
		return err
	}
	if _, err := post.Exec(ctx, &tx.ID); err != nil {
		return err
	}
	for i := range entries {
		entries[i].TransactionID = tx.ID
	}
	return sqlstore.Run(ctx, w.s.NewInsert().Model(&entries))
}

// postAtOnce writes the wallet, a transaction and its entries in one statement: other transactions of the company wait for the wallet.
func (w wallet) postAtOnce(ctx context.Context, change *bun.UpdateQuery, post *bun.InsertQuery, entries []entryRow, tx *credit.Transaction) error {
	var out []struct {
		TransactionID int64
		Wallets       int
	}
	err := w.s.NewInsert().With("changed", change.Returning("1")).With("posted", post).Model(&entries).
		Value("transaction_id", "(SELECT id FROM posted)").Returning("transaction_id, (SELECT count(*) FROM changed) AS wallets").Scan(ctx, &out)
	if err != nil {
		return err
	}
	if len(out) != len(entries) || out[0].Wallets != 1 {
		return fault.Missing("wallet") // and nothing of the transaction stays
	}
	tx.ID = out[0].TransactionID
	return nil
}

func rowOfTransaction(tx *credit.Transaction) transactionRow {
	return transactionRow{
		CompanyID: tx.CompanyID, CreatedAt: sqlstore.StampAt(tx.CreatedAt), Kind: tx.Kind, Amount: tx.Amount,
		Product: tx.Product, FieldID: sqlstore.NullableID(tx.FieldID), OrderID: sqlstore.NullableID(tx.OrderID), Note: tx.Note,
		RefundOf: sqlstore.NullableID(tx.RefundOf),
	}
}

// entriesOf returns the entries of a transaction, which sum to zero.
func entriesOf(tx *credit.Transaction) ([]entryRow, error) {
	var sum credit.Amount
	entries := credit.Entries(tx.Kind, tx.Amount)
	rows := make([]entryRow, len(entries))
	for i, e := range entries {
		rows[i] = entryRow{Line: i + 1, Entry: e}
		sum += e.Amount
	}
	if sum != 0 {
		return nil, sqlstore.Internal("the entries of a %s sum to %s", tx.Kind, sum)
	}
	return rows, nil
}

// Posted selects the transactions of the company that acts.
func (w wallet) Posted(scope access.Scope) *bun.SelectQuery {
	return sqlstore.OwnRows[transactionRow](w.s, scope)
}

// transactionFilters are the filters of the ledger.
var transactionFilters = map[string]sqlstore.Filter{
	"kind": {Exact: "t.kind"}, "product": {Exact: "t.product"}, "field": {Exact: "t.field_id"}, "order": {Exact: "t.order_id"},
	"created_after": {Since: "t.created_at"}, "created_before": {Until: "t.created_at"},
}

// FiltersAndOrders returns what lists of transactions may be filtered and ordered by, besides the common orders.
func (w wallet) FiltersAndOrders() (map[string]sqlstore.Filter, map[string]sqlstore.OrderKey) {
	return transactionView.Filters, transactionView.Orders
}

func (w wallet) Transactions(ctx context.Context, scope access.Scope, query ports.Query) iter.Seq2[credit.Transaction, error] {
	return transactionView.Each(ctx, w.s, w.Posted(scope), query)
}

var transactionView = &sqlstore.View[credit.Transaction, transactionRow]{
	Word: "transaction", Filters: transactionFilters, Order: sqlstore.NewestFirst, Record: transactionOfRow,
}

func transactionOfRow(row *transactionRow) (credit.Transaction, error) {
	return credit.Transaction{
		ID: row.ID, CompanyID: row.CompanyID, CreatedAt: row.CreatedAt.Time, Kind: row.Kind, Amount: row.Amount,
		Product: row.Product, FieldID: sqlstore.ValueOf(row.FieldID), OrderID: sqlstore.ValueOf(row.OrderID), RefundOf: sqlstore.ValueOf(row.RefundOf), Note: row.Note,
	}, nil
}

func (w wallet) CountTransactions(ctx context.Context, scope access.Scope, query ports.Query) (int64, error) {
	if len(query.Filters) == 0 && sqlstore.Writable(scope) {
		return w.s.Chained(ctx, chain.Ledger, scope)
	}
	return transactionView.Count(ctx, w.Posted(scope), query)
}

func (w wallet) Sum(ctx context.Context, scope access.Scope) (balance, held credit.Amount, err error) {
	return w.sum(ctx, w.Posted(scope))
}

// sum adds up the entries of the wallet's accounts over transactions.
func (w wallet) sum(ctx context.Context, q *bun.SelectQuery) (balance, held credit.Amount, err error) {
	var row struct{ Balance, Held credit.Amount }
	err = q.Join("JOIN ledger_entries AS e ON e.transaction_id = t.id").
		ColumnExpr("CAST(COALESCE(SUM(CASE WHEN e.account IN (?, ?) THEN e.amount ELSE 0 END), 0) AS BIGINT) AS balance", credit.Available, credit.Held).
		ColumnExpr("CAST(COALESCE(SUM(CASE WHEN e.account = ? THEN e.amount ELSE 0 END), 0) AS BIGINT) AS held", credit.Held).
		Scan(ctx, &row)
	return row.Balance, row.Held, err
}

func (w wallet) Price(ctx context.Context, service string) (credit.Amount, bool, error) {
	q := w.s.NewSelect().Model((*priceRow)(nil)).Where("t.service = ?", service)
	return sqlstore.Find(ctx, q, func(row *priceRow) credit.Amount { return row.PerHa })
}

func (w wallet) All(ctx context.Context) ([]ports.Price, error) {
	return sqlstore.All(ctx, w.s.NewSelect().Model((*priceRow)(nil)).OrderExpr("t.service"), func(row *priceRow) ports.Price {
		return ports.Price{Service: row.Service, PerHa: row.PerHa, SetAt: row.SetAt.Time}
	})
}

func (w wallet) FieldCharge(ctx context.Context, scope access.Scope, of credit.Site) (credit.FieldCharge, error) {
	if of.FieldID == 0 {
		return sqlstore.One(ctx, sqlstore.OwnRows[outlineChargeRow](w.s, scope).Where("t.outline = ?", of.Outline), "charge",
			func(row *outlineChargeRow) credit.FieldCharge { return row.of(of) })
	}
	return sqlstore.One(ctx, sqlstore.OwnRows[chargeRow](w.s, scope).Where("t.field_id = ?", of.FieldID), "charge",
		func(row *chargeRow) credit.FieldCharge { return row.of(of) })
}

func (w wallet) ClaimFieldCharge(ctx context.Context, scope access.Scope, charge credit.FieldCharge) (bool, error) {
	if !sqlstore.Writable(scope) {
		return false, fault.Missing("field")
	}
	n, err := sqlstore.Affected(ctx, w.insertCharge(scope, charge, sqlstore.Skipping))
	return n == 1, err
}

// A held charge may pass to another order; one that is captured stays as it is for good.
func (w wallet) PutFieldCharge(ctx context.Context, scope access.Scope, charge credit.FieldCharge) error {
	if !sqlstore.Writable(scope) {
		return fault.Missing("field")
	}
	replacing := func(key string) sqlstore.Conflict {
		return sqlstore.Replacing(key, "order_id", "product", "amount", "captured")
	}
	return sqlstore.Change(ctx, w.insertCharge(scope, charge, replacing).Where("NOT t.captured"),
		fault.New(fault.Conflict, "field_charged", "This field has already been charged."))
}

// insertCharge inserts the charge of a field or an outline; on decides, by the key, what is done where there is one.
func (w wallet) insertCharge(scope access.Scope, charge credit.FieldCharge, on func(key string) sqlstore.Conflict) *bun.InsertQuery {
	charge.CompanyID = scope.Company()
	if charge.FieldID == 0 {
		return w.s.NewInsert().Model(&outlineChargeRow{Outline: charge.Outline, chargeColumns: columnsOfCharge(charge)}).Apply(on("company_id, outline"))
	}
	return w.s.NewInsert().Model(&chargeRow{FieldID: charge.FieldID, chargeColumns: columnsOfCharge(charge)}).Apply(on("company_id, field_id"))
}

// A captured charge is never dropped.
func (w wallet) DropFieldCharge(ctx context.Context, scope access.Scope, of credit.Site) error {
	q := w.s.NewDelete().Model((*chargeRow)(nil)).Where("t.field_id = ?", of.FieldID)
	if of.FieldID == 0 {
		q = w.s.NewDelete().Model((*outlineChargeRow)(nil)).Where("t.outline = ?", of.Outline)
	}
	return sqlstore.Run(ctx, q.Where("?", sqlstore.OwnOnly(scope)).Where("NOT t.captured"))
}

func (w wallet) SetPrice(ctx context.Context, service string, price credit.Amount, at time.Time) error {
	return sqlstore.Run(ctx, w.s.NewInsert().Model(&priceRow{Service: service, PerHa: price, SetAt: sqlstore.StampAt(at)}).
		Apply(sqlstore.Replacing("service", "per_ha", "set_at")))
}

func (w wallet) Transaction(ctx context.Context, scope access.Scope, id int64) (credit.Transaction, error) {
	return transactionView.One(ctx, w.Posted(scope).Where("t.id = ?", id))
}

func (w wallet) Refunded(ctx context.Context, scope access.Scope, id int64) (bool, error) {
	return w.Posted(scope).Where("t.refund_of = ?", id).Exists(ctx)
}

func (w wallet) At(ctx context.Context, scope access.Scope, before time.Time) (credit.Wallet, error) {
	balance, held, err := w.sum(ctx, w.Posted(scope).Where("t.created_at < ?", sqlstore.StampAt(before)))
	return credit.Wallet{CompanyID: scope.Company(), Balance: balance, Held: held}, err
}

func (w wallet) LastID(ctx context.Context, scope access.Scope) (id int64, err error) {
	err = w.Posted(scope).ColumnExpr("COALESCE(MAX(t.id), 0)").Scan(ctx, &id)
	return id, err
}

// Of transactions of one moment the earlier has the smaller id.
func (w wallet) Between(ctx context.Context, scope access.Scope, span ports.LedgerSpan) ([]credit.Transaction, error) {
	return sqlstore.Collect(sqlstore.Stream(ctx, w.s, w.Statement(scope, span), transactionOfRow))
}

// Statement selects transactions of a span, oldest first.
func (w wallet) Statement(scope access.Scope, span ports.LedgerSpan) *bun.SelectQuery {
	q := w.Posted(scope).Where("t.created_at >= ?", sqlstore.StampAt(span.From)).Where("t.created_at < ?", sqlstore.StampAt(span.To)).
		Where("t.id <= ?", span.Last).OrderExpr("t.created_at, t.id").Limit(span.Limit)
	if span.After != nil {
		q = q.Where("(t.created_at, t.id) > (?, ?)", sqlstore.StampAt(span.After.CreatedAt), span.After.ID)
	}
	return q
}
