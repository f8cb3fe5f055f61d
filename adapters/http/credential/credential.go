// Package credential finds the credential of a request: a token, an API key, a signed link or the session of a browser. It
// also removes what looks like one from texts that repeat what a caller sent. It knows no user, and verifies nothing.
package credential

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"tilth/adapters/http/session"
)

// Parameters of the query that may hold a credential.
const (
	KeyParam  = "api_key"
	LinkParam = "link" // on routes that a signed link opens
)

// KeyHeader is the header of an API key. QGIS's STAC panel also sends its headers as parameters: where a key is taken
// from the query, it may have this name there, too.
const KeyHeader = "X-API-Key"

// KeyUse states where a route takes an API key, if no token is given.
type KeyUse int

// The uses of keys, from the widest to the narrowest.
const (
	KeyInQuery  KeyUse = 1  // as X-API-Key, or as ?api_key= from tools that cannot send a header
	KeyInHeader KeyUse = 0  // as X-API-Key; the default
	KeyNowhere  KeyUse = -1 // for routes that decide on credentials, and for public ones
)

// Taken states which credentials a route takes in addition to a token and a session.
type Taken struct {
	Keys  KeyUse
	Links bool
}

// Bearer returns the token in an Authorization header; ok is false if it holds none.
func Bearer(header string) (token string, ok bool) {
	scheme, token, _ := strings.Cut(header, " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}

// Basic returns the credential of a client in an Authorization header, each part of which is form-encoded (RFC 6749, section
// 2.3.1); ok is false if it holds none.
func Basic(header string) (id, secret string, ok bool) {
	scheme, encoded, _ := strings.Cut(header, " ")
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil || !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	id, secret, ok = strings.Cut(string(text), ":")
	for _, part := range []*string{&id, &secret} {
		plain, err := url.QueryUnescape(*part)
		if err != nil {
			return "", "", false
		}
		*part = plain
	}
	return id, secret, ok
}

// Key returns the API key of a request, if the route takes one.
func Key(r *http.Request, takes Taken) string {
	switch takes.Keys {
	case KeyInQuery:
		query := r.URL.Query()
		return cmp.Or(r.Header.Get(KeyHeader), query.Get(KeyParam), query.Get(KeyHeader))
	case KeyInHeader:
		return r.Header.Get(KeyHeader)
	}
	return ""
}

// Link returns the signed link of a request, if the route takes one.
func Link(r *http.Request, takes Taken) string {
	if !takes.Links {
		return ""
	}
	return r.URL.Query().Get(LinkParam)
}

// Of returns the token, key, signed link or session of a request, wherever it is; empty if there is none.
func Of(r *http.Request) string {
	if header := r.Header.Get("Authorization"); header != "" {
		token, _ := Bearer(header)
		return token
	}
	every := Taken{Keys: KeyInQuery, Links: true}
	return cmp.Or(Key(r, every), Link(r, every), session.Of(r))
}
