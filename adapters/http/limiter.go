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

// admittedKey is the context key of an admitted request.
type admittedKey struct{}

// admitted is what the limiter knows about a request, and the header of its answer.
type admitted struct {
	*limit.Request
	header http.Header // nil once it shows the caller's quotas: the caller of a stream is checked again after the header was sent
}

// showQuotas states in the header of the answer what is left of the limits that the request counted for.
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
		if !signsIn { // wrong passwords are slowed down for each account
			w = &reluctant{w, s.limiter, request, r.Context()}
		}
		if wait > 0 {
			s.api.WriteError(w, r, tooOften(wait))
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), admittedKey{}, known)))
	})
}

// verified counts a request for its caller, or forgets a credential that is not valid.
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

// reluctant holds back refusals of unknown callers.
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

// ShareRates does one round of exchange with the other servers of the database about how often callers ask. Rounds are
// about a second apart while callers ask, otherwise five seconds. It returns the number of callers exchanged.
func (s *Server) ShareRates(ctx context.Context) (int, error) {
	if s.deps.Rates == nil {
		return 0, nil
	}
	return s.limiter.Share(ctx, s.deps.Rates, s.deps.Replica)
}
