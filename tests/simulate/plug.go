package simulate

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"sync"
	"time"

	"tilth/adapters/cli"
	"tilth/app/events"
	"tilth/ports"
)

// errKilled is the error of everything that a killed process still tries.
var errKilled = errors.New("the process was killed")

// plug sits between a server and its database and files. It is pulled at a call, and from then
// on everything fails, as for a process that is killed there. A database rolls back what a
// killed process has not committed, so rolling back and closing still work.
type plug struct {
	mu    sync.Mutex
	calls []call
	at    int  // the call at which it is pulled; 0: never
	late  bool // pulled after the call took effect, if it lasts
	dead  bool
}

// call is a call at which the plug can be pulled.
type call struct {
	lasting bool // it may take effect on its own: a commit, a file
	post    bool // to another program
}

func (p *plug) failures() *cli.Failures {
	return &cli.Failures{
		Connect: func(c driver.Connector) driver.Connector { return connector{c, p} },
		Objects: func(o ports.Objects) ports.Objects { return files{o, p} },
		Consume: func(next consumer) consumer {
			return func(ctx context.Context, batch []events.CloudEvent) error {
				_, err := through(p, true, func() (struct{}, error) { return struct{}{}, next(ctx, batch) })
				return err
			}
		},
	}
}

type consumer = func(context.Context, []events.CloudEvent) error

// arm restarts the counting of calls.
func (p *plug) arm(at int, late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls, p.at, p.late, p.dead = nil, at, late, false
}

// disarm ends the counting, and returns the calls.
func (p *plug) disarm() []call {
	p.mu.Lock()
	calls := p.calls
	p.mu.Unlock()
	p.arm(0, false)
	return calls
}

func (p *plug) pulled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// begin counts a call and returns whether it is carried out, and whether its answer arrives.
func (p *plug) begin(c call) (carried, answered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return false, false
	}
	p.calls = append(p.calls, c)
	p.dead = len(p.calls) == p.at
	return !p.dead || p.late && c.lasting, !p.dead
}

// through makes a call.
func through[T any](p *plug, lasting bool, do func() (T, error)) (out T, err error) {
	carried, answered := p.begin(call{lasting: lasting})
	if carried {
		out, err = do()
	}
	if !answered {
		var none T
		return none, errKilled
	}
	return out, err
}

type connector struct {
	driver.Connector
	plug *plug
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	if c.plug.pulled() {
		return nil, errKilled
	}
	conn, err := c.Connector.Connect(ctx)
	return connection{conn, c.plug}, err
}

type connection struct {
	driver.Conn
	plug *plug
}

func (c connection) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	return through(c.plug, false, func() (driver.Tx, error) {
		tx, err := c.Conn.(driver.ConnBeginTx).BeginTx(ctx, opts)
		return transaction{tx, c.plug}, err
	})
}

func (c connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return through(c.plug, false, func() (driver.Result, error) { return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args) })
}

func (c connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return through(c.plug, false, func() (driver.Rows, error) { return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args) })
}

func (c connection) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return through(c.plug, false, func() (driver.Stmt, error) { return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query) })
}

func (c connection) Ping(ctx context.Context) error {
	if c.plug.pulled() {
		return errKilled
	}
	return c.Conn.(driver.Pinger).Ping(ctx)
}

// CheckNamedValue leaves the values to a driver that checks them.
func (c connection) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

func (c connection) ResetSession(ctx context.Context) error {
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return r.ResetSession(ctx)
	}
	return nil
}

type transaction struct {
	driver.Tx
	plug *plug
}

// Commit commits; if the process is killed at it, it rolls back.
func (t transaction) Commit() error {
	_, err := through(t.plug, true, func() (struct{}, error) { return struct{}{}, t.Tx.Commit() })
	if errors.Is(err, errKilled) {
		_ = t.Rollback() // no effect if the commit was carried out
	}
	return err
}

type files struct {
	ports.Objects
	plug *plug
}

func (f files) Put(ctx context.Context, name string, from io.Reader) (int64, error) {
	return through(f.plug, true, func() (int64, error) { return f.Objects.Put(ctx, name, from) })
}

func (f files) Open(ctx context.Context, name string) (ports.Object, error) {
	return through(f.plug, false, func() (ports.Object, error) { return f.Objects.Open(ctx, name) })
}

func (f files) Remove(ctx context.Context, name string) error {
	_, err := through(f.plug, true, func() (struct{}, error) { return struct{}{}, f.Objects.Remove(ctx, name) })
	return err
}

func (f files) RemoveOlder(ctx context.Context, folder string, before time.Time) error {
	_, err := through(f.plug, true, func() (struct{}, error) { return struct{}{}, f.Objects.RemoveOlder(ctx, folder, before) })
	return err
}
