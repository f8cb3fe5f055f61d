package http

import (
	"context"
	"math"
	"net/http"
	"time"

	"tilth/adapters/http/credential"
	"tilth/adapters/http/limit"
	"tilth/adapters/http/origin"
	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/core/fault"
)

// admittedKey is the key of a request that was let in.
type admittedKey struct{}

// admitted is what the limiter knows of a request, and the head of its answer.
type admitted struct {
	*limit.Request
	header http.Header // nil once it says whose the request is: the caller of a stream is checked again after its head was sent
}

// showQuotas says in the answer what is left of the limits that the request counted for.
func (a *admitted) showQuotas() {
	if a.header == nil {
		return
	}
	quotas := a.Quotas()
	for name, value := range map[string]string{rest.RateLimitPolicy: quotas.Policy, rest.RateLimit: quotas.Left} {
		if value == "" {
			a.header.Del(name)
		} else {
			a.header.Set(name, value)
		}
	}
}

// limit refuses callers of the interface who ask too often.
func (s *Server) limit(origins origin.Rules, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.api.Covers(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		signsIn := s.api.Door(r)
		request, wait := s.limiter.Admit(origins.Client(r), credential.Of(r), signsIn)
		known := &admitted{request, w.Header()}
		known.showQuotas()
		if !signsIn { // wrong passwords are slowed down by their account
			w = &reluctant{w, s.limiter, request, r.Context()}
		}
		if wait > 0 {
			s.api.WriteError(w, r, tooOften(wait))
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), admittedKey{}, known)))
	})
}

// verified counts a request for its caller, or forgets the credential of one who has none.
func (s *Server) verified(ctx context.Context, who access.Principal, err error) error {
	request, ok := ctx.Value(admittedKey{}).(*admitted)
	if !ok {
		return err
	}
	defer func() {
		request.showQuotas()
		request.header = nil
	}()
	if err != nil {
		if fault.Is(err, fault.Unauthenticated) {
			s.limiter.Refused(request.Request)
		}
		return err
	}
	if wait := s.limiter.Verified(request.Request, who); wait > 0 {
		return tooOften(wait)
	}
	return nil
}

// reluctant holds back what refuses a caller who is not known.
type reluctant struct {
	http.ResponseWriter
	limiter *limit.Limiter
	request *limit.Request
	ctx     context.Context
}

// Unwrap is for http.ResponseController.
func (w *reluctant) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (w *reluctant) WriteHeader(status int) {
	if status >= http.StatusBadRequest && status < http.StatusInternalServerError && !w.request.Known() {
		if wait := w.limiter.Reluctance(w.request); wait > 0 {
			select {
			case <-time.After(wait):
			case <-w.ctx.Done():
			}
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func tooOften(wait time.Duration) error {
	return fault.New(fault.Limit, "rate_limited", "Too many requests; slow down.").With("retry_after", int(math.Ceil(wait.Seconds())))
}

// RatesAsked has a value when another round of [Server.ShareRates] is worth it.
func (s *Server) RatesAsked() <-chan struct{} { return s.limiter.Asked() }

// ShareRates is one round of exchange of how often callers ask with the other servers of the
// database, about once a second while callers ask, and otherwise every five. It returns how many callers were exchanged.
func (s *Server) ShareRates(ctx context.Context) (int, error) {
	if s.deps.Rates == nil {
		return 0, nil
	}
	return s.limiter.Share(ctx, s.deps.Rates, s.deps.Replica)
}
