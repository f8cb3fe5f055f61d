// Package app holds what every use case shares: the gate that checks permissions, the dependencies
// most use cases have, and lists that are streamed out of the store. It knows no product: use cases
// belong to the packages below it.
//
// A use case that takes a caller refuses one who is not signed in (Unauthenticated) or lacks the
// permission (Forbidden); its comment names only the other faults.
package app
