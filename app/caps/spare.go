package caps

import (
	"maps"
	"sync"
	"time"
)

const (
	// spareFor is the time for which a count of jobs holds.
	spareFor = time.Second
	// spareShare is the fraction of what is left that may be queued on one count: so many processes may do so at once.
	spareShare = 8
	// spareFrom is the smallest cap that is not counted for each job.
	spareFrom = 64
)

// spare holds how many jobs companies may queue without another count. Counting waits for all other queuers of the company and reads
// the waiting jobs: the orders of one company would wait for each other all day for a cap that is far away. In the last eighth below
// the cap every job is counted, so that it can be exceeded only by what other processes queue in one second. The zero value is empty.
type spare struct {
	mu   sync.Mutex
	left map[int64]tokens
}

type tokens struct {
	n     int64
	until time.Time
}

// take reports whether a company may queue one more job without a count.
func (s *spare) take(company int64, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.left[company]
	if t.n <= 0 || !now.Before(t.until) {
		return false
	}
	t.n--
	s.left[company] = t
	return true
}

// counted records how many jobs a company has under a cap.
func (s *spare) counted(company, limit, n int64, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.left, func(_ int64, t tokens) bool { return !now.Before(t.until) })
	room := (limit - limit/spareShare - n) / spareShare
	if limit < spareFrom || room <= 0 {
		delete(s.left, company)
		return
	}
	if s.left == nil {
		s.left = map[int64]tokens{}
	}
	s.left[company] = tokens{room, now.Add(spareFor)}
}
