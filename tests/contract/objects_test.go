package contract

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/core/access"
	"tilth/tests/rig"
	"tilth/tests/s3test"
)

// Two programs with one database and one bucket: an import that one accepts is done by the other, once the first has
// ended; and what people attach through one is read through the other.
func TestReplicasShareABucket(t *testing.T) {
	t.Parallel()
	store, database, imagery := s3test.Start(t), rig.PostgreSQL(t), newGate(t)
	objects := "TILTH_OBJECTS_URL=" + store.Address("farm/files")
	first := rig.StartProcess(t, database, imagery.URL, objects)
	c := rig.Remote(t, first.URL, tokenOf(t, database))
	id, _ := assess(t, c, wheatBody(t, c))
	content := strings.Repeat("a line of evidence\n", 50_000)
	file := attach(t, c, id, "name=lab.txt", content, 201)
	const total = 1_600
	farm := newFarm(c)
	job := *importOf(t, c.Upload(importPath(farm, ""), mediaGeoJSON, strings.NewReader(collection(t, 0, total, nil))), 202).JobID
	first.Kill()

	second := rig.StartProcess(t, database, imagery.URL, objects)
	c = rig.Remote(t, second.URL, c.Token)
	report := untilImported(t, c, job)
	require.Equal(t, "completed", report.Status)
	require.EqualValues(t, total, report.Created)
	require.EqualValues(t, total, fieldCount(t, c, farm))
	require.Equal(t, content, string(c.Expect(200, http.MethodGet, evidenceAt(id)+itoa(fileID(file))+"/", nil).Body))
	kept := store.Contents(t, "farm/files/")
	require.Len(t, kept, 2, "the mark and the evidence; the import is gone")

	out, _, status := run(t, database, "", "doctor", "--objects-url", store.Address("farm/files"), "--imagery-url", rig.Archive(t).Dir)
	require.Zero(t, status, out)
	require.Contains(t, out, "bucket files/farm/files at 127.0.0.1:")
	out, _, status = run(t, database, "", "doctor", "--objects-url", store.Address("farm/other"))
	require.Equal(t, 1, status)
	require.Contains(t, out, "does not hold its mark")
}

// To reads, a missing bucket looks like one without files; the probe reports the store as unavailable, and the server keeps running.
func TestABucketThatIsMissingIsNotReady(t *testing.T) {
	t.Parallel()
	store := s3test.Start(t)
	for address, state := range map[string]string{
		store.Address("there"): "ready", strings.Replace(store.Address("x"), store.Bucket, "no-such-bucket", 1): "unavailable",
	} {
		s := rig.Start(t, rig.Options{Database: rig.SQLite(t), Config: func(c *cli.Config) { c.ObjectsURL = address }})
		said := rig.Remote(t, s.AdminURL, "").Expect(200, http.MethodGet, "/readyz", nil).Data(t)
		require.Equal(t, state, said["objects"], "%v", said)
		s.Stop()
	}
}

// Processes of one database that do not share their folder would lose uploads: the second is refused, on both databases.
func TestFilesThatAreNotShared(t *testing.T) {
	rig.EachDatabase(t, func(t *testing.T, database string) {
		rig.Start(t, rig.Options{Database: database})
		elsewhere := "file:" + t.TempDir()
		for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0", "--admin-addr", "off"}, {"worker", "--admin-addr", "off"}, {"layer", "list"}} {
			_, errOut, status := run(t, database, "", append(args, "--objects-url", elsewhere)...)
			require.Equal(t, 1, status, args)
			require.Contains(t, errOut, "does not hold its mark", args)
			require.Contains(t, errOut, "Fix: ", args)
		}
		out, _, status := run(t, database, "", "doctor", "--objects-url", elsewhere)
		require.Equal(t, 1, status)
		require.Contains(t, out, "FAIL  files")
		out, _, status = run(t, database, "", "doctor")
		require.Zero(t, status, out)

		// A copy of the database continues with files of its own if someone claims them.
		runJSON(t, database, "files", "claim", "--objects-url", elsewhere)
		_, errOut, status := run(t, database, "", "layer", "list", "--objects-url", elsewhere)
		require.Zero(t, status, errOut)
		_, _, status = run(t, database, "", "layer", "list")
		require.Equal(t, 1, status)
	})
}

// An unavailable store stops only what needs a file; a server starts without it.
func TestTheStoreOfFilesIsAway(t *testing.T) {
	t.Parallel()
	store := s3test.Start(t)
	front := store.Front(t)
	front.Do(func(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) })
	s := rig.Start(t, rig.Options{Config: func(c *cli.Config) { c.ObjectsURL = s3test.AddressAt(front.URL, "x") }})
	c := s.Company(access.RoleOwner, 0)
	id, _ := assess(t, c, wheatBody(t, c))
	require.Equal(t, "objects_unavailable", attach(t, c, id, "name=a.txt", "evidence", 503)["code"])
	c.Expect(200, http.MethodGet, "farm/", nil)
	require.Equal(t, map[string]any{"database": "ready", "objects": "unavailable", "degraded": []any{"objects"}}, readiness(t, s))
	front.Do(nil)
	require.Equal(t, map[string]any{"database": "ready", "objects": "ready"}, readiness(t, s))
	file := attach(t, c, id, "name=a.txt", "evidence", 201)
	require.Equal(t, "evidence", string(c.Expect(200, http.MethodGet, evidenceAt(id)+itoa(fileID(file))+"/", nil).Body))
}

// A backup of a SQLite database includes the files of its bucket, and restores them into another.
func TestBackupOfABucket(t *testing.T) {
	t.Parallel()
	store, database := s3test.Start(t), rig.SQLite(t)
	at := func(prefix string) func(*cli.Config) {
		return func(c *cli.Config) { c.ObjectsURL = store.Address(prefix) }
	}
	c := rig.Start(t, rig.Options{Database: database, Config: at("one")}).Company(access.RoleOwner, 0)
	id, _ := assess(t, c, wheatBody(t, c))
	file := attach(t, c, id, "name=a.txt", "evidence", 201)
	archive := filepath.Join(t.TempDir(), "backup.tar")
	runJSON(t, database, "backup", archive, "--objects-url", store.Address("one"))
	_, errOut, status := run(t, database, "", "backup", archive+"2", "--objects-url", store.Address("two"))
	require.Equal(t, 1, status)
	require.Contains(t, errOut, "does not hold its mark")

	fresh := "sqlite:" + filepath.Join(t.TempDir(), "t.db")
	runJSON(t, fresh, "restore", archive, "--objects-url", store.Address("two"))
	c = rig.Remote(t, rig.Start(t, rig.Options{Database: fresh, Config: at("two")}).URL, c.Token)
	require.Equal(t, "evidence", string(c.Expect(200, http.MethodGet, evidenceAt(id)+itoa(fileID(file))+"/", nil).Body))
}

// A raster that an operator registers in a bucket is read in ranges, and removed.
func TestLayersInABucket(t *testing.T) {
	t.Parallel()
	store, database := s3test.Start(t), rig.SQLite(t)
	found, err := filepath.Glob(filepath.Join(rig.Archive(t).Dir, "30TUM", "*", "B04.tif"))
	require.NoError(t, err)
	content, err := os.ReadFile(found[0])
	require.NoError(t, err)
	runJSON(t, database, "layer", "add", "--name", "clay", "--file", found[0], "--objects-url", store.Address("x"))
	var kept int
	for key, text := range store.Contents(t, "x/layers/") {
		kept++
		require.True(t, bytes.Equal(content, []byte(text)), key)
	}
	require.Equal(t, 1, kept)
	runJSON(t, database, "layer", "remove", "--name", "clay", "--objects-url", store.Address("x"))
	require.Empty(t, store.Contents(t, "x/layers/"))
}
