// Package exchange holds the use cases of product footprints: what a company publishes of its submitted versions, the
// clients (data recipients of PACT) that may see it, what those clients request, and the events from and to them.
package exchange
