package simulate

import (
	"context"
	"fmt"
	"os"
	"path"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/app/operating"
	"tilth/tests/rig"
)

// TestKillPoints kills the server at each call that it makes to the database, to its files and to the consumers
// of its events, before the call and, where the call lasts, after it. The server is restarted, requests are
// repeated under their keys, and the company ends up with what it has without a kill. TILTH_SIMULATE=1 tries
// every call.
func TestKillPoints(t *testing.T) {
	t.Parallel()
	every := 25 // about a hundred of the points of a database
	if os.Getenv("TILTH_SIMULATE") == "1" {
		every = 1
	}
	var mu sync.Mutex
	points := map[string]int{} // by kind of database
	t.Run("lives", func(t *testing.T) {
		for _, l := range lives {
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				rig.EachDatabase(t, func(t *testing.T, database string) {
					n := l.kill(t, newWorld(t, database), every)
					mu.Lock()
					defer mu.Unlock()
					points[path.Base(t.Name())] += n
				})
			})
		}
	})
	for kind, n := range points {
		t.Logf("%d kill points on %s", n, kind)
		if every == 1 && !t.Failed() {
			require.GreaterOrEqual(t, n, 1000)
		}
	}
}

// kill lives a life once without a kill and once for each kill point, or only for every n-th and those at posts to
// other programs. It returns the number of points.
func (l life) kill(t *testing.T, w *world, every int) (points int) {
	want, calls, _ := l.once(w, 0, false)
	seen := 0
	for at := 1; at <= len(calls); at++ {
		for _, late := range []bool{false, true}[:1+one(calls[at-1].lasting)] {
			if seen++; seen%every != 0 && !calls[at-1].post {
				continue
			}
			points++
			got, made, killed := l.once(w, at, late)
			require.Equal(t, want, got, "killed at call %d of %d, after it: %v", at, len(calls), late)
			if !killed { // the calls differ: a busy machine renews a lease, progress is stored once a second
				require.Less(t, len(made), at, "it came to the call and was not killed")
				return points
			}
		}
	}
	return points
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// once lives a life that is killed at a call, and returns what is left, the calls, and whether the kill was reached.
func (l life) once(w *world, at int, late bool) (state map[string]int, calls []call, killed bool) {
	r := w.begin()
	prepared := l.prepare(r)
	r.work()
	r.plug.arm(at, late)
	l.live(r, prepared)
	calls = r.plug.disarm()
	state = r.state()
	for _, table := range l.loose {
		for key := range state {
			if len(key) >= len(table) && key[:len(table)] == table {
				delete(state, key)
			}
		}
	}
	return state, calls, r.killed
}

// command runs a command of the operator, and runs it again after a kill.
func (r *run) command(do func(ctx context.Context, op *operating.Operating) error) {
	err := do(context.Background(), r.server.Operating())
	if r.survive() {
		err = do(context.Background(), r.server.Operating())
	}
	require.NoError(r.t, err)
}

// cancelJobs cancels the jobs of the company.
func (r *run) cancelJobs(ctx context.Context, op *operating.Operating) error {
	var ids []int64
	r.rows(fmt.Sprintf("SELECT CAST(id AS TEXT), '' FROM jobs WHERE company_id = %d AND kind LIKE '%%profile%%'", r.company), func(id, _ string) {
		n, err := strconv.ParseInt(id, 10, 64)
		require.NoError(r.t, err)
		ids = append(ids, n)
	})
	for _, id := range ids {
		if _, err := op.CancelJob(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// capture returns the id of the company's capture.
func (r *run) capture() (id int64) {
	r.rows(fmt.Sprintf("SELECT CAST(max(id) AS TEXT), '' FROM ledger_transactions WHERE company_id = %d AND kind = 'capture'", r.company), func(text, _ string) {
		var err error
		id, err = strconv.ParseInt(text, 10, 64)
		require.NoError(r.t, err)
	})
	return id
}
