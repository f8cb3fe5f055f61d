package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/core/fault"
	"tilth/ports"
)

// testPaused asserts that a process that is paused in the middle of a transaction holds what others need only for a
// time, and finds nothing written when it continues. SQLite releases a lock only when its process ends.
func testPaused(t *testing.T, b Backend) {
	w := newWorld(t, b)
	if strings.HasPrefix(w.address, "sqlite:") {
		t.Skip("one process writes to SQLite")
	}
	paused, err := persistence.Open(w.ctx, w.address, persistence.Options{Clock: w.clock, IDs: w.ids, StatementTimeout: 2 * time.Second})
	require.NoError(t, err)
	defer func() { require.NoError(t, paused.Close()) }()
	reading, locked, resume := make(chan struct{}), make(chan struct{}), make(chan struct{})
	ended, read := make(chan error, 1), make(chan error, 1)
	go func() { // a slow reader holds no lock, and is left alone
		read <- paused.Read(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			close(reading)
			<-resume
			_, _, err := tx.Wallet.Sum(ctx, w.ours.scope)
			return err
		})
	}()
	<-reading
	go func() {
		ended <- paused.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			if _, err := tx.Wallet.Lock(ctx, w.ours.scope); err != nil {
				return err
			}
			close(locked)
			<-resume
			_, _, err := tx.Wallet.Sum(ctx, w.ours.scope)
			return err
		})
	}()
	<-locked
	w.write(func(tx ports.Repos) error { // waits until the connection of the other is closed
		_, err := tx.Wallet.Lock(w.ctx, w.ours.scope)
		return err
	})
	close(resume)
	require.True(t, fault.Is(<-ended, fault.Unavailable))
	require.NoError(t, <-read)
}
