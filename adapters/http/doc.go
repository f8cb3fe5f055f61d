// Package http is the HTTP server: it listens, gives every request an id, logs, counts and bounds
// it, survives its panics, and shuts down without dropping requests. It passes requests below the
// service root to the interface of package rest. Outside the service root it serves the API
// reference, the OpenAPI document, and the probes and metrics for operators; it passes the rest to
// the pages that it is configured with: the guides and the console.
//
// It holds no route of the interface (those are registered by the packages below it),
// no use case and no rule.
package http
