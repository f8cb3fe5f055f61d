package sqlstore

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"tilth/adapters/persistence/prepared"
	"tilth/ports"
)

// Pools returns the pools of connections by name.
func (d *DB) Pools() map[string]*sql.DB {
	if d.reader == d.writer {
		return map[string]*sql.DB{"all": d.writer.DB}
	}
	return map[string]*sql.DB{"writer": d.writer.DB, "readers": d.reader.DB}
}

// observe makes the observer follow every statement of the pools.
func (d *DB) observe() {
	if d.opts.Observer == nil {
		return
	}
	reader, writer := d.reader.WithQueryHook(statements{d.opts.Observer}), d.writer.WithQueryHook(statements{d.opts.Observer})
	if d.reader == d.writer {
		reader = writer
	}
	d.reader, d.writer = reader, writer
}

// statements follows statements, until their rows have been read.
type statements struct{ observer ports.Observer }

// endOfStatement is the key of the function that ends a statement.
type endOfStatement struct{}

// BeforeQuery implements bun.QueryHook.
func (h statements) BeforeQuery(ctx context.Context, event *bun.QueryEvent) context.Context {
	text := event.Query
	ctx, end := h.observer.Begin(ctx, ports.Activity{Kind: ports.ActStatement, Statement: func() (string, string) {
		shown := prepared.WithoutValues(text)
		return prepared.Headline(shown), shown
	}})
	event.Stash = map[any]any{endOfStatement{}: end}
	return ctx
}

// AfterQuery implements bun.QueryHook.
func (h statements) AfterQuery(_ context.Context, event *bun.QueryEvent) {
	err := event.Err
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	event.Stash[endOfStatement{}].(func(ports.Ending))(ports.Ending{Err: err})
}
