package http

import (
	"context"
	"math"
	"net/http"
	"time"

	"tilth/adapters/http/limit"
	"tilth/adapters/http/rest"
	"tilth/core/access"
	"tilth/core/fault"
)

// admitted is the key of what the limiter knows of a request.
type admitted struct{}

// limit refuses callers of the interface who ask too often.
func (s *Server) limit(origins rest.Origins, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.api.Covers(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		signsIn := s.api.Door(r)
		request, wait := s.limiter.Admit(origins.Client(r), rest.Credential(r), signsIn)
		if !signsIn { // wrong passwords are slowed down by their account
			w = &reluctant{w, s.limiter, request, r.Context()}
		}
		if wait > 0 {
			s.api.WriteError(w, r, tooOften(wait))
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), admitted{}, request)))
	})
}

// verified counts a request for its caller, or forgets the credential of one who has none.
func (s *Server) verified(ctx context.Context, who access.Principal, err error) error {
	request, ok := ctx.Value(admitted{}).(*limit.Request)
	if !ok {
		return err
	}
	if err != nil {
		if fault.Is(err, fault.Unauthenticated) {
			s.limiter.Refused(request)
		}
		return err
	}
	if wait := s.limiter.Verified(request, who); wait > 0 {
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

// ShareRates is one round of exchange of how often callers ask with the other servers of the
// database, about once a second. It returns how many callers were exchanged.
func (s *Server) ShareRates(ctx context.Context) (int, error) {
	if s.deps.Rates == nil {
		return 0, nil
	}
	return s.limiter.Share(ctx, s.deps.Rates, s.deps.Replica)
}
