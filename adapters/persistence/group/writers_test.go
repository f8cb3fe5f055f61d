package group

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/ports"
)

// errPanic is what a writer panics with.
var errPanic = errors.New("broken")

// writer describes a writer of two rows in a transaction, and how that ends.
type writer struct {
	Brief bool
	End   int
	Yield int // how often it yields before its end
}

// How a transaction ends.
const (
	endsWell = iota
	endsWithError
	endsWithPanic
	endsWithCaller // its caller leaves during it
	endsSometime   // its caller leaves at some moment
	endsWhole      // SQLite rolls all of it back, by itself
)

// Writers of all sorts run at once, over a disk that fails commits: after a restart, what was answered with success is stored, what was
// answered with an error is not (unless nobody can know), and no transaction is stored by half. No reader or writer ever sees half of one.
func TestWhatWasAnsweredIsThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "group")
		require.NoError(t, err)
		defer func() { require.NoError(t, os.RemoveAll(folder)) }()
		b := lay(t, folder)
		writers := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) writer {
			return writer{
				rapid.IntRange(0, 4).Draw(t, "brief") > 0,
				rapid.SampledFrom([]int{endsWell, endsWell, endsWell, endsWithError, endsWithPanic, endsWithCaller, endsSometime, endsWhole}).Draw(t, "end"),
				rapid.IntRange(0, 20).Draw(t, "yield"),
			}
		}), 1, 20).Draw(t, "writers")
		b.disk.commits = rapid.SliceOfN(rapid.SampledFrom([]error{nil, nil, nil, errRefused, errSilent}), 0, 12).Draw(t, "commits")
		told := make([]error, len(writers))
		var all, reading sync.WaitGroup
		var over atomic.Bool
		reading.Go(func() {
			for !over.Load() {
				whole(t, b.seen(t))
			}
		})
		for i, w := range writers {
			all.Go(func() {
				for {
					told[i] = w.write(t, b, i)
					if !errors.Is(told[i], ErrLost) || w.End == endsWhole {
						break
					}
				}
				if told[i] == nil && b.seen(t)[i] != 2 {
					t.Errorf("writer %d was answered before its commit", i)
				}
			})
		}
		all.Wait()
		over.Store(true)
		reading.Wait()
		b.disk.commits = nil
		require.NoError(t, b.write(t.Context(), len(writers), well), "it goes on, whatever happened")
		b.close(t)

		again := lay(t, folder)
		defer again.close(t)
		stored := again.seen(t)
		whole(t, stored)
		for i, err := range told {
			switch {
			case err == nil:
				require.Equal(t, 2, stored[i], "%d was answered with success", i)
			case !errors.Is(err, errSilent):
				require.Zero(t, stored[i], "%d was answered with %v", i, err)
			}
			if end := writers[i].End; end != endsWell && end != endsSometime {
				require.Error(t, err, "%d", i)
			}
		}
	})
}

// whole checks that nobody has half of a transaction.
func whole(t fataler, rows map[int]int) {
	for writer, n := range rows {
		if n != 2 {
			t.Errorf("%d rows of writer %d are seen", n, writer)
		}
	}
}

// write runs the transaction of a writer once.
func (w writer) write(t *rapid.T, b *bed, i int) (err error) {
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	if w.Brief {
		ctx = ports.Briefly(ctx)
	}
	if w.End == endsSometime {
		go func() {
			for range w.Yield {
				runtime.Gosched()
			}
			leave()
		}()
	}
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	return b.write(ctx, i, func(tx *sql.Tx) error {
		for range w.Yield {
			runtime.Gosched()
		}
		if w.End != endsSometime { // whose rows may be gone
			whole(t, rowsOf(t, tx))
		}
		switch w.End {
		case endsWithError:
			return errMind
		case endsWithPanic:
			panic(errPanic)
		case endsWithCaller:
			leave()
			_, err := tx.ExecContext(ctx, "INSERT INTO t VALUES (?, 2, NULL)", i)
			return errors.Join(errMind, err)
		case endsWhole:
			_, err := tx.Exec("ROLLBACK")
			return errors.Join(errMind, err)
		}
		return nil
	})
}
