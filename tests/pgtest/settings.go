package pgtest

import "crypto/rand"

// serverSettings are the arguments of a server whose data may be lost: it never
// waits for the disk. The number of connections leaves room for parallel tests,
// each with a pool.
func serverSettings() []string {
	return []string{
		"-c", "fsync=off",
		"-c", "synchronous_commit=off",
		"-c", "full_page_writes=off",
		"-c", "max_connections=300",
		"-c", "autovacuum=off",
		"-c", "max_wal_size=128MB", // the data may be in memory
	}
}

// newPassword returns the superuser's password of a server that pgtest starts:
// it listens on loopback, where other users of the machine could reach it.
func newPassword() string { return rand.Text() }
