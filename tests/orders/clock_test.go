package orders

import (
	"context"
	"sync/atomic"
	"time"

	"tilth/core/access"
)

var begin = date(2026, 3, 1).Add(12 * time.Hour)

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// clock stands still until a test moves it.
type clock struct{ at atomic.Int64 }

func at(t time.Time) *clock {
	c := &clock{}
	c.set(t)
	return c
}

func (c *clock) Now() time.Time        { return time.Unix(0, c.at.Load()).UTC() }
func (c *clock) move(by time.Duration) { c.at.Add(int64(by)) }
func (c *clock) set(t time.Time)       { c.at.Store(t.UnixNano()) }

// everyone may do everything.
type everyone struct{}

func (everyone) Allowed(context.Context, access.Principal, access.Slug) (bool, error) {
	return true, nil
}
