package limit

import "time"

const (
	// burst is how many seconds' worth of tokens a full bucket holds.
	burst = 4
	// remembered bounds the buckets of a table: twice this many, in about 20 MB.
	remembered = 50_000
)

// bucket is a token bucket, told by one time: its tokens until then are taken. A time before
// now is a full bucket.
type bucket struct {
	until    time.Time
	unshared int64 // tokens taken that the other replicas have not heard of
	total    int64 // tokens that all replicas have taken, when they were asked last
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

// worth is how long the bucket takes to fill by a number of tokens.
func (t *table) worth(tokens float64) time.Duration {
	return time.Duration(tokens / t.perSecond * float64(time.Second))
}

// full returns how many tokens a full bucket holds. Replicas share them evenly.
func (t *table) full(replicas int) float64 {
	return max(1, burst*t.perSecond/float64(replicas))
}

// wait returns how long it takes until a token is there.
func (s slot) wait(now time.Time, replicas int) time.Duration {
	if s.table.perSecond <= 0 {
		return 0
	}
	return s.waitFor(1, now, replicas)
}

// waitFor returns how long it takes until a number of tokens is there; none or less: they are.
func (s slot) waitFor(tokens float64, now time.Time, replicas int) time.Duration {
	return s.after(now).Add(s.table.worth(tokens)).Sub(now) - s.table.worth(s.table.full(replicas))
}

func (s slot) after(now time.Time) time.Time {
	if s.bucket.until.Before(now) {
		return now
	}
	return s.bucket.until
}

// take takes tokens, also ones that are not there: what other replicas took is owed. A debt
// is no more than what a full bucket holds twice.
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

// recent is a map that forgets what was not asked for lately: what is left in the older
// half when the younger one is full. No caller can make it large, or slow.
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
