package group

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"tilth/adapters/persistence/prepared"
)

// file is a connector to a database in a file.
type file string

func (f file) Connect(context.Context) (driver.Conn, error) { return f.Driver().Open(string(f)) }

func (file) Driver() driver.Driver { return &sqlite.Driver{} }

var (
	errRefused = errors.New("the commit was refused")
	errSilent  = errors.New("nobody knows of the commit")
	errMind    = errors.New("changed my mind")
)

// disk sits between the group and SQLite: it records what is asked, and fails commits as planned.
type disk struct {
	driver.Connector
	mu      sync.Mutex
	heard   []string
	commits []error // of the next commits: nil, errRefused before they take effect or errSilent afterwards
}

func (d *disk) hear(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.heard = append(d.heard, what)
}

// count returns how many of the recorded requests begin with a text.
func (d *disk) count(beginning string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.heard {
		if strings.HasPrefix(one, beginning) {
			n++
		}
	}
	return n
}

func (d *disk) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := d.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return heardConn{made.(Inner), d}, nil
}

type heardConn struct {
	Inner
	disk *disk
}

func (c heardConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	c.disk.hear("BEGIN")
	tx, err := c.Inner.BeginTx(ctx, opts)
	return heardTx{tx, c.disk}, err
}

func (c heardConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.disk.hear(query)
	return c.Inner.ExecContext(ctx, query, args)
}

type heardTx struct {
	driver.Tx
	disk *disk
}

func (t heardTx) Commit() error {
	t.disk.hear("COMMIT")
	t.disk.mu.Lock()
	var plan error
	if len(t.disk.commits) > 0 {
		plan, t.disk.commits = t.disk.commits[0], t.disk.commits[1:]
	}
	t.disk.mu.Unlock()
	if errors.Is(plan, errRefused) {
		return errors.Join(plan, t.Rollback())
	}
	return errors.Join(t.Tx.Commit(), plan)
}

// bed is a database that is written through a group and read beside it.
type bed struct {
	path   string
	disk   *disk
	shared *Connector
	writer *sql.DB
	reader *sql.DB
}

// fataler is a test, or a run of one.
type fataler interface {
	require.TestingT
	Helper()
}

func lay(t fataler, folder string) *bed {
	t.Helper()
	b := &bed{path: "file:" + filepath.Join(folder, "t.db") + "?_pragma=journal_mode(WAL)&_pragma=synchronous(0)&_pragma=busy_timeout(60000)"}
	b.disk = &disk{Connector: prepared.Connector{Connector: file(b.path + "&_txlock=immediate")}}
	b.shared = New(b.disk, time.Hour)
	b.shared.takes = time.Hour // no test depends on how fast a machine is
	b.writer = sql.OpenDB(b.shared)
	b.writer.SetMaxOpenConns(MaxMembers)
	b.writer.SetMaxIdleConns(MaxMembers)
	_, err := b.writer.Exec("CREATE TABLE IF NOT EXISTS t (writer INTEGER, part INTEGER, filler BLOB, PRIMARY KEY (writer, part))")
	require.NoError(t, err)
	b.reader = sql.OpenDB(file(b.path))
	return b
}

// seen returns the number of rows of each writer, as readers outside of the group see them.
func (b *bed) seen(t fataler) map[int]int {
	t.Helper()
	return rowsOf(t, b.reader)
}

func rowsOf(t fataler, from interface {
	Query(query string, args ...any) (*sql.Rows, error)
},
) map[int]int {
	t.Helper()
	found, err := from.Query("SELECT writer, count(*) FROM t GROUP BY writer")
	require.NoError(t, err)
	defer found.Close()
	out := map[int]int{}
	for found.Next() {
		var writer, n int
		require.NoError(t, found.Scan(&writer, &n))
		out[writer] = n
	}
	require.NoError(t, found.Err())
	return out
}

// write runs a transaction that inserts two rows, and calls then before its end.
func (b *bed) write(ctx context.Context, writer int, then func(*sql.Tx) error) error {
	tx, err := b.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for part := range 2 {
		if _, err := tx.ExecContext(ctx, "INSERT INTO t VALUES (?, ?, NULL)", writer, part); err != nil {
			return err
		}
	}
	if err := then(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func (b *bed) close(t fataler) {
	t.Helper()
	require.NoError(t, errors.Join(b.writer.Close(), b.reader.Close()))
}

func well(*sql.Tx) error { return nil }
