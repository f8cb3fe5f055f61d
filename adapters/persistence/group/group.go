package group

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

const (
	// MaxMembers is the maximum number of transactions in one commit, and so the number of connections worth having.
	MaxMembers = 16
	// maxTime is how long after its beginning a group is still passed on.
	maxTime = 5 * time.Millisecond
)

// ErrLost is returned to a transaction that was rolled back with another member of its group. It can run again.
var ErrLost = errors.New("the transaction was rolled back with another that shared its commit")

// Inner is the interface of the one connection that all share.
type Inner interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.Validator
	// OnRollback registers a function that is called whenever a whole transaction is rolled back, whatever the cause.
	OnRollback(do func()) error
}

// Owner is a connection that gives access to the one that it shares.
type Owner interface {
	// Alone runs something on the connection outside of all groups.
	Alone(ctx context.Context, do func(Inner) error) error
}

// Connector makes connections that take turns on one connection of another connector. It is safe for concurrent use.
type Connector struct {
	driver.Connector
	wait    time.Duration // the longest wait for a turn
	takes   time.Duration // how long after its beginning a group is still passed on
	turn    chan struct{} // full while somebody has the turn
	waiting atomic.Int32  // callers that would join a group

	mu  sync.Mutex
	out int // connections that were made and not closed

	// Only the holder of the turn uses these.
	conn   Inner // nil: not open
	open   *group
	rolled bool // the transaction was rolled back
}

// New returns a connector over another. A caller that waits longer than wait for its turn is refused.
func New(c driver.Connector, wait time.Duration) *Connector {
	return &Connector{Connector: c, wait: wait, takes: maxTime, turn: make(chan struct{}, 1)}
}

// group is a transaction of the one connection.
type group struct {
	tx      driver.Tx
	began   time.Time
	members int           // that have ended well, and wait
	over    chan struct{} // closed when it was committed or rolled back
	err     error         // of its end
}

// Connect implements driver.Connector.
func (c *Connector) Connect(context.Context) (driver.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out++
	return &conn{shared: c}, nil
}

// take waits for the turn. A caller that joins no group first commits the open one.
func (c *Connector) take(ctx context.Context, joins bool) error {
	if joins {
		c.waiting.Add(1)
		defer c.waiting.Add(-1)
	}
	if err := c.await(ctx); err != nil {
		return err
	}
	if c.open != nil && !joins {
		c.commit()
	}
	if err := c.connect(ctx); err != nil {
		c.pass()
		return err
	}
	return nil
}

func (c *Connector) await(ctx context.Context) error {
	select {
	case c.turn <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(c.wait)
	defer timer.Stop()
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fault.New(fault.Unavailable, "database_busy", "The database is busy; try again.")
	}
}

// pass ends the turn.
func (c *Connector) pass() { <-c.turn }

// connect opens the connection if there is none that works.
func (c *Connector) connect(ctx context.Context) error {
	if c.conn != nil && c.open == nil && !c.conn.IsValid() {
		c.drop()
	}
	if c.conn != nil {
		return nil
	}
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return err
	}
	inner, ok := made.(Inner)
	if !ok {
		return errors.Join(fmt.Errorf("the driver's %T lacks what a group needs", made), made.Close())
	}
	if err := inner.OnRollback(func() { c.rolled = true }); err != nil {
		return errors.Join(err, inner.Close())
	}
	c.conn = inner
	return nil
}

// drop closes the connection, which rolls back what is not committed; the next turn opens another.
func (c *Connector) drop() {
	_ = c.conn.Close()
	c.conn = nil
}

// commit commits the group.
func (c *Connector) commit() {
	err := c.open.tx.Commit()
	if err != nil && !c.rolled {
		c.drop() // its transaction may be open
	}
	c.end(err)
}

// lose rolls the group back.
func (c *Connector) lose() error {
	err := c.rollback()
	c.end(ErrLost)
	return err
}

func (c *Connector) rollback() error {
	if c.rolled {
		return nil
	}
	err := c.open.tx.Rollback()
	if err != nil {
		c.drop()
	}
	return err
}

func (c *Connector) end(err error) {
	c.open.err = err
	close(c.open.over)
	c.open = nil
}

// run runs a statement for the savepoint of a member.
func (c *Connector) run(statement string) error {
	_, err := c.conn.ExecContext(context.Background(), statement, nil)
	return err
}

// begin begins a transaction, or a member's part of the open one.
func (c *Connector) begin(ctx context.Context, opts driver.TxOptions) error {
	if c.open != nil {
		err := c.run("SAVEPOINT member")
		if err != nil {
			err = errors.Join(ErrLost, err, c.lose())
		}
		return err
	}
	c.rolled = false
	tx, err := c.conn.BeginTx(ctx, opts)
	if err == nil {
		c.open = &group{tx: tx, began: time.Now(), over: make(chan struct{})}
	}
	return err
}

// release ends a member successfully, and returns the group whose end the member must wait for.
func (c *Connector) release(joined bool) (*group, error) {
	g := c.open
	var err error
	if !c.rolled && g.members > 0 {
		err = c.run("RELEASE member")
	}
	if c.rolled || err != nil {
		return nil, errors.Join(ErrLost, err, c.lose())
	}
	g.members++
	if !joined || c.waiting.Load() == 0 || g.members == MaxMembers || time.Since(g.began) > c.takes {
		c.commit()
	}
	return g, nil
}

// withdraw rolls a member back.
func (c *Connector) withdraw() error {
	if c.open.members == 0 {
		return c.lose() // which nobody waits for
	}
	if c.rolled {
		return c.lose()
	}
	for _, statement := range []string{"ROLLBACK TO member", "RELEASE member"} {
		if err := c.run(statement); err != nil {
			return errors.Join(err, c.lose())
		}
	}
	return nil
}

// await waits for the end of a group. Those that wait ask for another turn: whichever gets it before the group
// has ended, since nobody else came, commits.
func (g *group) await(c *Connector) error {
	select {
	case <-g.over:
	case c.turn <- struct{}{}:
		if c.open == g {
			c.commit()
		}
		c.pass()
	}
	<-g.over
	return g.err
}

// joins reports whether a transaction may share its commit.
func joins(ctx context.Context) bool { return ports.Brief(ctx) }
