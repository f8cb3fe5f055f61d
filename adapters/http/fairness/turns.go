package fairness

import (
	"context"
	"slices"
	"sync"
	"time"

	"tilth/core/fault"
)

const (
	// Large is the number of bytes from which a body counts as large: work on it always takes turns.
	Large = 64 << 10
	// maxWaiting is the maximum number of requests of a company that wait for a turn. When maxLarge
	// of them wait, one more large body is refused.
	maxWaiting = 64
	maxLarge   = 8
	// maxRest bounds how long a company rests after a large body.
	maxRest = 10 * time.Second
	// present is the time for which a company counts as at work after a request.
	present = 2 * time.Second
	// maxSaved bounds the work that a company may do at once before it takes turns, and maxOwed how
	// much of the excess is remembered.
	maxSaved = time.Second / 5
	maxOwed  = 2 * time.Second
)

// Turns keep a company from taking all processors, all connections to the database, or on SQLite
// its one writer. The work of a company's requests is measured, from the end of the body to the
// beginning of the answer.
//
//   - While others are at work, requests of a company that works more than its share of the processors take turns.
//   - Large bodies always take turns. While others are at work, the company rests after each in proportion
//     to the time that it took, so that short writes of others seldom meet one.
//
// One request of a company has a turn at a time, and the companies take turns in line. Together the turns
// take half of the processors. All other requests are worked on at once.
type Turns struct {
	share     float64 // of the time, for the large bodies of a company
	perSecond float64 // processors that a company may use without taking turns
	began     time.Time

	mu    sync.Mutex
	free  int
	line  []*work // companies that wait in line for a turn, the next first
	all   map[int64]*work
	asked [2]sighting // the last two companies that asked, the latest first
}

// work is what a company has done lately, is doing and wants to do.
type work struct {
	company             int64
	waiting             []wish
	arriving            int // large bodies that will wait once they have arrived
	inLine, busy, rests bool

	saved   time.Duration // work that may be done without taking turns; below 0: owed
	at      time.Time     // the time at which saved was computed
	running int           // requests that are worked on
	begins  time.Duration // the sum of their start times, counted from Turns.began
}

// wish is a request that waits for a turn.
type wish struct {
	turn  chan struct{} // closed when it comes
	large bool
}

// next returns the index of the first waiting request that may have a turn; -1 if there is none. While a company
// rests, its large bodies wait; its other work goes on.
func (w *work) next() int {
	return slices.IndexFunc(w.waiting, func(one wish) bool { return !one.large || !w.rests })
}

// sighting is a company and when it asked.
type sighting struct {
	company int64
	at      time.Time
}

// NewTurns returns turns on a number of processors. A company may use part of them without taking
// turns; share is the part of the time for its large bodies.
func NewTurns(processors int, part, share float64) *Turns {
	return &Turns{
		share: share, perSecond: part * float64(processors), began: time.Now(),
		free: max(1, processors/2), all: map[int64]*work{},
	}
}

// Saw counts a company as at work. It does not count 0, an operator outside any company.
func (t *Turns) Saw(company int64) {
	if company == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asked[0].company != company {
		t.asked[1] = t.asked[0]
	}
	t.asked[0] = sighting{company, time.Now()}
}

// alone reports whether no other company is at work.
func (t *Turns) alone(company int64) bool {
	other := t.asked[0]
	if other.company == company {
		other = t.asked[1]
	}
	return other.company == 0 || time.Since(other.at) > present
}

func (t *Turns) of(company int64) *work {
	w := t.all[company]
	if w == nil {
		w = &work{company: company, saved: maxSaved, at: time.Now()}
		t.all[company] = w
	}
	return w
}

// Crowded refuses a large body before it is read, if as many requests of its company wait as may.
// Faults: Limit (too_many_bodies).
func (t *Turns) Crowded(company int64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of(company).crowded(true)
}

// Expect keeps a place for an arriving large body until left is called, so that a body that would be refused is
// not read. Faults: Limit (too_many_bodies).
func (t *Turns) Expect(company int64) (left func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.of(company)
	if err := mine.crowded(true); err != nil {
		return nil, err
	}
	mine.arriving++
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		mine.arriving--
	}), nil
}

func (w *work) crowded(large bool) error {
	switch {
	case large && len(w.waiting)+w.arriving >= maxLarge:
		return fault.Newf(fault.Limit, "too_many_bodies",
			"%d requests of your company are already waiting, each for the one before it. Fix: send large bodies one after the other.", len(w.waiting)+w.arriving).
			With("retry_after", int(maxRest.Seconds()))
	case len(w.waiting) >= maxWaiting:
		return fault.Newf(fault.Limit, "rate_limited",
			"%d requests of your company are already waiting, each for the one before it; slow down.", len(w.waiting))
	}
	return nil
}

// Enter begins the work on a request, and leave ends it. The work begins at once, or, if it is large or its
// company works more than its share, when its turn comes. Faults: Limit (too_many_bodies, rate_limited).
func (t *Turns) Enter(ctx context.Context, company int64, large bool) (leave func(), err error) {
	t.mu.Lock()
	mine := t.of(company)
	if !large && (company == 0 || t.alone(company) || t.left(mine) >= 0) {
		began := t.begin(mine)
		t.mu.Unlock()
		return sync.OnceFunc(func() { t.end(mine, began) }), nil
	}
	if err := mine.crowded(large); err != nil {
		t.mu.Unlock()
		return nil, err
	}
	return t.wait(ctx, mine, large)
}

// Again begins the next piece of work on an answer that is under way, and leave ends it. The work begins at once,
// or, if its company works more than its share, when its turn comes. It is not refused.
func (t *Turns) Again(ctx context.Context, company int64) (leave func(), err error) {
	t.mu.Lock()
	mine := t.of(company)
	if company == 0 || t.alone(company) || t.left(mine) >= 0 {
		began := t.begin(mine)
		t.mu.Unlock()
		return sync.OnceFunc(func() { t.end(mine, began) }), nil
	}
	return t.wait(ctx, mine, false)
}

// wait waits for a turn. It is called with the lock held, and releases it.
func (t *Turns) wait(ctx context.Context, mine *work, large bool) (leave func(), err error) {
	turn := make(chan struct{})
	mine.waiting = append(mine.waiting, wish{turn, large})
	t.proceed(mine)
	t.mu.Unlock()
	select {
	case <-turn:
	case <-ctx.Done():
		t.giveUp(mine, turn)
		return nil, ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	began := t.begin(mine)
	return sync.OnceFunc(func() { t.pass(mine, large, t.end(mine, began)) }), nil
}

// left returns how much work a company may do without taking turns; work in progress counts as done.
func (t *Turns) left(w *work) time.Duration {
	now := time.Now()
	w.saved = min(maxSaved, w.saved+time.Duration(t.perSecond*float64(now.Sub(w.at))))
	w.at = now
	return w.saved - (time.Duration(w.running)*now.Sub(t.began) - w.begins)
}

func (t *Turns) begin(w *work) (began time.Duration) {
	began = time.Since(t.began)
	w.running++
	w.begins += began
	return began
}

// end counts the work of a request, and returns how long it took.
func (t *Turns) end(w *work, began time.Duration) (took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left(w)
	took = time.Since(t.began) - began
	w.running--
	w.begins -= began
	w.saved = max(-maxOwed, w.saved-took)
	return took
}

// giveUp withdraws the wish for a turn, or passes the turn on if it has come.
func (t *Turns) giveUp(mine *work, turn chan struct{}) {
	t.mu.Lock()
	at := slices.IndexFunc(mine.waiting, func(one wish) bool { return one.turn == turn })
	if at >= 0 {
		mine.waiting = slices.Delete(mine.waiting, at, at+1)
	}
	t.mu.Unlock()
	if at < 0 {
		t.pass(mine, false, 0)
	}
}

// pass ends a turn. After a large body that took some time its company rests, unless it is alone.
func (t *Turns) pass(mine *work, large bool, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	mine.busy = false
	rest := min(maxRest, time.Duration(float64(took)*(1/t.share-1)))
	if large && rest > 0 && !t.alone(mine.company) {
		mine.rests = true
		time.AfterFunc(rest, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			mine.rests = false
			t.proceed(mine)
		})
	}
	t.proceed(mine)
}

// proceed puts a company in line if it may have a turn, and starts turns while there are free ones.
func (t *Turns) proceed(mine *work) {
	if mine.next() >= 0 && !mine.inLine && !mine.busy {
		mine.inLine, t.line = true, append(t.line, mine)
	}
	for t.free > 0 && len(t.line) > 0 {
		next := t.line[0]
		next.inLine, t.line = false, t.line[1:]
		at := next.next()
		if at < 0 {
			continue // the request that waited has left
		}
		turn := next.waiting[at].turn
		next.waiting, next.busy = slices.Delete(next.waiting, at, at+1), true
		t.free--
		close(turn)
	}
}
