// Package session handles how a browser shows a session: by a cookie that no script can read, and that counts if the
// request comes from a page of this server. It knows no user.
package session

import (
	"net/http"
	"strings"
	"time"

	"tilth/core/fault"
)

// Name is the name of the session cookie, and TicketName that of the cookie of a sign-in at a provider that is under way.
const (
	Name       = "tilth_session"
	TicketName = "tilth_sign_in"
)

// Of returns the secret of the session that a request shows; empty where it shows none.
func Of(r *http.Request) string {
	cookie, err := r.Cookie(Name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// Cookie returns the header Set-Cookie of a session below a path. Secure keeps the cookie from connections without TLS.
func Cookie(secret, path string, secure bool, lasts time.Duration) string {
	return text(http.Cookie{Value: secret, Path: path, Secure: secure, MaxAge: int(lasts.Seconds())})
}

// Gone returns the header Set-Cookie that ends a session in the browser.
func Gone(path string, secure bool) string {
	return text(http.Cookie{Path: path, Secure: secure, MaxAge: -1})
}

// Ticket returns the header Set-Cookie of a sign-in under way, whose browser comes back from another site (SameSite=Lax).
// An empty ticket ends it.
func Ticket(ticket, path string, secure bool, lasts time.Duration) string {
	cookie := http.Cookie{Name: TicketName, Value: ticket, Path: path, Secure: secure, MaxAge: int(lasts.Seconds()), HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if ticket == "" {
		cookie.MaxAge = -1
	}
	return cookie.String()
}

// TicketOf returns the ticket that a request shows; empty where it shows none.
func TicketOf(r *http.Request) string {
	cookie, err := r.Cookie(TicketName)
	if err != nil {
		return ""
	}
	return cookie.Value
}

func text(cookie http.Cookie) string {
	cookie.Name, cookie.HttpOnly, cookie.SameSite = Name, true, http.SameSiteStrictMode
	return cookie.String()
}

// CheckOrigin refuses a request that changes something unless its browser reports that a page of this server sent it. A
// browser sends the cookie for every page of the site, and a site may have several servers. own is the scheme and authority
// of this server. Faults: Forbidden (cross_origin).
func CheckOrigin(r *http.Request, own string) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	if from := r.Header.Get("Sec-Fetch-Site"); from != "" {
		if from == "same-origin" {
			return nil
		}
	} else if strings.EqualFold(r.Header.Get("Origin"), own) {
		return nil
	}
	return fault.New(fault.Forbidden, "cross_origin",
		"The session of a browser can change something only for pages of this server. Fix: send the request from such a page, or with an access token.")
}
