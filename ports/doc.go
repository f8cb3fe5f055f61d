// Package ports holds the small interfaces that the use cases need from the outside world, named
// for what the core needs, never for a product. It imports core only. Every method says which
// faults it returns.
package ports
