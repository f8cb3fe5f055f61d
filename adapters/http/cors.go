package http

import (
	"net/http"
	"slices"
	"strings"
)

// What pages of other origins may request and read. Credentials are headers that a page sets
// itself, never cookies, so no answer allows credentials of the browser.
const (
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	corsHeaders = "Authorization, Content-Type, Accept, X-API-Key, X-Company, X-Request-ID, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Range"
	corsExposed = "ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-ID, X-Total-Count, Idempotent-Replay, Content-Disposition, Content-Range"
	corsMaxAge  = "7200" // seconds; the most that browsers keep
)

// share lets pages of the configured origins call the interface from a browser. Without any it
// changes nothing, and the browser refuses by itself.
func (s *Server) share(origins []string, next http.Handler) http.Handler {
	if len(origins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if !s.api.Covers(r.URL.Path) || origin == "" {
			next.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Add("Vary", "Origin")
		if !slices.ContainsFunc(origins, func(allowed string) bool { return strings.EqualFold(allowed, origin) }) {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", corsExposed)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", corsMethods)
			h.Set("Access-Control-Allow-Headers", corsHeaders)
			h.Set("Access-Control-Max-Age", corsMaxAge)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		next.ServeHTTP(w, r)
	})
}
