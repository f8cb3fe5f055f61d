// Container runs PostgreSQL in a container for as long as its standard input is open. Its
// arguments are the image and the server's arguments; the password of the user postgres is in
// PGPASSWORD. It prints the postgres:// URL of the server on a line, once the server listens.
//
// Package pgtest runs it as a program of its own, so that test binaries do not contain
// the container library, which is as large as half the program.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"
	"github.com/testcontainers/testcontainers-go/modules/postgres"
	"github.com/testcontainers/testcontainers-go/wait"
)

// timeout bounds the start of a container, including fetching its image.
const timeout = 90 * time.Second

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: container IMAGE [ARGUMENT...]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run starts the container and removes it when standard input ends.
func run(image string, arguments []string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	container, err := postgres.Run(ctx, image,
		postgres.WithUsername("postgres"),
		postgres.WithPassword(os.Getenv("PGPASSWORD")),
		testcontainers.WithEnv(map[string]string{"POSTGRES_INITDB_ARGS": "--locale=C --encoding=UTF8 --no-sync"}),
		testcontainers.WithCmd(append([]string{"postgres"}, arguments...)...),
		testcontainers.WithTmpfs(map[string]string{"/var/lib/postgresql/data": "rw"}), // clones are made in memory
		testcontainers.WithWaitStrategy(wait.ForListeningPort("5432/tcp")),            // also notices a container that ended
		testcontainers.WithLogger(tclog.NewNoopLogger()),
	)
	defer func() { err = errors.Join(err, testcontainers.TerminateContainer(container)) }()
	if err != nil {
		return err
	}
	dsn, err := container.ConnectionString(ctx, "sslmode=disable")
	if err != nil {
		return err
	}
	fmt.Println(dsn)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
