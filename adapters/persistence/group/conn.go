package group

import (
	"context"
	"database/sql/driver"
	"errors"
)

// conn is a connection as database/sql sees it. database/sql uses a connection from one goroutine at a time.
type conn struct {
	shared *Connector
	in     *member // its transaction, which has the turn; nil: none
}

// Alone implements Owner.
func (c *conn) Alone(ctx context.Context, do func(Inner) error) error {
	if err := c.shared.take(ctx, false); err != nil {
		return err
	}
	defer c.shared.pass()
	return do(c.shared.conn)
}

// Close implements driver.Conn. The last one closes the connection that all share.
func (c *conn) Close() error {
	s := c.shared
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out--
	if s.out > 0 {
		return nil
	}
	s.turn <- struct{}{} // nobody else is left to hold it for long
	defer s.pass()
	if s.conn == nil {
		return nil
	}
	err := s.conn.Close()
	s.conn = nil
	return err
}

// Begin implements driver.Conn.
func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// Prepare implements driver.Conn. A prepared statement would outlive its turn and be used during another turn.
func (c *conn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("connections that take turns prepare no statements for their callers")
}

// ResetSession implements driver.SessionResetter: a context that ends does not cost the connection.
func (c *conn) ResetSession(context.Context) error { return nil }

// IsValid implements driver.Validator.
func (c *conn) IsValid() bool { return true }

// Ping implements driver.Pinger.
func (c *conn) Ping(ctx context.Context) error {
	if c.in != nil {
		return c.shared.conn.Ping(ctx)
	}
	return c.Alone(ctx, func(inner Inner) error { return inner.Ping(ctx) })
}

// within returns the context of a statement of a transaction. An interrupted statement would roll back the
// whole transaction, so a statement runs to its end where others wait for the commit.
func (c *conn) within(ctx context.Context) (context.Context, error) {
	if c.shared.rolled {
		return ctx, ErrLost // what runs now would be stored at once
	}
	if c.shared.open.members > 0 {
		return context.WithoutCancel(ctx), ctx.Err()
	}
	return ctx, nil
}

// ExecContext implements driver.ExecerContext.
func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (res driver.Result, err error) {
	if c.in != nil {
		if ctx, err = c.within(ctx); err != nil {
			return nil, err
		}
		return c.shared.conn.ExecContext(ctx, query, args)
	}
	err = c.Alone(ctx, func(inner Inner) (err error) {
		res, err = inner.ExecContext(ctx, query, args)
		return err
	})
	return res, err
}

// QueryContext implements driver.QueryerContext.
func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (res driver.Rows, err error) {
	if c.in != nil {
		if ctx, err = c.within(ctx); err != nil {
			return nil, err
		}
		return c.shared.conn.QueryContext(ctx, query, args)
	}
	if err := c.shared.take(ctx, false); err != nil {
		return nil, err
	}
	res, err = c.shared.conn.QueryContext(ctx, query, args)
	if err != nil {
		c.shared.pass()
		return nil, err
	}
	return rows{res, c.shared}, nil
}

// rows hold the turn until they are closed.
type rows struct {
	driver.Rows
	shared *Connector
}

// Close implements driver.Rows, which database/sql closes once.
func (r rows) Close() error {
	defer r.shared.pass()
	return r.Rows.Close()
}

// BeginTx implements driver.ConnBeginTx.
func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	m := &member{conn: c, joins: joins(ctx)}
	if err := c.shared.take(ctx, m.joins); err != nil {
		return nil, err
	}
	if err := c.shared.begin(ctx, opts); err != nil {
		c.shared.pass()
		return nil, err
	}
	c.in = m
	return m, nil
}

// errOver is returned for a transaction that is ended twice.
var errOver = errors.New("the transaction has ended")

// member is a transaction.
type member struct {
	conn  *conn
	joins bool
}

// Commit implements driver.Tx.
func (m *member) Commit() error {
	if m.conn.in != m {
		return errOver
	}
	s := m.conn.shared
	m.conn.in = nil
	g, err := s.release(m.joins)
	s.pass()
	if err != nil {
		return err
	}
	return g.await(s)
}

// Rollback implements driver.Tx.
func (m *member) Rollback() error {
	if m.conn.in != m {
		return errOver
	}
	defer m.conn.shared.pass()
	m.conn.in = nil
	return m.conn.shared.withdraw()
}
