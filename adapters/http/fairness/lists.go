package fairness

import (
	"sync"

	"tilth/core/fault"
)

// Lists counts the whole lists, longer than a page, that each company reads at a time, so that no
// company takes up everyone's memory and turns.
type Lists struct {
	mu        sync.Mutex
	byCompany map[int64]int
	limit     int
}

// NewLists returns Lists that refuse a company more lists at a time than limit.
func NewLists(limit int) *Lists { return &Lists{byCompany: map[int64]int{}, limit: limit} }

// Enter counts a list of a company until leave is called. Faults: Limit (too_many_lists).
func (l *Lists) Enter(company int64) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byCompany[company] >= l.limit {
		return nil, fault.Newf(fault.Limit, "too_many_lists",
			"At most %d long lists of a company can be read at a time. Fix: finish one, or read the list page by page.", l.limit)
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
