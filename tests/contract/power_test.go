package contract

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/tests/power"
	"tilth/tests/rig"
)

// outage judges what power cuts leave of a program whose files are all below one folder.
type outage struct {
	t              *testing.T
	root, database string
	disk           *power.Disk
	random         *rand.Rand
	more           []string // of the environment
}

func newOutage(t *testing.T) *outage {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return &outage{
		t: t, root: root, database: "sqlite:" + filepath.Join(root, "new", "data", "tilth.db"), disk: power.NewDisk(root),
		random: rand.New(rand.NewPCG(11, 7)), more: []string{"TILTH_OBJECTS_URL=file:" + filepath.Join(root, "objects")},
	}
}

// command runs a command of the program to its end, which is its acknowledgement.
func (o *outage) command(args ...string) (out string) {
	o.t.Helper()
	trace := filepath.Join(o.t.TempDir(), "trace")
	cmd := power.Traced(o.t, trace, os.Args[0], args...)
	cmd.Env = rig.Environment(o.database, rig.Archive(o.t).Dir, o.more)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(o.t, cmd.Run(), "%v: %s", args, stderr.String())
	require.NoError(o.t, o.disk.Replay(power.Complete(o.t, trace, cmd.Process.Pid), func([]byte) error { return nil }))
	return strings.TrimSpace(stdout.String())
}

// cuts calls judge with the folder as a power cut would leave it now: once without anything that
// was not synced, and once with half of it.
func (o *outage) cuts(judge func(folder string)) {
	o.t.Helper()
	for _, chance := range []float64{0, 0.5} {
		folder, err := os.MkdirTemp(o.t.TempDir(), "cut")
		require.NoError(o.t, err)
		require.NoError(o.t, o.disk.Cut(folder, chance, o.random))
		judge(folder)
		require.NoError(o.t, os.RemoveAll(folder))
	}
}

// holds requires a database to be intact and to have rows that satisfy a condition.
func holds(t *testing.T, file, rows string, args ...any) {
	t.Helper()
	require.FileExists(t, file)
	db, err := sql.Open("sqlite", file+"?_pragma=synchronous(OFF)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var verdict string
	var count int
	require.NoError(t, db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict))
	require.Equal(t, "ok", verdict)
	require.NoError(t, db.QueryRow("SELECT count(*) FROM "+rows, args...).Scan(&count), rows)
	require.Positive(t, count, "acknowledged and lost: %s %v", rows, args)
}

// What was acknowledged survives a power cut, on a disk that keeps only what was synced: the
// system calls of a real process are replayed up to each answer, from the first start on.
func TestPowerCutLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	o := newOutage(t)
	inDatabase := func(rows string, args ...any) func(string) {
		return func(folder string) { holds(t, filepath.Join(folder, "new", "data", "tilth.db"), rows, args...) }
	}
	o.command("company", "create", "--name", "Cut")
	o.cuts(inDatabase("companies WHERE name = 'Cut'"))
	o.command("user", "create", "--company", "1", "--email", "owner@cut.example", "--role", "owner")
	o.command("wallet", "credit", "--company", "1", "--amount", "100")
	o.cuts(inDatabase("ledger_entries"))
	var token struct{ Access string }
	require.NoError(t, json.Unmarshal([]byte(o.command("token", "create", "--user", "owner@cut.example", "--json")), &token))

	trace := filepath.Join(t.TempDir(), "trace")
	server := rig.StartCommand(t, power.Traced(t, trace, os.Args[0], "serve"), o.database, rig.Archive(t).Dir, o.more...)
	c := rig.Remote(t, server.URL, token.Access)
	promised := map[string]func(folder string){} // by the id of the request
	keep := func(a rig.Answer, kept func(string)) rig.Answer {
		require.Less(t, a.Status, 300, "%s", a.Body)
		promised[a.Header.Get("X-Request-Id")] = kept
		return a
	}
	for i := range 30 {
		farm := map[string]any{"name": fmt.Sprintf("Farm %d", i)}
		if made := c.Do(http.MethodPost, "farm/", farm); i%10 == 9 {
			keep(made, inDatabase("farms WHERE name = ?", farm["name"]))
		}
	}
	key := keep(c.Do(http.MethodPost, "api-key/", map[string]any{"name": "bridge"}), inDatabase("api_keys WHERE name = 'bridge' AND revoked_at IS NULL")).Data(t)
	keep(c.Do(http.MethodDelete, path("api-key", int64(key["id"].(float64))), nil), inDatabase("api_keys WHERE name = 'bridge' AND revoked_at IS NOT NULL"))
	land := c.Land(rig.Square(300, 0), "2024-01-01", "2024-12-31")
	keep(c.Do(http.MethodPost, rig.OrdersPath, land.OrderBody()), inDatabase("profile_orders AS o JOIN ledger_transactions AS t ON t.order_id = o.id"))
	assessment, _ := assess(t, c, wheatBody(t, c))
	keep(c.Do(http.MethodPost, submitPath(assessment), nil), inDatabase("assessment_versions WHERE assessment_id = ?", assessment))
	body := collection(t, 0, 1_200, func(int, map[string]any) {})
	keep(c.Upload(importPath(land.Farm, ""), mediaGeoJSON, strings.NewReader(body)), func(folder string) {
		inDatabase("field_imports")(folder)
		files, err := filepath.Glob(filepath.Join(folder, "objects", "imports", "*"))
		require.NoError(t, err)
		require.Len(t, files, 1, "the file of the import is lost")
		text, err := os.ReadFile(files[0])
		require.NoError(t, err)
		require.Equal(t, body, string(text))
	})
	server.Kill()

	require.NoError(t, o.disk.Replay(power.Complete(t, trace, server.Cmd.Process.Pid), func(answer []byte) error {
		head, _, _ := strings.Cut(string(answer), "\r\n\r\n")
		for line := range strings.SplitSeq(head, "\r\n") {
			id, found := strings.CutPrefix(line, "X-Request-Id: ")
			if kept := promised[id]; found && kept != nil {
				o.cuts(kept)
				delete(promised, id)
			}
		}
		return nil
	}))
	require.Empty(t, promised, "answers that the trace lacks")

	o.command("backup", filepath.Join(o.root, "copy.tar"))
	o.cuts(func(folder string) {
		fresh := filepath.Join(t.TempDir(), "fresh.db")
		runJSON(t, "sqlite:"+fresh, "restore", filepath.Join(folder, "copy.tar"), "--objects-url", "file:"+t.TempDir())
		holds(t, fresh, "farms WHERE name = 'Farm 29'")
	})
}
