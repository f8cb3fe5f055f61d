package storetest

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/objects"
	"tilth/app/operating"
	"tilth/core/fault"
)

// testFileMark checks that processes of one database are refused if they do not share their files.
func testFileMark(t *testing.T, b Backend) {
	w := newWorld(t, b)
	op := operating.Operating{Store: w.Database, Clock: w.clock, IDs: w.ids}
	folder := func() objects.Store {
		store, err := objects.Open("file:" + t.TempDir())
		require.NoError(t, err)
		return store
	}
	ours, theirs := folder(), folder()
	tied, err := op.CheckFiles(w.ctx, ours)
	require.NoError(t, err)
	require.False(t, tied)
	// Processes that start at the same time find the same mark.
	var all sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		all.Go(func() { errs[i] = op.HoldFiles(w.ctx, ours) })
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
	tied, err = op.CheckFiles(w.ctx, ours)
	require.NoError(t, err)
	require.True(t, tied)
	names, err := ours.Names(w.ctx)
	require.NoError(t, err)
	require.Len(t, names, 1)

	refused := func(err error) {
		t.Helper()
		f, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "files_elsewhere", f.Code)
		require.Contains(t, f.Message, "Fix: ")
	}
	refused(op.HoldFiles(w.ctx, theirs))
	names, err = theirs.Names(w.ctx)
	require.NoError(t, err)
	require.Empty(t, names, "nothing is written where nothing is known")
	_, err = theirs.Put(w.ctx, names0(t, w, ours), strings.NewReader("another's"))
	require.NoError(t, err)
	refused(op.HoldFiles(w.ctx, theirs))

	require.NoError(t, op.ClaimFiles(w.ctx, theirs))
	require.NoError(t, op.HoldFiles(w.ctx, theirs))
	refused(op.HoldFiles(w.ctx, ours))
}

func names0(t *testing.T, w *world, store objects.Store) string {
	t.Helper()
	names, err := store.Names(w.ctx)
	require.NoError(t, err)
	return names[0]
}
