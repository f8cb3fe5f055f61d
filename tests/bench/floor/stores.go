package floor

import (
	"context"
	"database/sql"
	"net/url"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite" // the program's driver
)

// asks runs a statement and hands each of its rows to row, which may be nil.
type asks func(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error

// store is a database as its driver offers it: statements are prepared once per connection.
type store interface {
	ask(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error
	write(ctx context.Context, do func(ask asks) error) error
	close()
}

// openStore opens the address of one of the program's databases.
func openStore(ctx context.Context, address string) (store, error) {
	path, isFile := strings.CutPrefix(address, "sqlite:")
	if !isFile {
		pool, err := pgxpool.New(ctx, address)
		return postgres{pool}, err
	}
	// The pragmas and the sizes of the pools are the program's, so that a commit costs the same.
	dsn := func(lock string) string {
		return "file:" + path + "?" + url.Values{"_txlock": {lock}, "_pragma": {
			"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		}}.Encode()
	}
	writer, err := sql.Open("sqlite", dsn("immediate"))
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	reader, err := sql.Open("sqlite", dsn("deferred"))
	if err != nil {
		return nil, err
	}
	reader.SetMaxOpenConns(4)
	reader.SetMaxIdleConns(4)
	return &sqlite{writer: writer, reader: reader}, nil
}

type postgres struct{ pool *pgxpool.Pool }

func (p postgres) close() { p.pool.Close() }

// pgxRows hands rows on; pgx prepares the statement on its first use.
func pgxRows(rows pgx.Rows, err error, row func(scan func(...any) error) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (p postgres) ask(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error {
	rows, err := p.pool.Query(ctx, statement, args...)
	return pgxRows(rows, err, row)
}

func (p postgres) write(ctx context.Context, do func(ask asks) error) error {
	return pgx.BeginFunc(ctx, p.pool, func(tx pgx.Tx) error {
		return do(func(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error {
			rows, err := tx.Query(ctx, statement, args...)
			return pgxRows(rows, err, row)
		})
	})
}

type sqlite struct {
	writer, reader *sql.DB
	prepared       sync.Map // *sql.Stmt by pool and statement
}

func (s *sqlite) close() {
	_ = s.reader.Close()
	_ = s.writer.Close()
}

type inPool struct {
	pool      *sql.DB
	statement string
}

func (s *sqlite) prepare(ctx context.Context, pool *sql.DB, statement string) (*sql.Stmt, error) {
	if known, ok := s.prepared.Load(inPool{pool, statement}); ok {
		return known.(*sql.Stmt), nil
	}
	made, err := pool.PrepareContext(ctx, strings.ReplaceAll(statement, "$", "?"))
	if err != nil {
		return nil, err
	}
	first, _ := s.prepared.LoadOrStore(inPool{pool, statement}, made)
	return first.(*sql.Stmt), nil
}

func sqlRows(ctx context.Context, stmt *sql.Stmt, args []any, row func(scan func(...any) error) error) error {
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *sqlite) ask(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error {
	stmt, err := s.prepare(ctx, s.reader, statement)
	if err != nil {
		return err
	}
	return sqlRows(ctx, stmt, args, row)
}

func (s *sqlite) write(ctx context.Context, do func(ask asks) error) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	err = do(func(ctx context.Context, statement string, args []any, row func(scan func(...any) error) error) error {
		inTx, err := tx.PrepareContext(ctx, strings.ReplaceAll(statement, "$", "?"))
		if err != nil {
			return err
		}
		defer inTx.Close()
		return sqlRows(ctx, inTx, args, row)
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}
