package fairness

import (
	"sync"

	"tilth/core/fault"
)

// Memory is the memory for large bodies that are being read or processed. A company may hold no
// more of it than is free, so that there is always some for another company.
type Memory struct {
	mu        sync.Mutex
	free      int64
	byCompany map[int64]int64
}

// NewMemory returns a Memory of a number of bytes.
func NewMemory(bytes int64) *Memory { return &Memory{free: bytes, byCompany: map[int64]int64{}} }

// Take takes bytes for a company, until they are returned. Faults: Limit (too_many_bodies).
func (m *Memory) Take(company, bytes int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byCompany[company]+bytes > m.free {
		return fault.New(fault.Limit, "too_many_bodies",
			"The request bodies of your company that are under way use up its share of the memory. Fix: send fewer at a time.")
	}
	m.free -= bytes
	m.byCompany[company] += bytes
	return nil
}

// Return releases bytes that a company took.
func (m *Memory) Return(company, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free += bytes
	if m.byCompany[company] -= bytes; m.byCompany[company] == 0 {
		delete(m.byCompany, company)
	}
}
