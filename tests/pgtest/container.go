package pgtest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	defaultImage = "postgres:15-alpine"
	// containerProgram is a program of its own so that no test binary links the container
	// library, which costs more than half the program.
	containerProgram = "tilth/tests/pgtest/container"
	// engineTimeout bounds the look for an engine: its socket is on this machine
	// or near it.
	engineTimeout = 500 * time.Millisecond
)

// startContainer has the server run in a container of its own, which is removed when
// this process ends.
func startContainer(ctx context.Context, getenv func(string) string) (*server, error) {
	if !engineAnswers(ctx, getenv) {
		return nil, fmt.Errorf("container engine: %w", errNotHere)
	}
	image := cmp.Or(getenv("TILTH_TEST_POSTGRES_IMAGE"), defaultImage)
	origin := "a container of " + image
	dsn, err := keepContainer(image)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", origin, err)
	}
	return connectServer(ctx, dsn, origin, readyTimeout)
}

// keepContainer runs the program that keeps a container and returns the address that it
// prints. That program limits its own time.
func keepContainer(image string) (dsn string, err error) {
	cmd := exec.Command("go", append([]string{"run", containerProgram, image}, serverSettings()...)...)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+newPassword())
	var complaint strings.Builder
	cmd.Stderr = &complaint
	output, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	detach(cmd)
	if err := keep(cmd); err != nil {
		return "", err
	}
	dsn, err = bufio.NewReader(output).ReadString('\n')
	if err != nil { // it ended without an address
		return "", fmt.Errorf("%w: %s", errors.Join(err, cmd.Wait()), strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSpace(dsn), nil
}

// engineAnswers reports whether something listens where a container engine would.
// It only connects: the tests must not wait for a missing engine.
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

// engineAddresses lists where an engine may listen: the address in DOCKER_HOST,
// or else the customary sockets of the system's and of the user's engine.
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
