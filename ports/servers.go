package ports

import (
	"context"
	"time"
)

// RateTable is what the servers of one database share about how often callers make requests.
type RateTable interface {
	// Beat counts a sign of life of a replica, and returns the counts of all.
	Beat(ctx context.Context, replica string, at time.Time) (map[string]int64, error)
	// Exchange adds the requests that a replica has admitted, by key, and returns the sums of these
	// keys over all replicas. Sums that nobody has added to for an hour are forgotten.
	Exchange(ctx context.Context, taken map[string]int64, at time.Time) (map[string]int64, error)
}

// CertificateStore is what the servers of one database share about the certificates that they fetch: the key of the
// account, certificates with their keys, answers to challenges. It seals all of it.
type CertificateStore interface {
	// Get returns the content under a name; nil where there is none.
	Get(ctx context.Context, name string) ([]byte, error)
	Put(ctx context.Context, name string, content []byte) error
	// Delete removes a name; a missing one is not an error.
	Delete(ctx context.Context, name string) error
	// Lease reserves a name for a holder until a time, and returns false where another holds it.
	Lease(ctx context.Context, name, holder string, now, until time.Time) (bool, error)
	// Release ends the lease of a holder.
	Release(ctx context.Context, name, holder string) error
}
