// Package wire puts Tilth together: it chooses an adapter for every port and hands the
// use cases to the interfaces that drive them. It holds no rule; wire_gen.go is made by
// `make generate`.
package wire
