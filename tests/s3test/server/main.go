// Command server is an S3 server for tests: versitygw on a folder, which checks every signature. It ends when its
// standard input does. It is a module of its own, so that its dependencies stay out of the program's list of modules.
//
// Usage: server FOLDER ADDRESS; the keys are those of the usual variables.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

func main() {
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder, address string) error {
	files, notes := filepath.Join(folder, "files"), filepath.Join(folder, "notes")
	for _, dir := range []string{files, notes} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	beside, err := meta.NewSideCar(notes)
	if err != nil {
		return err
	}
	store, err := posix.New(files, beside, posix.PosixOpts{SideCarDir: notes})
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the process that started it ends
		os.Exit(0)
	}()
	return embedgw.RunVersityGW(context.Background(), store, &embedgw.Config{
		RootUserAccess: os.Getenv("AWS_ACCESS_KEY_ID"), RootUserSecret: os.Getenv("AWS_SECRET_ACCESS_KEY"), Region: os.Getenv("AWS_REGION"),
		Ports: []string{address}, Quiet: true, KeepAlive: true, MultipartMaxParts: 10000, MaxConnections: 4096, MaxRequests: 2048,
	})
}
