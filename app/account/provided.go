package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"tilth/core/fault"
	"tilth/ports"
)

// The time that a sign-in at a provider may take, and the time that its session lasts: the provider is asked again after a day, so
// that somebody it no longer admits is shut out by then.
const (
	ProvidedTTL        = 10 * time.Minute
	ProvidedSessionTTL = 24 * time.Hour
)

// providedMark is the prefix of the secrets of sessions that a provider opened.
const providedMark = "provided."

// Departure is a browser on its way to a provider.
type Departure struct {
	Address string // where it goes
	Ticket  string // what the browser keeps, and shows when it comes back
}

// Arrival is a browser coming back.
type Arrival struct {
	Ticket, State, Code string
	Return              string // the page that it came back to
}

// errNoProvider is returned where browsers are not signed in by a provider.
var errNoProvider = fault.New(fault.NotFound, "no_provider", "This installation signs browsers in with passwords. Fix: ask an operator to set TILTH_OIDC_CLIENT_ID.")

// Provider returns the address of the provider that signs browsers in; empty where there is none.
func (i *Identity) Provider() string {
	if i.Issuers.Provider == nil {
		return ""
	}
	return i.Issuers.Provider.Name()
}

// Depart sends a browser to the provider, which sends it back to a page. Faults: NotFound (no_provider), Unavailable (issuer_unavailable).
func (i *Identity) Depart(ctx context.Context, back string) (Departure, error) {
	if i.Issuers.Provider == nil {
		return Departure{}, errNoProvider
	}
	ticket := i.IDs.Secret() + "." + strconv.FormatInt(i.Clock.Now().Add(ProvidedTTL).Unix(), 10)
	address, err := i.Issuers.Provider.Address(ctx, signingIn(ticket, back))
	return Departure{address, ticket}, err
}

// signingIn derives everything that identifies a sign-in from its ticket, which only the browser has: nothing about it is stored.
func signingIn(ticket, back string) ports.SigningIn {
	derived := func(use string) string {
		hash := hmac.New(sha256.New, []byte(ticket))
		_, _ = hash.Write([]byte(use))
		return base64.RawURLEncoding.EncodeToString(hash.Sum(nil))
	}
	return ports.SigningIn{Return: back, State: derived("state"), Nonce: derived("nonce"), Verifier: derived("verifier")}
}

// Arrive opens a session for a browser that came back. Faults: NotFound (no_provider), Unauthenticated (sign_in_invalid where the
// sign-in was not started in this browser or took too long, sign_in_refused, user_unknown, user_bound_otherwise, user_disabled,
// email_unverified, token_invalid, token_expired), Unavailable (issuer_unavailable).
func (i *Identity) Arrive(ctx context.Context, a Arrival) (Session, error) {
	if i.Issuers.Provider == nil {
		return Session{}, errNoProvider
	}
	now := i.Clock.Now()
	_, until, _ := strings.Cut(a.Ticket, ".")
	ends, err := strconv.ParseInt(until, 10, 64)
	s := signingIn(a.Ticket, a.Return)
	if err != nil || now.Unix() >= ends || subtle.ConstantTimeCompare([]byte(a.State), []byte(s.State)) != 1 {
		return Session{}, fault.New(fault.Unauthenticated, "sign_in_invalid", "This sign-in was not started in this browser, or took more than ten minutes. Start again.")
	}
	vouched, err := i.Issuers.Provider.Redeem(ctx, a.Code, s)
	if err != nil {
		return Session{}, err
	}
	who, err := i.known(ctx, vouched)
	if err != nil {
		return Session{}, err
	}
	opened := Session{providedMark + i.IDs.Secret(), now.Add(ProvidedSessionTTL)}
	family := i.IDs.UUID()
	return opened, i.Store.Operate(ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Accounts.AddRefresh(ctx, ports.RefreshToken{Hash: sessionHash(opened.Secret), Family: family, UserID: who.UserID, ExpiresAt: opened.ExpiresAt})
	})
}
