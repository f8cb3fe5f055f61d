package http

import (
	"cmp"
	"crypto/sha256"
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"tilth/adapters/http/rest"
	"tilth/core/fault"
)

const (
	burstFactor = 4
	maxBuckets  = 100_000 // about 20 MB
)

// limiter is a token bucket for each credential. It keeps hashes, not credentials, and a
// bounded number of them.
type limiter struct {
	perSecond float64
	now       func() time.Time

	mu      sync.Mutex
	buckets map[[sha256.Size]byte]*rate.Limiter
}

func newLimiter(perSecond float64, now func() time.Time) *limiter {
	return &limiter{perSecond: perSecond, now: now, buckets: map[[sha256.Size]byte]*rate.Limiter{}}
}

// take takes a token from the bucket of a credential, or returns how long to wait for one.
func (l *limiter) take(credential string) (wait time.Duration) {
	key := sha256.Sum256([]byte(credential))
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	bucket := l.buckets[key]
	if bucket == nil {
		if len(l.buckets) >= maxBuckets {
			l.sweep(now)
		}
		burst := max(1, int(math.Ceil(l.perSecond*burstFactor)))
		bucket = rate.NewLimiter(rate.Limit(l.perSecond), burst)
		l.buckets[key] = bucket
	}
	reservation := bucket.ReserveN(now, 1)
	if wait = reservation.DelayFrom(now); wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

// sweep forgets the buckets that are full again, which are as good as new ones, or all where
// none is: the number is bounded whatever that costs in fairness.
func (l *limiter) sweep(now time.Time) {
	for key, bucket := range l.buckets {
		if bucket.TokensAt(now) >= float64(bucket.Burst()) {
			delete(l.buckets, key)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}

// limit refuses callers of the interface who ask too often. A caller is a credential;
// without one, an address.
func (s *Server) limit(l *limiter, origins rest.Origins, next http.Handler) http.Handler {
	if l.perSecond <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.api.Covers(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		credential := cmp.Or(r.Header.Get("Authorization"), r.Header.Get("X-API-Key"), r.URL.Query().Get("api_key"), origins.Client(r).String())
		if wait := l.take(credential); wait > 0 {
			seconds := int(math.Ceil(wait.Seconds()))
			s.api.WriteError(w, r, fault.New(fault.Limit, "rate_limited", "Too many requests; slow down.").With("retry_after", seconds))
			return
		}
		next.ServeHTTP(w, r)
	})
}
