// Package rig starts the whole program for a test, on a free port and a database of
// the test's own, and speaks to it as a client does. It is for tests only.
package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/imagery/catalog"
	"tilth/adapters/imagery/synthetic"
	"tilth/app/operating"
	"tilth/core/credit"
	"tilth/ports"
	"tilth/tests/pgtest"
	"tilth/wire"
)

// Server is a running program.
type Server struct {
	t         testing.TB
	URL       string // without a slash at the end
	AdminURL  string // where operators find figures and profiles
	Operating *operating.Operating
	tokens    ports.Tokens
	stop      func()
}

// Options are what a test may choose.
type Options struct {
	Database string // default: a SQLite file of the test's own
	Imagery  string // default: the synthetic archive
	Demo     bool
	Log      io.Writer // default: nowhere
	Config   func(*cli.Config)
}

// prepared is a PostgreSQL database with everything a new installation has.
var prepared = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	opened, err := wire.Program{}.Open(ctx, config(dsn, ""), slog.New(slog.DiscardHandler), true)
	if err != nil {
		return err
	}
	return opened.Close()
})

// preparedSQLite is the same as a file, made once a process and copied for each test.
var preparedSQLite = sync.OnceValues(func() (file []byte, err error) {
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

// EachDatabase runs a test on both databases.
func EachDatabase(t *testing.T, test func(t *testing.T, database string)) {
	t.Run("sqlite", func(t *testing.T) { t.Parallel(); test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { t.Parallel(); test(t, PostgreSQL(t)) })
}

// Archive gives the synthetic archive, made once a process.
var archive = sync.OnceValues(func() (synthetic.Archive, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("tilth-test-archive-%d-%d", synthetic.Format, os.Getuid()))
	return synthetic.Make(context.Background(), dir, synthetic.Options{})
})

// Archive returns the synthetic archive, made once and shared by all tests of the machine.
func Archive(t testing.TB) synthetic.Archive {
	t.Helper()
	a, err := archive()
	require.NoError(t, err)
	return a
}

// imagery is the source of the synthetic archive, opened once a process: reading its two
// hundred documents takes longer than all else of a server's start.
var imagery = sync.OnceValues(func() (*catalog.Catalog, error) {
	made, err := archive()
	if err != nil {
		return nil, err
	}
	return catalog.Open(made.Dir)
})

// RealData returns a path below the folder of real data. Where there is none the test is
// skipped, loudly, or fails when TILTH_REQUIRE_REAL_DATA=1.
func RealData(t testing.TB, path ...string) string {
	t.Helper()
	root := os.Getenv("TILTH_REAL_DATA")
	if root == "" {
		_, here, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(here), "..", "..", "..", "shared", "data")
	}
	full := filepath.Join(append([]string{root}, path...)...)
	if _, err := os.Stat(full); err != nil {
		if os.Getenv("TILTH_REQUIRE_REAL_DATA") == "1" {
			t.Fatalf("TILTH_REQUIRE_REAL_DATA=1, and the real data is not there: %v", err)
		}
		t.Skipf("LEFT OUT: no real data at %s (set TILTH_REAL_DATA to its folder)", root)
	}
	return full
}

func config(database, imagery string) cli.Config {
	cfg, err := cli.ReadConfig(map[string]string{})
	if err != nil {
		panic(err)
	}
	cfg.Addr, cfg.DatabaseURL, cfg.ImageryURL = "127.0.0.1:0", database, imagery
	cfg.PasswordMemory = 1 // MiB: thousands of accounts are made in the tests
	cfg.RateLimit = 0      // a test sends as fast as the machine lets it
	cfg.ImageryCache = 0   // nothing of a test stays
	// A busy machine is no hung one.
	cfg.RequestTimeout, cfg.PoolWait, cfg.StatementTimeout = 5*time.Minute, 5*time.Minute, 5*time.Minute
	return cfg
}

// Start starts a server that ends with the test.
func Start(t testing.TB, opts Options) *Server {
	t.Helper()
	if opts.Database == "" {
		opts.Database = SQLite(t)
	}
	cfg, serve := config(opts.Database, opts.Imagery), cli.ServeOptions{Demo: opts.Demo}
	if opts.Imagery == "" {
		cfg.ImageryURL = Archive(t).Dir
	}
	cfg.DemoDir = Archive(t).Dir
	cfg.ObjectsURL = "file:" + t.TempDir()
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
	running, err := wire.Assemble(ctx, cfg, slog.New(slog.NewTextHandler(observed{opts.Log}, &slog.HandlerOptions{Level: slog.LevelDebug})), serve)
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	require.NoError(t, err)
	admin, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Addr)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- running.Serve(ctx, wire.Listeners{Main: listener, Admin: admin}) }()
	var once sync.Once
	s := &Server{t: t, URL: "http://" + listener.Addr().String(), AdminURL: "http://" + admin.Addr().String(), Operating: running.Operating(), tokens: running.Tokens()}
	s.stop = func() {
		once.Do(func() {
			s.Observe("/metrics")
			s.Observe("/debug/pprof/goroutine?debug=2")
			cancel()
			if err := <-done; err != nil {
				t.Errorf("the server ended with %v", err)
			}
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
	source, err := imagery()
	require.NoError(t, err)
	return wire.Assemble(context.Background(), cfg, slog.New(slog.DiscardHandler), cli.ServeOptions{Imagery: source, Failures: failures, Out: io.Discard})
}

// Observe reads what operators see at a path, to look for secrets in it.
func (s *Server) Observe(path string) {
	operator := http.Client{Timeout: time.Minute}
	if res, err := operator.Get(s.AdminURL + path); err == nil {
		_, _ = io.Copy(observed{io.Discard}, res.Body)
		_ = res.Body.Close()
	}
}

// Metrics returns the server's figures.
func (s *Server) Metrics() string {
	s.t.Helper()
	return string((&Client{server: &Server{t: s.t, URL: s.AdminURL}}).Expect(http.StatusOK, http.MethodGet, "/metrics", nil).Body)
}

// Stop ends the server as a signal would.
func (s *Server) Stop() { s.stop() }

// Tokens returns the server's own issuer of tokens.
func (s *Server) Tokens() ports.Tokens { return s.tokens }

// Company makes a company with a user in a role and credit, and gives the user's client.
func (s *Server) Company(role string, credits credit.Amount) *Client {
	s.t.Helper()
	ctx := context.Background()
	company, err := s.Operating.CreateCompany(ctx, fmt.Sprintf("Company %d", next()))
	require.NoError(s.t, err)
	if credits > 0 {
		_, err = s.Operating.CreditWallet(ctx, company.ID, credits, "test")
		require.NoError(s.t, err)
	}
	return s.User(company.ID, role)
}

var (
	counterMu sync.Mutex
	counter   int
)

func next() int {
	counterMu.Lock()
	defer counterMu.Unlock()
	counter++
	return counter
}

// User makes another user of a company and gives its client.
func (s *Server) User(companyID int64, role string) *Client {
	s.t.Helper()
	ctx := context.Background()
	email := fmt.Sprintf("user%d@test.example", next())
	_, err := s.Operating.CreateUser(ctx, operating.NewUser{CompanyID: companyID, Email: email, Role: role})
	require.NoError(s.t, err)
	token, err := s.Operating.CreateToken(ctx, email, time.Hour)
	require.NoError(s.t, err)
	Secret(token) // which also goes over raw connections
	return &Client{server: s, Token: token, CompanyID: companyID, Email: email}
}

// Anonymous is a client without a token.
func (s *Server) Anonymous() *Client { return &Client{server: s} }

// Client speaks to a server as one user.
type Client struct {
	server    *Server
	Token     string
	CompanyID int64
	Email     string
}

// Answer is a response, read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request below /api/v1.2/ (or to an absolute path) and reads the answer.
// body is nil, a string sent as it is, or a value sent as JSON.
func (c *Client) Do(method, path string, body any) Answer {
	c.server.t.Helper()
	if !strings.HasPrefix(path, "/") {
		path = "/api/v1.2/" + path
	}
	var sent []byte
	switch b := body.(type) {
	case nil:
	case string:
		sent = []byte(b)
	case []byte:
		sent = b
	default:
		var err error
		sent, err = json.Marshal(body)
		require.NoError(c.server.t, err)
	}
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(sent)
	}
	req, err := http.NewRequestWithContext(context.Background(), method, c.server.URL+path, reader)
	require.NoError(c.server.t, err)
	if reader != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	// Half of the tests send a key with every POST: it changes no answer.
	if method == http.MethodPost && crc32.ChecksumIEEE([]byte(c.server.t.Name()))%2 == 0 {
		req.Header.Set("Idempotency-Key", fmt.Sprint("rig-", next()))
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	require.NoError(c.server.t, err)
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	require.NoError(c.server.t, err)
	answer := Answer{res.StatusCode, res.Header, raw}
	if _, timed := c.server.t.(*testing.B); !timed {
		tellsTruth(c.server.t, method, path, answer)
	}
	return answer
}

// Map returns the body as an object.
func (a Answer) Map(t testing.TB) map[string]any {
	t.Helper()
	var out map[string]any
	require.NoError(t, json.Unmarshal(a.Body, &out), "%s", a.Body)
	return out
}

// Data returns the data of a success envelope as an object.
func (a Answer) Data(t testing.TB) map[string]any {
	t.Helper()
	m := a.Map(t)
	require.Equal(t, "success", m["status"], "%s", a.Body)
	out, ok := m["data"].(map[string]any)
	require.True(t, ok, "%s", a.Body)
	return out
}

// Into reads the data of a success envelope.
func (a Answer) Into(t testing.TB, out any) {
	t.Helper()
	var envelope struct {
		Status string          `json:"status"`
		Data   json.RawMessage `json:"data"`
	}
	require.NoError(t, json.Unmarshal(a.Body, &envelope), "%s", a.Body)
	require.Equal(t, "success", envelope.Status, "%s", a.Body)
	require.NoError(t, json.Unmarshal(envelope.Data, out), "%s", a.Body)
}

// Expect sends a request and requires a status.
func (c *Client) Expect(status int, method, path string, body any) Answer {
	c.server.t.Helper()
	a := c.Do(method, path, body)
	require.Equal(c.server.t, status, a.Status, "%s %s: %s", method, path, a.Body)
	return a
}

// Insist sends a request again as long as the server is too busy for it (503), which is what
// clients are asked to do.
func (c *Client) Insist(method, path string, body any) Answer {
	c.server.t.Helper()
	for {
		if a := c.Do(method, path, body); a.Status != http.StatusServiceUnavailable {
			return a
		}
	}
}

// Make creates a record and gives its id.
func (c *Client) Make(path string, body any) int64 {
	c.server.t.Helper()
	return int64(c.Expect(200, http.MethodPost, path, body).Data(c.server.t)["id"].(float64))
}

// Remote is a client of a server that was started elsewhere.
func Remote(t testing.TB, url, token string) *Client {
	return &Client{server: &Server{t: t, URL: url}, Token: token}
}
