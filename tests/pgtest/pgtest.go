// Package pgtest provides each test with a PostgreSQL database of its own.
//
// The server is searched for once per process, at the first Open, in this order:
// the server that TILTH_TEST_POSTGRES names; a container, if a container engine
// answers; the initdb and postgres programs of this machine. It ends with the
// test process, however that ends. A database costs about 20 ms if it is cloned
// from a Template.
//
// The package knows nothing of Tilth's tables: the content of a database is the business
// of the Template's owner. The package is for tests only and not part of the program.
//
// Environment:
//
//	TILTH_TEST_POSTGRES        a postgres:// URL whose user may create databases, or "none"
//	TILTH_TEST_POSTGRES_IMAGE  the container image (default postgres:15-alpine)
//	TILTH_TEST_DATABASES=one   tests that run on either kind of database run on one: see Runs
//	TILTH_REQUIRE_POSTGRES=1   finding no server fails the tests that need one, instead of skipping them
//
// On a server that pgtest started, text sorts by byte (the C collation), as it
// does in SQLite; a server from the environment keeps its own collation.
package pgtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tilth/tests/kept"
)

const (
	// createTimeout bounds the creation of one database, so that a stuck server
	// fails a test within a time that a person is willing to wait.
	createTimeout = 2 * time.Minute
	// prepareTimeout bounds a template's callback: all migrations and seed data.
	prepareTimeout = 5 * time.Minute
)

// Template is a database that is prepared once per process and cloned for each
// test. Keep it in a package variable; it is safe for parallel tests.
type Template struct {
	prepare func(ctx context.Context, dsn string) error
	once    sync.Once
	name    string
	err     error
}

// NewTemplate returns a template whose database prepare fills at the first
// Open. prepare gets the postgres:// URL of an empty database and must have
// closed its connections when it returns. If it fails, so does every test that
// opens the template.
func NewTemplate(prepare func(ctx context.Context, dsn string) error) *Template {
	return &Template{prepare: prepare}
}

// Open returns the postgres:// URL of a fresh clone of the template, dropped
// when t ends. Where there is no PostgreSQL, t is skipped, or failed when
// TILTH_REQUIRE_POSTGRES=1.
func (p *Template) Open(t testing.TB) (dsn string) {
	t.Helper()
	srv := need(t)
	p.once.Do(func() { p.name, p.err = p.make(srv) })
	if p.err != nil {
		t.Fatalf("pgtest: preparing the template database: %v", p.err)
	}
	return open(t, srv, p.name)
}

// make creates and prepares the template database.
func (p *Template) make(srv *server) (name string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), prepareTimeout)
	defer cancel()
	name = srv.newName()
	if err := srv.create(ctx, name, emptyDatabase); err != nil {
		return "", err
	}
	if err := p.prepare(ctx, srv.dsn(name)); err != nil {
		return "", err
	}
	return name, srv.freeze(ctx, name)
}

// Open returns the postgres:// URL of a fresh, empty database, dropped when t
// ends. Where there is no PostgreSQL, t is skipped, or failed when
// TILTH_REQUIRE_POSTGRES=1.
func Open(t testing.TB) (dsn string) {
	t.Helper()
	return open(t, need(t), emptyDatabase)
}

func open(t testing.TB, srv *server, from string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), createTimeout)
	defer cancel()
	name := srv.newName()
	if err := srv.create(ctx, name, from); err != nil {
		t.Fatalf("pgtest: making a database: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), createTimeout)
		defer cancel()
		if err := srv.drop(ctx, name); err != nil {
			t.Errorf("pgtest: dropping the test's database: %v", err)
		}
	})
	return srv.dsn(name)
}

// theServer is the one server of this process.
var theServer = sync.OnceValues(func() (*server, error) {
	srv, err := find(context.Background(), os.Getenv)
	if err == nil {
		notice("found", fmt.Sprintf("PostgreSQL %s, %s", srv.version, srv.origin))
	}
	return srv, err
})

// Found reports whether this machine has a PostgreSQL to test on, and starts it. A server that is required, or that was
// named but does not answer, counts as found: the test that opens it reports what is wrong.
func Found() bool {
	_, err := theServer()
	return err == nil || os.Getenv("TILTH_REQUIRE_POSTGRES") == "1" || !isAbsent(err)
}

// Runs reports whether a test that needs only one kind of database, whichever, runs on this one, "sqlite" or
// "postgres". With TILTH_TEST_DATABASES=one, which make test sets, it runs on one of them, chosen by its name: one test
// in four on PostgreSQL, where a test costs the machine twice as much. Without a PostgreSQL it is SQLite.
func Runs(name, kind string) bool {
	if os.Getenv("TILTH_TEST_DATABASES") != "one" {
		return true
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name))
	return kind == "postgres" == (hash.Sum32()%4 == 1 && Found())
}

// notice tells the person who runs the tests about the server. go test hides it where tests pass, so make test prints at its
// end what was kept of it.
func notice(subject, text string) {
	text = "pgtest: " + text
	fmt.Fprintln(os.Stderr, text)
	if _, err := kept.Once("notice-"+subject, func() ([]byte, error) { return []byte(text + "\n"), nil }); err != nil {
		fmt.Fprintf(os.Stderr, "pgtest: keeping this notice: %v\n", err)
	}
}

// said limits the notice of a missing server to one line per process, instead of one per test.
var said atomic.Bool

func need(t testing.TB) *server {
	t.Helper()
	srv, err := theServer()
	if err == nil {
		return srv
	}
	if os.Getenv("TILTH_REQUIRE_POSTGRES") == "1" || !isAbsent(err) {
		t.Fatalf("pgtest: %v", err)
	}
	if !said.Swap(true) {
		notice("skipping", fmt.Sprintf("SKIPPING the tests on PostgreSQL: %v", err))
	}
	t.Skipf("pgtest: %v", err)
	return nil
}
