// Package app holds what every use case shares: the gate that asks for a permission, the
// dependencies most use cases have, and lists that are streamed out of the store. It knows no
// product: a use case belongs to a room below it.
//
// A use case that is given a caller refuses one who is not signed in (Unauthenticated) or may not do
// it (Forbidden); its comment names the faults beside these.
package app
