//go:build linux

package packaging

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// within is the variable with the folder of the programs, in the process that has its own network and hosts file.
const within = "PROGRAMS_OF_COMPOSE"

// TestComposeRuns runs what the compose file describes, with its commands, variables, passwords and host names, in the order of its
// dependencies, as processes in their own network instead of containers. PostgreSQL is that of this machine (Debian's); NATS and
// versitygw are built from the versions that the file names. Only what containers isolate differs: folders stand for volumes,
// and the worker, which shares the network, listens on other ports.
func TestComposeRuns(t *testing.T) {
	if programs := os.Getenv(within); programs != "" {
		runCompose(t, programs)
		return
	}
	if os.Getenv("TILTH_COMPOSE") == "" || os.Getuid() != 0 {
		t.Skip("LEFT OUT: the services of the compose file are not started. Fix: sudo make test-packages (Linux).")
	}
	project, programs := composed(t), t.TempDir()
	tag := func(service string) string {
		_, tag, _ := strings.Cut(project.Services[service].Image, ":")
		return "@v" + strings.TrimPrefix(tag, "v")
	}
	for _, args := range [][]string{
		{"install", "github.com/nats-io/nats-server/v2" + tag("nats")},
		{"install", "github.com/versity/versitygw/cmd/versitygw" + tag("objects")},
		{"-C", "../..", "build", "-buildvcs=false", "-o", programs + "/tilth", "./wire/tilth"},
	} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOBIN="+programs)
		said, err := cmd.CombinedOutput()
		require.NoError(t, err, "%v: %s", args, said)
	}
	require.NoError(t, os.Chmod(programs, 0o755)) //nolint:gosec // the users of the services run them
	require.NoError(t, os.Chmod(filepath.Dir(programs), 0o755))
	cmd := exec.CommandContext(t.Context(), "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", os.Args[0], "-test.run=^TestComposeRuns$", "-test.v", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), within+"="+programs)
	said, err := cmd.CombinedOutput()
	t.Logf("%s", said)
	require.NoError(t, err)
}

// stack holds the services as they run, with the folders of their volumes.
type stack struct {
	t        *testing.T
	project  *types.Project
	programs string
	folder   string
}

func runCompose(t *testing.T, programs string) {
	s := &stack{t: t, project: composed(t), programs: programs, folder: t.TempDir()}
	require.NoError(t, os.Chmod(filepath.Dir(s.folder), 0o755))
	hosts := filepath.Join(s.folder, "hosts")
	require.NoError(t, os.WriteFile(hosts, []byte("127.0.0.1 localhost postgres nats objects\n"), 0o644)) //nolint:gosec // every process reads it
	s.do(exec.CommandContext(t.Context(), "ip", "link", "set", "lo", "up"))
	s.do(exec.CommandContext(t.Context(), "mount", "--bind", hosts, "/etc/hosts"))
	key := s.do(s.command("tilth", "", nil, []string{"secret", "create"}))
	for name, mode := range map[string]os.FileMode{"cache": 0o755, "nats": 0o755, "objects": 0o755, "postgres": 0o700} {
		require.NoError(t, os.Mkdir(filepath.Join(s.folder, name), mode))
	}
	require.NoError(t, os.WriteFile(filepath.Join(s.folder, "secret.key"), key, 0o400))
	for _, name := range []string{"cache", "secret.key"} {
		require.NoError(t, os.Chown(filepath.Join(s.folder, name), 65532, 65532))
	}

	bucket := s.project.Services["bucket"]
	s.do(exec.CommandContext(t.Context(), bucket.Entrypoint[0], s.placed("bucket", bucket.Entrypoint[1:])...))
	s.postgres()
	s.begin("nats", "nats-server")
	s.begin("objects", "versitygw")
	s.until("the objects answer", func() bool {
		answer, err := http.Get("http://objects:7070/")
		return err == nil && answer.Body.Close() == nil
	})
	s.tilth("migrate")
	stop := []func(){s.begin("api", "tilth"), s.begin("worker", "tilth", "TILTH_ADDR=:8082", "TILTH_ADMIN_ADDR=:8083")}
	api := s.project.Services["api"]
	s.until("the server is healthy", func() bool {
		return s.command("tilth", "api", s.environ("api"), []string{"health"}).Run() == nil
	})
	require.Equal(t, "8080", api.Ports[0].Published)
	s.tilth("admin", "company", "create", "--name", "Acme Farms")
	s.tilth("admin", "user", "create", "--company", "1", "--email", "you@acme.example", "--role", "owner")
	s.works(strings.TrimSpace(string(s.tilth("admin", "token", "create", "--user", "you@acme.example"))))
	s.healthy()
	for _, end := range stop {
		end()
	}
}

// works exercises the server, the worker, the relay and the bucket: a job computes the completeness of an assessment, a file is stored
// in the bucket, and a stream reports what NATS relayed.
func (s *stack) works(token string) {
	t := s.t
	ask := func(method, path, media string, body []byte) (out map[string]any) {
		request, err := http.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8080/api/v1.2/"+path, bytes.NewReader(body))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Content-Type", media)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Less(t, answer.StatusCode, 300, "%s %s: %s", method, path, text)
		require.NoError(t, json.Unmarshal(text, &out), "%s", text)
		data, _ := out["data"].(map[string]any)
		return data
	}
	const media = "application/json"
	farm := ask("POST", "farm/", media, []byte(`{"name": "Farm"}`))
	assessment := ask("POST", "ghg/assessments/", media, fmt.Appendf(nil, `{"resource_type": "farm", "resource_id": %v}`, farm["id"]))
	at := fmt.Sprintf("ghg/assessments/%v/", assessment["id"])
	s.until("a job is done", func() bool { return ask("GET", at, media, nil)["completeness_computed_at"] != nil })
	ask("POST", at+"evidence/?name=receipt.txt", "text/plain", []byte("One receipt."))
	stored, err := filepath.Glob(filepath.Join(s.folder, "objects", "tilth", "files", "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, stored, "the bucket has the file")
	field := ask("POST", "field/", media, fmt.Appendf(nil, `{"farm_id": %v, "name": "Field", "boundary": {"type": "Polygon",
		"coordinates": [[[-4.20, 41.78], [-4.19, 41.78], [-4.19, 41.79], [-4.20, 41.79], [-4.20, 41.78]]]}}`, farm["id"]))
	ask("POST", fmt.Sprintf("field/%v/split/", field["id"]), media, []byte(`{"line": {"type": "LineString", "coordinates": [[-4.195, 41.7], [-4.195, 41.8]]}}`))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:8080/api/v1.2/events/?last_event_id=0", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	stream, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = stream.Body.Close() }()
	lines := bufio.NewScanner(stream.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "event: ") {
		continue
	}
	require.Equal(t, "event: field_split", lines.Text())
}

// healthy has the doctor check the parts that the file connects. The imagery archive is not one of them.
func (s *stack) healthy() {
	cmd := s.command("tilth", "admin", s.environ("admin"), append(s.project.Services["admin"].Command, "--json"))
	said, _ := cmd.Output() // its exit status reports that the archive cannot be reached
	var parts []struct {
		Part   string
		OK     bool
		Detail string
	}
	require.NoError(s.t, json.Unmarshal(said, &parts), "%s", said)
	seen := 0
	for _, p := range parts {
		switch p.Part {
		case "configuration", "database", "migrations", "broker", "secrets", "files":
			seen++
			require.True(s.t, p.OK, "%s: %s", p.Part, p.Detail)
			s.t.Log(p.Part, p.Detail)
		}
	}
	require.Equal(s.t, 6, seen, "%s", said)
}

// postgres starts PostgreSQL as the image does with its variables, and waits until the health check of the file passes.
func (s *stack) postgres() {
	t, service := s.t, s.project.Services["postgres"]
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	require.NoError(t, err)
	require.NotEmpty(t, found, "Fix: apt-get install postgresql (Debian).")
	folder, env, bin := filepath.Join(s.folder, "postgres"), s.environ("postgres"), found[len(found)-1]
	password := filepath.Join(s.folder, "password")
	require.NoError(t, os.WriteFile(password, []byte(env["POSTGRES_PASSWORD"]), 0o644)) //nolint:gosec // the example's
	owner, err := user.Lookup("postgres")
	require.NoError(t, err)
	uid, err := strconv.ParseUint(owner.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(owner.Gid, 10, 32)
	require.NoError(t, err)
	require.NoError(t, os.Chown(folder, int(uid), int(gid)))
	as := func(program string, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, program), args...)
		cmd.Dir, cmd.SysProcAttr = folder, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
		return cmd
	}
	s.do(as("initdb", "-D", folder, "-U", env["POSTGRES_USER"], "--pwfile="+password, "--auth-local=trust", "--auth-host=scram-sha-256", "-E", "UTF8"))
	s.spawn(as("postgres", "-D", folder, "-k", folder, "-c", "listen_addresses=*"))
	check := service.HealthCheck.Test
	require.Equal(t, "CMD", check[0])
	s.until("PostgreSQL is healthy", func() bool {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, check[1]), check[2:]...)
		cmd.Env = append(os.Environ(), "PGHOST=postgres")
		return cmd.Run() == nil
	})
	if env["POSTGRES_DB"] != "postgres" {
		s.do(as("createdb", "-h", folder, "-U", env["POSTGRES_USER"], env["POSTGRES_DB"]))
	}
}

// placed returns words of a service with folders of this machine in place of its volumes and secrets.
func (s *stack) placed(service string, words []string) (out []string) {
	for _, word := range words {
		for _, v := range s.project.Services[service].Volumes {
			if word == v.Target || strings.HasPrefix(word, v.Target+"/") {
				word = filepath.Join(s.folder, v.Source) + strings.TrimPrefix(word, v.Target)
			}
		}
		out = append(out, strings.Replace(word, "/run/secrets", s.folder, 1))
	}
	return out
}

func (s *stack) environ(service string) map[string]string {
	out := map[string]string{}
	for name, value := range s.project.Services[service].Environment {
		out[name] = s.placed(service, []string{*value})[0]
	}
	return out
}

// command returns a program with the variables of a service and no others, as the user of the service.
func (s *stack) command(program, service string, environ map[string]string, args []string) *exec.Cmd {
	cmd := exec.CommandContext(s.t.Context(), filepath.Join(s.programs, program), args...)
	cmd.Dir, cmd.Env = s.folder, []string{"HOME=/tmp"}
	for name, value := range environ {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	if s.project.Services[service].User == "65532:65532" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	}
	return cmd
}

// begin starts a service, and returns a function that stops it as compose does.
func (s *stack) begin(service, program string, others ...string) (stop func()) {
	environ := s.environ(service)
	for _, one := range others {
		name, value, _ := strings.Cut(one, "=")
		environ[name] = value
	}
	cmd := s.command(program, service, environ, s.placed(service, s.project.Services[service].Command))
	s.spawn(cmd)
	return func() {
		require.NoError(s.t, cmd.Process.Signal(syscall.SIGTERM))
		s.until(service+" ends", func() bool { return cmd.Process.Signal(syscall.Signal(0)) != nil })
	}
}

// spawn runs a command until the test ends.
func (s *stack) spawn(cmd *exec.Cmd) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, time.Second
	require.NoError(s.t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	s.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		if err := <-ended; s.t.Failed() {
			s.t.Logf("%s: %v\n%s", cmd.Path, err, said.String())
		}
	})
}

// tilth runs a command of a service of Tilth to its end; without words, it runs the command of the file.
func (s *stack) tilth(service string, words ...string) []byte {
	if len(words) == 0 {
		words = s.project.Services[service].Command
	}
	return s.do(s.command("tilth", service, s.environ(service), words))
}

func (s *stack) do(cmd *exec.Cmd) []byte {
	s.t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(s.t, err, "%s: %s%s", cmd, out, said.String())
	return out
}

func (s *stack) until(what string, done func() bool) {
	s.t.Helper()
	require.Eventually(s.t, done, 2*time.Minute, 50*time.Millisecond, what)
}

// composed returns the compose file with the values of its example.
func composed(t *testing.T) *types.Project {
	t.Helper()
	project, err := load(t, exampleOfCompose(t))
	require.NoError(t, err)
	return project
}
