// Package limit bounds how often callers ask: by address until the credential is verified, then by
// user, whatever credential the user shows, and also by the user's company. Requests that sign in
// or set a password are bounded by address, separately from the others.
package limit

import (
	"crypto/sha256"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"tilth/app/account"
	"tilth/core/access"
)

// Rates are requests a second, in bursts of four times that; 0 is no limit.
type Rates struct {
	Caller  float64 // of one address or one user; 0: nothing is limited
	Company float64 // of all users of a company together
	SignIn  float64 // of one address, for tokens, passwords and invitations
}

// Limiter counts requests. It is safe for concurrent use.
type Limiter struct {
	now func() time.Time

	mu                                 sync.Mutex
	addresses, doors, users, companies *table
	refused, refusals                  *table // by address, and of all together; not shared with other replicas
	known                              recent[credential, caller]
	replicas                           replicas
	asked                              chan struct{} // holds a value after a request, if there are other replicas
}

// credential is the digest of a token or key, so that no secret is kept.
type credential [sha256.Size]byte

// caller is the owner of a verified credential.
type caller struct{ user, client, company int64 }

// New makes a limiter that is not shared yet.
func New(rates Rates, now func() time.Time) *Limiter {
	if rates.Caller <= 0 {
		rates = Rates{}
	}
	return &Limiter{
		now:       now,
		addresses: newTable("address", rates.Caller), doors: newTable("sign-in", rates.SignIn),
		users: newTable("user", rates.Caller), companies: newTable("company", rates.Company),
		refused: newTable("refused", refusedAtOnce*rates.Caller), refusals: newTable("refusals", refusedOfAll*rates.Caller),
		replicas: replicas{live: 1}, asked: make(chan struct{}, 1),
	}
}

// Request is a request that Admit has judged.
type Request struct {
	address    string
	credential credential
	refund     bool // its address gets its token back once the credential is verified
	counted    bool // it counts for its user and company
	quotas     Quotas
}

// Quotas returns the limits that the request counted for, as they were when it did.
func (r *Request) Quotas() Quotas { return r.quotas }

// Admit counts a request, or returns how long it must wait. A request whose credential was verified lately
// counts for its user, so that a flood of made-up credentials from the same address does not keep it out.
func (l *Limiter) Admit(from netip.Addr, given string, signsIn bool) (r *Request, wait time.Duration) {
	r = &Request{address: account.Neighbourhood(from), credential: sha256.Sum256([]byte(given))}
	l.mu.Lock()
	defer l.mu.Unlock()
	if signsIn {
		return r, l.take(r, l.doors.of(r.address))
	}
	if given != "" {
		if who, ok := l.known.get(r.credential); ok {
			r.counted = true
			return r, l.takeFor(r, who)
		}
	}
	r.refund = given != ""
	return r, l.take(r, l.addresses.of(r.address))
}

// Verified counts a request for its caller instead of its address, once its credential is verified,
// or returns how long it must wait.
func (l *Limiter) Verified(r *Request, who access.Principal) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	whose := caller{who.UserID, who.ClientID, who.CompanyID}
	l.known.put(r.credential, whose)
	if r.refund {
		l.addresses.of(r.address).refund()
		r.refund = false
	}
	if r.counted {
		return 0
	}
	r.counted = true
	return l.takeFor(r, whose)
}

// Refused forgets a credential that is no longer valid, so that whoever holds it does not count as its user.
func (l *Limiter) Refused(r *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known.forget(r.credential)
	if r.counted {
		r.quotas = Quotas{}
	}
}

// Replicas returns how many servers share the limits, this one included.
func (l *Limiter) Replicas() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.replicas.live
}

func (l *Limiter) tables() []*table { return []*table{l.addresses, l.doors, l.users, l.companies} }

func (l *Limiter) takeFor(r *Request, who caller) time.Duration {
	name := strconv.FormatInt(who.user, 10)
	if who.client != 0 {
		name = "client/" + strconv.FormatInt(who.client, 10)
	}
	wanted := []slot{l.users.of(name)}
	if who.company != 0 { // 0: an operator outside any company
		wanted = append(wanted, l.companies.of(strconv.FormatInt(who.company, 10)))
	}
	return l.take(r, wanted...)
}

// take takes a token from every bucket for a request, or from none.
func (l *Limiter) take(r *Request, wanted ...slot) (wait time.Duration) {
	now := l.now()
	defer func() { r.quotas = quotas(wanted, now, l.replicas.live) }()
	for _, s := range wanted {
		wait = max(wait, s.wait(now, l.replicas.live))
	}
	if wait > 0 {
		return wait
	}
	for _, s := range wanted {
		s.take(now, 1)
		s.bucket.unshared++
	}
	if l.replicas.live > 1 {
		select {
		case l.asked <- struct{}{}:
		default:
		}
	}
	return 0
}
