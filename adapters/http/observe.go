package http

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"tilth/adapters/http/body"
	"tilth/adapters/http/credential"
	"tilth/adapters/http/limit"
	"tilth/adapters/http/origin"
	"tilth/adapters/http/rest"
	"tilth/ports"
)

// meters are the server's metrics. Labels are our own patterns and methods, never what a caller
// wrote, so that their number is bounded.
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

// observe counts, times and logs every request, including those that panic.
func (s *Server) observe(m *meters, origins origin.Rules, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &response{ResponseWriter: w}
		start := s.deps.Now()
		m.inFlight.Inc()
		r, ended := s.follow(r)
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
			ended(ports.Ending{Name: route, Status: out.status, CompanyID: trace.CompanyID})
			level := slog.LevelInfo
			if probes[route] {
				level = slog.LevelDebug
			}
			if !s.deps.Logger.Enabled(r.Context(), level) {
				return
			}
			s.deps.Logger.Log(r.Context(), level, "request",
				slog.String("request_id", trace.RequestID), s.traceOf(r), slog.String("method", method),
				slog.String("path", s.loggedPath(r, trace)), slog.String("query", s.loggedQuery(r.URL.RawQuery)),
				slog.String("route", route), slog.Int("status", out.status), slog.Int64("bytes", out.bytes),
				slog.Float64("seconds", took.Seconds()), slog.String("client", origins.Client(r).String()),
				slog.Int64("user", trace.UserID), slog.Int64("company", trace.CompanyID))
		}()
		next.ServeHTTP(out, r)
	})
}

// follow has the observer follow a request, if there is an observer and the request is not a probe.
func (s *Server) follow(r *http.Request) (*http.Request, func(ports.Ending)) {
	if s.deps.Observer == nil || probes[r.URL.Path] {
		return r, func(ports.Ending) {}
	}
	method := r.Method
	if !methodLabels[method] {
		method = "other"
	}
	ctx, ended := s.deps.Observer.Begin(r.Context(), ports.Activity{Kind: ports.ActRequest, Name: method, Caller: r.Header.Get})
	return r.WithContext(ctx), ended
}

// traceOf returns the trace of a request for the log; the empty attribute, which is left out, where there is none.
func (s *Server) traceOf(r *http.Request) slog.Attr {
	if s.deps.Observer == nil {
		return slog.Attr{}
	}
	return slog.String("trace_id", s.deps.Observer.Trace(r.Context()))
}

// Of an address the log shows only words of the interface itself, numbers, dates and UUIDs.
// Anything else may be a secret that was put into the wrong place.
var plainValue = regexp.MustCompile(`^(\d{1,19}|\d{4}-\d{2}-\d{2}|true|false|all)$`)

// loggedPath returns the path for the log. For a page outside the interface it is the route.
func (s *Server) loggedPath(r *http.Request, trace *rest.Trace) string {
	if !s.api.Covers(r.URL.Path) && trace.Route != "" {
		return trace.Route
	}
	segments := strings.Split(r.URL.Path, "/")
	for i, segment := range segments {
		if segment != "" && !s.api.HasWord(segment) && !plainValue.MatchString(segment) && !body.IsUUID(segment) {
			segments[i] = credential.Hidden
		}
	}
	return strings.Join(segments, "/")
}

// loggedQuery returns the query string for the log: the parameters that a route declares, with the
// values that cannot be secrets.
func (s *Server) loggedQuery(raw string) string {
	given, err := url.ParseQuery(raw)
	if err != nil {
		return "(malformed)"
	}
	shown := make([]string, 0, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		for _, value := range given[name] {
			if !s.api.HasParam(name) {
				name = credential.Hidden
			}
			if !s.api.HasParam(name) || !plainValue.MatchString(value) {
				value = credential.Hidden
			}
			shown = append(shown, name+"="+value)
		}
	}
	return strings.Join(shown, "&")
}
