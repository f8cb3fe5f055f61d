// Package collector is an OpenTelemetry collector for tests: it receives spans and metrics over OTLP/HTTP and keeps them.
package collector

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector keeps what it receives. It is safe for concurrent use.
type Collector struct {
	URL string

	mu      sync.Mutex
	spans   []*trace.Span
	figures map[string]bool
	raw     []byte
	errs    []error
	server  *httptest.Server
}

// Start starts a collector, which is closed when the test ends.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{figures: map[string]bool{}}
	c.server = httptest.NewServer(c)
	t.Cleanup(func() {
		c.Close()
		for _, err := range c.errs {
			t.Errorf("the collector was sent what it cannot read: %v", err)
		}
	})
	c.URL = c.server.URL
	return c
}

// Close ends the collector.
func (c *Collector) Close() { c.server.Close() }

// ServeHTTP takes one message.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		err = c.take(r.URL.Path, body)
	}
	if err != nil {
		c.errs = append(c.errs, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *Collector) take(path string, body []byte) error {
	c.raw = append(c.raw, body...)
	if path == "/v1/metrics" {
		var in metrics.ExportMetricsServiceRequest
		if err := proto.Unmarshal(body, &in); err != nil {
			return err
		}
		for _, resource := range in.ResourceMetrics {
			for _, scope := range resource.ScopeMetrics {
				for _, one := range scope.Metrics {
					c.figures[one.Name] = true
				}
			}
		}
		return nil
	}
	var in traces.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &in); err != nil {
		return err
	}
	for _, resource := range in.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	return nil
}

// Spans returns the spans that were sent, ordered by their start.
func (c *Collector) Spans() Spans {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := slices.Clone(c.spans)
	slices.SortStableFunc(out, func(a, b *trace.Span) int { return int(int64(a.StartTimeUnixNano) - int64(b.StartTimeUnixNano)) })
	return out
}

// HasFigure reports whether a metric with that name was sent.
func (c *Collector) HasFigure(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.figures[name]
}

// Raw returns the bytes of all messages.
func (c *Collector) Raw() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.raw)
}

// Spans are spans of any number of traces.
type Spans []*trace.Span

// Named returns the spans with that name.
func (s Spans) Named(name string) Spans {
	return s.where(func(one *trace.Span) bool { return one.Name == name })
}

// Below returns the descendants of a span, at any depth.
func (s Spans) Below(top *trace.Span) Spans {
	parents := map[string]string{}
	for _, one := range s {
		parents[string(one.SpanId)] = string(one.ParentSpanId)
	}
	return s.where(func(one *trace.Span) bool {
		for at := string(one.ParentSpanId); at != ""; at = parents[at] {
			if at == string(top.SpanId) {
				return true
			}
		}
		return false
	})
}

func (s Spans) where(holds func(*trace.Span) bool) (out Spans) {
	for _, one := range s {
		if holds(one) {
			out = append(out, one)
		}
	}
	return out
}

// Attribute returns an attribute of a span as text or as a number, or nil if the span does not have it.
func Attribute(of *trace.Span, key string) any {
	for _, one := range of.Attributes {
		if one.Key == key {
			switch {
			case one.Value.GetStringValue() != "":
				return one.Value.GetStringValue()
			default:
				return one.Value.GetIntValue()
			}
		}
	}
	return nil
}
