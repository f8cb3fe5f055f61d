package rest

import (
	"context"
	"sync"

	"tilth/core/fault"
)

const (
	// largeBody is from how many bytes on a body is work that others wait for.
	largeBody = 64 << 10
	// laneWaiting is how many large bodies of a company wait: each of them takes memory.
	laneWaiting = 16
)

// lanes let one large body of a company be worked on at a time, so that no company takes all
// processors, or on SQLite the one writer, with its bulks.
type lanes struct {
	mu        sync.Mutex
	byCompany map[int64]*lane
}

type lane struct {
	turn chan struct{} // full while a body is worked on
	in   int           // bodies that are worked on or wait
}

// enter waits for the turn of a company, which leave ends. Faults: Limit (too_many_bodies).
func (l *lanes) enter(ctx context.Context, company int64) (leave func(), err error) {
	l.mu.Lock()
	mine := l.byCompany[company]
	if mine == nil {
		mine = &lane{turn: make(chan struct{}, 1)}
		l.byCompany[company] = mine
	}
	if mine.in > laneWaiting {
		l.mu.Unlock()
		return nil, fault.Newf(fault.Limit, "too_many_bodies",
			"%d bodies of more than %d bytes of your company wait already. Fix: send them one after the other.", laneWaiting, largeBody)
	}
	mine.in++
	l.mu.Unlock()
	out := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if mine.in--; mine.in == 0 {
			delete(l.byCompany, company)
		}
	}
	select {
	case mine.turn <- struct{}{}:
		return func() { <-mine.turn; out() }, nil
	case <-ctx.Done():
		out()
		return nil, ctx.Err()
	}
}
