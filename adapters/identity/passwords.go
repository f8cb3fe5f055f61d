// Package identity authenticates callers: argon2id passwords, signed access tokens,
// random identifiers. It decides no permission and stores nothing itself.
package identity

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/alexedwards/argon2id"
)

// PasswordMemory is the memory in MiB that the hash of a password takes, in three passes.
// RFC 9106's second recommended option is 64, for memory that is shared with the rest of the
// server; OWASP's password storage cheat sheet requires at least 12.
type PasswordMemory uint32

// Passwords hashes and checks passwords, at most two at a time, so that a flood of sign-ins cannot
// take all of the server's memory.
type Passwords struct {
	params *argon2id.Params
	slots  chan struct{}
	dummy  func() string
}

// NewPasswords creates the hasher. Hashes made with a different amount of memory stay valid.
func NewPasswords(memory PasswordMemory) *Passwords {
	params := &argon2id.Params{
		Memory: uint32(memory) * 1024, Iterations: 3, Parallelism: uint8(min(4, runtime.NumCPU())), SaltLength: 16, KeyLength: 32,
	}
	return &Passwords{
		params: params,
		slots:  make(chan struct{}, 2),
		dummy: sync.OnceValue(func() string {
			hash, _ := argon2id.CreateHash("nobody has this password", params)
			return hash
		}),
	}
}

// begin waits until there is memory for a hash, or until the context ends.
func (p *Passwords) begin(ctx context.Context) (done func(), err error) {
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Hash returns the encoded argon2id hash of a password.
func (p *Passwords) Hash(ctx context.Context, password string) (string, error) {
	done, err := p.begin(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	return argon2id.CreateHash(password, p.params)
}

// Check reports whether a password matches a hash. An empty hash matches none, in the same time
// as a real one.
func (p *Passwords) Check(ctx context.Context, password, hash string) (bool, error) {
	done, err := p.begin(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	known := hash != ""
	if !known {
		hash = p.dummy()
	}
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return false, fmt.Errorf("check password: %w", err)
	}
	return ok && known, nil
}
