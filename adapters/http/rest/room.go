package rest

import (
	"sync"

	"tilth/core/fault"
)

// room is the memory for large bodies that are read or worked on. A company has no more of it than
// what is free, so that there is always some for another one.
type room struct {
	mu        sync.Mutex
	free      int64
	byCompany map[int64]int64
}

// take takes bytes for a company. Faults: Limit (too_many_bodies).
func (r *room) take(company, bytes int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byCompany[company]+bytes > r.free {
		return fault.New(fault.Limit, "too_many_bodies",
			"The bodies of your company that are under way take its part of the memory. Fix: send fewer at a time.")
	}
	r.free -= bytes
	r.byCompany[company] += bytes
	return nil
}

// giveBack ends the use of bytes by a company.
func (r *room) giveBack(company, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free += bytes
	if r.byCompany[company] -= bytes; r.byCompany[company] == 0 {
		delete(r.byCompany, company)
	}
}
