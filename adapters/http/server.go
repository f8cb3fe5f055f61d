package http

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/adapters/http/limit"
	"tilth/adapters/http/origin"
	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/ports"
)

// DefaultBase is the service root.
const DefaultBase = "/api/v1.2/"

// Time limits, and two others. A whole answer has no time limit: long lists and event streams take
// as long as their readers, as long as these take something.
const (
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	bodyTimeout   = time.Minute // for a whole body; between two reads of a file
	readyTimeout  = 2 * time.Second
	stallTimeout  = 30 * time.Second
	maxHeader     = 64 << 10
	maxStreams    = 100 // concurrent requests on one connection over HTTP/2
)

// Config is how the server behaves; the zero value is usable.
type Config struct {
	// Interface has the name and the bounds of the interface. The server adds the checks of
	// credentials, the addresses of links and the log. Its base is DefaultBase unless set.
	Interface       rest.Config
	Hosts           []string       // names that links may lead to; none: that of the request
	PublicURL       string         // address that links are built from; default: the request's own
	TrustedProxies  []netip.Prefix // whose forwarded headers are trusted
	CORSOrigins     []string       // whose pages may call the interface from a browser; none by default
	Rates           limit.Rates    // how often callers may ask
	ShutdownTimeout time.Duration  // how long requests may go on after the stop signal; default 20 s
	StallTimeout    time.Duration  // how long a reader may take nothing of an answer; default 30 s
	TLS             *tls.Config    // certificates; nil: plain HTTP
	Build           string         // version of the program, for the front page and /healthz
}

// Deps is what the server needs from the rest of the program. All but AuthenticateKey, Enter,
// Ready, Register, Metrics and Observer are required.
type Deps struct {
	// Who may call what, as in [rest.Config].
	Authenticate        func(ctx context.Context, bearer string) (access.Principal, error)
	AuthenticateKey     func(ctx context.Context, key string) (access.Principal, error)
	AuthenticateSession func(ctx context.Context, secret string) (access.Principal, error)
	AuthenticateLink    func(ctx context.Context, link, path string) (access.Principal, error)
	Enter               func(ctx context.Context, who access.Principal, companyID int64) (access.Principal, error)
	Authorize           func(ctx context.Context, who access.Principal, need access.Permission) (context.Context, error)

	// Ready are the parts without which no request can be answered, by name, each with a quick
	// check of whether it is available. The checks run at the same time.
	Ready map[string]func(ctx context.Context) error
	// Helps are, likewise, the parts that are useful but that requests do not need; nil: none.
	Helps map[string]func(ctx context.Context) error
	// Register adds the routes.
	Register func(*rest.API)
	// Pages answer paths outside the interface and the server's own pages: the first that has a route answers.
	Pages []Pages

	// Rates is the table in which the servers of one database share how often callers ask; Replica
	// is the name of this one. nil: the server is alone.
	Rates   ports.RateTable
	Replica string

	Logger       *slog.Logger
	Now          func() time.Time
	NewRequestID func() string
	Metrics      *prometheus.Registry // takes the server's metrics, and is served
	Observer     ports.Observer       // follows requests and use cases; nil: nobody does
}

// Pages answer the paths that have a route. The route is the name in metrics and in the log.
type Pages interface {
	http.Handler
	Route(path string) string // empty: nothing is there
}

// Server answers HTTP requests.
type Server struct {
	config   Config
	deps     Deps
	api      *rest.API
	limiter  *limit.Limiter
	handler  http.Handler
	draining atomic.Bool
}

// New makes a server. It fails on a configuration that cannot work, and panics on routes
// that cannot: those are mistakes in the program.
func New(config Config, deps Deps) (*Server, error) {
	config.Interface.Base = cmp.Or(config.Interface.Base, DefaultBase)
	config.ShutdownTimeout = cmp.Or(config.ShutdownTimeout, 20*time.Second)
	config.StallTimeout = cmp.Or(config.StallTimeout, stallTimeout)
	if deps.Authenticate == nil || deps.Authorize == nil || deps.Logger == nil || deps.Now == nil || deps.NewRequestID == nil {
		return nil, errors.New("the HTTP server lacks a dependency")
	}
	origins, err := originsOf(config)
	if err != nil {
		return nil, err
	}
	s := &Server{config: config, deps: deps, limiter: limit.New(config.Rates, deps.Now)}
	below := config.Interface
	below.BodyTimeout, below.Origins, below.Logger = bodyTimeout, origins, deps.Logger
	below.Authenticate, below.AuthenticateKey, below.Enter, below.Authorize = deps.Authenticate, deps.AuthenticateKey, deps.Enter, deps.Authorize
	below.AuthenticateSession = deps.AuthenticateSession
	below.AuthenticateLink = deps.AuthenticateLink
	below.Verified, below.Observer = s.verified, deps.Observer
	s.api = rest.New(below)
	if deps.Register != nil {
		deps.Register(s.api)
	}
	site, err := s.site()
	if err != nil {
		return nil, err
	}
	m, err := newMeters(deps.Metrics, s.limiter)
	if err != nil {
		return nil, err
	}
	dispatch := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.api.Covers(r.URL.Path) {
			s.api.ServeHTTP(w, r)
			return
		}
		site.ServeHTTP(w, r)
	})
	answer, err := compress(s.recover(s.share(config.CORSOrigins, s.limit(origins, dispatch))))
	if err != nil {
		return nil, fmt.Errorf("prepare compression: %w", err)
	}
	s.handler = s.pace(s.identify(s.observe(m, origins, s.protect(answer))))
	return s, nil
}

func originsOf(config Config) (origin.Rules, error) {
	origins := origin.Rules{Trusted: config.TrustedProxies, Hosts: config.Hosts}
	if config.PublicURL == "" {
		return origins, nil
	}
	public, err := url.Parse(config.PublicURL)
	if err != nil || public.Host == "" || public.Scheme != "http" && public.Scheme != "https" {
		return origins, fmt.Errorf("the public URL %q is not an http or https address", config.PublicURL)
	}
	origins.Public = &url.URL{Scheme: public.Scheme, Host: public.Host, Path: public.Path}
	return origins, nil
}

// Handler answers every request.
func (s *Server) Handler() http.Handler { return s.handler }

func (s *Server) serve(server *http.Server, listener net.Listener) error {
	if s.config.TLS == nil {
		return server.Serve(listener)
	}
	// Over HTTP/2 the deadline of an answer is that of its stream. A connection whose peer takes no
	// byte of any stream, or is gone, ends as a whole.
	server.TLSConfig = s.config.TLS
	server.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: maxStreams, WriteByteTimeout: s.config.StallTimeout, SendPingTimeout: idleTimeout}
	return server.ServeTLS(listener, "", "")
}

// Serve answers the requests of a listener until ctx ends. It then accepts no more, lets those
// under way finish within the configured time, and returns an error if some did not.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	// Requests outlive the signal to stop, but not the end of the grace period. Event streams,
	// which never end by themselves, end at the signal.
	requests, cut := context.WithCancel(rest.WithStop(context.WithoutCancel(ctx), ctx.Done()))
	defer cut()
	server := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    slog.NewLogLogger(s.deps.Logger.Handler(), slog.LevelWarn),
	}
	failed := make(chan error, 1)
	go func() { failed <- s.serve(server, listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	s.draining.Store(true)
	grace, done := context.WithTimeout(requests, s.config.ShutdownTimeout)
	defer done()
	err := server.Shutdown(grace)
	if err != nil {
		// Connections first, so that no caller takes the answer of a request that was cut off for its outcome.
		err = fmt.Errorf("requests were cut off after %s: %w", s.config.ShutdownTimeout, errors.Join(err, server.Close()))
		cut()
	}
	if ended := <-failed; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}
