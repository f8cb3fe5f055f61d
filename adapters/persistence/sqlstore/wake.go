package sqlstore

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// Topic is what a committed transaction leaves to be done in the background. Topics are bits.
type Topic uint8

// The topics.
const (
	JobsWait   Topic = 1 << iota // jobs that are due, now or later
	EventsWait                   // events in the outbox
	RowsWait                     // rows of the audit trail or of the ledger that are not chained
	FeedsGrew                    // events that have their positions, for those who follow a feed
	allTopics  = JobsWait | EventsWait | RowsWait | FeedsGrew
)

// Leaves wakes those who wait for a topic when the transaction is committed.
func (s *Session) Leaves(topic Topic) { *s.leaves |= topic }

const (
	// lookEvery is the shortest time between two looks for commits of other processes, where nothing announces them.
	lookEvery = 500 * time.Millisecond
	// announceEvery is how long commits are gathered before other processes hear of them.
	announceEvery = 50 * time.Millisecond
)

// wakes holds those that wait for commits. It is safe for concurrent use.
type wakes struct {
	mu      sync.Mutex
	waiting []waiter
	pending Topic         // committed here, and not announced to other processes
	left    chan struct{} // holds one value while there is something pending
}

type waiter struct {
	topics Topic
	woken  chan struct{}
}

func newWakes() *wakes { return &wakes{left: make(chan struct{}, 1)} }

// Wakes returns a channel that holds a value after a commit, of this process or, while [DB.Watch] runs, of another,
// that left one of the topics. Several commits are one value.
func (d *DB) Wakes(topics Topic) <-chan struct{} {
	w := waiter{topics, make(chan struct{}, 1)}
	d.wakes.mu.Lock()
	defer d.wakes.mu.Unlock()
	d.wakes.waiting = append(d.wakes.waiting, w)
	return w.woken
}

// committed wakes those that wait in this process, and leaves the topics to be announced to others.
func (w *wakes) committed(topics Topic) {
	if topics == 0 {
		return
	}
	w.wake(topics)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending |= topics
	fill(w.left)
}

func (w *wakes) wake(topics Topic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.waiting {
		if one.topics&topics != 0 {
			fill(one.woken)
		}
	}
}

func (w *wakes) take() Topic {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.pending
	w.pending = 0
	return taken
}

func fill(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// LookEvery returns how often a loop that nobody wakes looks for work. On SQLite every commit is heard of; something between
// PostgreSQL and a process may fail to pass notifications on.
func (d *DB) LookEvery() time.Duration {
	if d.engine.announce == nil {
		return time.Minute
	}
	return quietLook
}

// Watch wakes those that wait for what other processes commit, until the context ends. While it cannot hear of commits it
// wakes for every topic from time to time.
func (d *DB) Watch(ctx context.Context) error {
	self := d.opts.IDs.UUID()
	var announcing sync.WaitGroup
	defer announcing.Wait()
	if d.engine.announce != nil {
		announcing.Go(func() { d.announce(ctx, self) })
	}
	for ctx.Err() == nil {
		if err := d.engine.watch(ctx, func(a announcement) {
			if a.from != self {
				d.wakes.wake(a.topics)
			}
		}); err != nil && ctx.Err() == nil {
			d.opts.Logger.DebugContext(ctx, "commits of other processes are not announced; the database is polled instead", "error", err)
		}
		d.wakes.wake(allTopics)
		sleep(ctx, lookEvery)
	}
	return nil
}

// announce tells other processes what is committed here. A process that is not told finds it when it looks by itself.
func (d *DB) announce(ctx context.Context, self string) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.wakes.left:
		}
		if err := d.engine.announce(ctx, announcement{self, d.wakes.take()}); err != nil && ctx.Err() == nil {
			d.opts.Logger.DebugContext(ctx, "other processes were not notified of commits", "error", err)
		}
		sleep(ctx, announceEvery)
	}
}

// announcement is what one process tells the others: who it is, and what it left.
type announcement struct {
	from   string
	topics Topic
}

func (a announcement) String() string { return strconv.Itoa(int(a.topics)) + " " + a.from }

// readAnnouncement reads an announcement. One of another release that this one does not understand counts for every topic.
func readAnnouncement(text string) announcement {
	topics, from, _ := strings.Cut(text, " ")
	n, err := strconv.ParseUint(topics, 10, 8)
	if err != nil {
		return announcement{from, allTopics}
	}
	return announcement{from, Topic(n)}
}

// watchChannel is the channel of PostgreSQL's notifications.
const watchChannel = "tilth_commits"

// watchQuiet is how long a connection may be silent before it is pinged.
const watchQuiet = 30 * time.Second

// watchPostgres hears announcements on a connection of its own until that breaks or the context ends.
func watchPostgres(ctx context.Context, config *pgx.ConnConfig, heard func(announcement)) error {
	conn, err := pgx.ConnectConfig(ctx, postgresConfig(config, 0))
	if err != nil {
		return away(err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(ctx, "LISTEN "+watchChannel); err != nil {
		return err
	}
	heard(announcement{topics: allTopics}) // what was committed while nobody listened
	for {
		quiet, cancel := context.WithTimeout(ctx, watchQuiet)
		said, err := conn.WaitForNotification(quiet)
		cancel()
		switch {
		case err == nil:
			heard(readAnnouncement(said.Payload))
		case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded):
			return err
		default:
			alive, cancel := context.WithTimeout(ctx, postgresConnect)
			err := conn.Ping(alive)
			cancel()
			if err != nil {
				return err
			}
		}
	}
}

// announcePostgres sends an announcement, which would be lost with the server anyway, and so needs no sync of the log.
func announcePostgres(ctx context.Context, pool *bun.DB, a announcement) error {
	ctx, cancel := context.WithTimeout(ctx, postgresConnect)
	defer cancel()
	return pool.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		_, err := tx.ExecContext(ctx, "SET LOCAL synchronous_commit = off; SELECT pg_notify(?, ?)", watchChannel, a.String())
		return err
	})
}

// watchSQLite checks whether another process committed, when the system reports that the database's files were written, and from
// time to time where it does not: that reads no table. It asks on the connection that writes for this process, since that one
// sees only the commits of others.
func watchSQLite(ctx context.Context, path string, writer *bun.DB, heard func(announcement)) error {
	written, stop := watchFiles(path)
	defer stop()
	var before int64
	for {
		var version int64
		if err := writer.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
			return err
		}
		if version != before {
			heard(announcement{topics: allTopics})
		}
		before = version
		if !sleep(ctx, lookEvery) || !awaitWrite(ctx, path, written) {
			return ctx.Err()
		}
	}
}

// quietLook is how often a process looks for commits of others where the system reports none.
const quietLook = 5 * time.Second

// watchFiles asks the system to report writes in the folder of a database. A system that cannot reports nothing.
func watchFiles(path string) (said <-chan fsnotify.Event, stop func()) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, func() {}
	}
	if err := watcher.Add(filepath.Dir(path)); err != nil {
		_ = watcher.Close()
		return nil, func() {}
	}
	return watcher.Events, func() { _ = watcher.Close() }
}

// awaitWrite waits until the database or its log is written, and returns false when the context ends.
func awaitWrite(ctx context.Context, path string, said <-chan fsnotify.Event) bool {
	timer := time.NewTimer(quietLook)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case e := <-said:
			if name := filepath.Base(e.Name); name == filepath.Base(path) || name == filepath.Base(path)+"-wal" {
				return true
			}
		}
	}
}
