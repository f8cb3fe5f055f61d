// Package slow has a store that knows which of its reads are open: a caller that takes an answer
// slowly must hold none of them.
package slow

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/ports"
)

// Store reads from one set of repositories.
type Store struct {
	ports.Store
	Repos ports.Repos
	Reads int // so far
	open  int
}

// Read implements ports.Store.
func (s *Store) Read(ctx context.Context, do func(ctx context.Context, tx ports.Repos) error) error {
	s.Reads++
	s.open++
	defer func() { s.open-- }()
	return do(ctx, s.Repos)
}

// Writer is a reader's end of an answer, which may be slow at any write.
type Writer struct {
	T      *testing.T
	Store  *Store
	Writes int
	Last   string // the last write
}

// Write requires that no read is open.
func (w *Writer) Write(p []byte) (int, error) {
	w.T.Helper()
	require.Zero(w.T, w.Store.open, "a read is open while the answer is written")
	w.Writes++
	w.Last = string(p)
	return len(p), nil
}
