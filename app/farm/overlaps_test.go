package farm_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tilth/app"
	"tilth/app/farm"
	core "tilth/core/farm"
	"tilth/core/geo"
	"tilth/core/record"
	"tilth/ports"
	"tilth/tests/fields"
	"tilth/tests/memory"
)

// land is a farm whose overlaps are searched within a number of steps.
type land struct {
	*holding
	live map[int64]*geo.Boundary
}

func newLand(t *testing.T, steps int64) *land {
	h := newHolding(t)
	limits := geo.DefaultLimits()
	limits.OverlapSteps = steps
	h.fields = farm.NewFields(h.world.Deps(), limits)
	return &land{h, map[int64]*geo.Boundary{}}
}

func (l *land) add(boundaries ...*geo.Boundary) []core.Field {
	l.t.Helper()
	drafts := make([]farm.Draft[core.Field], len(boundaries))
	for i, b := range boundaries {
		drafts[i].Record = core.Field{Name: "f", Farm: record.Ref{ID: l.farm.ID}, Boundary: b}
	}
	made, err := l.fields.Create(l.t.Context(), l.owner, drafts, true)
	require.NoError(l.t, err)
	for _, f := range made {
		l.live[f.ID] = f.Boundary
	}
	return made
}

func (l *land) move(id int64, to *geo.Boundary) core.Field {
	l.t.Helper()
	out, err := l.fields.Update(l.t.Context(), l.owner, id, set(func(f *core.Field) { f.Boundary = to }))
	require.NoError(l.t, err)
	l.live[id] = to
	return out
}

func (l *land) remove(id int64) {
	l.t.Helper()
	require.NoError(l.t, l.fields.Delete(l.t.Context(), l.owner, id))
	delete(l.live, id)
}

func (l *land) get(id int64) core.Field {
	l.t.Helper()
	out, err := l.fields.Retrieve(l.t.Context(), l.owner, false, id)
	require.NoError(l.t, err)
	return out
}

// background does the waiting jobs, on a store of the world.
func (l *land) background(store ports.Store) (err error) {
	deps := app.Deps{Store: store, Gate: l.world.Deps().Gate, Clock: &l.world.Clock, IDs: &l.world.IDs}
	l.world.Clock.Move(time.Second) // makes the enqueued jobs due: the version of a change may be ahead of the clock
	checker := &farm.OverlapChecker{Deps: deps, Log: slog.New(slog.DiscardHandler)}
	for _, job := range l.world.Claim() {
		require.Equal(l.t, farm.OverlapJob, job.Kind)
		err = errors.Join(err, checker.Run(l.t.Context(), job))
	}
	return err
}

// settled compares the known overlaps with the overlay of every pair.
func (l *land) settled() {
	l.t.Helper()
	require.NoError(l.t, l.background(l.world))
	require.Empty(l.t, l.world.Jobs)
	for id, own := range l.live {
		want := []int64{}
		for other, theirs := range l.live {
			if other == id || own == nil || theirs == nil {
				continue
			}
			common, err := geo.Intersection(nil, own.Geometry(), theirs.Geometry())
			require.NoError(l.t, err)
			if common.PlanarArea() > 0.005*min(own.Geometry().PlanarArea(), theirs.Geometry().PlanarArea()) {
				want = append(want, other)
			}
		}
		got := l.get(id).Overlaps
		have := []int64{}
		for _, r := range got.Fields {
			have = append(have, r.ID)
		}
		slices.Sort(want)
		slices.Sort(have)
		require.Equal(l.t, want, have, "field %d", id)
		require.False(l.t, got.Pending)
	}
}

// However fields come, change, go and return, and however little a request may compare, the final
// overlaps are those that the overlay of every pair shows.
func TestPropertyOverlapsAreThoseOfAllPairs(t *testing.T) {
	t.Parallel()
	deferred := 0
	rapid.Check(t, func(r *rapid.T) {
		l := newLand(t, rapid.SampledFrom([]int64{1, 30, 300, 1_000_000}).Draw(r, "steps"))
		draw := func() *geo.Boundary {
			if rapid.IntRange(0, 9).Draw(r, "none") == 0 {
				return nil
			}
			return fields.Round(r, float64(rapid.IntRange(0, 6).Draw(r, "x"))*0.01, float64(rapid.IntRange(0, 2).Draw(r, "y"))*0.01,
				float64(rapid.IntRange(2, 12).Draw(r, "radius"))*0.001, rapid.IntRange(3, 12).Draw(r, "n"))
		}
		var gone []int64
		for range rapid.IntRange(1, 12).Draw(r, "changes") {
			ids := []int64{}
			for id := range l.live {
				ids = append(ids, id)
			}
			slices.Sort(ids)
			switch what := rapid.IntRange(0, 5).Draw(r, "change"); {
			case what == 0 && len(ids) > 0:
				id := rapid.SampledFrom(ids).Draw(r, "id")
				l.remove(id)
				gone = append(gone, id)
			case what == 1 && len(gone) > 0:
				f, err := l.fields.Restore(t.Context(), l.owner, gone[0])
				require.NoError(t, err)
				gone, l.live[f.ID] = gone[1:], f.Boundary
			case what == 2 && len(ids) > 0:
				l.move(rapid.SampledFrom(ids).Draw(r, "id"), draw())
			case what == 3:
				deferred += len(l.world.Jobs)
				require.NoError(t, l.background(l.world))
			case len(ids) < 8 && what == 4 && len(ids) > 0: // another request comes between the comparison and the transaction
				id, moved := rapid.SampledFrom(ids).Draw(r, "id"), rapid.SampledFrom(ids).Draw(r, "moved")
				l.between(func(other *land) {
					if id != moved && rapid.Bool().Draw(r, "removed") {
						other.remove(id)
						gone = append(gone, id)
					} else {
						other.move(id, draw())
						other.add(draw())
					}
				}, func(busy *land) {
					if rapid.Bool().Draw(r, "moves") {
						busy.move(moved, draw())
					} else {
						busy.add(draw(), draw())
					}
				})
			case len(ids) < 8: // so that all overlaps are named
				l.add(draw(), draw())
			}
		}
		l.settled()
	})
	require.Positive(t, deferred)
}

// between changes a land while another request changes it after outlines were compared, before they are stored.
func (l *land) between(change, do func(*land)) {
	other, deps, done := *l, l.world.Deps(), false
	deps.Store = &before{deps.Store, func() {
		if !done {
			done = true
			change(&other)
		}
	}}
	busy := *l
	holding := *l.holding
	holding.fields = farm.NewFields(deps, geo.DefaultLimits())
	busy.holding = &holding
	do(&busy)
	require.True(l.t, done)
}

// before runs a function before every write.
type before struct {
	ports.Store
	do func()
}

func (b *before) Write(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	b.do()
	return b.Store.Write(ctx, do)
}

// Nine hundred copies of a field of 350 vertices take no more steps than a request has.
func TestStacksAreCheckedWithinARequest(t *testing.T) {
	t.Parallel()
	l := newLand(t, geo.DefaultLimits().OverlapSteps)
	stack := make([]*geo.Boundary, 900)
	for i := range stack {
		stack[i] = fields.Round(t, 0, 0, 0.01, 350)
	}
	made := l.add(stack...)
	require.Empty(t, l.world.Jobs)
	for _, f := range made {
		require.Len(t, f.Overlaps.Fields, core.MaxOverlaps)
		require.True(t, f.Overlaps.More)
		require.False(t, f.Overlaps.Pending)
	}
	// A field that loses all its named overlaps is checked again, and names others.
	for _, other := range made[899].Overlaps.Fields {
		l.remove(other.ID)
	}
	require.True(t, l.get(made[899].ID).Overlaps.Pending)
	for len(l.world.Jobs) > 0 { // a hundred fields at a time
		require.NoError(t, l.background(l.world))
	}
	again := l.get(made[899].ID).Overlaps
	require.Len(t, again.Fields, core.MaxOverlaps)
	require.False(t, again.Pending)
}

// stoppedStore is a store whose process ends at a given call.
type stoppedStore struct {
	*memory.World
	calls int
}

var errStopped = errors.New("stopped")

func (s *stoppedStore) stop() error {
	if s.calls--; s.calls < 0 {
		return errStopped
	}
	return nil
}

func (s *stoppedStore) Read(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	if err := s.stop(); err != nil {
		return err
	}
	return s.World.Read(ctx, do)
}

func (s *stoppedStore) Write(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	return s.World.Write(ctx, func(ctx context.Context, tx ports.Repos) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		return s.stop()
	})
}

// A check that ends at any call of the store is completed by whoever claims it next.
func TestChecksSurviveEveryEnd(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		l := newLand(t, 1)
		l.add(fields.Round(t, 0, 0, 0.01, 20), fields.Round(t, 0.012, 0, 0.01, 20), fields.Round(t, 0.05, 0, 0.01, 20))
		l.add(fields.Round(t, 0.024, 0, 0.01, 20))
		for id := range l.live {
			require.True(t, l.get(id).Overlaps.Pending)
		}
		store := &stoppedStore{World: l.world, calls: n}
		err := l.background(store)
		l.world.Clock.Move(2 * farm.OverlapPause)
		l.settled()
		if err == nil && store.calls >= 0 {
			require.Greater(t, n, 8)
			return
		}
	}
}

// A field that moves away while it is compared is not reported as overlapping.
func TestChecksLeaveOutWhatChangesMeanwhile(t *testing.T) {
	t.Parallel()
	l := newLand(t, 1)
	made := l.add(fields.Round(t, 0, 0, 0.01, 20), fields.Round(t, 0.012, 0, 0.01, 20))
	moved := false
	store := &meanwhile{World: l.world}
	store.do = func() {
		if !moved && store.reads == 2 { // its neighbour has been read, and nothing is stored yet
			moved = true
			l.move(made[1].ID, fields.Round(t, 0.5, 0, 0.01, 20))
		}
	}
	require.NoError(t, l.background(store))
	require.True(t, moved)
	l.settled()
	require.Empty(t, l.get(made[0].ID).Overlaps.Fields)
}

// meanwhile runs a function after every read.
type meanwhile struct {
	*memory.World
	reads int
	do    func()
}

func (m *meanwhile) Read(ctx context.Context, do func(context.Context, ports.Repos) error) error {
	err := m.World.Read(ctx, do)
	m.reads++
	m.do()
	return err
}

// A request whose caller has left compares nothing more, and stores nothing.
func TestChecksEndWithTheirCaller(t *testing.T) {
	t.Parallel()
	l := newLand(t, geo.DefaultLimits().OverlapSteps)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	_, err := l.fields.Create(ctx, l.owner, []farm.Draft[core.Field]{{Record: core.Field{Name: "f", Farm: record.Ref{ID: l.farm.ID}, Boundary: fields.Round(t, 0, 0, 0.01, 20)}}}, false)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, l.world.Boundaries)
}
