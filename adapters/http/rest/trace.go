package rest

import "context"

// Trace is what is known of a request outside of its handler, for the access log and
// the metrics: the server makes it, this package fills it in.
type Trace struct {
	RequestID string
	Route     string // the pattern of the route, such as /api/v1.2/farm/{id}/; empty where no route matched
	UserID    int64
	CompanyID int64
}

type traceKey struct{}

// WithTrace returns a context that carries the trace of its request.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

// TraceOf returns the trace of a request; an empty one where there is none.
func TraceOf(ctx context.Context) *Trace {
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		return t
	}
	return &Trace{}
}
