package vegetation

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// rejectedWords holds the words that describe rejected acquisitions to people, in the order in which they are listed.
var rejectedWords = []struct {
	reason Reason
	words  string
}{
	{ReasonCloud, "cloudy"},
	{ReasonNoData, "without data for the field"},
	{ReasonPartial, "with data for too little of the field"},
	{ReasonTooFew, "short of usable pixels"},
	{ReasonError, "unreadable"},
}

// Empty returns, for people, why a series has no accepted date; "" where it has one.
func (s Series) Empty() string {
	n := len(s.Rejected)
	switch {
	case len(s.Observations) > 0:
		return ""
	case n == 0:
		return "No scene of the imagery archive covers the field in the season."
	}
	counts := map[Reason]int{}
	if s.narrow() {
		return s.Rejected[0].Note
	}
	for _, r := range s.Rejected {
		counts[r.Reason]++
	}
	var parts []string
	for _, w := range rejectedWords {
		count, words := counts[w.reason], w.words
		if w.reason == ReasonError && count > 0 {
			words += " (" + s.unreadable(count) + ")"
		}
		switch {
		case count == n && n == 1:
			return "The only acquisition was " + words + "."
		case count == n:
			return fmt.Sprintf("All %d acquisitions were %s.", n, words)
		case count == 1:
			parts = append(parts, "1 was "+words)
		case count > 1:
			parts = append(parts, fmt.Sprintf("%d were %s", count, words))
		}
	}
	return fmt.Sprintf("None of %d acquisitions could be used: %s.", n, strings.Join(parts, ", "))
}

// narrow reports whether the mask's buffer leaves no pixel of the field on any date.
func (s Series) narrow() bool {
	return !slices.ContainsFunc(s.Rejected, func(r Rejection) bool { return r.Reason != ReasonTooFew || r.Note == "" })
}

// unreadable returns the first of count dates that could not be read, and why.
func (s Series) unreadable(count int) string {
	for _, r := range s.Rejected {
		if r.Reason != ReasonError {
			continue
		}
		first := r.Date.Format(time.DateOnly) + ": " + strings.TrimSuffix(r.Note, ".")
		if count > 1 {
			first += fmt.Sprintf("; and %d more", count-1)
		}
		return first
	}
	return ""
}

// Unread returns how many dates were rejected because a file could not be read; a refresh tries them again.
func (s Series) Unread() (n int) {
	for _, r := range s.Rejected {
		if r.Reason == ReasonError {
			n++
		}
	}
	return n
}
