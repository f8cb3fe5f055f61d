// Command tilth is the one binary of Tilth.
package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	_ "time/tzdata" // the IANA time zones, for machines that have none

	"tilth/adapters/cli"
	"tilth/wire"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	environ := map[string]string{}
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		environ[name] = value
	}
	status := cli.Run(ctx, wire.Program{}, os.Args[1:], environ, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(status)
}
