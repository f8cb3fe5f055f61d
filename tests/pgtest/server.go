package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// namePrefix begins the name of every database that pgtest makes: prefix,
	// owner, underscore, number. Without the last two parts the name is the
	// application name of the owner's claim.
	namePrefix = "tilth_test_"
	// emptyDatabase is PostgreSQL's own pristine template.
	emptyDatabase = "template0"
	// readyTimeout bounds the wait for a server that was just started, and
	// namedTimeout that for one that should be running.
	readyTimeout = 30 * time.Second
	namedTimeout = 5 * time.Second
	// readyEvery is the time between two tries to connect to it.
	readyEvery = 25 * time.Millisecond
	// cloneTries bounds the tries to clone a template that something still uses.
	cloneTries = 8
	// maxIdle is the maximum number of idle connections to the maintenance database.
	maxIdle = 2
	// objectInUse is the SQLSTATE of cloning a database that has connections.
	objectInUse = "55006"
)

// server is a PostgreSQL server on which databases may be made.
type server struct {
	base    *url.URL // of the maintenance database
	origin  string   // where it comes from, for people
	version string
	owner   string // begins the names of this process's databases
	count   atomic.Int64
	claim   *pgx.Conn // open while this process lives; its application name shows that it does
	idle    chan *pgx.Conn
}

// connectServer waits, for at most patience, until the server at dsn, a
// postgres:// URL, accepts connections.
func connectServer(ctx context.Context, dsn, origin string, patience time.Duration) (*server, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	base, err := url.Parse(dsn)
	if err != nil {
		return nil, errors.New("not a postgres:// URL") // the URL itself may contain a password
	}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	owner := namePrefix + strings.ToLower(rand.Text()[:12])
	config.RuntimeParams["application_name"] = owner
	claim, err := waitReady(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%s does not answer: %w", origin, err)
	}
	version, _, _ := strings.Cut(claim.PgConn().ParameterStatus("server_version"), " ")
	return &server{base: base, origin: origin, version: version, owner: owner, claim: claim, idle: make(chan *pgx.Conn, maxIdle)}, nil
}

// waitReady connects, and tries again while the server is still starting. A
// refused login ends the wait: it will not get better.
func waitReady(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for {
		conn, err := pgx.ConnectConfig(ctx, config)
		if err == nil {
			return conn, nil
		}
		var refused *pgconn.PgError
		if errors.As(err, &refused) && !strings.HasPrefix(refused.Code, "57P") {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-tick.C:
		}
	}
}

// dsn returns the URL of one of the server's databases.
func (s *server) dsn(database string) string {
	u := *s.base
	u.Path = "/" + database
	return u.String()
}

func (s *server) newName() string {
	return fmt.Sprintf("%s_%d", s.owner, s.count.Add(1))
}

// exec runs one statement on the maintenance database.
func (s *server) exec(ctx context.Context, sql string) error {
	conn, err := s.connection(ctx)
	if err != nil {
		return err
	}
	if _, err = conn.Exec(ctx, sql); err == nil {
		select {
		case s.idle <- conn:
			return nil
		default:
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

func (s *server) connection(ctx context.Context) (*pgx.Conn, error) {
	for {
		select {
		case conn := <-s.idle:
			if conn.Ping(ctx) == nil {
				return conn, nil
			}
			_ = conn.Close(ctx) // a test had the server close all connections
		default:
			return pgx.Connect(ctx, s.base.String())
		}
	}
}

// create clones the database from under a new name. If the template is still in
// use, by a connection that is closing or by the server's own workers, it tries
// again after a short, random pause.
func (s *server) create(ctx context.Context, name, from string) error {
	statement := "CREATE DATABASE " + pgx.Identifier{name}.Sanitize() + " TEMPLATE " + pgx.Identifier{from}.Sanitize() + s.strategy()
	for try := 1; ; try++ {
		err := s.exec(ctx, statement)
		var busy *pgconn.PgError
		if err == nil || !errors.As(err, &busy) || busy.Code != objectInUse || try == cloneTries {
			return err
		}
		pause := time.NewTimer(time.Duration(try)*10*time.Millisecond + mathrand.N(20*time.Millisecond))
		select {
		case <-ctx.Done():
			pause.Stop()
			return errors.Join(err, ctx.Err())
		case <-pause.C:
		}
	}
}

// strategy makes the server copy the files of a database, as all versions before 15 do: with a clone written to the
// log page by page, a clone of a hundred tables was measured at 81 ms of processor time instead of 50.
func (s *server) strategy() string {
	if major, _, _ := strings.Cut(s.version, "."); len(major) < 2 || major < "15" {
		return ""
	}
	return " STRATEGY FILE_COPY"
}

// freeze closes a template to connections, so that nothing can change it or
// prevent a clone.
func (s *server) freeze(ctx context.Context, name string) error {
	return s.exec(ctx, "ALTER DATABASE "+pgx.Identifier{name}.Sanitize()+" ALLOW_CONNECTIONS false")
}

// drop removes a database and closes all its connections: a pool that a test
// forgot must not keep the database.
func (s *server) drop(ctx context.Context, name string) error {
	return s.exec(ctx, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
}

// sweep drops the databases (templates, and those of killed tests) that ended
// processes left on a server that outlives them. A process is alive as long as
// its claim is connected: the server itself notices when it dies. Only this
// user's databases count, because a user sees only the names of its own sessions.
func (s *server) sweep(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, namedTimeout)
	defer cancel()
	databases, err := s.names(ctx, "SELECT datname FROM pg_database WHERE starts_with(datname, $1)"+
		" AND pg_get_userbyid(datdba) = current_user AND datname <> current_database() ORDER BY datname")
	if err != nil {
		return err
	}
	// Read after the databases: the maker of each of them had already connected.
	living, err := s.names(ctx, "SELECT DISTINCT application_name FROM pg_stat_activity WHERE starts_with(application_name, $1)")
	if err != nil {
		return err
	}
	for _, database := range databases {
		if slices.Contains(living, claimOf(database)) {
			continue
		}
		if err := s.drop(ctx, database); err != nil {
			return err
		}
	}
	return nil
}

// names runs a query with the prefix of pgtest's names as its parameter.
func (s *server) names(ctx context.Context, query string) ([]string, error) {
	rows, err := s.claim.Query(ctx, query, namePrefix)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// claimOf returns the name of the claim of the process that made a database.
func claimOf(database string) string {
	if end := strings.LastIndexByte(database, '_'); end >= len(namePrefix) {
		return database[:end]
	}
	return database
}
