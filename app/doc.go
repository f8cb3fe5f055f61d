// Package app holds what every use case shares: the gate that asks for a permission, the
// dependencies most use cases have, and lists that are streamed out of the store. It knows no
// product: a use case belongs to a room below it.
package app
