package monitoring

import (
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"time"
)

// Monitor is the standing order to watch the profile of a field through its season.
type Monitor struct {
	OrderID   int64
	FieldID   int64 // of the order, as SeasonID; read-only
	SeasonID  int64
	Rules     []Rule
	Alerts    []Raised // in the order in which they were raised
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Raised is an alert that was raised.
type Raised struct {
	Rule    Rule      `json:"rule"`
	At      time.Time `json:"at"`
	Date    time.Time `json:"date"` // of the observation
	Value   float64   `json:"value"`
	Against *float64  `json:"against"` // nil where the rule compares the value with nothing
	Message string    `json:"message"`
}

// SweepEvery is the interval at which due fields are looked for; the requests to the archive are spread over that time.
const SweepEvery = time.Hour

// Delay returns how long after a sweep the archive is asked for the field of an order: it follows from the order's id,
// so that the requests of a sweep do not all come at once.
func Delay(orderID int64) time.Duration {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strconv.FormatInt(orderID, 10))) // a hash takes everything
	return time.Duration(h.Sum64() % uint64(SweepEvery))
}

// Replace sets other rules. The alerts of a rule that stays are kept.
func (m *Monitor) Replace(rules []Rule, now time.Time) {
	m.Rules, m.UpdatedAt = rules, now
	m.Alerts = slices.DeleteFunc(slices.Clone(m.Alerts), func(a Raised) bool { return !slices.ContainsFunc(rules, a.Rule.same) })
}

// Raise returns the alerts of the rules that have raised none yet, and remembers them.
func (m *Monitor) Raise(s Seen, now time.Time) []Raised {
	var out []Raised
	for _, r := range m.Rules {
		if slices.ContainsFunc(m.Alerts, func(a Raised) bool { return a.Rule.same(r) }) {
			continue
		}
		found, ok := s.Find(r)
		if !ok {
			continue
		}
		one := Raised{Rule: r, At: now, Date: found.Date, Value: found.Value, Message: found.Message}
		if !math.IsNaN(found.Against) {
			one.Against = &found.Against
		}
		out = append(out, one)
	}
	m.Alerts = append(slices.Clone(m.Alerts), out...)
	return out
}
