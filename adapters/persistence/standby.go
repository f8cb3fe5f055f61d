package persistence

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tilth/adapters/persistence/sqlstore"
)

// standby is a copy of the database that long reads go to. It is opened when it is first needed, so that the start of a
// server does not wait for it.
type standby struct {
	url  string
	opts sqlstore.Options

	db   atomic.Pointer[sqlstore.DB]
	away atomic.Int64 // until when nobody asks it, in nanoseconds
	mu   sync.Mutex   // held while opening it
}

const (
	standbyWait   = 500 * time.Millisecond // how long a read waits until the copy has what was written before
	standbyPoll   = 10 * time.Millisecond
	standbyAnswer = 2 * time.Second  // how long the copy may take to report what it has
	standbyRetry  = 10 * time.Second // until one that does not answer is asked again
	standbyBehind = 2 * time.Second  // until one that is behind is
)

var errStandbyAway = errors.New("the copy did not answer, or is behind, and is tried again later")

// leave keeps everybody from asking the copy for a while, and returns why.
func (s *standby) leave(during time.Duration, why error) error {
	s.away.Store(time.Now().Add(during).UnixNano())
	return why
}

// open returns the open copy. It does not wait for another caller that is opening it.
func (s *standby) open(ctx context.Context, of *sqlstore.DB) (*sqlstore.DB, error) {
	if db := s.db.Load(); db != nil {
		return db, nil
	}
	if !s.mu.TryLock() {
		return nil, errStandbyAway
	}
	defer s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, standbyAnswer)
	defer cancel()
	db, err := sqlstore.Open(ctx, s.url, s.opts)
	if err != nil {
		return nil, err
	}
	if err := isCopy(ctx, of, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	s.db.Store(db)
	return db, nil
}

// isCopy returns an error that tells why a database is not a copy of another.
func isCopy(ctx context.Context, of, db *sqlstore.DB) error {
	original, err := of.CopyState(ctx)
	if err != nil {
		return err
	}
	c, err := db.CopyState(ctx)
	switch {
	case err != nil:
		return err
	case c.System != original.System:
		return fmt.Errorf("%s is not a copy of %s: they are two systems", db.Describe(), of.Describe())
	case !c.Recovering:
		return fmt.Errorf("%s follows no other server: it is not a copy, or was promoted", db.Describe())
	}
	return nil
}

// current returns the copy once it has everything that was acknowledged before, or an error where that takes too long.
func (s *standby) current(ctx context.Context, of *sqlstore.DB) (*sqlstore.DB, error) {
	if time.Now().UnixNano() < s.away.Load() {
		return nil, errStandbyAway
	}
	db, err := s.open(ctx, of)
	if err != nil {
		return nil, s.leave(standbyRetry, err)
	}
	place, err := of.Written(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, standbyAnswer)
	defer cancel()
	for until := time.Now().Add(standbyWait); ; {
		has, err := db.Has(ctx, place)
		switch {
		case err != nil:
			return nil, s.leave(standbyRetry, err)
		case has:
			return db, nil
		case time.Now().After(until):
			return nil, s.leave(standbyBehind, fmt.Errorf("the copy is behind: after %s it does not have what was written before", standbyWait))
		}
		select {
		case <-time.After(standbyPoll):
		case <-ctx.Done():
			return nil, s.leave(standbyRetry, ctx.Err())
		}
	}
}

func (s *standby) close() error {
	if db := s.db.Load(); db != nil {
		return db.Close()
	}
	return nil
}

// Follows reports whether there is a copy for long reads.
func (d *Database) Follows() bool { return d.standby != nil }

// CheckStandby reports why long reads cannot go to the copy at the moment.
func (d *Database) CheckStandby(ctx context.Context) error {
	_, err := d.standby.current(ctx, d.DB)
	return err
}

// Standby describes a copy, for the doctor.
type Standby struct {
	Where   string
	BehindS *float64 // seconds; nil: nothing was written yet
}

// ExamineStandby opens the copy and looks at it. Faults: any error tells why it is not a copy, or why it cannot be reached.
func (d *Database) ExamineStandby(ctx context.Context) (out Standby, err error) {
	db, err := d.standby.open(ctx, d.DB)
	if err != nil {
		return out, err
	}
	out.Where = db.Describe()
	c, err := db.CopyState(ctx)
	out.BehindS = c.BehindS
	return out, err
}

// Close closes the database, and the copy with it.
func (d *Database) Close() error {
	if d.standby == nil {
		return d.DB.Close()
	}
	return errors.Join(d.standby.close(), d.DB.Close())
}
