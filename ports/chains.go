package ports

import (
	"context"
	"time"

	"tilth/core/chain"
)

// WaitingRow is a committed row that is not in its chain yet.
type WaitingRow struct {
	chain.ID
	chain.Row
}

// ChainKey is a key that signs checkpoints, as it is stored.
type ChainKey struct {
	ID        string
	Seed      []byte // Ed25519; empty: lost
	Public    []byte // the half that verifies; empty: not stored yet
	CreatedAt time.Time
}

// ChainKeeper holds the chains of hashes of all companies.
type ChainKeeper interface {
	// Lock blocks other writers of chains until the transaction ends.
	Lock(ctx context.Context) error
	// Idle reports whether no row waits.
	Idle(ctx context.Context) (bool, error)
	// Waiting returns up to limit rows that wait, chain by chain, in the order of their ids.
	Waiting(ctx context.Context, limit int) ([]WaitingRow, error)
	// Head returns the head of a chain; its zero value where nothing is chained.
	Head(ctx context.Context, id chain.ID) (chain.Checkpoint, error)
	// Append stores links with the signed head that they lead to; their rows no longer wait. The
	// previous head is kept as a checkpoint where none was kept since a time.
	Append(ctx context.Context, links []chain.Link, head chain.Checkpoint, keptSince time.Time) error
	// Keys returns the keys, oldest first.
	Keys(ctx context.Context) ([]ChainKey, error)
	// AddKey stores a key; of an existing one, its public half.
	AddKey(ctx context.Context, key ChainKey) error

	// Before returns the newest checkpoint of a chain, its head included, from before a time; the
	// zero value where there is none.
	Before(ctx context.Context, id chain.ID, before time.Time) (chain.Checkpoint, error)
	// Mark keeps a checkpoint, and stores a head that says that rows up to it may be removed.
	Mark(ctx context.Context, mark, head chain.Checkpoint) error
	// RemovePurged removes up to limit rows of a chain that its head says may be removed, the
	// oldest first, with their links, and returns how many.
	RemovePurged(ctx context.Context, id chain.ID, limit int) (int64, error)

	ValueEraser

	// Links returns up to limit links after a position, in order, with their rows.
	Links(ctx context.Context, id chain.ID, after int64, limit int) ([]chain.Linked, error)
	// Checkpoints returns the checkpoints that are kept, in the order of their positions.
	Checkpoints(ctx context.Context, id chain.ID) ([]chain.Checkpoint, error)
	// Stray returns the first row, by id, that is neither chained nor waiting; 0 for none.
	Stray(ctx context.Context, id chain.ID) (int64, error)
	// CountWaiting counts the rows of a chain that wait.
	CountWaiting(ctx context.Context, id chain.ID) (int64, error)
	// Companies returns the ids of all companies.
	Companies(ctx context.Context) ([]int64, error)
}
