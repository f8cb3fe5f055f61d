package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// turnedOff is the value of TILTH_TEST_POSTGRES that asks for no server at all.
const turnedOff = "none"

// mend tells a person what to do about a missing server.
const mend = "install PostgreSQL (Debian: apt-get install postgresql), or start a container engine, " +
	"or set TILTH_TEST_POSTGRES to the postgres:// URL of a server on which databases may be created"

// absentError reports that this machine has no PostgreSQL to test on: a reason
// to skip. A named server that does not answer is another matter, and fails.
type absentError struct{ reasons []error }

func (e *absentError) Error() string {
	texts := make([]string, len(e.reasons))
	for i, r := range e.reasons {
		texts[i] = r.Error()
	}
	return "no PostgreSQL found (" + strings.Join(texts, "; ") + "). Fix: " + mend
}

func isAbsent(err error) bool {
	var absent *absentError
	return errors.As(err, &absent)
}

// find returns the first available server, in the order of the package comment.
// A container engine or a PostgreSQL installation that exists but does not work
// is reported on standard error, and the search continues.
func find(ctx context.Context, getenv func(string) string) (*server, error) {
	switch dsn := getenv("TILTH_TEST_POSTGRES"); dsn {
	case "":
	case turnedOff:
		return nil, &absentError{[]error{errors.New("TILTH_TEST_POSTGRES=" + turnedOff)}}
	default:
		return fromEnvironment(ctx, dsn)
	}

	absent := &absentError{}
	for _, start := range []func(context.Context) (*server, error){
		func(ctx context.Context) (*server, error) { return startContainer(ctx, getenv) },
		startLocal,
	} {
		srv, err := start(ctx)
		if err == nil {
			return srv, nil
		}
		if !errors.Is(err, errNotHere) {
			notice("without", fmt.Sprintf("going on without: %v", err))
		}
		absent.reasons = append(absent.reasons, err)
	}
	return nil, absent
}

// errNotHere marks a way to PostgreSQL that this machine does not have, as
// opposed to one that exists and failed.
var errNotHere = errors.New("not on this machine")

// fromEnvironment uses a server that somebody else runs. Databases that an
// earlier, killed test process left there are swept first.
func fromEnvironment(ctx context.Context, dsn string) (*server, error) {
	u, err := url.Parse(dsn)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return nil, errors.New("TILTH_TEST_POSTGRES must be a postgres:// URL")
	}
	srv, err := connectServer(ctx, dsn, "the server of TILTH_TEST_POSTGRES at "+u.Host, namedTimeout)
	if err != nil {
		return nil, fmt.Errorf("TILTH_TEST_POSTGRES: %w", err)
	}
	if err := srv.sweep(ctx); err != nil { // housekeeping, which the next process tries again
		fmt.Fprintf(os.Stderr, "pgtest: dropping the databases of earlier tests: %v\n", err)
	}
	return srv, nil
}
