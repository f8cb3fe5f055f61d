package replicas

import (
	_ "embed"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/callers"
	"tilth/tests/rig"
	"tilth/tests/s3test"
)

const rollingReplicas = 2

// before is the commit of the release that may still run beside this one. A change that is incompatible with it (a
// migration that does more than add, a job that an older worker would take and spoil) names a later commit here, and
// notes in the change log that this upgrade needs a stop.
//
//go:embed before.txt
var before string

// One replica after another is replaced while callers are at work on all of them: by this release, by the previous one
// again, and by this one for good. TILTH_ROLLING=1 uses the previous release, which has to be built; without it this
// release is replaced by itself, less often.
func TestReplicasAreReplacedOneByOne(t *testing.T) {
	t.Parallel()
	this, database := os.Args[0], rig.PostgreSQL(t)
	old, name, between, load := this, "this release", 6, callers.Load{Callers: 4, Seed: seed, Seasons: 1}
	if os.Getenv("TILTH_ROLLING") != "" {
		old, name, between, load = buildBefore(t), strings.TrimSpace(before)[:12], 60, callers.Load{Callers: 8, Seed: seed, Seasons: 6}
	}
	f := &fleet{t: t, database: database, archive: rig.Archive(t).Dir, objects: s3test.Start(t).Address("rolling")}
	for i := range f.replicas {
		f.replicas[i].process = f.start(old)
	}
	h := callers.Settle(t, database)
	h.Begin(f.url, load)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, release := range []string{this, old, this} {
		for i := range f.replicas {
			h.Await(1 + random.IntN(2*between))
			f.replace(i, release)
		}
	}
	h.Await(between)
	h.End()
	h.Check()
	for i := range f.replicas {
		require.NoError(t, f.replicas[i].process.Terminate())
	}
	h.CheckChains()
	t.Logf("%s beside this release: %+v, %s", name, h.Done(), h)
}

// buildBefore builds the previous release.
func buildBefore(t *testing.T) (program string) {
	dir := t.TempDir()
	program = filepath.Join(dir, "tilth-before")
	for _, line := range []string{
		"git -C ../.. archive --format=tar --output=" + filepath.Join(dir, "source.tar") + " " + strings.TrimSpace(before),
		"tar -xf " + filepath.Join(dir, "source.tar") + " -C " + dir,
		"go build -C " + dir + " -buildvcs=false -trimpath -o " + program + " ./wire/tilth",
	} {
		words := strings.Fields(line)
		said, err := exec.CommandContext(t.Context(), words[0], words[1:]...).CombinedOutput()
		require.NoError(t, err, "%s: %s", line, said)
	}
	return program
}

// fleet is the set of replicas of an installation.
type fleet struct {
	t                          *testing.T
	database, archive, objects string
	replicas                   [rollingReplicas]struct {
		mu      sync.RWMutex // held while it is replaced
		process *rig.Process
	}
}

func (f *fleet) start(release string) *rig.Process {
	return rig.StartCommand(f.t, exec.Command(release, "serve"), f.database, f.archive, "TILTH_RATE_LIMIT=0", "TILTH_LOG_LEVEL=error", "TILTH_OBJECTS_URL="+f.objects)
}

// replace stops a replica as its supervisor would, and starts a release in its place.
func (f *fleet) replace(i int, release string) {
	r := &f.replicas[i]
	r.mu.Lock()
	defer r.mu.Unlock()
	require.NoError(f.t, r.process.Terminate(), "it ends what it is about")
	r.process = f.start(release)
}

// url returns the address of an available replica.
func (f *fleet) url() string {
	for {
		if r := &f.replicas[rand.IntN(rollingReplicas)]; r.mu.TryRLock() {
			defer r.mu.RUnlock()
			return r.process.URL
		}
	}
}
