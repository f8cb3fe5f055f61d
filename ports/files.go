package ports

import (
	"context"
	"time"
)

// FileMark ties the store of files to the database: the store has a file that nobody else can have, and the database its
// digest.
type FileMark interface {
	// Get returns the SHA-256 of the mark in hexadecimal; empty where there is none.
	Get(ctx context.Context) (string, error)
	// Add stores the first mark, and returns false where one is stored already. A concurrent caller waits.
	Add(ctx context.Context, sha256 string, at time.Time) (bool, error)
	// Replace stores another mark in its place.
	Replace(ctx context.Context, sha256 string, at time.Time) error
}
