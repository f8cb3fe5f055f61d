package catalog

import "time"

// WithClock replaces the machine's clock.
func WithClock(now func() time.Time) Option { return func(c *Catalog) { c.now = now } }
