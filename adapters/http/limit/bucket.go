package limit

import "time"

const (
	// burst is how many seconds' worth of tokens a full bucket holds.
	burst = 4
	// remembered bounds the buckets of a table: twice this many, in about 20 MB.
	remembered = 50_000
)

// bucket is a token bucket, stored as one time: the tokens up to that time are taken. If the time
// is before now, the bucket is full.
type bucket struct {
	until    time.Time
	unshared int64 // tokens taken that the other replicas do not know of yet
	total    int64 // tokens that all replicas had taken at the last exchange
	shared   bool  // total is known
}

// table holds the buckets of one kind of caller.
type table struct {
	kind      string
	perSecond float64
	buckets   recent[string, *bucket]
}

func newTable(kind string, perSecond float64) *table { return &table{kind: kind, perSecond: perSecond} }

// slot is a bucket with its rate.
type slot struct {
	table  *table
	bucket *bucket
}

func (t *table) of(name string) slot {
	b, ok := t.buckets.get(name)
	if !ok {
		b = &bucket{}
		if t.perSecond > 0 {
			t.buckets.put(name, b)
		}
	}
	return slot{t, b}
}

// worth returns the time in which the bucket fills by a number of tokens.
func (t *table) worth(tokens float64) time.Duration {
	return time.Duration(tokens / t.perSecond * float64(time.Second))
}

// full returns how many tokens a full bucket holds. Replicas share them evenly.
func (t *table) full(replicas int) float64 {
	return max(1, burst*t.perSecond/float64(replicas))
}

// wait returns the time until a token is available.
func (s slot) wait(now time.Time, replicas int) time.Duration {
	if s.table.perSecond <= 0 {
		return 0
	}
	return s.waitFor(1, now, replicas)
}

// waitFor returns the time until a number of tokens is available; 0 or less: they are available now.
func (s slot) waitFor(tokens float64, now time.Time, replicas int) time.Duration {
	return s.after(now).Add(s.table.worth(tokens)).Sub(now) - s.table.worth(s.table.full(replicas))
}

func (s slot) after(now time.Time) time.Time {
	if s.bucket.until.Before(now) {
		return now
	}
	return s.bucket.until
}

// take takes tokens, even if they are not available, because what other replicas took is owed. At
// most twice the content of a full bucket counts as taken.
func (s slot) take(now time.Time, tokens float64) {
	if s.table.perSecond <= 0 {
		return
	}
	limit := now.Add(s.table.worth(s.table.full(1)) * 2)
	if s.bucket.until = s.after(now).Add(s.table.worth(tokens)); s.bucket.until.After(limit) {
		s.bucket.until = limit
	}
}

// refund puts a token back.
func (s slot) refund() {
	if s.table.perSecond > 0 {
		s.bucket.until = s.bucket.until.Add(-s.table.worth(1))
		s.bucket.unshared = max(0, s.bucket.unshared-1)
	}
}

// recent is a map that forgets entries that were not used lately: those left in the older half when
// the younger half is full. No caller can make it large or slow.
type recent[K comparable, V any] struct{ young, old map[K]V }

func (r *recent[K, V]) get(key K) (V, bool) {
	if v, ok := r.young[key]; ok {
		return v, true
	}
	v, ok := r.old[key]
	if ok {
		r.put(key, v)
	}
	return v, ok
}

func (r *recent[K, V]) put(key K, v V) {
	if r.young == nil || len(r.young) >= remembered {
		r.young, r.old = map[K]V{}, r.young
	}
	r.young[key] = v
}

func (r *recent[K, V]) forget(key K) {
	delete(r.young, key)
	delete(r.old, key)
}
