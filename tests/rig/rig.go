// Package rig starts the whole program for a test, on a free port and a database of
// the test's own, and speaks to it as a client does. It is for tests only.
package rig

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/synthetic"
	"tilth/app/batches"
	"tilth/app/operating"
	"tilth/ports"
	"tilth/tests/kept"
	"tilth/tests/pgtest"
	"tilth/tests/season"
	"tilth/tests/secrets"
	"tilth/wire"
)

// Server is a running program.
type Server struct {
	t         testing.TB
	URL       string // without a trailing slash
	AdminURL  string // where operators find metrics and profiles
	Operating *operating.Operating
	Setup     *operating.Setup
	tokens    ports.Tokens
	stop      func()
}

// Options are the settings that a test may choose.
type Options struct {
	Database string // default: a SQLite file of the test's own
	Imagery  string // default: the synthetic archive
	Demo     bool   // only people, land and prices; Full: also what is computed from them, as in `tilth serve --demo`
	Full     bool
	Log      io.Writer // default: nowhere
	Config   func(*cli.Config)
	Failures *cli.Failures // between the program and its surroundings
	Batches  batches.Sizes // default: the program's
	// SendBuffer is the number of unread bytes of a response that the system buffers; 0: the system's choice.
	SendBuffer int
}

// SmallBatches are sizes with which a background batch, in pieces, costs a twentieth.
var SmallBatches = batches.Sizes{AtOnce: 50, Piece: 25}

// shallow is a listener whose connections send through a small buffer.
type shallow struct {
	net.Listener
	bytes int
}

func (l shallow) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		err = conn.(*net.TCPConn).SetWriteBuffer(l.bytes)
	}
	return conn, err
}

// prepared is a PostgreSQL database with everything a new installation has.
var prepared = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	opened, err := wire.Program{}.Open(ctx, config(dsn, ""), slog.New(slog.DiscardHandler), true)
	if err != nil {
		return err
	}
	return opened.Close()
})

// preparedSQLite is the same as a file, copied for each test.
var preparedSQLite = sync.OnceValues(func() ([]byte, error) {
	return kept.Once("prepared.db", func() (file []byte, err error) {
		dir, err := os.MkdirTemp("", "tilth-template")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		path := filepath.Join(dir, "t.db")
		opened, err := wire.Program{}.Open(context.Background(), config("sqlite:"+path, ""), slog.New(slog.DiscardHandler), true)
		if err != nil {
			return nil, err
		}
		if err := opened.Close(); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	})
})

// SQLite returns the address of a prepared SQLite database of the test's own.
func SQLite(t testing.TB) string {
	t.Helper()
	file, err := preparedSQLite()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "tilth.db")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return "sqlite:" + path
}

// PostgreSQL returns the address of a prepared PostgreSQL database of the test's own.
func PostgreSQL(t testing.TB) string {
	t.Helper()
	return prepared.Open(t)
}

// shared are the folders of files, by PostgreSQL database.
var shared sync.Map

// ObjectsOf returns the address of the files of a database, which all its servers in a test share: next to a SQLite
// file, or in a folder of the first test that calls it.
func ObjectsOf(t testing.TB, database string) string {
	t.Helper()
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		return "file:" + filepath.Join(filepath.Dir(path), "objects")
	}
	if folder, ok := shared.Load(database); ok {
		return "file:" + folder.(string)
	}
	folder, _ := shared.LoadOrStore(database, t.TempDir())
	return "file:" + folder.(string)
}

// EachDatabase runs a test on both databases, or on one of them: see EachKind.
func EachDatabase(t *testing.T, test func(t *testing.T, database string)) {
	EachKind(t, SQLite, PostgreSQL, func(t *testing.T, open func(testing.TB) string) { test(t, open(t)) })
}

// EachKind runs a test with a function that opens databases of either kind, or only of the one that pgtest.Runs chooses.
func EachKind(t *testing.T, sqlite, postgres func(testing.TB) string, test func(t *testing.T, open func(testing.TB) string)) {
	for _, kind := range []struct {
		name string
		open func(testing.TB) string
	}{{"sqlite", sqlite}, {"postgres", postgres}} {
		if pgtest.Runs(t.Name(), kind.name) {
			t.Run(kind.name, func(t *testing.T) { t.Parallel(); test(t, kind.open) })
		}
	}
}

// Archive returns the synthetic archive, made once and shared by all tests of the machine.
func Archive(t testing.TB) synthetic.Archive {
	t.Helper()
	return season.Archive(t)
}

// twoSeasons is the archive with the previous season added, made once per machine: what a full demonstration has after a while.
var twoSeasons = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("tilth-test-archive-two-%d-%d", synthetic.Format, os.Getuid()))
	if _, err := synthetic.Make(context.Background(), dir, synthetic.Options{}); err != nil {
		return "", err
	}
	_, err := synthetic.AddBefore(context.Background(), dir, synthetic.Options{})
	return dir, err
})

// imagery is the source of the synthetic archive, opened once per process: reading its
// two hundred documents takes longer than everything else in a server's start.
var imagery = sync.OnceValues(func() (*catalog.Catalog, error) {
	made, err := season.Made()
	if err != nil {
		return nil, err
	}
	return catalog.Open(made.Dir)
})

func config(database, imagery string) cli.Config {
	cfg, err := cli.ReadConfig(map[string]string{})
	if err != nil {
		panic(err)
	}
	cfg.Addr, cfg.DatabaseURL, cfg.ImageryURL = "127.0.0.1:0", database, imagery
	cfg.PasswordMemory = 1 // MiB: the tests make thousands of accounts
	cfg.RateLimit = 0      // a test sends as fast as the machine lets it
	cfg.ImageryCache = 0   // nothing of a test is kept
	// A busy machine does not count as hung.
	cfg.RequestTimeout, cfg.PoolWait, cfg.StatementTimeout = 5*time.Minute, 5*time.Minute, 5*time.Minute
	return cfg
}

// stopped counts the servers of this process that have ended.
var stopped atomic.Int64

// Start starts a server, which is stopped when the test ends.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	if opts.Database == "" {
		opts.Database = SQLite(t)
	}
	cfg, serve := config(opts.Database, opts.Imagery), cli.ServeOptions{Demo: opts.Demo || opts.Full, Sparse: !opts.Full, Failures: opts.Failures, Batches: opts.Batches}
	cfg.DemoDir = Archive(t).Dir
	if opts.Full {
		dir, err := twoSeasons()
		require.NoError(t, err)
		cfg.DemoDir = dir
	}
	if opts.Imagery == "" {
		cfg.ImageryURL = cfg.DemoDir
	}
	cfg.ObjectsURL = ObjectsOf(t, opts.Database)
	if opts.Config != nil {
		opts.Config(&cfg)
	}
	if cfg.ImageryURL == Archive(t).Dir {
		source, err := imagery()
		require.NoError(t, err)
		serve.Imagery = source
	}
	if opts.Log == nil {
		opts.Log = io.Discard
	}
	ctx, cancel := context.WithCancel(context.Background())
	running, err := wire.Assemble(ctx, cfg, slog.New(slog.NewTextHandler(secrets.Observed(opts.Log), &slog.HandlerOptions{Level: slog.LevelDebug})), serve)
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	require.NoError(t, err)
	s := &Server{t: t, URL: "http://" + listener.Addr().String()}
	if opts.SendBuffer > 0 {
		listener = shallow{listener, opts.SendBuffer}
	}
	admin, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- running.Serve(ctx, wire.Listeners{Main: listener, Admin: admin}) }()
	var once sync.Once
	s.AdminURL, s.Operating, s.Setup, s.tokens = "http://"+admin.Addr().String(), running.Operating(), running.Setup(), running.Tokens()
	s.stop = func() {
		once.Do(func() {
			s.Observe("/metrics")
			if stopped.Add(1)%8 == 1 { // it shows the whole process, with the servers of all running tests
				s.Observe("/debug/pprof/goroutine?debug=2")
			}
			cancel()
			if err := <-done; err != nil {
				t.Errorf("the server ended with %v", err)
			}
			replayed(t, opts.Database)
		})
	}
	t.Cleanup(s.stop)
	return s
}

// Assemble puts a server together that does not serve: a simulation drives it. The files are in a folder.
func Assemble(t testing.TB, database, folder string, failures *cli.Failures) (*wire.Running, error) {
	t.Helper()
	cfg := config(database, Archive(t).Dir)
	cfg.ObjectsURL, cfg.WebhookAllowHTTP, cfg.WebhookAllowPrivate = "file:"+folder, true, true
	cfg.MaxPendingJobs = 60 // low enough to be counted for each job: a clock does not decide which calls are made
	source, err := imagery()
	require.NoError(t, err)
	return wire.Assemble(context.Background(), cfg, slog.New(slog.DiscardHandler), cli.ServeOptions{Imagery: source, Failures: failures, Batches: SmallBatches, Out: io.Discard})
}
