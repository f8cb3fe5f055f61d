package fairness

import (
	"sync"

	"tilth/core/fault"
)

// Lists counts the whole lists of more than a page that each company reads, so that no
// company takes the memory and the turns of all.
type Lists struct {
	mu        sync.Mutex
	byCompany map[int64]int
	limit     int
}

// NewLists returns a count that refuses a company its list beyond the limit.
func NewLists(limit int) *Lists { return &Lists{byCompany: map[int64]int{}, limit: limit} }

// Enter counts a list of a company until leave is called. Faults: Limit (too_many_lists).
func (l *Lists) Enter(company int64) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byCompany[company] >= l.limit {
		return nil, fault.Newf(fault.Limit, "too_many_lists",
			"At most %d long lists of a company are read at a time. Fix: finish one, or read the list page by page.", l.limit)
	}
	l.byCompany[company]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.byCompany[company]--; l.byCompany[company] == 0 {
			delete(l.byCompany, company)
		}
	}, nil
}
