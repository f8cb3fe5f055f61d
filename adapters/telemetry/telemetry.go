// Package telemetry is what operators see of the running program: figures in Prometheus's form, and spans and the
// same figures over OTLP/HTTP where a collector is named. It knows no rule of the product.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"tilth/ports"
)

// sendWithin bounds one try to reach the collector.
const sendWithin = 5 * time.Second

// Options are what the telemetry of a process depends on.
type Options struct {
	// Endpoint is the address of a collector of OTLP/HTTP, without the path of a signal; empty: there is none. The
	// other variables of the OpenTelemetry specification are read from the environment.
	Endpoint string
	Version  string // of the program
	Replica  string // of the process: a UUID
	Log      *slog.Logger
	Registry *prometheus.Registry // takes the figures; required
}

// Telemetry follows one process.
type Telemetry struct {
	figures *figures
	backlog *backlog // nil until [Telemetry.Watch]
	stop    []func(context.Context) error
}

// Open makes the figures and, where a collector is named, what sends to it. It sends nothing itself: a
// missing collector does not prevent the start.
func Open(o Options) (*Telemetry, error) {
	t := &Telemetry{figures: newFigures(o.Version)}
	if err := t.figures.register(o.Registry); err != nil {
		return nil, fmt.Errorf("register the figures: %w", err)
	}
	if o.Endpoint == "" {
		return t, nil
	}
	if err := t.export(o); err != nil {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	return t, nil
}

// protocolVariables name the protocol; any other than OTLP/HTTP with protobuf is refused.
var protocolVariables = []string{"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"}

// export sends spans and figures to the collector.
func (t *Telemetry) export(o Options) error {
	for _, name := range protocolVariables {
		if value := os.Getenv(name); value != "" && value != "http/protobuf" {
			return fmt.Errorf("%s is %q, and only http/protobuf is supported. Fix: leave it out, and name the HTTP port of the collector, usually 4318", name, value)
		}
	}
	base, err := url.Parse(o.Endpoint)
	if err != nil {
		return errors.New("it is not an address") // the error would quote it, with a password in it
	}
	about, err := about(o)
	if err != nil {
		return err
	}
	link := &link{log: o.Log, to: base.Host}
	ctx := context.Background() // the exporters connect when they send
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(signal(base, "TRACES", "v1/traces")), otlptracehttp.WithTimeout(sendWithin),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	if err != nil {
		return err
	}
	// A full queue drops spans: nobody waits for the collector.
	traces := trace.NewTracerProvider(trace.WithResource(about), trace.WithBatcher(&spanLink{spans, link}, trace.WithExportTimeout(sendWithin)))
	metrics, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(signal(base, "METRICS", "v1/metrics")), otlpmetrichttp.WithTimeout(sendWithin),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{}))
	if err != nil {
		return errors.Join(err, traces.Shutdown(ctx))
	}
	reader := metric.NewPeriodicReader(&metricLink{metrics, link}, metric.WithTimeout(sendWithin),
		metric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(o.Registry))))
	meters := metric.NewMeterProvider(metric.WithResource(about), metric.WithReader(reader))
	t.figures.spans = newSpans(traces.Tracer("tilth"))
	t.stop = []func(context.Context) error{traces.Shutdown, meters.Shutdown}
	return nil
}

// signal returns the address that a signal is sent to: its own variable, or a path below the endpoint (OpenTelemetry
// Protocol Exporter, "Endpoint URLs for OTLP/HTTP").
func signal(base *url.URL, name, path string) string {
	if own := os.Getenv("OTEL_EXPORTER_OTLP_" + name + "_ENDPOINT"); own != "" {
		return own
	}
	return strings.TrimSuffix(base.String(), "/") + "/" + path
}

// about describes the process to the collector. What the environment says about it (OTEL_SERVICE_NAME,
// OTEL_RESOURCE_ATTRIBUTES) takes precedence.
func about(o Options) (*resource.Resource, error) {
	return resource.New(context.Background(), resource.WithAttributes(
		attribute.String("service.name", "tilth"), attribute.String("service.version", o.Version), attribute.String("service.instance.id", o.Replica),
	), resource.WithTelemetrySDK(), resource.WithFromEnv())
}

// Observer returns the observer of jobs, imagery and posts; it is never nil.
func (t *Telemetry) Observer() ports.Observer { return t.figures }

// Tracer returns the observer of requests, use cases and statements; nil where no spans are collected, so that
// they cost nothing.
func (t *Telemetry) Tracer() ports.Observer {
	if t.figures.spans == nil {
		return nil
	}
	return t.figures
}

// Close sends what was not sent yet, until the context ends.
func (t *Telemetry) Close(ctx context.Context) error {
	var all sync.WaitGroup
	errs := make([]error, len(t.stop))
	for i, stop := range t.stop {
		all.Go(func() { errs[i] = stop(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// link is the way to the collector. A collector that is unreachable is logged once, and once more when it is back.
type link struct {
	log  *slog.Logger
	to   string // its host
	away atomic.Bool
}

// sent hides the error of a send from the library, which would write a line for each.
func (l *link) sent(ctx context.Context, what string, err error) error {
	switch {
	case err == nil && l.away.CompareAndSwap(true, false):
		l.log.InfoContext(ctx, "the OpenTelemetry collector answers again", "collector", l.to)
	case err != nil && l.away.CompareAndSwap(false, true):
		l.log.WarnContext(ctx, "the OpenTelemetry collector accepts nothing; what it misses is dropped", "collector", l.to, "signal", what, "error", err)
	}
	return nil
}

// spanLink sends spans.
type spanLink struct {
	trace.SpanExporter
	link *link
}

// ExportSpans implements trace.SpanExporter.
func (s *spanLink) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	return s.link.sent(ctx, "spans", s.SpanExporter.ExportSpans(ctx, spans))
}

// metricLink sends figures.
type metricLink struct {
	metric.Exporter
	link *link
}

// Export implements metric.Exporter.
func (m *metricLink) Export(ctx context.Context, all *metricdata.ResourceMetrics) error {
	return m.link.sent(ctx, "figures", m.Exporter.Export(ctx, all))
}
