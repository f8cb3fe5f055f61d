package ports

import (
	"context"
	"time"
)

// RateTable is what the servers of one database share of how often callers ask.
type RateTable interface {
	// Beat counts a sign of life of a replica, and returns the counts of all.
	Beat(ctx context.Context, replica string, at time.Time) (map[string]int64, error)
	// Exchange adds the requests that a replica has admitted, by key, and returns the sums
	// over all replicas of these keys. Sums that nobody has added to for an hour are forgotten.
	Exchange(ctx context.Context, taken map[string]int64, at time.Time) (map[string]int64, error)
}
