package event

import (
	"fmt"
	"strconv"
	"time"
)

// Logged is an event with its position in the feed of its company. The positions of a feed count up from 1 without a
// gap, in an order that never changes: a reader of one can have read all before it.
type Logged struct {
	ID        string // UUID
	Type      string
	CompanyID int64
	Subject   string
	At        time.Time
	Data      []byte // JSON
	Position  int64  // 0: in no feed
}

// Bounds are the positions that a feed holds: those after Pruned, up to and including Last.
type Bounds struct {
	Last   int64 // 0: the company never had an event
	Pruned int64 // 0: nothing was pruned yet
}

// Holds reports whether the feed still holds every event after a position. A position beyond
// the last is of another feed, or of a database that was restored since.
func (b Bounds) Holds(position int64) bool { return b.Pruned <= position && position <= b.Last }

// positionDigits holds every position, so that positions sort as text as they do as numbers.
const positionDigits = 19

// FormatPosition formats a position for subscribers.
func FormatPosition(position int64) string { return fmt.Sprintf("%0*d", positionDigits, position) }

// ParsePosition parses the output of FormatPosition; ok is false for anything else.
func ParsePosition(text string) (position int64, ok bool) {
	if len(text) == 0 || len(text) > positionDigits || text[0] == '+' || text[0] == '-' {
		return 0, false
	}
	position, err := strconv.ParseInt(text, 10, 64)
	return position, err == nil
}
