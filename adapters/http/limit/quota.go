package limit

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Quotas are the limits that a request counted for, in the form of draft-ietf-httpapi-ratelimit-headers-10.
// Both are empty if nothing is limited.
type Quotas struct {
	Policy string // RateLimit-Policy: q, the requests of a full burst, which fills in w seconds
	Left   string // RateLimit: r, the requests that are left now; t, the seconds until there is one more
}

// quotas describes buckets as they are.
func quotas(slots []slot, now time.Time, replicas int) Quotas {
	var policy, left []string
	for _, s := range slots {
		if s.table.perSecond <= 0 {
			continue
		}
		whole := s.table.full(1)
		r := max(0, int64((s.table.worth(s.table.full(replicas))-s.after(now).Sub(now))/max(1, s.table.worth(1))))
		more := s.waitFor(float64(r+1), now, replicas)
		policy = append(policy, fmt.Sprintf("%q;q=%d;w=%d", s.table.kind, int64(whole), int64(math.Ceil(whole/s.table.perSecond))))
		left = append(left, fmt.Sprintf("%q;r=%d;t=%d", s.table.kind, r, int64(math.Ceil(more.Seconds()))))
	}
	return Quotas{strings.Join(policy, ", "), strings.Join(left, ", ")}
}
