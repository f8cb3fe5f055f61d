package account

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"tilth/app"
	"tilth/core/access"
	"tilth/core/fault"
	"tilth/ports"
)

// SessionTTL is the time for which the session of a browser lasts.
const SessionTTL = RefreshTTL

// Session is a sign-in of a browser.
type Session struct {
	Secret    string
	ExpiresAt time.Time
}

// sessionHash returns the stored form of a session's secret. It is never the hash of a refresh token, so that neither
// passes for the other. What ends the refresh tokens of a user ends the sessions as well.
func sessionHash(secret string) string { return HashSecret("session " + secret) }

var badSession = fault.New(fault.Unauthenticated, "session_invalid", "The session has ended; sign in again.")

// OpenSession exchanges an e-mail and a password for a session. Faults: those of [Identity.SignIn].
func (i *Identity) OpenSession(ctx context.Context, email, password string, client netip.Addr) (Session, error) {
	_, secret, now, err := i.begin(ctx, email, password, client, sessionHash)
	return Session{secret, now.Add(SessionTTL)}, err
}

// EndSession ends a session. An unknown session is no error: the caller wants it gone, and it is.
func (i *Identity) EndSession(ctx context.Context, secret string) error {
	return i.end(ctx, sessionHash(secret))
}

// AuthenticateSession returns the caller behind a session. Faults: Unauthenticated (session_invalid, user_disabled).
func (i *Identity) AuthenticateSession(ctx context.Context, secret string) (access.Principal, error) {
	if provided := strings.HasPrefix(secret, providedMark); provided && i.Issuers.Provider == nil || !provided && i.Issuers.BuiltInOff {
		return access.Principal{}, badSession // the issuer that admitted it no longer does so
	}
	return app.In(ports.Loosely(ctx), i.Store.Consult, func(ctx context.Context, tx ports.OperatorRepos) (who access.Principal, err error) {
		user, version, err := tx.Accounts.Holder(ctx, sessionHash(secret), i.Clock.Now())
		if fault.Is(err, fault.NotFound) {
			return who, badSession
		}
		if err != nil {
			return who, err
		}
		return callerOf(user, version)
	})
}
