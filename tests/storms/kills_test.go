package storms

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/callers"
	"tilth/tests/rig"
)

const (
	seed    = 20261123
	people  = 6
	between = 12 // answers on average between two kills
)

// A server is killed again and again while callers are at work. TILTH_KILLS sets how often.
func TestKilledUnderMixedLoad(t *testing.T) {
	t.Parallel()
	kills := 5
	if n, err := strconv.Atoi(os.Getenv("TILTH_KILLS")); err == nil {
		kills = n
	}
	rig.EachDatabase(t, func(t *testing.T, database string) {
		h, s := callers.Settle(t, database), &server{t: t, database: database, objects: t.TempDir()}
		s.start()
		h.Begin(s.url, callers.Load{Callers: people, Seed: seed, Seasons: 1})
		random := rand.New(rand.NewPCG(seed, people))
		for range kills {
			h.Await(1 + random.IntN(2*between))
			s.kill()
		}
		h.End()
		h.Check()
		require.NoError(t, s.process.Terminate())
		h.CheckChains()
		t.Logf("%d kills, %s", kills, h)
	})
}

// server is the server that is killed.
type server struct {
	t                 *testing.T
	database, objects string

	mu      sync.RWMutex // held while it is down
	process *rig.Process
}

func (s *server) start() {
	s.process = rig.StartProcess(s.t, s.database, rig.Archive(s.t).Dir, "TILTH_RATE_LIMIT=0", "TILTH_LOG_LEVEL=error", "TILTH_OBJECTS_URL=file:"+s.objects)
}

func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process.Kill()
	s.start()
}

func (s *server) url() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.process.URL
}
