package rest

import (
	"cmp"
	"net/http"
)

// KeyUse says where a route takes an API key, if no token is given.
type KeyUse int

// The uses of keys, from the widest to the narrowest.
const (
	KeyInQuery  KeyUse = 1  // as X-API-Key, or as ?api_key= from tools that can send no header
	KeyInHeader KeyUse = 0  // as X-API-Key; the default
	KeyNowhere  KeyUse = -1 // what decides on credentials, and what is public
)

// keyParam is the query parameter that may hold an API key.
const keyParam = "api_key"

// linkParam is the query parameter that may hold a signed link, on routes that one opens.
const linkParam = "link"

// keyOf returns the API key of a request.
func keyOf(r *http.Request, use KeyUse) string {
	switch use {
	case KeyInQuery:
		return cmp.Or(r.Header.Get("X-API-Key"), r.URL.Query().Get(keyParam))
	case KeyInHeader:
		return r.Header.Get("X-API-Key")
	}
	return ""
}
