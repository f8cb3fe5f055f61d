package pgtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/modules/postgres"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	defaultImage = "postgres:15-alpine"
	// engineTimeout bounds the look for an engine: its socket is on this machine
	// or near it.
	engineTimeout = 500 * time.Millisecond
	// containerTimeout bounds starting a container, fetching its image included.
	containerTimeout = 90 * time.Second
)

// startContainer runs the server in a container of its own.
func startContainer(ctx context.Context, getenv func(string) string) (*server, error) {
	if !engineAnswers(ctx, getenv) {
		return nil, fmt.Errorf("container engine: %w", errNotHere)
	}
	ctx, cancel := context.WithTimeout(ctx, containerTimeout)
	defer cancel()
	image := cmp.Or(getenv("TILTH_TEST_POSTGRES_IMAGE"), defaultImage)
	container, err := postgres.Run(ctx, image,
		postgres.WithUsername("postgres"),
		postgres.WithPassword(newPassword()),
		testcontainers.WithEnv(map[string]string{"POSTGRES_INITDB_ARGS": "--locale=C --encoding=UTF8 --no-sync"}),
		testcontainers.WithCmd(append([]string{"postgres"}, serverSettings()...)...),
		testcontainers.WithTmpfs(map[string]string{"/var/lib/postgresql/data": "rw"}), // clones are made in memory
		testcontainers.WithWaitStrategy(wait.ForListeningPort("5432/tcp")),            // also notices a container that ended
		testcontainers.WithLogger(tclog.NewNoopLogger()),
	)
	if err == nil {
		err = removeWithProcess(container)
	}
	var srv *server
	if err == nil {
		srv, err = connectContainer(ctx, container, image)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("a container of %s: %w", image, err), testcontainers.TerminateContainer(container))
	}
	return srv, nil
}

func connectContainer(ctx context.Context, container *postgres.PostgresContainer, image string) (*server, error) {
	dsn, err := container.ConnectionString(ctx, "sslmode=disable")
	if err != nil {
		return nil, err
	}
	return connectServer(ctx, dsn, "a container of "+image, readyTimeout)
}

// removeWithProcess has the container removed when this process ends. The
// library's own reaper needs an image of its own that not every machine can
// fetch; where the engine's command, or a shell to run it later, is missing, that
// reaper is what remains.
func removeWithProcess(container testcontainers.Container) error {
	docker, err := exec.LookPath("docker")
	if err != nil {
		return nil
	}
	return watchAsSelf(`exec "$1" rm --force --volumes "$2"`, docker, container.GetContainerID())
}

// engineAnswers reports whether something listens where a container engine
// would. It only connects: the tests must not wait for an engine that is not there.
func engineAnswers(ctx context.Context, getenv func(string) string) bool {
	for _, address := range engineAddresses(getenv) {
		dialer := net.Dialer{Timeout: engineTimeout}
		conn, err := dialer.DialContext(ctx, address.network, address.address)
		if err == nil {
			_ = conn.Close()
			return true
		}
	}
	return false
}

type engineAddress struct{ network, address string }

// engineAddresses lists where an engine may listen: where DOCKER_HOST says, else
// the customary sockets of the system's and of the user's engine.
func engineAddresses(getenv func(string) string) []engineAddress {
	if host := getenv("DOCKER_HOST"); host != "" {
		u, err := url.Parse(host)
		if err != nil {
			return nil
		}
		if u.Scheme == "unix" {
			return []engineAddress{{"unix", u.Path}}
		}
		return []engineAddress{{"tcp", u.Host}}
	}
	list := []engineAddress{{"unix", "/var/run/docker.sock"}}
	if home, err := os.UserHomeDir(); err == nil {
		list = append(list, engineAddress{"unix", filepath.Join(home, ".docker", "run", "docker.sock")})
	}
	if run := getenv("XDG_RUNTIME_DIR"); run != "" {
		list = append(list, engineAddress{"unix", filepath.Join(run, "docker.sock")})
	}
	return list
}
