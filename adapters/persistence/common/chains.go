package common

import (
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/adapters/persistence/sqlstore"
	"tilth/core/chain"
	"tilth/ports"
)

// chainsLock is the key of the advisory lock under which chains are written ("chains" in ASCII).
const chainsLock = 0x636861696e73

type waitingRow struct {
	bun.BaseModel `bun:"table:chain_waiting,alias:t"`
	Chain         chain.Name
	CompanyID     int64
	RowID         int64
}

type linkRow struct {
	bun.BaseModel `bun:"table:chain_links,alias:t"`
	Chain         chain.Name
	CompanyID     int64
	Position      int64
	RowID         int64
	Salts         chain.Salts
	Digest        string
	Hash          string
}

// checkpointRow is a row of chain_heads or, depending on the query, of chain_checkpoints.
type checkpointRow struct {
	bun.BaseModel `bun:"table:chain_heads,alias:t"`
	Chain         chain.Name
	CompanyID     int64
	Position      int64
	Hash          string
	Purged        int64
	At            signedStamp
	KeyID         string
	Signature     string
}

type chainKeyRow struct {
	bun.BaseModel `bun:"table:chain_keys,alias:t"`
	ID            string `bun:"id,pk"`
	Seed          []byte
	Public        []byte
	CreatedAt     sqlstore.Stamp
}

// signedStamp is a time that is signed. Text that this program would not write is read as the
// zero time, which nothing signed, and not as an error.
type signedStamp struct{ sqlstore.Stamp }

// Scan implements sql.Scanner.
func (s *signedStamp) Scan(src any) error {
	text, isText := src.(string)
	err := s.Stamp.Scan(src)
	if again, _ := s.Value(); err != nil || isText && again != text {
		s.Time = time.Time{}
	}
	return nil
}

func rowOfCheckpoint(c chain.Checkpoint) checkpointRow {
	return checkpointRow{
		Chain: c.Name, CompanyID: c.CompanyID, Position: c.Position, Hash: c.Hash, Purged: c.Purged,
		At: signedStamp{sqlstore.StampAt(c.At)}, KeyID: c.KeyID, Signature: c.Signature,
	}
}

func (row *checkpointRow) checkpoint() chain.Checkpoint {
	return chain.Checkpoint{
		ID: chain.ID{Name: row.Chain, CompanyID: row.CompanyID}, Position: row.Position, Hash: row.Hash, Purged: row.Purged,
		At: row.At.Time, KeyID: row.KeyID, Signature: row.Signature,
	}
}

// chains implements ports.ChainKeeper.
type chains struct{ s *sqlstore.Session }

// In SQLite a write transaction holds the whole database anyway.
func (c chains) Lock(ctx context.Context) error {
	if !c.s.Postgres {
		return nil
	}
	return sqlstore.Run(ctx, c.s.NewRaw("SELECT pg_advisory_xact_lock(?)", prepared.Arg(chainsLock)))
}

func (c chains) Idle(ctx context.Context) (bool, error) {
	waits, err := c.s.NewSelect().Model((*waitingRow)(nil)).Exists(ctx)
	return !waits, err
}

func (c chains) Waiting(ctx context.Context, limit int) ([]ports.WaitingRow, error) {
	var waiting []waitingRow
	err := c.s.NewSelect().Model(&waiting).OrderExpr("t.chain, t.company_id, t.row_id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	ids := map[chain.Name][]int64{}
	for _, w := range waiting {
		ids[w.Chain] = append(ids[w.Chain], w.RowID)
	}
	var out []ports.WaitingRow
	for _, name := range chain.Names {
		rows, err := c.rows(ctx, name, ids[name])
		if err != nil {
			return nil, err
		}
		for _, w := range waiting {
			if w.Chain != name {
				continue
			}
			row, ok := rows[w.RowID]
			if !ok {
				return nil, sqlstore.Internal("row %d of %s waits to be chained but does not exist", w.RowID, name)
			}
			out = append(out, ports.WaitingRow{ID: chain.ID{Name: name, CompanyID: w.CompanyID}, Row: row})
		}
	}
	return out, nil
}

// of selects the rows of a chain from the model of a query.
func of(q *bun.SelectQuery, id chain.ID) *bun.SelectQuery {
	return q.Where("t.chain = ?", id.Name).Where("t.company_id = ?", id.CompanyID)
}

func (c chains) Head(ctx context.Context, id chain.ID) (chain.Checkpoint, error) {
	q := of(c.s.NewSelect().Model((*checkpointRow)(nil)), id)
	head, _, err := sqlstore.Find(ctx, q, (*checkpointRow).checkpoint)
	return head, err
}

func (c chains) Append(ctx context.Context, links []chain.Link, head chain.Checkpoint, keptSince time.Time) error {
	err := sqlstore.InsertAll(ctx, c.s, links, func(_ int, l chain.Link) linkRow {
		return linkRow{
			Chain: head.Name, CompanyID: head.CompanyID, Position: l.Position, RowID: l.RowID, Salts: l.Salts, Digest: l.Digest, Hash: l.Hash,
		}
	})
	if err != nil {
		return err
	}
	ids := make([]int64, len(links))
	for i, l := range links {
		ids[i] = l.RowID
	}
	// The bounds are for PostgreSQL, which would compare every waiting row with the whole list.
	if err := sqlstore.Run(ctx, c.s.NewDelete().Model((*waitingRow)(nil)).Where("t.chain = ?", head.Name).
		Where("t.company_id = ?", head.CompanyID).Where("t.row_id BETWEEN ? AND ?", prepared.Arg(slices.Min(ids)), prepared.Arg(slices.Max(ids))).
		Where("t.row_id IN (?)", prepared.List(ids))); err != nil {
		return err
	}
	if err := c.keepHead(ctx, head.ID, keptSince); err != nil {
		return err
	}
	return c.setHead(ctx, head)
}

// keepHead keeps the head of a chain as a checkpoint, unless one was kept since a time.
func (c chains) keepHead(ctx context.Context, id chain.ID, since time.Time) error {
	kept, err := of(c.checkpoints(), id).Where("t.at > ?", sqlstore.StampAt(since)).Exists(ctx)
	if err != nil || kept {
		return err
	}
	head, err := c.Head(ctx, id)
	if err != nil || head.Position == 0 {
		return err
	}
	return c.keep(ctx, head)
}

func (c chains) setHead(ctx context.Context, head chain.Checkpoint) error {
	row := rowOfCheckpoint(head)
	return sqlstore.Run(ctx, c.s.NewInsert().Model(&row).
		Apply(sqlstore.Replacing("chain, company_id", "position", "hash", "purged", "at", "key_id", "signature")))
}

// keep stores a checkpoint, unless one of its position is kept already.
func (c chains) keep(ctx context.Context, checkpoint chain.Checkpoint) error {
	row := rowOfCheckpoint(checkpoint)
	return sqlstore.Run(ctx, c.s.NewInsert().Model(&row).ModelTableExpr("chain_checkpoints AS t").Apply(sqlstore.Skipping("chain, company_id, position")))
}

func (c chains) checkpoints() *bun.SelectQuery {
	return c.s.NewSelect().Model((*checkpointRow)(nil)).ModelTableExpr("chain_checkpoints AS t")
}

func (c chains) Checkpoints(ctx context.Context, id chain.ID) ([]chain.Checkpoint, error) {
	return sqlstore.All(ctx, of(c.checkpoints(), id).OrderExpr("t.position"), (*checkpointRow).checkpoint)
}

func placeOfChainSeed(id string) string { return sqlstore.PlaceOf("chain_keys", id, "seed") }

func (c chains) Keys(ctx context.Context) ([]ports.ChainKey, error) {
	q := c.s.NewSelect().Model((*chainKeyRow)(nil)).OrderExpr("t.created_at, t.id")
	return sqlstore.Collect(sqlstore.Stream(ctx, c.s, q, func(row *chainKeyRow) (ports.ChainKey, error) {
		seed, err := c.s.Secrets.Open(placeOfChainSeed(row.ID), row.Seed)
		return ports.ChainKey{ID: row.ID, Seed: seed, Public: row.Public, CreatedAt: row.CreatedAt.Time}, err
	}))
}

func (c chains) AddKey(ctx context.Context, key ports.ChainKey) error {
	row := chainKeyRow{
		ID: key.ID, Seed: c.s.Secrets.Seal(placeOfChainSeed(key.ID), key.Seed), Public: key.Public, CreatedAt: sqlstore.StampAt(key.CreatedAt),
	}
	return sqlstore.Run(ctx, c.s.NewInsert().Model(&row).On("CONFLICT (id) DO UPDATE").Set("public = EXCLUDED.public"))
}

func (c chains) Links(ctx context.Context, id chain.ID, after int64, limit int) ([]chain.Linked, error) {
	var links []linkRow
	err := of(c.s.NewSelect().Model(&links), id).Where("t.position > ?", after).OrderExpr("t.position").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(links))
	for i, l := range links {
		ids[i] = l.RowID
	}
	rows, err := c.rows(ctx, id.Name, ids)
	if err != nil {
		return nil, err
	}
	out := make([]chain.Linked, len(links))
	for i, l := range links {
		out[i].Link = chain.Link{Position: l.Position, RowID: l.RowID, Salts: l.Salts, Digest: l.Digest, Hash: l.Hash}
		if row, ok := rows[l.RowID]; ok {
			out[i].Row = &row
		}
	}
	return out, nil
}

func (c chains) Stray(ctx context.Context, id chain.ID) (row int64, err error) {
	table := chainTables[id.Name]
	chained := c.s.NewSelect().Model((*linkRow)(nil)).ModelTableExpr("chain_links AS l").ColumnExpr("1").
		Where("l.chain = ?", id.Name).Where("l.row_id = t.id").Where("l.company_id = ?", id.CompanyID)
	waits := c.s.NewSelect().Model((*waitingRow)(nil)).ModelTableExpr("chain_waiting AS w").ColumnExpr("1").
		Where("w.chain = ?", id.Name).Where("w.company_id = ?", id.CompanyID).Where("w.row_id = t.id")
	var ids []int64
	q := c.s.NewSelect().TableExpr("? AS t", bun.Ident(table)).ColumnExpr("t.id")
	if id.Name != chain.Operator {
		q = q.Where("t.company_id = ?", id.CompanyID)
	}
	err = q.Where("NOT EXISTS (?)", chained).Where("NOT EXISTS (?)", waits).OrderExpr("t.id").Limit(1).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

func (c chains) CountWaiting(ctx context.Context, id chain.ID) (int64, error) {
	return of(c.s.NewSelect().Model((*waitingRow)(nil)), id).Count(ctx)
}

func (c chains) Companies(ctx context.Context) (ids []int64, err error) {
	err = c.s.NewSelect().Table("companies").Column("id").OrderExpr("id").Scan(ctx, &ids)
	return ids, err
}

func (c chains) Before(ctx context.Context, id chain.ID, before time.Time) (chain.Checkpoint, error) {
	head, err := c.Head(ctx, id)
	if err != nil || head.At.Before(before) {
		return head, err
	}
	q := of(c.checkpoints(), id).Where("t.at < ?", sqlstore.StampAt(before)).OrderExpr("t.at DESC, t.position DESC").Limit(1)
	mark, _, err := sqlstore.Find(ctx, q, (*checkpointRow).checkpoint)
	return mark, err
}

func (c chains) Mark(ctx context.Context, mark, head chain.Checkpoint) error {
	if err := c.keep(ctx, mark); err != nil {
		return err
	}
	return c.setHead(ctx, head)
}

func (c chains) RemovePurged(ctx context.Context, id chain.ID, limit int) (int64, error) {
	head, err := c.Head(ctx, id)
	if err != nil {
		return 0, err
	}
	var links []linkRow
	err = of(c.s.NewSelect().Model(&links), id).Where("t.position <= ?", head.Purged).OrderExpr("t.position").Limit(int64(limit)).Scan(ctx)
	if err != nil || len(links) == 0 {
		return 0, err
	}
	ids := make([]int64, len(links))
	for i, l := range links {
		ids[i] = l.RowID
	}
	in := prepared.List(ids)
	for _, q := range []*bun.DeleteQuery{
		// The rows are deleted first: their trigger looks at their links.
		c.s.NewDelete().TableExpr("? AS t", bun.Ident(chainTables[id.Name])).Where("t.id IN (?)", in),
		c.s.NewDelete().TableExpr("chain_erasures AS t").Where("t.chain = ?", id.Name).Where("t.row_id IN (?)", in),
		c.s.NewDelete().Model((*linkRow)(nil)).Where("t.chain = ?", id.Name).Where("t.row_id IN (?)", in),
		c.s.NewDelete().TableExpr("chain_checkpoints AS t").Where("t.chain = ?", id.Name).Where("t.company_id = ?", id.CompanyID).
			Where("t.position < ?", head.Purged),
	} {
		if err := sqlstore.Run(ctx, q); err != nil {
			return 0, err
		}
	}
	return int64(len(links)), nil
}
