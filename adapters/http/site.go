package http

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"tilth/adapters/http/rest"
	"tilth/core/fault"
	"tilth/core/markup"
)

//go:embed assets
var assets embed.FS

const (
	pathHealth  = "/healthz"
	pathReady   = "/readyz"
	pathAPIDocs = "/docs/api"
)

// probes are requested all the time, so they are logged only at debug level.
var probes = map[string]bool{pathHealth: true, pathReady: true}

// site returns the handler of what is served outside the interface. Like the interface it answers a
// path with and without a slash at its end, and never redirects.
func (s *Server) site() (http.Handler, error) {
	pages := map[string]http.Handler{
		"/openapi.json": s.written("application/json", s.api.OpenAPI),
		"/openapi.yaml": s.written("application/yaml", s.api.OpenAPIYAML),
		pathHealth:      http.HandlerFunc(s.healthy),
		pathReady:       http.HandlerFunc(s.ready),
	}
	if err := s.accountPages(pages); err != nil {
		return nil, err
	}
	if err := referencePages(pages); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimSuffix(r.URL.Path, "/")
		handler, route := pages[path], path
		for i := 0; handler == nil && i < len(s.deps.Pages); i++ {
			if route = s.deps.Pages[i].Route(r.URL.Path); route != "" {
				handler = s.deps.Pages[i]
			}
		}
		if route == "" || handler == nil {
			s.api.WriteError(w, r, rest.NoSuchPath())
			return
		}
		rest.TraceOf(r.Context()).Route = route
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			s.api.WriteError(w, r, fault.New(fault.Invalid, "method_not_allowed", "This is read-only."))
			return
		}
		handler.ServeHTTP(w, r)
	}), nil
}

// render fills the holes of one of the embedded pages, once.
func render(name, policy string, holes map[string]any) (http.Handler, error) {
	page, err := assets.ReadFile("assets/" + name)
	if err != nil {
		return nil, fmt.Errorf("read the page %s: %w", name, err)
	}
	return under(policy, file("text/html; charset=utf-8", []byte(markup.Fill(string(page), holes)))), nil
}

// under serves pages under a content policy of their own.
func under(policy string, page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		page.ServeHTTP(w, r)
	})
}

// written serves a document that is written when it is first requested: the interface's is long,
// and most processes are never asked for it.
func (s *Server) written(contentType string, write func() ([]byte, error)) http.Handler {
	handler := sync.OnceValues(func() (http.Handler, error) {
		content, err := write()
		return file(contentType, content), err
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, err := handler()
		if err != nil {
			s.api.WriteError(w, r, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// file serves bytes that do not change while the program runs.
func file(contentType string, content []byte) http.Handler {
	sum := sha256.Sum256(content)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("ETag", etag)
		h.Set("Cache-Control", "no-cache")
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(content) // the reader may be gone
	})
}

// healthy reports that the process is up; it checks no part.
func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) {
	writeStatus(w, "Up.", map[string]string{"build": s.config.Build})
}

// ready reports whether requests can be answered, and otherwise which part is missing. Causes go to
// the log, because the probe is open to everyone.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		s.api.WriteError(w, r, fault.New(fault.Unavailable, "shutting_down", "The server is shutting down."))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	parts, missing := s.askParts(ctx, s.deps.Ready)
	if len(missing) == 0 {
		helps, degraded := s.askParts(ctx, s.deps.Helps)
		maps.Copy(parts, helps)
		writeStatus(w, "Ready.", readiness(parts, degraded))
		return
	}
	f := fault.New(fault.Unavailable, "not_ready", "Not ready: "+strings.Join(missing, ", ")+".")
	for name, state := range parts {
		f = f.With(name, state)
	}
	s.api.WriteError(w, r, f)
}

// readiness returns the state of every part, with the names of the unavailable parts that requests do not need.
func readiness(parts map[string]string, degraded []string) map[string]any {
	out := map[string]any{}
	for name, state := range parts {
		out[name] = state
	}
	if len(degraded) > 0 {
		out["degraded"] = degraded
	}
	return out
}

// askParts checks parts at the same time, and returns the state of each and the names of those that are missing.
func (s *Server) askParts(ctx context.Context, asked map[string]func(context.Context) error) (parts map[string]string, missing []string) {
	names := slices.Sorted(maps.Keys(asked))
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { errs[i] = asked[name](ctx) })
	}
	all.Wait()
	parts = map[string]string{}
	for i, name := range names {
		parts[name] = "ready"
		if errs[i] != nil {
			parts[name] = "unavailable"
			missing = append(missing, name)
			s.deps.Logger.WarnContext(ctx, "a component is not ready", slog.String("part", name), slog.Any("error", errs[i]))
		}
	}
	return parts, missing
}

func writeStatus(w http.ResponseWriter, message string, data any) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "message": message, "data": data}) // strings always encode; the prober may be gone
}
