package telemetry

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"tilth/core/fault"
	"tilth/ports"
)

// spans makes spans of activities. They hold what an activity states, in the program's own words, and the codes of
// faults, never their messages.
type spans struct{ tracer trace.Tracer }

func newSpans(tracer trace.Tracer) *spans { return &spans{tracer} }

// kinds are the kinds of spans, where they are not internal.
var kinds = map[ports.ActivityKind]trace.SpanKind{
	ports.ActRequest: trace.SpanKindServer, ports.ActJob: trace.SpanKindConsumer,
	ports.ActStatement: trace.SpanKindClient, ports.ActImagery: trace.SpanKindClient, ports.ActHook: trace.SpanKindClient,
}

// within are the activities that have a span only as a part of another: the loops in the background that look for
// work are followed by nobody.
var within = map[ports.ActivityKind]bool{ports.ActStatement: true, ports.ActImagery: true, ports.ActHook: true}

// begin begins a span. The function is nil where there is none.
func (s *spans) begin(ctx context.Context, a ports.Activity) (context.Context, func(ports.Ending)) {
	if within[a.Kind] && !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, nil
	}
	if a.Caller != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, parentOnly(a.Caller))
	}
	name, text := a.Name, ""
	if a.Statement != nil {
		name, text = a.Statement()
	}
	ctx, span := s.tracer.Start(ctx, name, trace.WithSpanKind(kinds[a.Kind]))
	if span.IsRecording() {
		span.SetAttributes(attributes(a, text)...)
	}
	return ctx, func(e ports.Ending) { end(span, a, e) }
}

// attributes returns what an activity is, in the words of the semantic conventions of OpenTelemetry where they have some.
func attributes(a ports.Activity, statement string) []attribute.KeyValue {
	switch a.Kind {
	case ports.ActRequest:
		return []attribute.KeyValue{attribute.String("http.request.method", a.Name)}
	case ports.ActUseCase:
		return []attribute.KeyValue{attribute.String("tilth.operation", a.Name)}
	case ports.ActJob:
		return []attribute.KeyValue{attribute.String("tilth.job.kind", a.Name), attribute.Int64("tilth.job.id", a.ID)}
	case ports.ActStatement:
		return []attribute.KeyValue{attribute.String("db.query.text", statement)}
	case ports.ActImagery:
		return []attribute.KeyValue{attribute.String("tilth.imagery.operation", a.Name)}
	}
	return nil
}

func end(span trace.Span, a ports.Activity, e ports.Ending) {
	defer span.End()
	if !span.IsRecording() {
		return
	}
	if e.Status != 0 {
		span.SetAttributes(attribute.Int("http.response.status_code", e.Status))
	}
	if a.Kind == ports.ActRequest {
		span.SetName(a.Name + " " + e.Name)
		span.SetAttributes(attribute.String("http.route", e.Name))
		if e.CompanyID != 0 {
			span.SetAttributes(attribute.Int64("tilth.company", e.CompanyID))
		}
		if e.Status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
	}
	if e.Traffic != nil {
		span.SetAttributes(attribute.Int64("tilth.imagery.requests", e.Traffic.Requests.Load()), attribute.Int64("tilth.imagery.bytes", e.Traffic.Bytes.Load()))
	}
	if e.Err != nil {
		span.SetStatus(codes.Error, codeOf(e.Err))
		span.SetAttributes(attribute.String("error.type", codeOf(e.Err)))
	}
}

// codeOf returns what may be shown of an error: the code of a fault, since the message of any other may quote a value.
func codeOf(err error) string {
	known, ok := fault.As(err)
	switch {
	case ok:
		return known.Code
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "error"
}

// parentOnly returns the header that names the trace of a caller. Anything else that a caller says about its trace
// (tracestate) is arbitrary text, and would go to the collector as it is.
type parentOnly func(header string) string

// Get implements propagation.TextMapCarrier.
func (p parentOnly) Get(key string) string {
	if strings.EqualFold(key, "traceparent") {
		return p(key)
	}
	return ""
}

// Set implements propagation.TextMapCarrier.
func (parentOnly) Set(string, string) {}

// Keys implements propagation.TextMapCarrier.
func (parentOnly) Keys() []string { return []string{"traceparent"} }

// traceOf returns the trace of a context.
func traceOf(ctx context.Context) string {
	if of := trace.SpanContextFromContext(ctx); of.IsSampled() {
		return of.TraceID().String()
	}
	return ""
}
