package rig

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/adapters/cli"
	"tilth/adapters/identity"
	"tilth/tests/freeport"
	"tilth/tests/secrets"
	"tilth/wire"
)

// beTheProgram makes a test binary act as the program, so that a test can kill it.
const beTheProgram = "TILTH_TEST_BE_THE_PROGRAM"

// ClockAhead is the variable that states how far the clock of such a process is ahead of the machine's (20s, -20s).
const ClockAhead = "TILTH_TEST_CLOCK_AHEAD"

// Main runs a package's tests, or the program where StartProcess asks for it. A package
// that starts processes calls it from its TestMain.
func Main(m interface{ Run() int }) {
	if os.Getenv(beTheProgram) != "1" {
		os.Exit(m.Run())
	}
	if by, err := time.ParseDuration(os.Getenv(ClockAhead)); err == nil {
		identity.SetAhead(by)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	environ := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		environ[name] = value
	}
	os.Exit(cli.Run(ctx, wire.Program{}, os.Args[1:], environ, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// Process is the program in a process of its own.
type Process struct {
	Cmd *exec.Cmd
	URL string
}

// StartProcess starts the test binary as a server, with more added to its
// environment; it ends with the test at the latest.
func StartProcess(t testing.TB, database, imagery string, more ...string) *Process {
	t.Helper()
	return StartCommand(t, exec.Command(os.Args[0], "serve"), database, imagery, more...)
}

// StartBinary starts a built program as a server.
func StartBinary(t testing.TB, binary, database, imagery string) *Process {
	t.Helper()
	return StartCommand(t, exec.Command(binary, "serve"), database, imagery)
}

var ready = regexp.MustCompile(`ready at (https?://\S+)`)

// StartWorker starts the test binary as a worker without a server; it ends with the test at
// the latest. It does not report when it has begun: that shows in what it does.
func StartWorker(t testing.TB, database, imagery string, more ...string) *Process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "worker")
	cmd.Env = Environment(database, imagery, append([]string{"TILTH_OBJECTS_URL=" + ObjectsOf(t, database)}, more...))
	cmd.Stderr = secrets.Observed(t.Output())
	require.NoError(t, cmd.Start())
	p := &Process{Cmd: cmd}
	t.Cleanup(p.Kill)
	return p
}

// Environment returns the environment of a process of the program, with more added.
func Environment(database, imagery string, more []string) []string {
	return slices.Concat(os.Environ(), []string{
		beTheProgram + "=1", "TILTH_ADDR=127.0.0.1:0", "TILTH_ADMIN_ADDR=127.0.0.1:0", "TILTH_LOG_LEVEL=warn", "TILTH_IMAGERY_CACHE=0", "TILTH_PASSWORD_MEMORY=12",
		"TILTH_DATABASE_URL=" + database, "TILTH_IMAGERY_URL=" + imagery,
	}, more)
}

// StartCommand starts a command that serves.
func StartCommand(t testing.TB, cmd *exec.Cmd, database, imagery string, more ...string) *Process {
	t.Helper()
	cmd.Env = Environment(database, imagery, append([]string{"TILTH_OBJECTS_URL=" + ObjectsOf(t, database)}, more...))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = secrets.Observed(t.Output())
	require.NoError(t, cmd.Start())
	p := &Process{Cmd: cmd}
	t.Cleanup(p.Kill)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := ready.FindStringSubmatch(lines.Text()); m != nil {
			p.URL = m[1]
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return p
		}
	}
	t.Fatalf("the program ended before it was ready: %v", lines.Err())
	return nil
}

// FreeAddr returns a free address of this machine, which stays free for a process that is restarted there.
func FreeAddr(t testing.TB) string {
	t.Helper()
	port, err := freeport.Find(t.Context())
	require.NoError(t, err)
	return freeport.Address(port)
}

// Kill ends the process as kill -9 does.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill()
	_ = p.Cmd.Wait()
}

// Terminate asks the process to stop, and returns how it ended.
func (p *Process) Terminate() error {
	if err := p.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.Cmd.Wait()
}
