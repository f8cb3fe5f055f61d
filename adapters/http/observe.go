package http

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/adapters/http/limit"
	"tilth/adapters/http/rest"
)

// meters are the server's metrics. Labels are patterns and methods of ours, never what a
// caller wrote: their number is bounded.
type meters struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	inFlight  prometheus.Gauge
}

func newMeters(registry *prometheus.Registry, limiter *limit.Limiter) (*meters, error) {
	m := &meters{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "tilth_http_requests_total", Help: "Requests answered.",
		}, []string{"method", "route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tilth_http_request_duration_seconds", Help: "Time from the header of a request to the end of its answer.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"method", "route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tilth_http_requests_in_flight", Help: "Requests being answered now.",
		}),
	}
	if registry == nil {
		return m, nil
	}
	replicas := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "tilth_replicas", Help: "Servers of this database, this one included, as the rate limits count them.",
	}, func() float64 { return float64(limiter.Replicas()) })
	return m, errors.Join(registry.Register(m.requests), registry.Register(m.durations), registry.Register(m.inFlight), registry.Register(replicas))
}

var methodLabels = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true,
	http.MethodPatch: true, http.MethodDelete: true, http.MethodOptions: true,
}

// observe counts, times and logs every request, also one that panics.
func (s *Server) observe(m *meters, origins rest.Origins, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &response{ResponseWriter: w}
		start := s.deps.Now()
		m.inFlight.Inc()
		defer func() {
			m.inFlight.Dec()
			took := s.deps.Now().Sub(start)
			trace := rest.TraceOf(r.Context())
			method, route := r.Method, trace.Route
			if !methodLabels[method] {
				method = "other"
			}
			if route == "" {
				route = "unmatched"
			}
			m.requests.WithLabelValues(method, route, strconv.Itoa(out.status)).Inc()
			m.durations.WithLabelValues(method, route).Observe(took.Seconds())
			level := slog.LevelInfo
			if probes[route] {
				level = slog.LevelDebug
			}
			s.deps.Logger.Log(r.Context(), level, "request",
				slog.String("request_id", trace.RequestID), slog.String("method", method),
				slog.String("path", s.loggedPath(r, trace)), slog.String("query", loggedQuery(r.URL.RawQuery)),
				slog.String("route", route), slog.Int("status", out.status), slog.Int64("bytes", out.bytes),
				slog.Float64("seconds", took.Seconds()), slog.String("client", origins.Client(r).String()),
				slog.Int64("user", trace.UserID), slog.Int64("company", trace.CompanyID))
		}()
		next.ServeHTTP(out, r)
	})
}

// loggedPath returns the path for the log. Paths below auth/ may hold one-time tokens, so
// of them the pattern is logged.
func (s *Server) loggedPath(r *http.Request, trace *rest.Trace) string {
	if strings.HasPrefix(trace.Route, s.api.Base()+"auth/") {
		return trace.Route
	}
	return r.URL.EscapedPath()
}

// secretParams are query parameters whose values are not logged.
var secretParams = []string{"api_key", "token", "access", "access_token", "refresh", "refresh_token", "password", "secret", "code"}

// loggedQuery returns the query string for the log, without secrets.
func loggedQuery(raw string) string {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return "(malformed)"
	}
	for name := range values {
		if slices.ContainsFunc(secretParams, func(secret string) bool { return strings.EqualFold(name, secret) }) {
			values[name] = []string{"hidden"}
		}
	}
	return values.Encode()
}
