// Package http is the HTTP server: it listens, gives every request an id, logs and
// counts it, bounds it, survives its panics, and shuts down without dropping it. Below
// the service root it hands requests to the interface of package rest; around it it
// serves the API reference, the OpenAPI document, and the probes and metrics for operators,
// and hands what is left to the pages that it is given: the guides and the console.
//
// It holds no route of the interface (those are registered by the packages below it),
// no use case and no rule.
package http
