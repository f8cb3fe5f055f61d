//go:build linux || darwin

package pgtest

import (
	"context"
	"net"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// Standby is a hot standby of the server of this process, made for one test.
type Standby struct {
	c    *cluster
	port int
}

// Follow makes a standby of the server of a database and starts it; it ends with the test. If this machine does not
// have PostgreSQL's programs, t is skipped.
func Follow(t testing.TB, dsn string) *Standby {
	t.Helper()
	programs, ok := findPrograms()
	if ok {
		_, err := exec.LookPath(filepath.Join(programs, "pg_basebackup"))
		ok = err == nil
	}
	if !ok {
		t.Skip("LEFT OUT: reads from a standby, which PostgreSQL's programs make. Fix: apt-get install postgresql.")
	}
	c, err := newCluster(programs)
	if err != nil {
		t.Fatalf("pgtest: a folder for the standby: %v", err)
	}
	ctx := context.Background()
	if err := c.run(ctx, "pg_basebackup", "-d", dsn, "-D", c.data(), "-R", "-X", "stream", "-c", "fast", "--no-sync"); err != nil {
		t.Fatalf("pgtest: copying the server: %v", err)
	}
	s := &Standby{c: c}
	if s.port, err = c.start(ctx); err != nil {
		t.Fatalf("pgtest: starting the standby: %v", err)
	}
	t.Cleanup(s.Stop)
	return s
}

// URL returns the address of the copy of a database.
func (s *Standby) URL(t testing.TB, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	u.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port))
	return u.String()
}

// Stop ends the standby as a crash does.
func (s *Standby) Stop() {
	_ = s.c.run(context.Background(), "pg_ctl", "-D", s.c.data(), "-m", "immediate", "-w", "stop") // it may have ended
}
