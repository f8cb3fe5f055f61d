package wire

import (
	"context"
	"fmt"
	"io"
	"net"
	"time"

	"tilth/adapters/cli"
	"tilth/app/demo"
)

// demoTokenTTL is how long the token that the demo prints is good for.
const demoTokenTTL = 24 * time.Hour

// greet prints where the server is, for the demo a token and a first request, and for an empty installation what to do next.
// All of it is printed at once: a reader that learns that the server is ready may end it.
func (r *Running) greet(ctx context.Context, opts cli.ServeOptions, addr net.Addr) error {
	base := r.cfg.Base(addr.String())
	if opts.Demo {
		token, err := r.parts.Operating.CreateToken(ctx, demo.OwnerMail, demoTokenTTL)
		if err != nil {
			return err
		}
		return printDemo(opts.Out, base, token)
	}
	next, err := r.firstStep(ctx, base)
	if err != nil { // the server works all the same
		r.log.WarnContext(ctx, "whether this installation is empty is not known", "error", err)
	}
	_, err = fmt.Fprintf(opts.Out, "Tilth %[1]s is ready at %[2]s\n  console    %[2]s/\n  guides     %[2]s/docs/\n  reference  %[2]s/docs/api/\n%[3]s", version, base, next)
	return err
}

// firstStep returns what to do next where there is no company yet; empty where there is one.
func (r *Running) firstStep(ctx context.Context, base string) (string, error) {
	setup := r.parts.Interface.Account.Setup
	needed, err := setup.Needed(ctx)
	if err != nil || !needed {
		return "", err
	}
	token, err := setup.Token(ctx)
	if err != nil {
		return "", err
	}
	if token == "" { // people sign in elsewhere
		return "\nThis installation is empty. Make its first company and owner with `tilth company create` and `tilth user create`.\n", nil
	}
	return fmt.Sprintf(`
This installation is empty. Make its first company and owner on this page (whoever has the address may, for a day):

  %s/setup#%s

or with "tilth company create" and "tilth user create".
`, base, token), nil
}

func printDemo(w io.Writer, base, token string) error {
	_, err := fmt.Fprintf(w, `Tilth %[1]s is ready at %[2]s
  console    %[2]s/
  guides     %[2]s/docs/
  reference  %[2]s/docs/api/
  document   %[2]s/openapi.json

The demonstration farm is loaded. All of its imagery is synthetic. Its profiles of two seasons, maps, zones and
samples are being computed, and will be ready within a minute.
  sign in as %[4]s, %[5]s or %[6]s, password %[7]s

A token of the owner, valid for a day, and a first request:

  export TOKEN=%[3]s
  curl -s -H "Authorization: Bearer $TOKEN" %[2]s/api/v1.2/field/

`, version, base, token, demo.OwnerMail, demo.EditorMail, demo.ViewerMail, demo.Password)
	return err
}
