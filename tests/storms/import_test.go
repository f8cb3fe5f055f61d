package storms

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/tests/moved"
	"tilth/tests/rig"
)

// leaver makes a company of some size, with attached files, and returns its file.
func leaver(t *testing.T) (file, uuid string) {
	t.Helper()
	home := rig.SQLite(t)
	s := rig.Start(t, rig.Options{Database: home})
	c := s.Company("owner", 1000_00)
	land := c.Land(rig.Square(300, 0), "2099-01-01", "2099-12-31")
	var fields []any
	for i := range 400 {
		fields = append(fields, map[string]any{"name": fmt.Sprintf("Field %d", i), "farm_id": land.Farm, "boundary": rig.GeoJSON(t, rig.Square(100, 3*i+10)), "notes": strings.Repeat("x", 200)})
	}
	c.Expect(200, "POST", "field/", fields)
	assessed := int64(c.Expect(201, "POST", "ghg/assessments/", map[string]any{"resource_type": "field", "resource_id": land.Field}).Data(t)["id"].(float64))
	for i := range 8 {
		path := fmt.Sprintf("ghg/assessments/%d/evidence/?name=%d.pdf", assessed, i)
		answer := c.Upload(path, "application/pdf", strings.NewReader(fmt.Sprintf("%%PDF-1.4\n%d%s\n%%%%EOF\n", i, strings.Repeat("x", 100_000))))
		require.Equal(t, 201, answer.Status, "%s", answer.Body)
	}
	uuid = c.UUID()
	s.Stop()
	file = filepath.Join(t.TempDir(), "company.zip")
	out, err := program(t, home, "company", "export", "--company", strconv.FormatInt(c.CompanyID, 10), file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return file, uuid
}

// program is the program with some arguments, in a process of its own.
func program(t *testing.T, database string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], args...)
	cmd.Env = rig.Environment(database, rig.Archive(t).Dir, []string{"TILTH_OBJECTS_URL=" + rig.ObjectsOf(t, database), "TILTH_LOG_LEVEL=error"})
	return cmd
}

// here returns the companies of an installation.
func here(t *testing.T, database string) (out []map[string]any) {
	t.Helper()
	text, err := program(t, database, "company", "list", "--json").Output()
	require.NoError(t, err)
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var one map[string]any
		require.NoError(t, d.Decode(&one))
		out = append(out, one)
	}
	return out
}

// The import of a company is killed again and again, at any moment: the company exists whole or not at all, and an
// import of the same file afterwards imports it whole, or reports that it exists. TILTH_KILLS sets how often.
func TestKilledWhileACompanyArrives(t *testing.T) {
	t.Parallel()
	kills := 5
	if n, err := strconv.Atoi(os.Getenv("TILTH_KILLS")); err == nil {
		kills = n
	}
	file, uuid := leaver(t)
	rig.EachKind(t, rig.SQLite, rig.PostgreSQL, func(t *testing.T, each func(testing.TB) string) {
		random := rand.New(rand.NewPCG(seed, uint64(len(t.Name()))))
		database := each(t)
		begun := time.Now()
		arrive(t, database, file)
		takes := time.Since(begun)
		require.Len(t, here(t, database), 1)

		killed, whole := 0, 0
		database = each(t)
		for range kills {
			importing := program(t, database, "company", "import", file)
			require.NoError(t, importing.Start())
			ended := make(chan error, 1)
			go func() { ended <- importing.Wait() }()
			select {
			case <-ended:
			case <-time.After(time.Duration(random.Int64N(int64(takes)))): // the moment is random; the requirements are the same everywhere
				_ = importing.Process.Kill() // it may have ended meanwhile
				<-ended
				killed++
			}
			if len(here(t, database)) == 0 {
				continue
			}
			whole++
			same(t, database, file, uuid)
			out, err := program(t, database, "company", "import", file).CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), "already exists here")
			database = each(t)
		}
		arrive(t, database, file)
		same(t, database, file, uuid)
		t.Logf("%d kills of %d imports that take %s; the company was there after %d", killed, kills, takes.Round(time.Millisecond), whole)
	})
}

func arrive(t *testing.T, database, file string) {
	t.Helper()
	out, err := program(t, database, "company", "import", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// same requires that the imported company is the one of the file, with its chains intact.
func same(t *testing.T, database, file, uuid string) {
	t.Helper()
	companies := here(t, database)
	require.Len(t, companies, 1)
	require.Equal(t, uuid, companies[0]["uuid"])
	again := filepath.Join(t.TempDir(), "again.zip")
	out, err := program(t, database, "company", "export", "--company", fmt.Sprint(companies[0]["id"]), again).CombinedOutput()
	require.NoError(t, err, "%s", out)
	moved.Same(t, file, again)
	for _, chain := range []string{"audit", "ledger"} {
		out, err := program(t, database, "verify", chain).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}
