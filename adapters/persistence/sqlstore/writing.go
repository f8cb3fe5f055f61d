package sqlstore

import (
	"context"
	"database/sql"
	"iter"
	"slices"

	"github.com/uptrace/bun"
)

// Statement is an INSERT, UPDATE or DELETE.
type Statement interface {
	Exec(ctx context.Context, dest ...any) (sql.Result, error)
}

// Run runs a statement, whatever it changes.
func Run(ctx context.Context, q Statement) error {
	_, err := q.Exec(ctx)
	return err
}

// Affected runs a statement and returns how many rows it changed.
func Affected(ctx context.Context, q Statement) (int64, error) {
	res, err := q.Exec(ctx)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Change runs a statement, and returns the error otherwise if it changes no row.
func Change(ctx context.Context, q Statement, otherwise error) error {
	n, err := Affected(ctx, q)
	if err == nil && n == 0 {
		return otherwise
	}
	return err
}

// Insert inserts a row and reads its id.
func Insert[R any](ctx context.Context, s *Session, row *R, id *int64) error {
	_, err := s.NewInsert().Model(row).Returning("id").Exec(ctx, id)
	return err
}

// InsertNew inserts a row and reads its id, or returns otherwise where another has its unique key. The key
// decides under any number of concurrent calls, and the transaction goes on either way.
func InsertNew[R any](ctx context.Context, s *Session, row *R, id *int64, key string, otherwise error) error {
	var ids []int64
	_, err := s.NewInsert().Model(row).On("CONFLICT ("+key+") DO NOTHING").Returning("id").Exec(ctx, &ids)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return otherwise
	}
	*id = ids[0]
	return nil
}

// InsertIDs inserts the rows of one statement and returns their ids in the order of the rows: both
// databases assign rising ids in the order of VALUES, but promise no order of RETURNING.
func InsertIDs[R any](ctx context.Context, s *Session, rows []R) ([]int64, error) {
	var ids []int64
	if _, err := s.NewInsert().Model(&rows).Returning("id").Exec(ctx, &ids); err != nil {
		return nil, err
	}
	if len(ids) != len(rows) {
		return nil, Internal("%d rows inserted gave %d ids", len(rows), len(ids))
	}
	slices.Sort(ids)
	return ids, nil
}

// ListChunk bounds how many values one statement lists.
const ListChunk = 64

// chunks are the numbers of rows that a statement inserts: few sizes, so that the statements have few texts.
var chunks = [...]int{128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1}

// Chunks cuts rows into pieces for one statement each.
func Chunks[R any](rows []R) iter.Seq[[]R] {
	return func(yield func([]R) bool) {
		for _, size := range chunks {
			for len(rows) >= size {
				if !yield(rows[:size:size]) {
					return
				}
				rows = rows[size:]
			}
		}
	}
}

// Conflict is what an insertion does with a row whose unique key another row has.
type Conflict = func(q *bun.InsertQuery) *bun.InsertQuery

// Skipping skips rows that have the same values in the columns of a unique key as another row.
func Skipping(key string) Conflict {
	return func(q *bun.InsertQuery) *bun.InsertQuery { return q.On("CONFLICT (" + key + ") DO NOTHING") }
}

// Replacing overwrites columns of the row that already has the key.
func Replacing(key string, columns ...string) Conflict {
	return func(q *bun.InsertQuery) *bun.InsertQuery {
		q = q.On("CONFLICT (" + key + ") DO UPDATE")
		for _, column := range columns {
			q = q.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		return q
	}
}

// InsertAll inserts the row of each value, in statements of a bounded size. Their ids are not read.
func InsertAll[T, R any](ctx context.Context, s *Session, values []T, row func(i int, value T) R, on ...Conflict) error {
	rows := make([]R, len(values))
	for i, value := range values {
		rows[i] = row(i, value)
	}
	return InsertRows(ctx, s, rows, on...)
}

// InsertRows inserts rows, in statements of a bounded size. Their ids are not read.
func InsertRows[R any](ctx context.Context, s *Session, rows []R, on ...Conflict) error {
	for chunk := range Chunks(rows) {
		if err := Run(ctx, s.NewInsert().Model(&chunk).Returning("NULL").Apply(on...)); err != nil {
			return err
		}
	}
	return nil
}
