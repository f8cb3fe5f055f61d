package group

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/fault"
	"tilth/ports"
)

// Four transactions queue up in order; what each does at its end decides what is stored, and what each is told.
func TestTransactionsShareACommit(t *testing.T) {
	t.Parallel()
	fails := func(*sql.Tx) error { return errMind }
	panics := func(*sql.Tx) error { panic(errMind) }
	lost := func(tx *sql.Tx) error {
		_, err := tx.Exec("ROLLBACK") // as SQLite does by itself
		return errors.Join(errMind, err)
	}
	full := func(tx *sql.Tx) error {
		var pages int
		if err := tx.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
			return err
		}
		if err := tx.QueryRow("PRAGMA max_page_count = 1").Scan(&pages); err != nil {
			return err
		}
		_, err := tx.Exec("INSERT INTO t VALUES (100, 0, zeroblob(100000))")
		_, more := tx.Exec("INSERT INTO t VALUES (101, 0, NULL)")
		if err == nil || !errors.Is(more, ErrLost) {
			return errors.New("the disk is not full, or what comes after that is stored at once")
		}
		return errMind
	}
	ignores := func(tx *sql.Tx) error {
		_ = full(tx)
		return nil
	}
	type ends = [4]func(*sql.Tx) error
	type errs = [4]error
	for name, c := range map[string]struct {
		ends    ends
		commits []error
		told    errs
		stored  []int
		asked   int // commits
	}{
		"all end well":              {ends{well, well, well, well}, nil, errs{}, []int{0, 1, 2, 3}, 1},
		"the first fails":           {ends{fails, well, well, well}, nil, errs{errMind}, []int{1, 2, 3}, 1},
		"one in between fails":      {ends{well, fails, well, well}, nil, errs{1: errMind}, []int{0, 2, 3}, 1},
		"the last fails":            {ends{well, well, well, fails}, nil, errs{3: errMind}, []int{0, 1, 2}, 1},
		"all fail":                  {ends{fails, fails, fails, fails}, nil, errs{errMind, errMind, errMind, errMind}, nil, 0},
		"one panics":                {ends{well, panics, well, well}, nil, errs{1: errMind}, []int{0, 2, 3}, 1},
		"the first is taken back":   {ends{lost, well, well, well}, nil, errs{errMind}, []int{1, 2, 3}, 1},
		"all are taken back by one": {ends{well, well, lost, well}, nil, errs{ErrLost, ErrLost, errMind}, []int{3}, 1},
		"a full disk":               {ends{well, full, fails, fails}, nil, errs{ErrLost, errMind, errMind, errMind}, nil, 0},
		"a full disk is ignored":    {ends{well, ignores, fails, fails}, nil, errs{ErrLost, ErrLost, errMind, errMind}, nil, 0},
		"the commit is refused":     {ends{well, well, fails, well}, []error{errRefused}, errs{errRefused, errRefused, errMind, errRefused}, nil, 1},
		"nobody knows of it":        {ends{well, well, fails, well}, []error{errSilent}, errs{errSilent, errSilent, errMind, errSilent}, []int{0, 1, 3}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := lay(t, t.TempDir())
				defer b.close(t)
				b.disk.commits = c.commits
				ctx := ports.Briefly(t.Context())
				var all sync.WaitGroup
				var told errs
				queued := make(chan struct{})
				for i, end := range c.ends {
					all.Go(func() {
						defer func() {
							if r := recover(); r != nil {
								told[i] = r.(error)
							}
						}()
						told[i] = b.write(ctx, i, func(tx *sql.Tx) error {
							<-queued
							require.EqualValues(t, len(c.ends)-1-i, b.shared.waiting.Load(), "those behind")
							if c.asked == 1 {
								require.Empty(t, b.seen(t), "nothing is there before the commit")
							}
							return end(tx)
						})
					})
					synctest.Wait() // this one has the turn, or stands in line behind those before it
				}
				close(queued)
				all.Wait()
				for i, want := range c.told {
					require.ErrorIs(t, told[i], want, "%d", i)
				}
				var stored []int
				for writer, rows := range b.seen(t) {
					require.Equal(t, 2, rows)
					stored = append(stored, writer)
				}
				slices.Sort(stored)
				require.Equal(t, c.stored, stored)
				require.Equal(t, c.asked, b.disk.count("COMMIT"))
				_, err := b.writer.Exec("PRAGMA max_page_count = 1000000")
				require.NoError(t, err)
				require.NoError(t, b.write(ctx, 50, well), "it goes on")
			})
		})
	}
}

func await(t *testing.T, done func() bool) {
	t.Helper()
	require.Eventually(t, done, time.Minute, time.Millisecond)
}

// A transaction that is alone issues the same statements as it would without groups.
func TestOneAloneHasNoSavepoint(t *testing.T) {
	t.Parallel()
	b := lay(t, t.TempDir())
	defer b.close(t)
	for i := range 3 {
		require.NoError(t, b.write(ports.Briefly(t.Context()), i, well))
	}
	own, err := b.shared.Connect(t.Context())
	require.NoError(t, err)
	tx, err := own.(driver.ConnBeginTx).BeginTx(t.Context(), driver.TxOptions{})
	require.NoError(t, err)
	require.NoError(t, tx.Rollback())
	require.Error(t, tx.Commit(), "it is over")
	require.Error(t, tx.Rollback())
	require.NoError(t, own.Close())
	require.Equal(t, 4, b.disk.count("BEGIN"))
	require.Equal(t, 3, b.disk.count("COMMIT"))
	require.Zero(t, b.disk.count("SAVEPOINT"))
	require.Zero(t, b.disk.count("RELEASE"))
}

// A transaction that does not ask for it shares no commit, whether it comes before or after those that do.
func TestWhoTakesLongIsAlone(t *testing.T) {
	t.Parallel()
	b := lay(t, t.TempDir())
	defer b.close(t)
	var all sync.WaitGroup
	begun := make(chan struct{})
	all.Go(func() {
		require.NoError(t, b.write(t.Context(), 0, func(*sql.Tx) error {
			close(begun)
			await(t, func() bool { return b.shared.waiting.Load() == 1 })
			return nil
		}))
	})
	<-begun
	all.Go(func() {
		require.NoError(t, b.write(ports.Briefly(t.Context()), 1, func(*sql.Tx) error {
			require.Equal(t, map[int]int{0: 2}, b.seen(t))
			all.Go(func() {
				require.NoError(t, b.write(t.Context(), 2, func(*sql.Tx) error {
					require.Equal(t, map[int]int{0: 2, 1: 2}, b.seen(t))
					return nil
				}))
			})
			b.shared.waiting.Add(1) // somebody who gives up
			return nil
		}))
		b.shared.waiting.Add(-1)
	})
	all.Wait()
	require.Zero(t, b.disk.count("SAVEPOINT"))

	// A group that waits for another member is committed first.
	s := b.shared
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	require.NoError(t, s.take(t.Context(), true))
	require.NoError(t, s.begin(t.Context(), driver.TxOptions{}))
	require.NoError(t, s.run("INSERT INTO t VALUES (3, 0, NULL)"))
	g, err := s.release(true)
	require.NoError(t, err)
	s.pass()
	require.NotContains(t, b.seen(t), 3)
	require.NoError(t, s.take(t.Context(), false))
	require.Contains(t, b.seen(t), 3)
	s.pass()
	require.NoError(t, g.await(s))
}

// A group is passed on for a limited time, and to a limited number of members.
func TestGroupsAreBounded(t *testing.T) {
	t.Parallel()
	b := lay(t, t.TempDir())
	defer b.close(t)
	ctx := ports.Briefly(t.Context())
	b.shared.waiting.Add(1)
	defer b.shared.waiting.Add(-1)
	b.shared.takes = -1
	require.NoError(t, b.write(ctx, 0, well))
	b.shared.takes = time.Hour
	var all sync.WaitGroup
	for i := range 4 * MaxMembers {
		all.Go(func() { require.NoError(t, b.write(ctx, 1+i, well)) })
	}
	all.Wait()
	require.GreaterOrEqual(t, b.disk.count("COMMIT"), 1+4)
	require.Len(t, b.seen(t), 1+4*MaxMembers)
}

// A caller that leaves before or during its turn affects nobody else; a turn that does not come is reported as a busy database.
func TestCallersLeave(t *testing.T) {
	t.Parallel()
	b := lay(t, t.TempDir())
	defer b.close(t)
	ctx := ports.Briefly(t.Context())
	var all sync.WaitGroup
	require.NoError(t, b.write(ctx, 0, func(*sql.Tx) error {
		leaving, leave := context.WithCancel(ctx)
		all.Go(func() { require.ErrorIs(t, b.write(leaving, 1, well), context.Canceled) })
		await(t, func() bool { return b.shared.waiting.Load() == 1 })
		leave()
		await(t, func() bool { return b.shared.waiting.Load() == 0 })
		all.Go(func() {
			leaving, leave := context.WithCancel(ctx)
			require.Error(t, b.write(leaving, 2, func(tx *sql.Tx) error {
				leave()
				_, err := tx.ExecContext(leaving, "DELETE FROM t")
				return err
			}))
		})
		await(t, func() bool { return b.shared.waiting.Load() == 1 })
		return nil
	}))
	all.Wait()
	require.Equal(t, map[int]int{0: 2}, b.seen(t))

	// An interrupted statement would roll back those that wait for the commit.
	require.NoError(t, b.write(ctx, 5, func(*sql.Tx) error {
		all.Go(func() {
			leaving, leave := context.WithCancel(ctx)
			require.Error(t, b.write(leaving, 6, func(tx *sql.Tx) error {
				all.Go(leave)
				_, err := tx.ExecContext(leaving, "WITH RECURSIVE n (i) AS (SELECT 7 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"+
					" INSERT INTO t SELECT i, 0, NULL FROM n")
				<-leaving.Done()
				return err
			}))
		})
		await(t, func() bool { return b.shared.waiting.Load() == 1 })
		return nil
	}))
	all.Wait()
	require.Equal(t, map[int]int{0: 2, 5: 2}, b.seen(t))
	b.shared.wait = 0
	require.NoError(t, b.write(ctx, 3, func(*sql.Tx) error {
		err := b.write(ctx, 4, well)
		f, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "database_busy", f.Code)
		return nil
	}))
}
