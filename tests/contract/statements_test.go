package contract

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/http/rest"
	"tilth/tests/rig"
)

// heard keeps the statements that requests send to the database, in order, without those of background work.
type heard struct {
	mu    sync.Mutex
	calls []string
}

func (h *heard) add(ctx context.Context, call string) {
	if rest.TraceOf(ctx).Route == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, call)
}

// take returns the statements, and forgets them.
func (h *heard) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer func() { h.calls = nil }()
	return h.calls
}

type hearing struct {
	driver.Connector
	heard *heard
}

func (h hearing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := h.Connector.Connect(ctx)
	return hearingConn{conn, h.heard}, err
}

type hearingConn struct {
	driver.Conn
	heard *heard
}

func (c hearingConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.heard.add(ctx, "BEGIN")
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, opts)
}

func (c hearingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.heard.add(ctx, query)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (c hearingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.heard.add(ctx, query)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c hearingConn) Ping(ctx context.Context) error { return c.Conn.(driver.Pinger).Ping(ctx) }

// TestStatementsOfRequests bounds the number of statements of requests, whatever the number of records: each is a
// round trip to PostgreSQL. BEGIN counts, the end of a transaction does not.
func TestStatementsOfRequests(t *testing.T) {
	t.Parallel()
	rig.EachDatabase(t, func(t *testing.T, database string) {
		all := &heard{}
		s := rig.Start(t, rig.Options{Database: database, Failures: &cli.Failures{
			Connect: func(c driver.Connector) driver.Connector { return hearing{c, all} },
		}})
		c := s.Company("owner", 0)
		farm := c.Make("farm/", map[string]any{"name": "Farm"})
		one := map[string]any{"name": "Field", "farm_id": farm}
		first := rig.Itoa(c.Make("field/", one))
		for _, request := range []struct {
			name, method, path string
			body               any
			statements         int
		}{
			{"retrieve", "GET", "field/" + first + "/", nil, 2},
			{"list", "GET", "field/", nil, 4},
			{"create", "POST", "field/", one, 5},
			{"bulk of 64", "POST", "field/", slices.Repeat([]any{one}, 64), 5},
		} {
			all.take()
			c.Expect(200, request.method, request.path, request.body)
			asked := all.take()
			require.LessOrEqual(t, len(asked), request.statements, "%s:\n%s", request.name, strings.Join(asked, "\n"))
		}
	})
}
