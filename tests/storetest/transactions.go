package storetest

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/persistence"
	"tilth/core/farm"
	"tilth/core/fault"
	"tilth/ports"
)

// errChanged is the error of a failing callback of the suite.
var errChanged = errors.New("changed my mind")

func testTransactions(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope
	count := func() (n int64) {
		w.read(func(tx ports.Repos) (err error) {
			n, err = tx.Farms.Count(w.ctx, scope, ports.Query{})
			return err
		})
		return n
	}
	add := func(ctx context.Context, tx ports.Repos) error {
		f := farmResource.make(w, w.ours, 0)
		return tx.Farms.Insert(ctx, scope, []*farm.Farm{&f})
	}
	err := w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		require.NoError(t, add(ctx, tx))
		return errChanged
	})
	require.ErrorIs(t, err, errChanged)
	require.EqualValues(t, 1, count(), "an error rolls back")

	require.Panics(t, func() {
		_ = w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			require.NoError(t, add(ctx, tx))
			panic("broken")
		})
	})
	require.EqualValues(t, 1, count(), "a panic rolls back")

	err = w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
		good, bad := w.newSeason(w.ours, "good"), w.newSeason(w.ours, "bad")
		bad.EndDate = bad.StartDate.AddDate(0, 0, -1)
		return tx.Seasons.Insert(ctx, scope, []*farm.Season{&good, &bad})
	})
	require.Error(t, err)
	w.read(func(tx ports.Repos) error {
		n, err := tx.Seasons.Count(w.ctx, scope, ports.Query{})
		require.EqualValues(t, 1, n, "a bulk is stored whole or not at all")
		return err
	})

	err = w.Read(w.ctx, add)
	require.Error(t, err, "a read cannot write")
	require.EqualValues(t, 1, count())

	w.read(func(tx ports.Repos) error {
		before, err := tx.Farms.Count(w.ctx, scope, ports.Query{})
		require.NoError(t, err)
		w.write(func(tx ports.Repos) error { return add(w.ctx, tx) })
		after, err := tx.Farms.Count(w.ctx, scope, ports.Query{})
		require.Equal(t, before, after, "a read sees one state of the database")
		return err
	})
	require.EqualValues(t, 2, count())

	testParts(w, add, count)

	// A reader waits for no writer, and writes nothing.
	w.write(func(ports.Repos) error {
		return w.Consult(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
			_, err := tx.Accounts.Company(ctx, scope.Company())
			return err
		})
	})
	require.Error(t, w.Consult(w.ctx, func(ctx context.Context, tx ports.OperatorRepos) error {
		return tx.Accounts.SetDisabled(ctx, w.ours.user.ID, true)
	}))
}

// together runs a function n times at once and returns the errors.
func together(n int, do func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// testRaces lets many callers delete the cultivations of one field at once, each
// through a replica of its own: the guard keeps one.
func testRaces(t *testing.T, b Backend) {
	w := newWorld(t, b)
	const n = 8
	list := []*farm.Cultivation{&w.ours.cultivation}
	for range n - 1 {
		c := w.newCultivation(w.ours)
		list = append(list, &c)
	}
	w.write(func(tx ports.Repos) error { return tx.Cultivations.Insert(w.ctx, w.ours.scope, list[1:]) })
	replicas := []*persistence.Database{w.Database, open(t, w.address, w.clock, w.ids)}
	errs := together(n, func(i int) error {
		return replicas[i%2].Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			if _, err := tx.Cultivations.GetForUpdate(ctx, w.ours.scope, list[i].ID); err != nil {
				return err
			}
			if _, err := tx.Fields.GetForUpdate(ctx, w.ours.scope, w.ours.field.ID); err != nil {
				return err
			}
			live, err := tx.Cultivations.CountOfField(ctx, w.ours.scope, w.ours.field.ID)
			if err != nil {
				return err
			}
			if err := farm.MayDeleteCultivation(live); err != nil {
				return err
			}
			_, err = tx.Cultivations.SoftDelete(ctx, w.ours.scope, []int64{list[i].ID}, w.clock.Now())
			return err
		})
	})
	refused := 0
	for _, err := range errs {
		if err != nil {
			known, ok := fault.As(err)
			require.True(t, ok, "%v", err)
			require.Equal(t, "last_cultivation", known.Code)
			refused++
		}
	}
	require.Equal(t, 1, refused)
	w.read(func(tx ports.Repos) error {
		live, err := tx.Cultivations.CountOfField(w.ctx, w.ours.scope, w.ours.field.ID)
		require.EqualValues(t, 1, live)
		return err
	})
}

// testDeadlock makes two transactions lock two records in opposite order: one loses
// the race, is run again, and both succeed.
func testDeadlock(t *testing.T, b Backend) {
	w := newWorld(t, b)
	if strings.HasPrefix(w.address, "sqlite:") {
		t.Skip("SQLite runs one write transaction at a time: none can deadlock")
	}
	locks := []func(context.Context, ports.Repos) error{
		func(ctx context.Context, tx ports.Repos) error {
			_, err := tx.Farms.GetForUpdate(ctx, w.ours.scope, w.ours.farm.ID)
			return err
		},
		func(ctx context.Context, tx ports.Repos) error {
			_, err := tx.Seasons.GetForUpdate(ctx, w.ours.scope, w.ours.season.ID)
			return err
		},
	}
	locked := []chan struct{}{make(chan struct{}), make(chan struct{})}
	tries := make([]int, 2)
	for _, err := range together(2, func(i int) error {
		return w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			if err := locks[i](ctx, tx); err != nil {
				return err
			}
			if tries[i]++; tries[i] == 1 {
				close(locked[i])
				<-locked[1-i]
			}
			return locks[1-i](ctx, tx)
		})
	}) {
		require.NoError(t, err)
	}
	// At least 3: a loser that begins again before the other has continued may collide with it once more.
	require.GreaterOrEqual(t, tries[0]+tries[1], 3, "one callback was run again")
}

// testGuards checks what the deletion of other records queries.
func testGuards(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope
	used := func(scope2 estate, want bool) {
		w.read(func(tx ports.Repos) error {
			got, err := tx.Seasons.InUse(w.ctx, scope2.scope, w.ours.season.ID)
			require.Equal(t, want, got)
			return err
		})
	}
	used(w.ours, true)
	used(w.theirs, false)
	second := w.newCultivation(w.ours)
	w.write(func(tx ports.Repos) error {
		require.NoError(t, tx.Cultivations.Insert(w.ctx, scope, []*farm.Cultivation{&second}))
		n, err := tx.Cultivations.SoftDeleteOfFields(w.ctx, w.theirs.scope, []int64{w.ours.field.ID}, w.clock.Now())
		require.NoError(t, err)
		require.Zero(t, n)
		n, err = tx.Cultivations.SoftDeleteOfFields(w.ctx, scope, []int64{w.ours.field.ID}, w.clock.Now())
		require.EqualValues(t, 2, n)
		return err
	})
	used(w.ours, false)
}

func testFailures(t *testing.T, b Backend) {
	w := newWorld(t, b)
	scope := w.ours.scope
	insert := func(f farm.Field) error {
		return w.Write(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			return tx.Fields.Insert(ctx, scope, []*farm.Field{&f})
		})
	}
	is := func(err error, kind fault.Kind, code string) {
		t.Helper()
		known, ok := fault.As(err)
		require.True(t, ok, "%v", err)
		require.Equal(t, kind, known.Kind)
		require.Equal(t, code, known.Code)
	}
	twin := w.newField(w.ours, "twin")
	twin.UUID = w.ours.field.UUID
	is(insert(twin), fault.Conflict, "already_exists")
	stray := w.newField(w.ours, "stray")
	stray.Farm.ID = w.theirs.farm.ID
	is(insert(stray), fault.Conflict, "reference_missing")
	odd := w.newField(w.ours, "odd")
	odd.BoundaryMethod = "guessed"
	is(insert(odd), fault.Internal, "constraint")

	ctx, cancel := context.WithCancel(w.ctx)
	cancel()
	require.ErrorIs(t, w.Write(ctx, func(context.Context, ports.Repos) error { return nil }), context.Canceled)
	require.ErrorIs(t, w.Ping(ctx), context.Canceled)

	brokenConnections(t, w)
	db, err := persistence.Open(w.ctx, w.address, persistence.Options{Clock: w.clock, Shared: w.clock, IDs: w.ids})
	require.NoError(t, err)
	require.NoError(t, db.Ping(w.ctx))
	require.NoError(t, db.Close())
	is(db.Ping(w.ctx), fault.Unavailable, "database_unavailable")
	is(db.Read(w.ctx, func(context.Context, ports.Repos) error { return nil }), fault.Unavailable, "database_unavailable")
	_, err = db.Queue().Claim(w.ctx, w.clock.Now(), time.Second, 1)
	is(err, fault.Unavailable, "database_unavailable")

	for _, address := range []string{"", "sqlite:", "mysql://root@localhost/x", "tilth.db", "postgres://u:hunter2@[bad", "sqlite::memory:"} {
		_, err := persistence.Open(w.ctx, address, persistence.Options{Clock: w.clock, Shared: w.clock, IDs: w.ids})
		is(err, fault.Invalid, "database_url")
		require.NotContains(t, err.Error(), "hunter2")
	}
	_, err = persistence.Open(w.ctx, "postgres://u:hunter2@127.0.0.1:1/none", persistence.Options{Clock: w.clock, Shared: w.clock, IDs: w.ids})
	is(err, fault.Unavailable, "database_unavailable")
	require.NotContains(t, err.Error(), "hunter2")
	_, err = persistence.Open(w.ctx, w.address, persistence.Options{})
	require.Error(t, err)
}

// brokenConnections closes every connection of a server in the middle of a transaction.
func brokenConnections(t *testing.T, w *world) {
	t.Helper()
	if strings.HasPrefix(w.address, "sqlite:") {
		return // a file has no connections to lose
	}
	for _, run := range []func(context.Context, func(context.Context, ports.Repos) error) error{w.Write, w.Read} {
		err := run(w.ctx, func(ctx context.Context, tx ports.Repos) error {
			w.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			_, err := tx.Farms.Count(ctx, w.ours.scope, ports.Query{})
			require.Error(t, err)
			return err
		})
		require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	}
	w.write(func(tx ports.Repos) error {
		_, err := tx.Farms.Count(w.ctx, w.ours.scope, ports.Query{})
		return err
	})
}

func testHealth(t *testing.T, b Backend) {
	w := newWorld(t, b)
	h, err := w.Check(w.ctx)
	require.NoError(t, err)
	require.NotEmpty(t, h.Version)
	require.Zero(t, h.Pending)
	require.Contains(t, w.Describe(), h.Engine)
	require.Contains(t, w.Describe(), h.Location)
	if path, ok := strings.CutPrefix(w.address, "sqlite:"); ok {
		require.Equal(t, "wal", h.JournalMode)
		require.Equal(t, filepath.Clean(path), filepath.Clean(h.Location))
	}
	empty := open(t, b.Empty(t), w.clock, w.ids)
	h, err = empty.Check(w.ctx)
	require.NoError(t, err)
	require.Positive(t, h.Pending)
}

// testParts checks that a part of a transaction that the database refuses is rolled back alone, with a fault for a conflict with other records.
func testParts(w *world, add func(context.Context, ports.Repos) error, count func() int64) {
	t, before := w.t, count()
	part := func(tx ports.Repos, company int64) error {
		return tx.Nested(w.ctx, func(ctx context.Context) error {
			require.NoError(t, add(ctx, tx))
			return tx.Jobs.Enqueue(ctx, ports.Job{Kind: "part", Key: "1", CompanyID: company, RunAt: w.clock.Now()})
		})
	}
	w.write(func(tx ports.Repos) error {
		require.NoError(t, add(w.ctx, tx))
		require.True(t, fault.Is(part(tx, 1<<40), fault.Conflict), "no such company")
		require.ErrorIs(t, tx.Nested(w.ctx, func(ctx context.Context) error {
			require.NoError(t, add(ctx, tx))
			return errChanged
		}), errChanged)
		return part(tx, w.ours.scope.Company())
	})
	require.Equal(t, before+2, count(), "that of the transaction, and of the part that was sound")
}
