package vegetation

import "time"

// RetryWait returns the wait after a try, from the first on, that found the imagery source
// out, for background work that is no order. jitter is in [0, 1).
func RetryWait(attempts int, jitter float64) time.Duration { return retryWait(attempts, jitter) }
