// Package clients runs the recipes of docs/clients against the demonstration: those that call the interface as it is, and
// those of clients that are generated from its document. It has tests alone.
package clients
