package sqlstore

import (
	"context"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"tilth/ports"
)

// Due times, leases and holds are stored by one clock that all processes of a database share.
// The clocks of the processes may differ by hours: a time that a process stores is as far from
// the shared time as it was from the process's own, and a time that it reads is converted back. So
// a process sees such a time by its own clock, and only durations pass from one to another.
//
// The shared time is that of the PostgreSQL server, or of the machine for SQLite. It is read
// once a minute and advances by the process's monotonic clock in between, so that setting a clock
// back changes nothing while a process runs. It never goes back: it is stored from time to time,
// and a process that starts after the clock was set back continues from there.

const (
	// timeReadEvery is how long a process goes by its own monotonic clock.
	timeReadEvery = time.Minute
	// timeTolerance is how far a process's clock may drift against the shared time before its skew
	// is changed, so that times are read back as they were stored, to the microsecond.
	timeTolerance = time.Second
	// timeKeptEvery is how much of the shared time a restart may lose after a clock was set back.
	timeKeptEvery = 10 * time.Second
)

// sharedTime is the shared time as a process knows it. It is safe for concurrent use.
type sharedTime struct {
	tick func() time.Time // a clock that only goes forward

	mu    sync.Mutex
	at    time.Time // the shared time at the moment since
	since time.Time // zero: not read yet
	kept  time.Time // the shared time that was stored last
	skew  time.Duration
}

func newSharedTime(instead ports.Clock) *sharedTime {
	if instead != nil {
		return &sharedTime{tick: instead.Now}
	}
	return &sharedTime{tick: time.Now}
}

func (t *sharedTime) now() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at.Add(t.tick().Sub(t.since))
}

// skewTo returns how far the shared time is ahead of a process's clock.
func (t *sharedTime) skewTo(clock time.Time) time.Duration {
	now := t.now()
	t.mu.Lock()
	defer t.mu.Unlock()
	if skew := now.Sub(clock); (skew - t.skew).Abs() > timeTolerance {
		t.skew = skew
	}
	return t.skew
}

func (t *sharedTime) stale() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.since.IsZero() || t.tick().Sub(t.since) >= timeReadEvery
}

// advance moves the time to the latest of those given, never back.
func (t *sharedTime) advance(to ...time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.tick()
	if !t.since.IsZero() {
		t.at = t.at.Add(now.Sub(t.since))
	}
	t.since = now
	for _, one := range to {
		if one.After(t.at) {
			t.at = one
		}
	}
}

// keeping reports whether a time is to be stored, which the caller then does.
func (t *sharedTime) keeping(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.kept) < timeKeptEvery {
		return false
	}
	t.kept = now
	return true
}

// sharedTimeRow is the latest shared time that was stored.
type sharedTimeRow struct {
	bun.BaseModel `bun:"table:shared_time,alias:t"`
	ID            int64 `bun:"id,pk"`
	At            Stamp
}

// readTime reads the shared time when that is due. A schema without its table is about to be
// migrated.
func (d *DB) readTime(ctx context.Context, conn bun.Conn) error {
	if !d.time.stale() {
		return nil
	}
	clock := time.Now()
	if d.opts.Shared != nil {
		clock = d.opts.Shared.Now()
	} else if d.engine.postgres {
		if err := conn.NewSelect().ColumnExpr("clock_timestamp()").Scan(ctx, &clock); err != nil {
			return err
		}
	}
	var rows []sharedTimeRow
	if err := conn.NewSelect().Model(&rows).Scan(ctx); err != nil && reasonOf(err) != unknown {
		return err
	}
	to := []time.Time{clock.Round(0)} // without its monotonic reading
	for _, row := range rows {
		to = append(to, row.At.Time)
	}
	d.time.advance(to...)
	return nil
}

// KeepTime stores the shared time from time to time.
func (s *Session) KeepTime(ctx context.Context) error {
	now := s.time.now()
	if !s.time.keeping(now) {
		return nil
	}
	return Run(ctx, s.NewInsert().Model(&sharedTimeRow{ID: 1, At: StampAt(now)}).
		On("CONFLICT (id) DO UPDATE").Set("at = EXCLUDED.at").Where("t.at < EXCLUDED.at"))
}

// Shared converts a moment of the process's clock to the shared time and returns its column.
func (s *Session) Shared(at time.Time) Stamp { return StampAt(at.Add(s.skew)) }

// SharedNow returns the shared time.
func (s *Session) SharedNow() time.Time { return s.time.now() }

// NullableShared is Shared of a moment that may be missing.
func (s *Session) NullableShared(at *time.Time) *Stamp { return apply(at, s.Shared) }

// Unshared converts a moment of the shared time to the process's clock.
func (s *Session) Unshared(stamp Stamp) time.Time { return stamp.Add(-s.skew) }

// NullableUnshared is Unshared of a moment that may be missing.
func (s *Session) NullableUnshared(stamp *Stamp) *time.Time { return apply(stamp, s.Unshared) }
