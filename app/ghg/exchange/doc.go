// Package exchange holds the use cases of product footprints: what a company publishes of its submitted versions, the
// clients (data recipients of PACT) it shows them to, what those clients ask, and the events from and to them.
package exchange
