//go:build linux || darwin

package pgtest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"tilth/tests/kept"
	"tilth/tests/pgtest"
)

// childTask is the environment variable that makes this test binary, started
// again by a test, act as another test process.
const childTask = "PGTEST_CHILD"

// TestChild is that process: it opens a database, prints its URL, and with the
// task "hang" waits to be killed.
func TestChild(t *testing.T) {
	task := os.Getenv(childTask)
	if task == "" {
		t.Skip("played by the other tests of this file")
	}
	dsn := pgtest.Open(t)
	if task == "fail-to-prepare" {
		pgtest.NewTemplate(func(context.Context, string) error { return errors.New("the barn is on fire") }).Open(t)
	}
	fmt.Println("dsn " + dsn)
	if task == "hang" {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	}
}

// child starts this binary's TestChild with the environment changed.
func child(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$", "-test.v")
	cmd.Env = append(append(os.Environ(), kept.Variable+"="), env...) // its notices are not those of this run
	return cmd
}

// runningChild is a child that has a database and waits at its standard input.
type runningChild struct {
	cmd    *exec.Cmd
	dsn    string
	leave  io.Closer // lets it go on to its end
	output io.Reader
}

func startChild(t *testing.T, env ...string) runningChild {
	t.Helper()
	cmd := child(t, env...)
	pipe, err := cmd.StdoutPipe()
	require.NoError(t, err)
	leave, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	output := bufio.NewReader(pipe)
	for {
		line, err := output.ReadString('\n')
		require.NoError(t, err, "the child had no database: %s", line)
		if dsn, ok := strings.CutPrefix(strings.TrimSpace(line), "dsn "); ok {
			return runningChild{cmd: cmd, dsn: dsn, leave: leave, output: output}
		}
	}
}

// killedChild runs a child until it has a database, kills it without notice, and
// returns the database's URL.
func killedChild(t *testing.T, env ...string) (dsn string) {
	t.Helper()
	running := startChild(t, append(env, childTask+"=hang")...)
	require.NoError(t, running.cmd.Process.Kill())
	require.Error(t, running.cmd.Wait(), "a killed process ends with an error")
	return running.dsn
}

func TestServerEndsWithAKilledProcess(t *testing.T) {
	pgtest.Open(t) // skips where there is no PostgreSQL
	if os.Getenv("TILTH_TEST_POSTGRES") != "" {
		t.Skip("a server from the environment outlives the tests")
	}
	dsn := killedChild(t)
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, dsn)
		if err != nil {
			return true
		}
		return conn.Close(ctx) != nil
	}, 10*time.Minute, 50*time.Millisecond, "the server of a killed test process still answers")
}

func TestNextProcessSweepsASharedServerAfterAKilledOne(t *testing.T) {
	shared := pgtest.Open(t)
	watcher := connect(t, shared)
	const count = "SELECT count(*) FROM pg_database WHERE datname = $1"

	orphan := databaseName(t, killedChild(t, "TILTH_TEST_POSTGRES="+shared))
	require.Equal(t, 1, number(t, watcher, count, orphan), "nobody could have dropped it yet")
	requireGone(t, watcher, orphan)

	living := child(t, "TILTH_TEST_POSTGRES="+shared, childTask+"=open")
	output, err := living.CombinedOutput()
	require.NoError(t, err, string(output))
	require.Contains(t, string(output), "the server of TILTH_TEST_POSTGRES")
	require.Zero(t, number(t, watcher, count, orphan))
}

// requireGone waits until the server has noticed that the process that made the database is
// gone: its claim, a session on the server, has the name with which the database's name begins.
func requireGone(t *testing.T, watcher *pgx.Conn, database string) {
	t.Helper()
	require.Eventually(t, func() bool {
		return number(t, watcher, `SELECT count(*) FROM pg_stat_activity
			WHERE application_name <> '' AND starts_with($1, application_name)`, database) == 0
	}, 10*time.Minute, 20*time.Millisecond)
}

func TestSweepLeavesTheLivingAlone(t *testing.T) {
	shared, mine := pgtest.Open(t), pgtest.Open(t)
	living := startChild(t, "TILTH_TEST_POSTGRES="+shared, childTask+"=hang")

	other, err := child(t, "TILTH_TEST_POSTGRES="+shared, childTask+"=open").CombinedOutput()
	require.NoError(t, err, string(other))
	require.NoError(t, connect(t, living.dsn).Ping(t.Context()), "another process swept a database in use")
	require.NoError(t, connect(t, mine).Ping(t.Context()), "another process swept this one's database")

	require.NoError(t, living.leave.Close())
	_, err = io.Copy(io.Discard, living.output) // to the end: Wait closes the pipe
	require.NoError(t, err)
	require.NoError(t, living.cmd.Wait())
}

func TestWithoutAServer(t *testing.T) {
	for _, c := range []struct {
		name string
		env  []string
		ok   bool
		says []string
	}{
		{"skips and names the mend", []string{"TILTH_TEST_POSTGRES=none", "TILTH_REQUIRE_POSTGRES="}, true,
			[]string{"--- SKIP: TestChild", "SKIPPING", "apt-get install postgresql"}},
		{"fails when one is required", []string{"TILTH_TEST_POSTGRES=none", "TILTH_REQUIRE_POSTGRES=1"}, false,
			[]string{"--- FAIL: TestChild", "apt-get install postgresql"}},
		{"a named server that does not answer is no reason to skip",
			[]string{"TILTH_TEST_POSTGRES=postgres://nobody:wrong@/x?host=/nonexistent&connect_timeout=1", "TILTH_REQUIRE_POSTGRES="}, false,
			[]string{"--- FAIL: TestChild", "TILTH_TEST_POSTGRES"}},
		{"nor is a name that is no URL", []string{"TILTH_TEST_POSTGRES=host=localhost", "TILTH_REQUIRE_POSTGRES="}, false,
			[]string{"--- FAIL: TestChild", "must be a postgres:// URL"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			output, err := child(t, append(c.env, childTask+"=open")...).CombinedOutput()
			require.Equal(t, c.ok, err == nil, string(output))
			for _, text := range c.says {
				require.Contains(t, string(output), text)
			}
		})
	}
}

// TestNothingFailsWithoutAServer asserts that the tests of this package are left out where there is no PostgreSQL.
func TestNothingFailsWithoutAServer(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.v", "-test.skip=^("+t.Name()+"|TestWithoutAServer)$")
	cmd.Env = append(os.Environ(), kept.Variable+"=", "TILTH_TEST_POSTGRES=none", "TILTH_REQUIRE_POSTGRES=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- SKIP: TestOpenGivesAnEmptyDatabase")
}

func TestFailedPreparationFailsTheTest(t *testing.T) {
	shared := pgtest.Open(t)
	output, err := child(t, "TILTH_TEST_POSTGRES="+shared, childTask+"=fail-to-prepare").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "the barn is on fire")
}
