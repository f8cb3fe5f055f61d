package limit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"tilth/ports"
)

const (
	// beatEvery is the interval between two signs of life. Rounds are a second apart while callers ask, otherwise this long.
	beatEvery = 5 * time.Second
	// deadAfter is the number of our own signs of life after which another replica that gave none counts as dead.
	deadAfter = 3
)

// replicas is what is known about the servers of one database. The clock of another machine is not
// trusted: a replica is alive while its count grows.
type replicas struct {
	live   int
	beaten time.Time // the last sign of life
	beats  map[string]int64
	missed map[string]int
}

// Asked has a value when a request was admitted that other replicas may have to know of.
func (l *Limiter) Asked() <-chan struct{} { return l.asked }

// Share does one round of exchange with the other replicas. Rounds are about a second apart while callers ask, and five
// seconds while nobody does. It shares what this replica has admitted since the last round, and takes from the same
// buckets what the others have admitted. Only the use of callers that exceed a replica's part of their rate is exchanged,
// so that the number of callers costs nothing. It returns the number of buckets exchanged. Faults: those of the table.
func (l *Limiter) Share(ctx context.Context, common ports.RateTable, self string) (int, error) {
	l.mu.Lock()
	now := l.now()
	beat := now.Sub(l.replicas.beaten).Abs() > beatEvery-time.Second/2
	if beat {
		l.replicas.beaten = now
	}
	l.mu.Unlock()
	if beat {
		beats, err := common.Beat(ctx, self, now)
		if err != nil {
			return 0, fmt.Errorf("count the replicas: %w", err)
		}
		l.heard(beats)
	}
	busy, taken := l.busy()
	if len(taken) == 0 {
		return 0, nil
	}
	totals, err := common.Exchange(ctx, taken, l.now())
	if err != nil {
		return 0, fmt.Errorf("exchange how often callers ask: %w", err)
	}
	l.settle(busy, taken, totals)
	return len(taken), nil
}

func (l *Limiter) heard(beats map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	alone := l.replicas.live == 1
	l.replicas.heard(beats)
	if !alone || l.replicas.live == 1 {
		return
	}
	for _, t := range l.tables() { // what was taken while alone is not owed
		for _, half := range []map[string]*bucket{t.buckets.young, t.buckets.old} {
			for _, b := range half {
				b.unshared = 0
			}
		}
	}
}

// heard counts the replicas whose signs of life continue.
func (r *replicas) heard(beats map[string]int64) {
	missed := map[string]int{}
	r.live = 0
	for id, beat := range beats {
		if before, known := r.beats[id]; known && before == beat {
			missed[id] = r.missed[id] + 1
		} else if r.beats == nil {
			missed[id] = deadAfter - 1 // a replica that is long gone counts as dead at the next beat
		}
		if missed[id] < deadAfter {
			r.live++
		}
	}
	r.live = max(1, r.live)
	r.beats, r.missed = beats, missed
}

// busy returns the buckets whose use is shared, by key, and that use.
func (l *Limiter) busy() (map[string]slot, map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slots, taken := map[string]slot{}, map[string]int64{}
	if l.replicas.live == 1 {
		return slots, taken
	}
	for _, t := range l.tables() {
		part := t.perSecond / float64(l.replicas.live)
		for name, b := range t.buckets.young {
			if float64(b.unshared) <= part {
				b.unshared = 0
				continue
			}
			key := fmt.Sprintf("%x", sha256.Sum256([]byte(t.kind+":"+name)))
			slots[key], taken[key] = slot{t, b}, b.unshared
		}
	}
	return slots, taken
}

// settle takes from each bucket what the other replicas have taken since the last round.
func (l *Limiter) settle(slots map[string]slot, taken, totals map[string]int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for key, s := range slots {
		total, ok := totals[key]
		if !ok {
			continue
		}
		others := float64(max(0, total-s.bucket.total-taken[key]))
		if !s.bucket.shared { // the age of the sum is unknown: at most this much was taken since the last round
			others = min(others, float64(l.replicas.live-1)*s.table.perSecond)
		}
		s.take(now, others)
		s.bucket.unshared -= taken[key]
		s.bucket.total, s.bucket.shared = total, true
	}
}
