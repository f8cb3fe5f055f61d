package http

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Admin returns the handler of what only operators may see, without a credential: /metrics, profiles of the process below /debug/pprof/,
// and the probes, for processes without an interface. It is served on an address of its own.
func (s *Server) Admin() http.Handler {
	mux := http.NewServeMux()
	if s.deps.Metrics != nil {
		mux.Handle("GET /metrics", promhttp.HandlerFor(s.deps.Metrics, promhttp.HandlerOpts{}))
	}
	mux.HandleFunc("GET "+pathHealth, s.healthy)
	mux.HandleFunc("GET "+pathReady, s.ready)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// ServeAdmin answers the operators' requests of a listener until ctx ends.
func (s *Server) ServeAdmin(ctx context.Context, listener net.Listener) error {
	return s.serveBeside(ctx, listener, &http.Server{Handler: s.Admin()})
}

// ServePlain answers the requests of a listener without TLS until ctx ends. The handler's answers are short.
func (s *Server) ServePlain(ctx context.Context, listener net.Listener, handler http.Handler) error {
	return s.serveBeside(ctx, listener, &http.Server{Handler: handler, ReadTimeout: bodyTimeout, WriteTimeout: bodyTimeout})
}

func (s *Server) serveBeside(ctx context.Context, listener net.Listener, server *http.Server) error {
	server.ReadHeaderTimeout, server.IdleTimeout, server.MaxHeaderBytes = headerTimeout, idleTimeout, maxHeader
	server.ErrorLog = slog.NewLogLogger(s.deps.Logger.Handler(), slog.LevelWarn)
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
